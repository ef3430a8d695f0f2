/** Whoever could change a user could change its roles: nothing but the author of the model kept users from making themselves admins. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, rejects } from '../support/assert.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const text = { type: 'string', maxLength: 20 } as const
const methods = { check: (_user: object, password: string) => password === 'secret' }
const config: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['basic'],
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}
const asUser = (name: string) => ({
  'content-type': 'application/json',
  authorization: `Basic ${btoa(`${name}:secret`)}`,
})

suite('the roles of users in a column', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  const team = defineModel('Team', {
    columns: { id, name: text },
    relations: { members: hasMany('User', 'team_id') },
    meta: {},
  }) as unknown as AnyModel
  const users = (roles: object, own: object = methods) =>
    defineModel('User', {
      columns: {
        id,
        name: { ...text, unique: true },
        roles: { type: 'json', nullable: true, ...roles },
        team_id: { type: 'integer', nullable: true },
      },
      relations: { team: belongsTo('Team', 'team_id') },
      methods: own,
      meta: {},
    } as never) as unknown as AnyModel
  const apiOf = (model: AnyModel) =>
    testApi(db, [model, team], { ...config, API_USER_MODEL: model } as ApiConfig)
  const stored = async (): Promise<unknown> => {
    const rows = await db.kysely
      .selectFrom('users')
      .select(['name', 'roles'])
      .orderBy('id')
      .execute()
    return rows.map(({ name, roles }) => `${name} ${roles}`)
  }
  test.before(() => createTables(db, [team, users({})]))
  test.before.each(async () => {
    await db.kysely.deleteFrom('users').execute()
    await insertRows(db, users({}), [
      { id: 1, name: 'ann', roles: ['admin'], team_id: null },
      { id: 2, name: 'bob', roles: ['viewer'], team_id: null },
    ])
  })
  test.after(() => db.close())

  const escalations: readonly (readonly [string, string, unknown, path: string])[] = [
    ['PATCH', '/api/users/2', { roles: ['admin'] }, 'roles'],
    ['PATCH', '/api/users', [{ id: 2, roles: ['admin'] }], '[0].roles'],
    ['PATCH', '/api/users?id__eq=2', { roles: ['admin'] }, 'roles'],
    ['PUT', '/api/users/2', { name: 'bob', roles: ['admin'] }, 'roles'],
    ['POST', '/api/users', { name: 'eve', roles: ['admin'] }, 'roles'],
    ['POST', '/api/users?on_conflict=name', { name: 'bob', roles: ['admin'] }, 'roles'],
    [
      'POST',
      '/api/teams',
      { name: 't', members: [{ name: 'eve', roles: ['admin'] }] },
      'members[0].roles',
    ],
  ]
  const before = ['ann ["admin"]', 'bob ["viewer"]']

  test('cannot be written by clients', async () => {
    const api = apiOf(users({}))
    for (const [method, url, body, path] of escalations) {
      const { status, errors } = await send(api, method, url, { headers: asUser('bob'), body })
      equal([method, url, status, Object.keys(errors?.reason ?? {})], [method, url, 400, [path]])
      equal(await stored(), before)
    }
    // What GET gave may be sent back, and PUT keeps the roles.
    const { value } = await get(api, '/api/users/2', asUser('bob'))
    const sent = { headers: asUser('bob'), body: value }
    equal((await send(api, 'PATCH', '/api/users/2', sent)).status, 200)
    equal(
      (await send(api, 'PUT', '/api/users/2', { headers: asUser('bob'), body: { name: 'bob' } }))
        .status,
      200,
    )
    equal(await stored(), before)
  })

  test('can be written if the model allows roles or everyone to write them', async () => {
    const body = { roles: ['editor'] }
    const change = async (model: AnyModel, who: string) =>
      (await send(apiOf(model), 'PATCH', '/api/users/2', { headers: asUser(who), body })).status
    const byAdmins = users({ write: 'admin' })
    equal([await change(byAdmins, 'bob'), await change(byAdmins, 'ann')], [400, 200])
    equal(await change(users({ readOnly: false }), 'bob'), 200)
    equal(await stored(), ['ann ["admin"]', 'bob ["editor"]'])
  })

  test('are an ordinary column if methods.roles returns the roles, and on other models', async () => {
    const body = { roles: ['x'] }
    const model = users({}, { ...methods, roles: () => ['viewer'] })
    const { status } = await send(apiOf(model), 'PATCH', '/api/users/2', {
      headers: asUser('bob'),
      body,
    })
    equal(status, 200)
    const free = testApi(db, [users({}), team], { API_ALLOW_NESTED_WRITES: true })
    equal((await send(free, 'PATCH', '/api/users/2', { body })).status, 200)
  })
})

suite('required role columns that no client may write', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  const user = defineModel('User', {
    columns: { id, name: text, roles: { type: 'json' } },
    methods,
    meta: {},
  }) as unknown as AnyModel
  test.before(() => createTables(db, [user]))
  test.after(() => db.close())

  test('are a start-up error that names the remedy if users may be created', async () => {
    const checked = { ...config, API_USER_MODEL: user, API_SCHEMA_CHECK: 'warn' } as ApiConfig
    match(
      (await rejects(testApi(db, [user], checked).ready)).message,
      'It holds the roles of users: declare write, or readOnly: false.',
    )
    const withoutPost = { ...checked, API_BLOCK_METHODS: ['POST'] } as ApiConfig
    await testApi(db, [user], withoutPost).ready
  })
})

suite('the roles of users in links', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  const through = (from: string, to: string) => ({ through: 'grants', from, to })
  const user = defineModel('User', {
    columns: { id, name: { ...text, unique: true } },
    relations: { roles: manyToMany('Role', through('user_id', 'role_id')) },
    methods,
    meta: {},
  }) as unknown as AnyModel
  const role = defineModel('Role', {
    columns: { id, name: text },
    relations: { users: manyToMany('User', through('role_id', 'user_id')) },
    meta: {},
  }) as unknown as AnyModel
  const grant = defineModel('Grant', {
    columns: { id, user_id: { type: 'integer' }, role_id: { type: 'integer' } },
    meta: { role_map: { POST: 'admin', DELETE: 'admin' } },
  }) as unknown as AnyModel
  const apiOf = (...models: AnyModel[]) =>
    testApi(db, models, { ...config, API_USER_MODEL: user } as ApiConfig)
  test.before(async () => {
    await createTables(db, [user, role, grant])
    await insertRows(db, user, [
      { id: 1, name: 'ann' },
      { id: 2, name: 'bob' },
    ])
    await insertRows(db, role, [
      { id: 1, name: 'admin' },
      { id: 2, name: 'viewer' },
    ])
    await insertLinks(db, 'grants', [{ user_id: 1, role_id: 1 }])
  })
  test.after(() => db.close())

  const escalations: readonly (readonly [string, string, unknown])[] = [
    ['PATCH', '/api/users/2', { roles: [{ id: 1 }] }],
    ['POST', '/api/users', { name: 'eve', roles: [{ id: 1 }] }],
    ['PATCH', '/api/roles/1', { users: [{ id: 1 }, { id: 2 }] }],
    ['POST', '/api/roles', { name: 'other', users: [{ id: 2 }] }],
  ]
  const grants = async () => (await db.kysely.selectFrom('grants').selectAll().execute()).length

  test('cannot be written if the table of the links is not a published model', async () => {
    for (const [method, url, body] of escalations) {
      const { status, errors } = await send(apiOf(user, role), method, url, {
        headers: asUser('bob'),
        body,
      })
      const path = url.includes('users') ? 'roles' : 'users'
      equal([url, status, errors?.reason], [url, 400, { [path]: ['This relation is read-only.'] }])
    }
    equal(await grants(), 1)
  })

  test('cannot be written through a foreign key to a role', async () => {
    const worker = defineModel('Worker', {
      table: 'users',
      columns: {
        id,
        name: { ...text, unique: true },
        role_id: { type: 'integer', nullable: true },
      },
      relations: { roles: belongsTo('Role', 'role_id') },
      methods,
      meta: {},
    }) as unknown as AnyModel
    await db.execScript('alter table users add column role_id integer references roles (id)')
    const api = testApi(db, [worker, role, user], {
      ...config,
      API_USER_MODEL: worker,
    } as ApiConfig)
    for (const body of [{ role_id: 1 }, { roles: { id: 1 } }, { roles: { name: 'admin' } }]) {
      const headers = asUser('bob')
      const { status, errors } = await send(api, 'PATCH', '/api/workers/2', { headers, body })
      equal([status, Object.keys(errors?.reason ?? {})], [400, Object.keys(body)])
    }
  })

  test('cannot be written by new users of a new role, unless the model says so', async () => {
    const models = (roleKey: object) => {
      const clerk = defineModel('Clerk', {
        columns: { id, name: text, duty_id: { type: 'integer', nullable: true, ...roleKey } },
        relations: { roles: belongsTo('Duty', 'duty_id') },
        methods,
        meta: {},
      } as never) as unknown as AnyModel
      const duty = defineModel('Duty', {
        columns: { id, name: text },
        relations: { clerks: hasMany('Clerk', 'duty_id') },
        meta: {},
      }) as unknown as AnyModel
      return [clerk, duty] as const
    }
    await createTables(db, models({}))
    const bob = { id: 1, name: 'bob', duty_id: null }
    await insertRows(db, models({})[0], [bob])
    const body = { name: 'admin', clerks: [{ name: 'eve' }] }
    const answerOf = async (roleKey: object) => {
      const [clerk, duty] = models(roleKey)
      const api = testApi(db, [clerk, duty], { ...config, API_USER_MODEL: clerk } as ApiConfig)
      const headers = asUser('bob')
      const { status, errors } = await send(api, 'POST', '/api/duties', { headers, body })
      // What GET gave may be sent back.
      if (status === 201) {
        const { value } = await get(api, '/api/duties/1', headers)
        equal((await send(api, 'PATCH', '/api/duties/1', { headers, body: value })).status, 200)
      }
      return [status, errors?.reason]
    }
    const refused = [400, { clerks: ['This relation is read-only.'] }]
    equal(await answerOf({}), refused)
    equal(await answerOf({ readOnly: true }), refused)
    equal(await answerOf({ write: 'admin' }), refused)
    equal((await answerOf({ readOnly: false }))[0], 201)
  })

  test('can be written under the rules of the published model of the links', async () => {
    const api = apiOf(user, role, grant)
    for (const [method, url, body] of escalations) {
      equal((await send(api, method, url, { headers: asUser('bob'), body })).status, 403)
    }
    equal(await grants(), 1)
    const body = { roles: [{ id: 2 }] }
    equal((await send(api, 'PATCH', '/api/users/2', { headers: asUser('ann'), body })).status, 200)
    equal(await grants(), 2)
  })
})
