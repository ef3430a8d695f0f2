/**
 * The records of a published junction are dependents like any other: they prevent a DELETE, and cascade_delete removes them by
 * the rules of their model.
 */
import { type AnyModel, type ApiRequest, defineModel, hasMany, manyToMany } from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

/** Declares no relation itself; other models have relations through its table, so its records are dependents. */
const membership = (meta: object): AnyModel =>
  defineModel('Membership', {
    columns: {
      id,
      personId: { type: 'integer', column: 'person_id' },
      team_id: { type: 'integer' },
      owner_id: { type: 'integer', default: 7 },
      deleted: { type: 'boolean' },
    },
    meta: { soft_delete: false, ...meta },
  })

const models = (meta: object): readonly AnyModel[] => [
  defineModel('Person', {
    columns: { id, name: { type: 'string', maxLength: 20 } },
    relations: {
      teams: manyToMany('Team', { through: 'memberships', from: 'person_id', to: 'team_id' }),
    },
    meta: {},
  }),
  defineModel('Team', {
    columns: { id, name: { type: 'string', maxLength: 20 }, deleted: { type: 'boolean' } },
    relations: { notes: hasMany('Note', 'team_id') },
    meta: {},
  }),
  defineModel('Note', { columns: { id, team_id: { type: 'integer' } }, meta: {} }),
  membership(meta),
]

const owned: AccessPolicy = {
  scope_query: (query, { user }) => query.where('owner_id', '=', user?.id ?? 0),
}

eachDatabase('removal of a record with links that are records', (test, db) => {
  const as = (user: unknown, meta: object = {}) => {
    const served = testApi(db, models(meta), {
      API_ALLOW_CASCADE_DELETE: true,
      API_SOFT_DELETE: true,
      API_SOFT_DELETE_ATTRIBUTE: 'deleted',
    })
    const api = {
      ...served,
      handle: (request: ApiRequest) => served.handle({ ...request, user }),
      answer: (request: ApiRequest) => served.answer({ ...request, user }),
    }
    return (url: string): Promise<Answer> => send(api as typeof served, 'DELETE', url)
  }
  const [Person, Team, Note, Membership] = models({}) as [AnyModel, AnyModel, AnyModel, AnyModel]
  const remaining = async (): Promise<unknown[]> => {
    const rows = await db.kysely.selectFrom('memberships').selectAll().orderBy('id').execute()
    return rows.map((row) => row.id)
  }
  test.before(async () => {
    await createTables(db, models({}))
  })
  test.before.each(async () => {
    for (const table of ['memberships', 'notes', 'teams', 'people']) {
      await db.kysely.deleteFrom(table).execute()
    }
    await insertRows(db, Person, [
      { id: 1, name: 'Ann' },
      { id: 2, name: 'Bob' },
    ])
    await insertRows(db, Team, [{ id: 1, name: 'A', deleted: false }])
    await insertRows(db, Note, [])
    await insertRows(db, Membership, [
      { id: 1, personId: 1, team_id: 1, owner_id: 7, deleted: false },
      { id: 2, personId: 2, team_id: 1, owner_id: 8, deleted: false },
    ])
  })
  const ann = { id: 7, roles: [] }

  test('is 409, whether the caller can see the links or not', async () => {
    for (const person of [1, 2]) {
      const { status, errors } = await as(ann, { access_policy: owned })(`/api/people/${person}`)
      const reason = 'Other records refer to this one: memberships.'
      equal([status, errors.reason], [409, reason])
    }
    equal(await remaining(), [1, 2])
  })

  test('deletes them with cascade_delete, subject to their methods, policy and callback', async () => {
    const refusals: readonly (readonly [object, number])[] = [
      [{ block_methods: ['DELETE'] }, 403],
      [{ role_map: { DELETE: 'admin' } }, 403],
      [{ access_policy: { can_delete: () => false } }, 403],
      [{ access_policy: { scope_query: owned.scope_query } }, 409],
    ]
    for (const [meta, status] of refusals) {
      equal((await as(ann, meta)('/api/people/2?cascade_delete=1')).status, status)
      equal(await remaining(), [1, 2])
    }
    const seen: unknown[] = []
    const remove_callback = (object: { id?: unknown }) => seen.push(object.id)
    equal((await as(ann, { remove_callback })('/api/people/2?cascade_delete=1')).status, 200)
    equal([await remaining(), seen], [[1], [2]])
  })

  test('deletes nothing if the scoped query returns one link twice and another not at all', async () => {
    await insertRows(db, Membership, [
      { id: 3, personId: 1, team_id: 1, owner_id: 8, deleted: false },
    ])
    await insertRows(db, Note, [
      { id: 1, team_id: 1 },
      { id: 2, team_id: 1 },
    ])
    /** Joins a table that has two rows for each row of the model. */
    const access_policy: AccessPolicy = {
      scope_query: (query) =>
        query
          .innerJoin('notes', 'notes.team_id', 'memberships.team_id')
          .where('memberships.owner_id', '=', 7)
          .clearSelect()
          .select(['memberships.id', 'memberships.person_id', 'memberships.team_id'])
          .select(['memberships.owner_id', 'memberships.deleted']),
    }
    const { status } = await as(ann, { access_policy })('/api/people/1?cascade_delete=1')
    equal([status, await remaining()], [409, [1, 2, 3]])
  })

  test('keeps them if the record is only soft-deleted', async () => {
    equal((await as(ann)('/api/teams/1')).status, 200)
    equal(await remaining(), [1, 2])
  })
})
