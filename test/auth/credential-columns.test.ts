/**
 * Columns of the user model that look like credentials are hidden everywhere: in responses, parameters, bodies, suggestions and
 * the document, even if the host checks credentials itself.
 */
import { type AnyModel, type ApiConfig, defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { openDatabases } from '../support/databases.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { model } from '../unit/registry/start-up.ts'

const secrets = ['password_hash', 'otp_secret', 'recovery_code', 'api_token', 'lookup'] as const

const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40 },
    password_hash: { type: 'string', maxLength: 80 },
    otp_secret: { type: 'string', maxLength: 80, nullable: true },
    recovery_code: { type: 'string', maxLength: 80, nullable: true },
    api_token: { type: 'string', maxLength: 80, nullable: true, unique: true },
    // The column name looks like a credential, although the field name does not.
    lookup: { type: 'string', maxLength: 80, nullable: true, column: 'api_key' },
    token_count: { type: 'integer', nullable: true },
    card_pin: { type: 'string', maxLength: 80, nullable: true, hidden: false },
  },
  methods: { check: (user, password) => user.password_hash === `hash of ${password}` },
  meta: {},
})

const config: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['basic'],
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
}

const row = {
  name: 'ann',
  password_hash: 'hash of ann',
  otp_secret: 'zz-otp',
  recovery_code: 'zz-code',
  api_token: 'zz-token',
  lookup: 'zz-key',
  token_count: 3,
  card_pin: 'shown on purpose',
}
const headers = { authorization: `Basic ${btoa('ann:ann')}` }

eachDatabase('columns of users that look like credentials', (test, db) => {
  const api = testApi(db, [User], config)
  const ask = (url: string) => get(api, url, headers)
  test.before(async () => {
    await createTables(db, [User])
    await insertRows(db, User, [row])
  })

  test('are not returned by any read', async () => {
    const shown = { id: 1, name: 'ann', token_count: 3, card_pin: 'shown on purpose' }
    for (const url of ['/auth/me', '/api/users/1']) equal((await ask(url)).value, shown, url)
    equal((await ask('/api/users')).value, [shown])
  })

  test('are refused like unknown ones, in every parameter', async () => {
    for (const name of secrets) {
      const queries = [
        `${name}__eq=zz-token`,
        `${name}__isnull=false`,
        `or[${name}__like=zz]`,
        `order_by=${name}`,
        `order_by=-${name}`,
        `fields=id,${name}`,
        `groupby=${name}`,
        `groupby=id&${name}|n__count=1`,
        `aggregate=${name}__max`,
      ]
      for (const query of queries) {
        const unknown = await ask(`/api/users?${query.replaceAll(name, 'zzzzzz')}`)
        const { status, text } = await ask(`/api/users?${query}`)
        equal(status, 400, query)
        const expected = unknown.text.replaceAll('zzzzzz', name)
        equal(text, expected, query)
      }
    }
  })

  test('are not suggested', async () => {
    for (const name of ['api_tokn', 'otp_secre', 'password_hsh', 'recovery_cod', 'looku']) {
      const { errors } = await ask(`/api/users?${name}__eq=1`)
      ok(!secrets.some((secret) => errors.reason.includes(`"${secret}"`)), errors.reason)
    }
  })

  test('cannot be written, and cannot be the key of an upsert', async () => {
    for (const name of secrets) {
      const body = { [name]: 'x' }
      const changed = await send(api, 'PATCH', '/api/users/1', { body, headers })
      const unknown = await send(api, 'PATCH', '/api/users/1', { body: { zzzzzz: 'x' }, headers })
      equal(changed.status, 400, name)
      equal(changed.text, unknown.text.replaceAll('zzzzzz', name))
    }
    const url = '/api/users?on_conflict=api_token'
    const upsert = await send(api, 'POST', url, { body: { name: 'x' }, headers })
    equal([upsert.status, upsert.errors.code], [400, 'not_unique_columns'])
    ok(!upsert.errors.reason.includes('api_token.'), upsert.errors.reason)
  })

  test('are not documented', async () => {
    const document = JSON.stringify(await api.openapi())
    for (const name of secrets) ok(!document.includes(name), name)
    ok(document.includes('card_pin') && document.includes('token_count'))
  })

  test('are available to the credential check of the host', async () => {
    equal((await ask('/auth/me')).status, 200)
    const wrong = { authorization: `Basic ${btoa('ann:wrong')}` }
    equal((await get(api, '/auth/me', wrong)).status, 401)
  })
})

suite('models with columns that look like credentials', (test) => {
  const [db] = openDatabases()
  const warnings = (models: readonly AnyModel[], own: ApiConfig = {}): readonly string[] => {
    if (db === undefined) throw new Error('SQLite is always there')
    const said: string[] = []
    testApi(db, models, own, { onWarning: (message) => said.push(message) })
    return said
  }
  const text = { type: 'string' }
  const session = { token: text, ip: text, otp: { type: 'datetime' }, secret: text }

  test('give a warning if they are published', () => {
    equal(warnings([model('Session', { columns: session })]), [
      'Session publishes token, secret, which look like credentials. Declare hidden: true, or hidden: false if that is intended.',
    ])
    const renamed = { words: { type: 'text', column: 'passphrase' } }
    equal(warnings([model('Note', { columns: renamed })]), [
      'Note publishes words, which looks like a credential. Declare hidden: true, or hidden: false if that is intended.',
    ])
    const key = { token: { type: 'string', primaryKey: true } }
    ok(warnings([model('Session', { columns: key })])[0]?.includes('publishes token,'))
  })

  test('give no warning if the model declares hidden, or is not published', () => {
    const said = { token: { ...text, hidden: true }, secret: { ...text, hidden: false } }
    equal(warnings([model('Session', { columns: said })]), [])
    const unpublished = warnings([model('Session', { columns: session, meta: undefined })])
    equal(
      unpublished.filter((warning) => warning.includes('Session')),
      [],
    )
  })

  test('give no warning on the user model, where they are hidden', () => {
    equal(warnings([User], config), [])
    equal(warnings([User]).length, 1)
  })
})
