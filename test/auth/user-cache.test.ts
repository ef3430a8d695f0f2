/** API_USER_CACHE: the user of an access token is read once in this many seconds, and each request gets its own copy. */
import { type ApiConfig, stringify } from '@model-api/core'
import { send } from '../support/api.ts'
import { equal, match, throws } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { bearer, createPeople, jwtKeys, login, peopleApi } from './people.ts'

eachDatabase('cached users of access tokens', (test, db) => {
  test.before(() => createPeople(db))
  test.before.each(async () => {
    await db.kysely.updateTable('users').set({ roles: '["admin"]' }).where('id', '=', 1).execute()
  })

  const rolesSeen: unknown[] = []
  const config: ApiConfig = {
    ...jwtKeys,
    API_USER_CACHE: 30,
    API_RETURN_CALLBACK: (output, { user }) => {
      rolesSeen.push(user.roles)
      user.roles = ['changed by a hook']
      return output
    },
  }
  const setUp = async (more: ApiConfig = {}) => {
    rolesSeen.length = 0
    const { api, clock } = peopleApi(db, { ...config, ...more })
    const { value } = await login(api, 'ann')
    const token: string = value.access_token
    const read = () => send(api, 'GET', '/api/books/1', { headers: bearer(token) })
    const count = async (): Promise<number> => {
      const { statements, result } = await db.capture(read)
      equal(result.status, 200)
      return statements.filter(({ sql }) => /users/.test(sql)).length
    }
    return { clock, read, count }
  }

  test('are read again after the configured time, or if the clock is set back', async () => {
    const { clock, count } = await setUp()
    equal([await count(), await count()], [1, 0])
    clock.tick(29_999)
    equal(await count(), 0)
    clock.tick(1)
    equal([await count(), await count()], [1, 0])
    clock.tick(-1000)
    equal(await count(), 1)
  })

  test('are copied, so that changes by a hook affect only its request', async () => {
    const { count } = await setUp()
    for (let i = 0; i < 3; i++) await count()
    equal(rolesSeen, [['admin'], ['admin'], ['admin']])
  })

  test('are copied whole, with any JSON', async () => {
    const roles = '{"10": 1.0, "9": 12345678901234567890, "__proto__": ["a"], "none": null}'
    await db.kysely.updateTable('users').set({ roles }).where('id', '=', 1).execute()
    const { count } = await setUp({
      API_RETURN_CALLBACK: (output, { user }) => {
        rolesSeen.push(stringify(user.roles))
        return output
      },
    })
    for (let i = 0; i < 3; i++) await count()
    equal(new Set(rolesSeen).size, 1)
    match(String(rolesSeen[0]), '12345678901234567890')
  })

  test('keep their roles for the configured time only', async () => {
    const { clock, count } = await setUp()
    await count()
    await db.kysely.updateTable('users').set({ roles: '["viewer"]' }).where('id', '=', 1).execute()
    await count()
    clock.tick(30_000)
    await count()
    equal(rolesSeen, [['admin'], ['admin'], ['viewer']])
  })

  test('are not cached if there is no such user, nor without the setting', async () => {
    const without = await setUp({ API_USER_CACHE: 0 })
    equal([await without.count(), await without.count()], [1, 1])
    const { read } = await setUp()
    await db.kysely.updateTable('users').set({ id: 77 }).where('id', '=', 1).execute()
    equal((await read()).status, 401)
    await db.kysely.updateTable('users').set({ id: 1 }).where('id', '=', 77).execute()
    equal((await read()).status, 200)
  })

  test('cannot be combined with a database chosen per request', () => {
    const both: ApiConfig = { ...config, API_SESSION_GETTER: () => db.kysely }
    match(throws(() => peopleApi(db, both)).message, 'API_USER_CACHE: cannot be used with')
  })
})
