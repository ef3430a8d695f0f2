/** Which key of API_ROLE_MAP and API_AUTH_REQUIREMENTS decides about each kind of request. */
import { type AnyModel, type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const Note = defineModel('Note', {
  columns: {
    id,
    text: { type: 'string', maxLength: 20 },
    gone: { type: 'boolean' },
    pad_id: { type: 'integer', nullable: true },
  },
  relations: { pad: belongsTo('Pad', 'pad_id') },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
}) as unknown as AnyModel
const Pad = defineModel('Pad', {
  columns: { id },
  relations: { notes: hasMany('Note', 'pad_id') },
  meta: {},
}) as unknown as AnyModel

/** The requests by a short name. */
const requests: Readonly<Record<string, readonly [method: string, url: string, body?: unknown]>> = {
  list: ['GET', '/api/notes'],
  head: ['HEAD', '/api/notes'],
  query: ['QUERY', '/api/notes', ''],
  one: ['GET', '/api/notes/1'],
  'related list': ['GET', '/api/pads/1/notes'],
  'related one': ['GET', '/api/notes/1/pad'],
  create: ['POST', '/api/notes', { text: 'x' }],
  'create list': ['POST', '/api/notes', [{ text: 'x' }]],
  upsert: ['POST', '/api/notes?on_conflict=id', { id: 1, text: 'x' }],
  change: ['PATCH', '/api/notes/1', { text: 'x' }],
  'change list': ['PATCH', '/api/notes', [{ id: 1, text: 'x' }]],
  'change by filter': ['PATCH', '/api/notes?text__eq=nobody', { text: 'x' }],
  replace: ['PUT', '/api/notes/1', { text: 'x' }],
  restore: ['POST', '/api/notes/2/restore'],
  remove: ['DELETE', '/api/notes/99'],
  'remove by filter': ['DELETE', '/api/notes?text__eq=nobody'],
}
const all = Object.keys(requests)
const changes = ['change', 'change list', 'change by filter', 'replace', 'restore']
const related = ['related list', 'related one']
// Filters could tell what the records hold, so they need the right to list.
const byFilter = ['change by filter', 'remove by filter']
const reads = ['list', 'head', 'query', 'one', ...related]
// An upsert may change the record that it finds.
const asPatch = ['upsert', ...changes]

/** What a rule for these keys alone applies to. The other keys of a map are open. */
const cases: readonly (readonly [
  keys: readonly string[],
  open: readonly string[],
  of: readonly string[],
])[] = [
  [['ALL'], [], all],
  [['*'], [], all],
  [['GET'], [], [...reads, ...byFilter]],
  [['GET_MANY'], [], ['list', 'head', 'query', 'related list', ...byFilter]],
  [['GET_ONE'], [], ['one', 'related one']],
  [['RELATION_GET'], [], related],
  [['RELATION_GET_MANY'], [], ['related list']],
  [['RELATION_GET_ONE'], [], ['related one']],
  [['POST'], [], ['create', 'create list', 'upsert']],
  [['PATCH'], [], asPatch],
  [['PATCH'], ['PUT'], asPatch.filter((name) => name !== 'replace')],
  [['PUT'], [], ['replace']],
  [['DELETE'], [], ['remove', 'remove by filter']],
  [['ALL'], ['GET'], all.filter((name) => !reads.includes(name))],
  // The target of a relation must allow the request, too.
  [['GET'], ['RELATION_GET'], [...reads, ...byFilter]],
]

suite('the keys of requests', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  test.before(() => createTables(db, [Pad, Note]))
  test.after(() => db.close())
  const config: ApiConfig = {
    API_ALLOW_BULK: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  }
  const refused = async (own: ApiConfig, user: unknown, status: number) => {
    const api = testApi(db, [Pad, Note], { ...config, ...own })
    const names: string[] = []
    for (const [name, [method, url, body]] of Object.entries(requests)) {
      await db.kysely.deleteFrom('notes').execute()
      await db.kysely.deleteFrom('pads').execute()
      await insertRows(db, Pad, [{ id: 1 }])
      await insertRows(db, Note, [
        { id: 1, text: 'a', gone: false, pad_id: 1 },
        { id: 2, text: 'b', gone: true, pad_id: null },
      ])
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await send(api, method, url, {
        user,
        ...(body === undefined ? {} : { body }),
        ...(method === 'QUERY' ? { headers } : {}),
      })
      // Rights beside those of the request itself are 403, not 401.
      const isRefused = answer.status === status || answer.status === 403
      if (isRefused) names.push(name)
      else equal([name, [200, 201, 404].includes(answer.status)], [name, true])
    }
    return names
  }
  const map = (keys: readonly string[], rule: unknown, open: readonly string[], free: unknown) =>
    Object.fromEntries([...keys.map((key) => [key, rule]), ...open.map((key) => [key, free])])

  for (const [keys, open, of] of cases) {
    const title = `${keys}${open.length === 0 ? '' : `, but not ${open}`}: ${of}`
    test(`roles: ${title}`, async () => {
      const own = { API_ROLE_MAP: map(keys, 'editor', open, true) }
      equal(await refused(own, { id: 1, roles: ['viewer'] }, 403), of)
      equal(await refused(own, { id: 1, roles: ['editor'] }, 403), [])
    })

    test(`authentication: ${title}`, async () => {
      const others = keys.some((key) => key === 'ALL' || key === '*') ? [] : ['*']
      const own = (accepts: boolean): ApiConfig => ({
        API_AUTHENTICATE_METHOD: ['custom'],
        API_CUSTOM_AUTH: () => accepts,
        API_AUTH_REQUIREMENTS: map(keys, true, [...open, ...others], false),
      })
      equal(await refused(own(false), undefined, 401), of)
      equal(await refused(own(true), undefined, 401), [])
    })
  }

  test('a missing credential is 401 where authentication is required, 403 where only a role is', async () => {
    const nobody: ApiConfig = {
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: () => false,
      API_ROLE_MAP: { ALL: 'editor' },
    }
    equal(await refused(nobody, undefined, 401), all)
    const onlyRole = { ...nobody, API_AUTH_REQUIREMENTS: { '*': false } }
    equal(await refused(onlyRole, undefined, 403), all)
  })
})
