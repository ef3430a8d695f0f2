/** In hooks, a user whose roles are NULL has an empty list of roles, so that `user.roles.includes(…)` throws for nobody. */
import { get } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import {
  apiKey,
  basic,
  bearer,
  createPeople,
  jwtKeys,
  login,
  passwords,
  peopleApi,
  userKeys,
} from './people.ts'

eachDatabase('a user whose roles are NULL', (test, db) => {
  test.before(async () => {
    await createPeople(db)
    await db.kysely.updateTable('users').set({ roles: null }).where('name', '=', 'bob').execute()
  })

  const seen: unknown[] = []
  const policy = {
    API_ACCESS_POLICY: {
      can_read: (_record: unknown, { user }: { user: { name: string; roles: string[] } }) => {
        seen.push([user.name, user.roles])
        return user.roles.includes('admin')
      },
    },
  }

  test('has none in policies, whatever strategy found it', async () => {
    const byToken = peopleApi(db, { ...jwtKeys, ...policy }).api
    const byName = peopleApi(db, { ...jwtKeys, ...policy, API_AUTHENTICATE_METHOD: ['basic'] }).api
    const byKey = peopleApi(db, {
      ...userKeys,
      ...policy,
      API_AUTHENTICATE_METHOD: ['api_key'],
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
    }).api
    const token = (await login(byToken, 'bob')).value.access_token
    const answers = [
      await get(byToken, '/api/books/1', bearer(token)),
      await get(byName, '/api/books/1', basic('bob', passwords.bob ?? '')),
      await get(byKey, '/api/books/1', apiKey('key-of-bob-2')),
    ]
    equal(
      answers.map(({ status }) => status),
      [403, 403, 403],
    )
    equal(seen.splice(0), [
      ['bob', []],
      ['bob', []],
      ['bob', []],
    ])
  })

  test('is shown as it is stored', async () => {
    const { api } = peopleApi(db)
    const { access_token } = (await login(api, 'bob')).value
    equal((await get(api, '/auth/me', bearer(access_token))).value.roles, null)
    equal((await get(api, '/api/users/2', bearer(access_token))).value.roles, null)
  })
})
