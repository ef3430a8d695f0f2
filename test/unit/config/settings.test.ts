/** Settings: their defaults, and meta before config before default. */
import type { ApiConfig } from '../../../packages/core/src/config/config.ts'
import { keyTable, metaKeyTable } from '../../../packages/core/src/config/key-table.ts'
import { type Meta, metaKeyOf } from '../../../packages/core/src/config/meta.ts'
import { limitSettingNames, settingNames } from '../../../packages/core/src/config/setting-names.ts'
import { buildRegistry } from '../../../packages/core/src/registry/registry.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { model, resourceOf } from '../registry/start-up.ts'

const settings = (meta: Meta = {}, config: ApiConfig = {}) =>
  resourceOf('Book', [model('Book', { columns: { gone: { type: 'boolean' } }, meta })], config)
    .settings

const apiSettings = (config: ApiConfig = {}) => buildRegistry({ config }).settings

suite('defaults', (test) => {
  test('of the API', () => {
    const { title, version, prefix, baseUrl, endpointCase, bodyLimit, limits, dump, info } =
      apiSettings()
    equal([title, version, prefix, baseUrl, endpointCase], ['API', '1.0.0', '/api', '', 'kebab'])
    equal(bodyLimit, 1024 * 1024)
    equal(limits, {
      urlLength: 8192,
      conditions: 100,
      list: 1000,
      relationFilters: 10,
      joins: 8,
      depth: 4,
      embeddedRows: 10000,
      bulk: 1000,
    })
    equal(dump, {
      envelope: true,
      datetime: true,
      version: true,
      statusCode: true,
      responseMs: true,
      totalCount: true,
      nullNextUrl: true,
      nullPreviousUrl: true,
      nullErrors: true,
      requestId: false,
    })
    equal(info.serverUrls, [])
  })

  test('of a resource', () => {
    const { methods, ...others } = settings()
    equal([...methods], ['GET', 'POST', 'PATCH', 'DELETE'])
    const expected = {
      allowJoin: false,
      allowFilters: true,
      allowOrderBy: true,
      allowSelectFields: true,
      allowGroupby: false,
      listEtags: false,
      allowAggregation: false,
      serializationType: 'url',
      serializationDepth: undefined,
      addRelations: true,
      pageSizeDefault: 20,
      pageSizeMax: 100,
      count: 'exact',
      softDelete: null,
      additionalQueryParams: [],
      description: undefined,
      tag: undefined,
      tagGroup: undefined,
    }
    equal({ ...others, ...expected }, others)
  })
})

suite('precedence', (test) => {
  test('meta goes before config, config before the default', () => {
    equal(settings({}, {}).allowJoin, false)
    equal(settings({}, { API_ALLOW_JOIN: true }).allowJoin, true)
    equal(settings({ allow_join: false }, { API_ALLOW_JOIN: true }).allowJoin, false)
    equal(settings({ max_list: 5 }, { API_MAX_LIST: 7, API_MAX_JOINS: 3 }).limits, {
      ...settings().limits,
      list: 5,
      joins: 3,
    })
    equal(settings({ dump_datetime: false }, { API_DUMP_VERSION: false }).dump, {
      ...settings().dump,
      datetime: false,
      version: false,
    })
  })

  test('a depth of 0 is a depth', () => {
    equal(settings({}, { API_SERIALIZATION_DEPTH: 0 }).serializationDepth, 0)
    equal(
      settings({ serialization_depth: 0 }, { API_SERIALIZATION_DEPTH: 2 }).serializationDepth,
      0,
    )
  })

  test('the built-in page size gives way to a smaller maximum', () => {
    const { pageSizeDefault, pageSizeMax } = settings({ pagination_size_max: 5 })
    equal([pageSizeDefault, pageSizeMax], [5, 5])
  })

  test('blocked methods are taken from the allowed ones', () => {
    const methods = (meta: Meta, config: ApiConfig = {}) => [...settings(meta, config).methods]
    equal(methods({ allowed_methods: ['GET', 'PUT'] }), ['GET', 'PUT'])
    equal(methods({ block_methods: ['DELETE'] }), ['GET', 'POST', 'PATCH'])
    equal(methods({ allowed_methods: ['GET', 'POST'] }, { API_BLOCK_METHODS: ['POST'] }), ['GET'])
    equal(methods({ block_methods: [] }, { API_BLOCK_METHODS: ['POST'] }).length, 4)
    equal(methods({ allowed_methods: [] }), [])
  })

  test('texts of the document are kept', () => {
    const config = { API_SERVER_URLS: 'https://a.example', API_CONTACT_NAME: 'Ann' }
    const { info } = apiSettings(config)
    equal([info.serverUrls, info.contactName], [['https://a.example'], 'Ann'])
    equal(settings({ tag: 'Books', tag_group: 'Library', description: 'All' }).tagGroup, 'Library')
  })
})

suite('soft delete', (test) => {
  const value = (of: unknown) => ({ kind: 'value', value: of })
  const global: ApiConfig = { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'gone' }

  test('has the values false and true', () => {
    equal(settings({}, global).softDelete, {
      attribute: 'gone',
      active: false,
      deleted: value(true),
    })
  })

  test('set globally, concerns the models that have the column', () => {
    const models = [model('Book', { columns: { gone: { type: 'boolean' } } }), model('Tag')]
    ok(resourceOf('Book', models, global).settings.softDelete)
    equal(resourceOf('Tag', models, global).settings.softDelete, null)
  })

  test('can be set or left by one model', () => {
    equal(settings({ soft_delete: false }, { ...global, API_SOFT_DELETE: false }).softDelete, null)
    const own = settings({
      soft_delete: true,
      soft_delete_attribute: 'gone',
      soft_delete_values: [true, false],
    })
    equal(own.softDelete, { attribute: 'gone', active: true, deleted: value(false) })
    equal(settings({ soft_delete: true }, { API_SOFT_DELETE_ATTRIBUTE: 'gone' }).softDelete, {
      attribute: 'gone',
      active: false,
      deleted: value(true),
    })
  })

  test('takes values of the column type', () => {
    const state = { type: 'enum', enum: ['here', 'gone'] }
    const Book = model('Book', {
      columns: { state },
      meta: {
        soft_delete: true,
        soft_delete_attribute: 'state',
        soft_delete_values: ['here', 'gone'],
      },
    })
    equal(resourceOf('Book', [Book]).settings.softDelete?.deleted, value('gone'))
  })

  test('takes NULL for an active record, and a moment or a function for a deleted one', () => {
    const deletedWith = (type: string, deleted: unknown) =>
      resourceOf('Book', [
        model('Book', {
          columns: { gone: { type, nullable: true } },
          meta: {
            soft_delete: true,
            soft_delete_attribute: 'gone',
            soft_delete_values: [null, deleted],
          } as never,
        }),
      ]).settings.softDelete
    const make = () => 7
    equal(deletedWith('datetime', 'now'), {
      attribute: 'gone',
      active: null,
      deleted: { kind: 'now' },
    })
    equal(deletedWith('date', 'now')?.deleted, { kind: 'now' })
    equal(deletedWith('string', 'now')?.deleted, value('now'))
    equal(deletedWith('integer', make)?.deleted, { kind: 'function', make })
  })
})

suite('the key table', (test) => {
  test('accepts its own defaults', () => {
    // An empty base URL is the one default that nobody may write: it says "none".
    const wrong = [...Object.entries(keyTable), ...Object.entries(metaKeyTable)].filter(
      ([key, { default: value, check }]) =>
        value !== undefined && key !== 'API_BASE_URL' && check(value) !== undefined,
    )
    equal(wrong, [])
  })

  test('has no two keys of one spelling in meta', () => {
    const shared = Object.entries(keyTable).filter(([, { level }]) => level === 'both')
    const names = [...shared.map(([key]) => metaKeyOf(key)), ...Object.keys(metaKeyTable)]
    equal(new Set(names).size, names.length)
  })

  test('knows every name that errors use', () => {
    for (const name of [...Object.values(settingNames), ...Object.values(limitSettingNames)]) {
      ok(name in keyTable, name)
    }
    equal(Object.keys(limitSettingNames), Object.keys(apiSettings().limits))
  })
})
