/** The arguments of setup, final and error: what is known about the request when they are called. */
import {
  type AnyModel,
  type ApiConfig,
  apiError,
  defineModel,
  type RequestArgs,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Person: AnyModel = defineModel('Person', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string', maxLength: 20 } },
  methods: { check: () => true },
  meta: {},
})
const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    text: { type: 'string', maxLength: 20 },
  },
  meta: {},
})
const models = [Person, Note]
const ann = { id: 1, name: 'Ann' }

/** The arguments that the tests check. */
type Told = readonly [
  hook: string,
  action: string | null,
  model: string | undefined,
  many: boolean,
  user: string | undefined,
  db: 'transaction' | 'connection' | null,
]

eachDatabase('the arguments of setup, final and error', (test, db) => {
  const told: Told[] = []
  // In a batch, reads are in its transaction, and its own body passes through final after COMMIT.
  const ofRead = way === 'batch' ? 'transaction' : 'connection'
  const ofBatch: readonly Told[] =
    way === 'batch' ? [['final', null, undefined, false, undefined, 'connection']] : []
  const seen: RequestArgs[] = []
  const tell = (hook: string, args: RequestArgs): void => {
    seen.push(args)
    const { action, model, many, user, db: own } = args
    const connection = own === null ? null : own.isTransaction ? 'transaction' : 'connection'
    told.push([hook, action, model?.name, many, user?.name, connection])
  }
  const config: ApiConfig = {
    API_ALLOW_BATCH: true,
    API_HEALTH_ROUTE: '/health',
    API_AUTHENTICATE_METHOD: ['custom'],
    API_AUTH_REQUIREMENTS: { GET_MANY: false },
    API_CUSTOM_AUTH: ({ headers }) => (headers?.['x-user'] === 'ann' ? ann : false),
    API_SETUP_CALLBACK: (_request, args) => tell('setup', args),
    API_FINAL_CALLBACK: (body, args) => {
      tell('final', args)
      return body
    },
    API_ERROR_CALLBACK: async (_error, request, args) => {
      equal(args.request === request, true)
      tell('error', args)
      // The connection is usable although the transaction has ended.
      await args.db?.selectFrom('notes').select('id').execute()
    },
  }
  const api = testApi(db, models, config)
  const toldOf = async (
    method: string,
    url: string,
    { body, of = api }: { readonly body?: unknown; readonly of?: typeof api } = {},
  ): Promise<readonly Told[]> => {
    told.length = 0
    const headers = { 'x-user': 'ann' }
    const { status } = await send(of, method, url, { headers, ...(body ? { body } : {}) })
    ok(status < 500, String(status))
    return [...told]
  }

  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Person, [ann])
    await insertRows(db, Note, [{ id: 1, text: 'a' }])
  })

  test('of a read: the model and the action, and the user after authentication', async () => {
    equal(await toldOf('GET', '/api/notes'), [
      ['setup', 'GET_MANY', 'Note', true, undefined, 'connection'],
      ['final', 'GET_MANY', 'Note', true, 'Ann', ofRead],
      ...ofBatch,
    ])
    equal(Object.keys(seen[0] ?? {}).sort(), [
      'action',
      'as',
      'before',
      'db',
      'many',
      'model',
      'relation_name',
      'request',
      'user',
    ])
  })

  test('of a write: final gets its transaction, error none', async () => {
    equal(await toldOf('PATCH', '/api/notes/1', { body: { text: 'b' } }), [
      ['setup', 'PATCH', 'Note', false, undefined, 'connection'],
      ['final', 'PATCH', 'Note', false, 'Ann', 'transaction'],
      ...ofBatch,
    ])
    equal(await toldOf('POST', '/api/notes', { body: { id: 1, text: 'c' } }), [
      ['setup', 'POST', 'Note', false, undefined, 'connection'],
      ['error', 'POST', 'Note', false, 'Ann', 'connection'],
      ['final', 'POST', 'Note', false, 'Ann', 'connection'],
    ])
  })

  test('of a request that the roles of its user refuse: the user', async () => {
    const of = testApi(db, models, {
      ...config,
      API_ROLE_MAP: { GET_MANY: 'editor' },
      API_AUTH_REQUIREMENTS: {},
    })
    equal(await toldOf('GET', '/api/notes', { of }), [
      ['setup', 'GET_MANY', 'Note', true, undefined, 'connection'],
      ['error', 'GET_MANY', 'Note', true, 'Ann', 'connection'],
      ['final', 'GET_MANY', 'Note', true, 'Ann', 'connection'],
    ])
  })

  test('of requests without a model: no action and no model', async () => {
    equal(await toldOf('GET', '/api/nothing'), [
      ['error', null, undefined, false, undefined, 'connection'],
      ['final', null, undefined, false, undefined, 'connection'],
    ])
    equal(await toldOf('GET', '/api'), [
      ['setup', null, undefined, false, undefined, 'connection'],
      ['final', null, undefined, false, 'Ann', 'connection'],
    ])
    equal(await toldOf('GET', '/health'), [
      ['final', null, undefined, false, undefined, 'connection'],
    ])
  })

  test('of a batch: error gets the operation that failed, and its user', async () => {
    const operations = [
      { id: 'a', method: 'POST', url: '/api/notes', body: { id: 2, text: 'd' } },
      { id: 'b', method: 'PATCH', url: '/api/notes/99', body: { text: 'e' } },
    ]
    const list = await toldOf('POST', '/api/batch', { body: { operations } })
    equal(
      list.filter(([hook]) => hook !== 'setup'),
      [
        ['final', 'POST', 'Note', false, 'Ann', 'transaction'],
        ['error', 'PATCH', 'Note', false, 'Ann', 'connection'],
        ['final', 'PATCH', 'Note', false, 'Ann', 'connection'],
      ],
    )
  })

  test('of the current user: the user and its model', async () => {
    const own = testApi(db, models, {
      ...config,
      API_AUTHENTICATE_METHOD: ['custom'],
      API_USER_MODEL: Person,
      API_USER_LOOKUP_FIELD: 'name',
      API_CREDENTIAL_CHECK_METHOD: 'check',
    })
    equal(await toldOf('GET', '/auth/me', { of: own }), [
      ['setup', null, undefined, false, undefined, 'connection'],
      ['final', 'GET_ONE', 'Person', false, 'Ann', 'connection'],
    ])
  })

  test('db is null until API_SESSION_GETTER was called, and these callbacks do not call it', async () => {
    let calls = 0
    const of = testApi(db, models, {
      ...config,
      API_SESSION_GETTER: () => {
        calls++
        return db.kysely
      },
    })
    equal(await toldOf('GET', '/api/notes/1', { of }), [
      ['setup', 'GET_ONE', 'Note', false, undefined, null],
      ['final', 'GET_ONE', 'Note', false, 'Ann', ofRead],
      ...ofBatch,
    ])
    equal(calls, 1)
    equal(await toldOf('GET', '/api/nothing', { of }), [
      ['error', null, undefined, false, undefined, null],
      ['final', null, undefined, false, undefined, null],
    ])
    equal(calls, 1)
  })

  test('error is called for an error of setup, too', async () => {
    const of = testApi(db, models, {
      ...config,
      API_SETUP_CALLBACK: (_request, { model }) => {
        if (model?.name === 'Note') throw apiError(418, 'Teapot', 'No notes today.')
      },
    })
    equal(await toldOf('GET', '/api/notes', { of }), [
      ['error', 'GET_MANY', 'Note', true, undefined, 'connection'],
      ['final', 'GET_MANY', 'Note', true, undefined, 'connection'],
    ])
  })
})
