/** Settings: their defaults, and the precedence of meta over config over default. */
import { isDeepStrictEqual } from 'node:util'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import type { ApiConfig } from '../../../packages/core/src/model/settings/config.ts'
import { type Meta, metaKeyOf } from '../../../packages/core/src/model/settings/meta.ts'
import {
  limitSettingNames,
  settingNames,
} from '../../../packages/core/src/model/settings/setting-names.ts'
import {
  allSettings,
  settingTable,
} from '../../../packages/core/src/model/settings/setting-table.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { model, problemsOf, resourceOf } from '../registry/start-up.ts'

const settings = (meta: Meta = {}, config: ApiConfig = {}) =>
  resourceOf('Book', [model('Book', { columns: { gone: { type: 'boolean' } }, meta })], config)
    .settings

/** Settings whose value says where it was set, or that need each other; other tests cover them. */
const differs = (key: string): boolean =>
  /^API_(SOFT_DELETE|AUTH|ROLE|ACCESS_POLICY|ERROR_CODES)/.test(key)

const inConfig = allSettings.filter(([, { level }]) => level !== 'model')
const inMetaOnly = allSettings.flatMap(([key, { level }]) => (level === 'model' ? [key] : []))

const apiSettings = (config: ApiConfig = {}) => buildRegistry({ config }).settings

suite('defaults', (test) => {
  test('of the API', () => {
    const { title, version, prefix, baseUrl, endpointCase, bodyLimit, limits, dump, serverUrls } =
      apiSettings()
    equal([title, version, prefix, baseUrl, endpointCase], ['API', '1.0.0', '/api', '', 'kebab'])
    equal(bodyLimit, 1024 * 1024)
    equal(limits, {
      urlLength: 8192,
      conditions: 100,
      list: 1000,
      relationFilters: 10,
      aggregates: 8,
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
    equal(serverUrls, [])
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
      errorCodes: [],
      description: undefined,
      tag: undefined,
      tagGroup: undefined,
    }
    equal({ ...others, ...expected }, others)
  })
})

suite('precedence', (test) => {
  test('meta overrides config, config overrides the default', () => {
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

  test('every key that is allowed in meta has the same effect there as in config', () => {
    const others: Readonly<Record<string, unknown>> = {
      API_SERIALIZATION_TYPE: 'json',
      API_SERIALIZATION_DEPTH: 2,
      API_PAGINATION_SIZE_DEFAULT: 7,
      API_PAGINATION_SIZE_MAX: 50,
      API_COUNT: 'none',
      API_ADDITIONAL_QUERY_PARAMS: ['lang'],
      API_ALLOWED_METHODS: ['GET', 'PUT'],
      API_BLOCK_METHODS: ['DELETE'],
      API_SCHEMA_CHECK: 'error',
      API_RATE_LIMIT: '5 per minute',
    }
    const plain = settings()
    for (const [key, entry] of inConfig) {
      if (entry.level === 'api' || differs(key)) continue
      const { default: value } = entry
      const other = typeof value === 'boolean' ? !value : (others[key] ?? 3)
      const given = key.endsWith('_CALLBACK') ? () => undefined : other
      const inMeta = settings({ [metaKeyOf(key)]: given })
      equal(inMeta, settings({}, { [key]: given }), key)
      ok(!isDeepStrictEqual(inMeta, plain), `${key} changes nothing`)
      // The value of the model takes precedence even over the default of the configuration.
      if (value !== undefined)
        equal(settings({ [metaKeyOf(key)]: given }, { [key]: value }), inMeta, key)
    }
  })

  test('a callback and a rate limit may be set for one method', () => {
    const callbacks = inConfig.flatMap(([key, { level }]) =>
      key.endsWith('_CALLBACK') && level !== 'api' ? key : [],
    )
    equal(callbacks.length, 11)
    const [own, shared] = [() => 'own', () => 'shared']
    for (const method of ['get', 'post', 'patch', 'put', 'delete'] as const) {
      for (const key of callbacks) {
        const { hooks } = settings({
          [metaKeyOf(key)]: shared,
          [`${method}_${metaKeyOf(key)}`]: own,
        })
        for (const [other, found] of Object.entries(hooks)) {
          equal(
            Object.values(found),
            [other === method ? own : shared],
            `${method} ${key} ${other}`,
          )
        }
      }
      const { rates } = settings({ rate_limit: '2/hour', [`${method}_rate_limit`]: '1/hour' })
      for (const [other, [window]] of Object.entries(rates)) {
        equal(window?.count, other.toLowerCase() === method ? 1 : 2, `${method} ${other}`)
      }
    }
  })

  test('codes of meta are added to those of config, or replace them', () => {
    const all = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']
    const { errorCodes } = settings(
      {
        error_codes: {
          b: { status: 410, description: 'B.' },
          c: { status: 411, description: 'C.' },
        },
      },
      {
        API_ERROR_CODES: {
          a: { status: 409, description: 'A.', methods: ['PUT'] },
          b: { status: 409, description: 'B?' },
        },
      },
    )
    equal(
      errorCodes.map(({ at, status, methods }) => [at, status, methods]),
      [
        ['config.API_ERROR_CODES.a', 409, ['PUT']],
        ['models.Book.meta.error_codes.b', 410, all],
        ['models.Book.meta.error_codes.c', 411, all],
      ],
    )
  })

  test('a depth of 0 counts as set', () => {
    equal(settings({}, { API_SERIALIZATION_DEPTH: 0 }).serializationDepth, 0)
    equal(
      settings({ serialization_depth: 0 }, { API_SERIALIZATION_DEPTH: 2 }).serializationDepth,
      0,
    )
  })

  test('a smaller maximum limits the built-in page size', () => {
    const { pageSizeDefault, pageSizeMax } = settings({ pagination_size_max: 5 })
    equal([pageSizeDefault, pageSizeMax], [5, 5])
  })

  test('blocked methods are removed from the allowed ones', () => {
    const methods = (meta: Meta, config: ApiConfig = {}) => [...settings(meta, config).methods]
    equal(methods({ allowed_methods: ['GET', 'PUT'] }), ['GET', 'PUT'])
    equal(methods({ block_methods: ['DELETE'] }), ['GET', 'POST', 'PATCH'])
    equal(methods({ allowed_methods: ['GET', 'POST'] }, { API_BLOCK_METHODS: ['POST'] }), ['GET'])
    equal(methods({ block_methods: [] }, { API_BLOCK_METHODS: ['POST'] }).length, 4)
    equal(methods({ allowed_methods: [] }), [])
  })

  test('titles and descriptions for the document are read', () => {
    const config = { API_SERVER_URLS: 'https://a.example', API_CONTACT_NAME: 'Ann' }
    const { serverUrls, contactName } = apiSettings(config)
    equal([serverUrls, contactName], [['https://a.example'], 'Ann'])
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

  test('set globally, applies to the models that have the column', () => {
    const models = [model('Book', { columns: { gone: { type: 'boolean' } } }), model('Tag')]
    ok(resourceOf('Book', models, global).settings.softDelete)
    equal(resourceOf('Tag', models, global).settings.softDelete, null)
  })

  test('can be enabled or disabled by one model', () => {
    equal(settings({ soft_delete: false }, { ...global, API_SOFT_DELETE: false }).softDelete, null)
    const gone = { gone: { type: 'boolean' } }
    const models = [
      model('Book', { columns: gone, meta: { soft_delete: false } }),
      model('Tag', { columns: gone }),
    ]
    equal(resourceOf('Book', models, global).settings.softDelete, null)
    ok(resourceOf('Tag', models, global).settings.softDelete)
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

  test('accepts values of the column type', () => {
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

  test('accepts NULL for an active record, and a timestamp or a function for a deleted one', () => {
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

/** The value of every key that is not set; the keys of the second list may also be in meta. */
const defaults: Readonly<Record<'api' | 'both', Readonly<Record<string, unknown>>>> = {
  api: {
    API_TITLE: 'API',
    API_VERSION: '1.0.0',
    API_PREFIX: '/api',
    API_BASE_URL: '',
    API_ENDPOINT_CASE: 'kebab',
    API_PASSWORD_COST: 10,
    API_KEYS: false,
    API_CUSTOM_AUTH_PER_BATCH: false,
    API_JWT_EXPIRY_TIME: 360,
    API_JWT_REFRESH_EXPIRY_TIME: 2880,
    API_JWT_ALGORITHM: 'HS256',
    API_JWT_LEEWAY: 5,
    API_JWT_REFRESH_GRACE: 0,
    API_AUTH_TOKEN_PROVIDERS: ['header'],
    API_AUTH_COOKIE_NAME: 'access_token',
    API_AUTH_REFRESH_COOKIE: false,
    API_TRUSTED_ORIGINS: [],
    API_AUTO_AUTH_ROUTES: true,
    API_AUTH_REFRESH_ROUTE: '/auth/refresh',
    API_AUTH_ME_ROUTE: '/auth/me',
    API_EXPOSE_ME: true,
    API_LOGIN_RATE_LIMIT: '10 per minute',
    API_CREATE_DOCS: true,
    API_DOCUMENTATION_URL: '/docs',
    API_DOCS_SPEC_ROUTE: '/docs/apispec.json',
    API_DOCUMENTATION_REQUIRE_AUTH: false,
    API_ALLOW_BATCH: false,
    API_BATCH_ROUTE: '/batch',
    API_MAX_BATCH: 1000,
    API_MAX_BATCH_RESPONSE: 16777216,
    API_BATCH_TIMEOUT: 30000,
    API_READ_YOUR_WRITES: 'off',
    API_STATEMENT_TIMEOUT: 5000,
    API_HOOK_TIMEOUT: 10000,
    API_BODY_LIMIT: 1048576,
    API_MAX_URL_LENGTH: 8192,
    ...unset(
      'BASE_MODEL SESSION_GETTER USER_MODEL USER_LOOKUP_FIELD USER_ACTIVE CREDENTIAL_CHECK_METHOD CREDENTIAL_HASH_FIELD',
      'KEY_AUTH_AND_RETURN_METHOD CUSTOM_AUTH CUSTOM_AUTH_SCHEME JWT_ALLOWED_ALGORITHMS JWT_ISSUER JWT_ISSUERS JWT_AUDIENCE',
      'RATE_LIMIT_STORE TRUSTED_PROXIES DESCRIPTION CONTACT_NAME CONTACT_EMAIL CONTACT_URL LICENCE_NAME LICENCE_URL',
      'SERVER_URLS LOGO_URL HTML_PAGES HEALTH_ROUTE',
    ),
    ACCESS_SECRET_KEY: undefined,
    REFRESH_SECRET_KEY: undefined,
    ACCESS_PRIVATE_KEY: undefined,
    ACCESS_PREVIOUS_KEYS: undefined,
    REFRESH_PREVIOUS_KEYS: undefined,
    ACCESS_PUBLIC_KEY: undefined,
    REFRESH_PRIVATE_KEY: undefined,
    REFRESH_PUBLIC_KEY: undefined,
  },
  both: {
    API_SERIALIZATION_TYPE: 'url',
    API_ADD_RELATIONS: true,
    API_ALLOW_JOIN: false,
    API_ALLOW_FILTERS: true,
    API_ALLOW_ORDER_BY: true,
    API_ALLOW_SELECT_FIELDS: true,
    API_ALLOW_GROUPBY: false,
    API_ALLOW_AGGREGATION: false,
    API_PAGINATION_SIZE_DEFAULT: 20,
    API_PAGINATION_SIZE_MAX: 100,
    API_COUNT: 'exact',
    API_ADDITIONAL_QUERY_PARAMS: [],
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'DELETE'],
    API_BLOCK_METHODS: [],
    API_ALLOW_NESTED_WRITES: false,
    API_ALLOW_BULK: false,
    API_ALLOW_UPSERT: true,
    API_ALLOW_CASCADE_DELETE: false,
    API_SOFT_DELETE: false,
    API_SOFT_DELETE_VALUES: [false, true],
    API_DUMP_DATETIME: true,
    API_DUMP_VERSION: true,
    API_DUMP_STATUS_CODE: true,
    API_DUMP_RESPONSE_MS: true,
    API_DUMP_TOTAL_COUNT: true,
    API_DUMP_NULL_NEXT_URL: true,
    API_DUMP_NULL_PREVIOUS_URL: true,
    API_DUMP_NULL_ERRORS: true,
    API_DUMP_ENVELOPE: true,
    API_DUMP_REQUEST_ID: false,
    API_LIST_ETAGS: false,
    API_SCHEMA_CHECK: 'warn',
    API_MAX_CONDITIONS: 100,
    API_MAX_LIST: 1000,
    API_MAX_RELATION_FILTERS: 10,
    API_MAX_AGGREGATES: 8,
    API_MAX_JOINS: 8,
    API_MAX_DEPTH: 4,
    API_MAX_EMBEDDED_ROWS: 10000,
    API_MAX_BULK: 1000,
    ...unset(
      'SERIALIZATION_DEPTH SOFT_DELETE_ATTRIBUTE AUTHENTICATE_METHOD AUTH_REQUIREMENTS ROLE_MAP ROLES_REQUIRED',
      'ROLES_ACCEPTED ACCESS_POLICY RATE_LIMIT SETUP_CALLBACK FILTER_CALLBACK ADD_CALLBACK UPDATE_CALLBACK REMOVE_CALLBACK',
      'DUMP_CALLBACK RETURN_CALLBACK FINAL_CALLBACK BEFORE_COMMIT_CALLBACK AFTER_COMMIT_CALLBACK ERROR_CALLBACK',
      'ERROR_CODES',
    ),
  },
}

function unset(...names: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(
    names.flatMap((line) => line.split(' ')).map((name) => [`API_${name}`, undefined]),
  )
}

suite('the table of settings', (test) => {
  test('has these keys, at these levels, with these defaults', () => {
    for (const level of ['api', 'both'] as const) {
      const entries = inConfig.filter(([, entry]) => entry.level === level)
      const found = Object.fromEntries(entries.map(([key, entry]) => [key, entry.default]))
      equal(Object.keys(found).sort(), Object.keys(defaults[level]).sort())
      for (const [key, value] of Object.entries(defaults[level])) equal(found[key], value, key)
    }
  })

  test('refuses a value of another kind, whatever the key', () => {
    for (const [key, { level }] of inConfig) {
      const [line = ''] = problemsOf({ models: [model('Book')], config: { [key]: 0.5 } as never })
      ok(line.startsWith(`config.${key}: `), `${key}: ${line}`)
      if (level === 'api') continue
      const name = metaKeyOf(key)
      const [own = ''] = problemsOf({ models: [model('Book', { meta: { [name]: 0.5 } })] })
      ok(own.startsWith(`models.Book.meta.${name}: `), `${name}: ${own}`)
    }
    for (const key of inMetaOnly) {
      const [own = ''] = problemsOf({ models: [model('Book', { meta: { [key]: 0.5 } })] })
      ok(own.startsWith(`models.Book.meta.${key}: `), `${key}: ${own}`)
    }
  })

  test('accepts its own defaults', () => {
    // An empty base URL is the only default that cannot be written, because it means "none".
    const wrong = allSettings.filter(
      ([key, { default: value, check }]) =>
        value !== undefined && key !== 'API_BASE_URL' && check(value) !== undefined,
    )
    equal(wrong, [])
  })

  test('has no two keys with the same name in meta', () => {
    const shared = inConfig.filter(([, { level }]) => level === 'both')
    const names = [...shared.map(([key]) => metaKeyOf(key)), ...inMetaOnly]
    equal(new Set(names).size, names.length)
  })

  test('contains every key that errors name', () => {
    for (const name of [...Object.values(settingNames), ...Object.values(limitSettingNames)]) {
      ok(name in settingTable, name)
    }
    equal(Object.keys(limitSettingNames), Object.keys(apiSettings().limits))
  })
})
