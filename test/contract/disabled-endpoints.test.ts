/** The 404 of a path that another setting would enable names that setting. */
import { type AnyModel, type ApiConfig, belongsTo, defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { openDatabases } from '../support/databases.ts'
import { suite } from '../support/suite.ts'

const Person = defineModel('Person', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
  methods: { check: () => false },
  meta: {},
})
const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    person_id: { type: 'integer' },
    deleted: { type: 'boolean' },
  },
  meta: {},
})
const models = [Person, Note]

const secrets = { ACCESS_SECRET_KEY: 'a'.repeat(32), REFRESH_SECRET_KEY: 'b'.repeat(32) }
const users: ApiConfig = {
  API_USER_MODEL: Person,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
}
const jwt: ApiConfig = { ...users, API_AUTHENTICATE_METHOD: ['jwt'] }

suite('an endpoint that the configuration disables', (test) => {
  const [db] = openDatabases()
  if (db === undefined) throw new Error('SQLite is always there')
  const apiOf = (config: ApiConfig, of: readonly AnyModel[] = models) =>
    testApi(db, of, config, { env: secrets })

  const places: readonly (readonly [string, ApiConfig, string])[] = [
    ['/api/batch', {}, 'API_ALLOW_BATCH'],
    ['/v1/all', { API_PREFIX: '/v1', API_BATCH_ROUTE: '/all' }, 'API_ALLOW_BATCH'],
    ['/docs', { API_CREATE_DOCS: false }, 'API_CREATE_DOCS'],
    ['/docs/apispec.json', { API_CREATE_DOCS: false }, 'API_CREATE_DOCS'],
    ['/manual', { API_CREATE_DOCS: false, API_DOCUMENTATION_URL: '/manual' }, 'API_CREATE_DOCS'],
    ['/a.json', { API_CREATE_DOCS: false, API_DOCS_SPEC_ROUTE: '/a.json' }, 'API_CREATE_DOCS'],
    ['/auth/login', {}, 'API_AUTHENTICATE_METHOD'],
    ['/auth/logout', {}, 'API_AUTHENTICATE_METHOD'],
    ['/auth/me', {}, 'API_AUTHENTICATE_METHOD'],
    ['/auth/login', { ...jwt, API_AUTO_AUTH_ROUTES: false }, 'API_AUTO_AUTH_ROUTES'],
    ['/auth/me', { ...jwt, API_AUTO_AUTH_ROUTES: false }, 'API_AUTO_AUTH_ROUTES'],
    ['/auth/refresh', { ...users, API_AUTHENTICATE_METHOD: ['basic'] }, 'API_AUTHENTICATE_METHOD'],
    ['/auth/me', { ...jwt, API_EXPOSE_ME: false }, 'API_EXPOSE_ME'],
    ['/auth/keys', jwt, 'API_KEYS'],
    ['/auth/keys', {}, 'API_AUTHENTICATE_METHOD'],
    [
      '/auth/me',
      { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: () => true },
      'API_USER_MODEL',
    ],
    ['/api/notes/7/restore', {}, 'API_SOFT_DELETE'],
  ]
  for (const [path, config, setting] of places) {
    test(`${path} names ${setting}, given ${Object.keys(config).join(', ') || 'no setting'}`, async () => {
      const { status, errors } = await send(apiOf(config), 'POST', path)
      equal(
        [status, errors.code, errors.reason],
        [
          404,
          'endpoint_disabled',
          `No endpoint answers at ${path}: it is not enabled here (${setting}).`,
        ],
      )
    })
  }

  test('a restore without the column of soft delete names the column if the documentation shows it', async () => {
    const soft = { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'deleted' } as const
    const { id, person_id } = Note.columns
    const deleted = { type: 'boolean', hidden: true } as const
    const Hidden = defineModel('Note', { columns: { id, person_id, deleted }, meta: {} })
    const Never = defineModel('Person', { columns: Note.columns, meta: { soft_delete: false } })
    const column = 'people has no column "deleted" (API_SOFT_DELETE_ATTRIBUTE).'
    const some = 'people has no column for soft delete (API_SOFT_DELETE_ATTRIBUTE).'
    for (const [config, of, reason] of [
      [soft, models, column],
      [soft, [Person, Hidden], some],
      [{ ...soft, API_CREATE_DOCS: false }, models, some],
      [{ ...soft, ...jwt, API_DOCUMENTATION_REQUIRE_AUTH: true }, models, some],
      [soft, [Never, Note], 'it is not enabled here (API_SOFT_DELETE).'],
    ] as const) {
      const { status, errors } = await send(apiOf(config, of), 'POST', '/api/people/7/restore')
      equal(
        [status, errors.code, errors.reason],
        [404, 'endpoint_disabled', `No endpoint answers at /api/people/7/restore: ${reason}`],
      )
    }
  })

  test('the setting is named at its own path alone, and only while the endpoint is disabled', async () => {
    const soft = { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'deleted' } as const
    for (const [path, config] of [
      ['/api/batches', {}],
      ['/api/batch/1', {}],
      ['/api/batch', { API_BATCH_ROUTE: '/all' }],
      ['/api/nothing/7/restore', {}],
      ['/api/notes/restore/restore/restore', {}],
      ['/auth/refresh', { ...jwt, API_AUTH_REFRESH_ROUTE: '/renew' }],
    ] as const) {
      const { status, errors } = await get(apiOf(config), path)
      equal([status, errors.code], [404, 'unknown_path'], path)
    }
    for (const [path, config] of [
      ['/api/batch', { API_ALLOW_BATCH: true }],
      ['/docs', {}],
      ['/auth/login', jwt],
      ['/api/notes/7/restore', soft],
    ] as const) {
      equal((await send(apiOf(config), 'OPTIONS', path)).status, 204, path)
    }
  })

  test('a model that is served at the path takes precedence', async () => {
    const Batch = defineModel('Batch', { columns: Note.columns, meta: {} })
    equal((await send(apiOf({}, [Batch]), 'OPTIONS', '/api/batch')).status, 204)
    const Restore = defineModel('Restore', { columns: Note.columns, meta: {} })
    const relations = { restore: belongsTo('Restore', 'person_id') }
    const Letter = defineModel('Letter', { columns: Note.columns, relations, meta: {} })
    const api = apiOf({}, [Letter, Restore])
    equal((await send(api, 'OPTIONS', '/api/letters/7/restore')).status, 204)
  })
})
