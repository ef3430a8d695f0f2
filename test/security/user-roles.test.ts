/** Roles of a user as a relation, whether or not the models of users and roles are published. */
import { type AnyModel, type ApiConfig, createApi, defineModel, manyToMany } from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, match, throws } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

const role = { columns: { id, name: { type: 'string' } } } as const
const grant = {
  columns: {
    id,
    user_id: { type: 'integer' },
    role_id: { type: 'integer' },
    deleted: { type: 'boolean' },
  },
} as const

const user = {
  columns: {
    id,
    name: { type: 'string', unique: true },
    password: { type: 'string', hidden: true },
  },
  relations: { roles: manyToMany('Role', { through: 'grants', from: 'user_id', to: 'role_id' }) },
  methods: { check: (found: { password: string }, secret: string) => found.password === secret },
} as const

const Book = defineModel('Book', {
  columns: { id, title: { type: 'string' } },
  meta: { role_map: { GET_ONE: 'editor', GET: ['editor', 'viewer'] } },
})

const models = (meta: { user?: boolean; role?: boolean; grant?: boolean }) => {
  const published = (is: boolean | undefined) => (is ? { meta: {} } : {})
  return {
    User: defineModel('User', { ...user, ...published(meta.user) }),
    Role: defineModel('Role', { ...role, ...published(meta.role) }),
    Grant: defineModel('Grant', { ...grant, ...published(meta.grant) }),
  }
}

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

eachDatabase('roles as a relation', (test, db) => {
  const { User, Role, Grant } = models({})
  const statusOf = async (
    declared: readonly AnyModel[],
    userModel: AnyModel,
    who: string,
    url: string,
    config: ApiConfig = {},
  ): Promise<number> => {
    const api = createApi({
      db: db.kysely,
      models: declared,
      config: {
        API_AUTHENTICATE_METHOD: ['basic'],
        API_USER_MODEL: userModel,
        API_USER_LOOKUP_FIELD: 'name',
        API_CREDENTIAL_CHECK_METHOD: 'check',
        ...config,
      },
      clock: frozenClock(),
      onWarning: () => {},
    })
    const headers = { authorization: basic(who, 'secret') }
    return (await api.handle({ method: 'GET', url, headers })).status
  }

  test.before(async () => {
    await createTables(db, [{ ...User, relations: {} }, Role, Grant, Book])
    await insertRows(db, User, [
      { id: 1, name: 'ann', password: 'secret' },
      { id: 2, name: 'bob', password: 'secret' },
    ])
    await insertRows(db, Role, [
      { id: 1, name: 'editor' },
      { id: 2, name: 'viewer' },
    ])
    await insertRows(db, Grant, [
      { id: 1, user_id: 1, role_id: 1, deleted: false },
      { id: 2, user_id: 1, role_id: 2, deleted: true },
      { id: 3, user_id: 2, role_id: 2, deleted: false },
    ])
    await insertRows(db, Book, [{ id: 1, title: 'Emma' }])
  })

  for (const published of [
    {},
    { user: true },
    { role: true },
    { user: true, role: true, grant: true },
  ]) {
    test(`is read with ${Object.keys(published).join(', ') || 'no model'} published`, async () => {
      const own = models(published)
      const declared = [Book, own.User, own.Role, own.Grant]
      equal(await statusOf(declared, own.User, 'ann', '/api/books/1'), 200)
      equal(await statusOf(declared, own.User, 'ann', '/api/books'), 200)
      equal(await statusOf(declared, own.User, 'bob', '/api/books/1'), 403)
      equal(await statusOf(declared, own.User, 'bob', '/api/books'), 403)
    })
  }

  test('ignores a soft-deleted grant', async () => {
    const own = models({ grant: true })
    const config: ApiConfig = { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'deleted' }
    const declared = [Book, own.User, own.Role, own.Grant]
    equal(await statusOf(declared, own.User, 'ann', '/api/books/1', config), 200)
    equal(await statusOf(declared, own.User, 'ann', '/api/books', config), 403)
  })

  test('is invisible to clients where one of its models is unpublished', async () => {
    const own = models({ user: true })
    const declared = [{ ...Book, meta: {} }, own.User, own.Role, own.Grant]
    equal(await statusOf(declared, own.User, 'ann', '/api/users/1/roles'), 404)
    equal(await statusOf(declared, own.User, 'ann', '/api/users?exists(roles)'), 400)
  })

  test('requires a name column in the role model, checked at start-up', () => {
    const Nameless = defineModel('Role', { columns: { id, title: { type: 'string' } } })
    const error = throws(() =>
      createApi({
        db: db.kysely,
        models: [Book, User, Nameless, Grant],
        config: { API_USER_MODEL: User },
      }),
    )
    match(error.message, 'models.User.relations.roles: Role has no column "name"')
  })
})
