/** API_ALLOW_BULK with a list of methods: which requests with many records it allows, and what the others are told. */
import { type AnyModel, type ApiConfig, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  name: { type: 'string', maxLength: 20, unique: true },
} as const

eachDatabase('contract: methods of bulk writes', (test, db) => {
  const Tag = defineModel('Tag', { columns, unique: [['name']], meta: {} })
  test.before(() => createTables(db, [Tag]))
  test.before.each(async () => {
    await db.kysely.deleteFrom('tags').execute()
    await insertRows(db, Tag, [{ id: 1001, name: 'a' }])
  })

  const list = [{ name: 'x' }, { name: 'y' }]
  /** The requests with many records by the method that they need. */
  const requests = {
    POST: [
      ['POST', '/api/tags', list],
      ['POST', '/api/tags?on_conflict=name', [{ name: 'a' }, { name: 'z' }]],
    ],
    PATCH: [
      ['PATCH', '/api/tags', [{ id: 1001, name: 'c' }]],
      ['PATCH', '/api/tags?name__eq=c', { name: 'd' }],
    ],
    DELETE: [['DELETE', '/api/tags?name__in=(x,y)']],
  } as const

  const values: readonly (readonly [value: ApiConfig['API_ALLOW_BULK'], shown: string])[] = [
    [false, 'false'],
    [true, ''],
    [[], 'false'],
    [['POST'], '["POST"]'],
    [['POST', 'PATCH'], '["POST","PATCH"]'],
    [['PATCH', 'DELETE'], '["PATCH","DELETE"]'],
  ]
  for (const [value, shown] of values) {
    test(`${JSON.stringify(value)}`, async () => {
      const has = (method: string): boolean =>
        typeof value === 'boolean' ? value : value?.some((one) => one === method) === true
      const api = testApi(db, [Tag], { API_ALLOW_BULK: value as boolean })
      for (const [method, all] of Object.entries(requests)) {
        for (const [sent, url, body] of all) {
          const answer = await send(api, sent, url, body === undefined ? {} : { body })
          if (has(method)) {
            ok(answer.status < 300, answer.text)
            continue
          }
          equal(answer.status, method === 'POST' ? 400 : 405)
          match(answer.errors.reason, `API_ALLOW_BULK is ${shown})`)
        }
      }
      if (way !== 'batch') {
        const { headers } = await send(api, 'OPTIONS', '/api/tags')
        equal(
          ['PATCH', 'DELETE'].map((method) => headers.allow?.split(', ').includes(method)),
          ['PATCH', 'DELETE'].map(has),
        )
      }
      equal((await send(api, 'PATCH', '/api/tags/1001', { body: { name: 'one' } })).status, 200)
      equal((await send(api, 'POST', '/api/tags', { body: { name: 'two' } })).status, 201)
    })
  }

  test('meta decides for its model', async () => {
    const Imported = defineModel('Tag', {
      columns,
      meta: { allow_bulk: ['POST'] },
    }) as unknown as AnyModel
    const api = testApi(db, [Imported], { API_ALLOW_BULK: ['DELETE'] })
    equal((await send(api, 'POST', '/api/tags', { body: list })).status, 201)
    const { status, errors } = await send(api, 'DELETE', '/api/tags?name__eq=x')
    equal([status, errors.code], [405, 'method_not_allowed'])
    match(errors.reason, '(API_ALLOW_BULK is ["POST"])')
  })

  test('the document has the operations and bodies that are allowed', async () => {
    const pathsOf = async (value: ApiConfig['API_ALLOW_BULK']) => {
      const { paths } = (await testApi(db, [Tag], {
        API_ALLOW_BULK: value as boolean,
      }).openapi()) as unknown as {
        paths: Record<string, Record<string, { requestBody?: unknown }>>
      }
      const collection = paths['/api/tags'] ?? {}
      const takesList = JSON.stringify(collection.post?.requestBody).includes('"minItems":1')
      return [
        Object.keys(collection)
          .filter((name) => /^(?:post|patch|delete)$/.test(name))
          .sort(),
        takesList,
      ]
    }
    equal(await pathsOf(true), [['delete', 'patch', 'post'], true])
    equal(await pathsOf(['POST']), [['post'], true])
    equal(await pathsOf(['PATCH']), [['patch', 'post'], false])
    equal(await pathsOf(false), [['post'], false])
  })

  test('the exposure lists the endpoints that are allowed', async () => {
    const api = testApi(db, [Tag], { API_ALLOW_BULK: ['PATCH'] })
    await api.ready
    const lines = api
      .exposure([])
      .split('\n')
      .map((line) => line.trim())
    equal([lines.includes('PATCH /api/tags'), lines.includes('DELETE /api/tags')], [true, false])
  })
})
