/** A text that the character set of a column lacks is found nowhere, and cannot be stored. */
import { defineModel, hashPassword, passwordCheck } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const sets = ['latin1', 'ascii', 'utf8mb3'] as const

for (const set of sets) {
  for (const collation of [{}, { collation: 'database' }] as const) {
    eachDatabase(
      `texts beyond ${set}${'collation' in collation ? ', under its collation' : ''}`,
      (test, db) => {
        const Code = defineModel('Code', {
          columns: {
            code: { type: 'string', maxLength: 20, primaryKey: true, ...collation },
            name: { type: 'string', maxLength: 20, nullable: true, unique: true, ...collation },
          },
          relations: {},
          meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'DELETE'], allow_bulk: true },
        })
        const beyond = set === 'utf8mb3' ? '😀' : 'λ'
        const sent = encodeURIComponent(beyond)
        const own = set === 'latin1' ? 'é' : 'e'
        const type = `varchar(20) character set ${set}`
        test.before(async () => {
          await db.execScript(
            `create table codes (code ${type} not null primary key, name ${type} unique)`,
          )
          await db.kysely
            .insertInto('codes')
            .values([
              { code: 'a', name: own },
              { code: 'b', name: '?' },
              { code: 'c', name: null },
            ])
            .execute()
        })
        const api = testApi(db, [Code], {})
        const codes = (condition: string) =>
          column(api, `/api/codes?order_by=code&${condition}`, 'code')

        test('are 200 without a match in filters', async () => {
          for (const operator of [
            'eq',
            'like',
            'ilike',
            'startswith',
            'istartswith',
            'endswith',
            'iendswith',
          ]) {
            equal(await codes(`name__${operator}=${sent}`), [], operator)
          }
          for (const operator of ['lt', 'le', 'gt', 'ge']) {
            const { status } = await get(api, `/api/codes?name__${operator}=${sent}`)
            equal(status, 200, operator)
          }
          equal((await get(api, `/api/codes?name__between=(a,${sent})`)).status, 200)
          equal(await codes(`name__in=(${sent})`), [])
          equal(await codes(`name__in=(${sent},${encodeURIComponent(own)})`), ['a'])
          equal(await codes(`name__in=(${sent},${encodeURIComponent(own)},x,y,z,1,2,3,4,5)`), ['a'])
          equal(await codes(`name__eq=${encodeURIComponent(own)}`), ['a'])
          equal(await codes(`or[name__eq=${sent},name__eq=${encodeURIComponent(own)}]`), ['a'])
          for (const operator of ['ne', 'nlike', 'nilike']) {
            equal(await codes(`name__${operator}=${sent}`), ['a', 'b'], operator)
          }
          equal(await codes(`name__nin=(${sent})`), ['a', 'b'])
          equal(await codes(`not[name__eq=${sent}]`), ['a', 'b'])
        })

        test('name no record', async () => {
          equal((await get(api, `/api/codes/${sent}`)).status, 404)
          equal(
            (await send(api, 'PATCH', `/api/codes/${sent}`, { body: { name: 'x' } })).status,
            404,
          )
          equal((await send(api, 'DELETE', `/api/codes/${sent}`)).status, 404)
        })

        test('cannot be stored', async () => {
          const body = { code: 'd', name: beyond }
          const refused = await send(api, 'POST', '/api/codes', { body })
          equal([refused.status, Object.keys(refused.errors.reason)], [422, ['name']], refused.text)
          const changed = await send(api, 'PATCH', '/api/codes/a', { body: { name: beyond } })
          equal([changed.status, Object.keys(changed.errors.reason)], [422, ['name']], changed.text)
          const key = await send(api, 'POST', '/api/codes', { body: { code: beyond } })
          equal([key.status, Object.keys(key.errors.reason)], [422, ['code']], key.text)
        })

        test('cannot be stored by upserts', async () => {
          for (const [conflict, body] of [
            ['name', { code: 'd', name: beyond }],
            ['code', { code: beyond, name: 'd' }],
          ] as const) {
            const url = `/api/codes?on_conflict=${conflict}`
            const refused = await send(api, 'POST', url, { body })
            equal(
              [refused.status, Object.keys(refused.errors.reason)],
              [422, [conflict]],
              refused.text,
            )
            const list = await send(api, 'POST', url, { body: [{ code: 'f', name: 'f' }, body] })
            equal(
              [list.status, Object.keys(list.errors.reason)],
              [422, [`[1].${conflict}`]],
              list.text,
            )
          }
          equal(await codes(''), ['a', 'b', 'c'])
        })
      },
      { only: 'mysql' },
    )
  }
}

const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    login: { type: 'string', maxLength: 40 },
    password_hash: { type: 'string', maxLength: 100 },
  },
  methods: { check: passwordCheck('password_hash') },
  meta: {},
})

eachDatabase(
  'a login beyond latin1',
  (test, db) => {
    test.before(async () => {
      await db.execScript(
        'create table users (id integer primary key, login varchar(40) character set latin1, password_hash varchar(100))',
      )
      await db.kysely
        .insertInto('users')
        .values({ id: 1, login: 'ann', password_hash: await hashPassword('secret') })
        .execute()
    })
    const api = testApi(db, [User], {
      API_AUTHENTICATE_METHOD: ['jwt', 'basic'],
      API_USER_MODEL: User,
      API_USER_LOOKUP_FIELD: 'login',
      API_CREDENTIAL_CHECK_METHOD: 'check',
      ACCESS_SECRET_KEY: 'a'.repeat(32),
      REFRESH_SECRET_KEY: 'b'.repeat(32),
      API_PASSWORD_COST: 4,
    })

    test('is that of no user', async () => {
      const login = (username: string) =>
        send(api, 'POST', '/auth/login', { body: { username, password: 'secret' } })
      equal((await login('ann')).status, 200)
      equal((await login('λ')).status, 401)
      const both = await Promise.all([login('λ'), login('ann')])
      equal(
        both.map(({ status }) => status),
        [401, 200],
      )
    })
  },
  { only: 'mysql' },
)
