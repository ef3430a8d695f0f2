/** People in teams, with a junction that is a published model, for the tests of links. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  type ApiRequest,
  belongsTo,
  type Column,
  defineModel,
  manyToMany,
} from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { type Answer, send, testApi } from '../support/api.ts'
import type { TestDatabase } from '../support/databases.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { everything } from './models.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const all = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
const name = { type: 'string', maxLength: 20, unique: true } as const

/** Rows of the user; an administrator sees all. */
export const owned: AccessPolicy = {
  scope_query: (query, { user }) =>
    user?.roles?.includes('admin') ? query : query.where('owner_id', '=', user?.id ?? 0),
}

export type Metas = Readonly<Record<string, object>>

/** The models, each with its own meta and that of the test, and with additional columns of the junction. */
export function modelsWith(
  metas: Metas = {},
  columns: Readonly<Record<string, Column>> = {},
): readonly AnyModel[] {
  return [
    defineModel('Person', {
      columns: { id, name },
      relations: {
        teams: manyToMany('Team', { through: 'memberships', from: 'person_id', to: 'team_id' }),
      },
      meta: { allowed_methods: [...all], ...metas.Person },
    }),
    defineModel('Team', {
      columns: {
        id,
        name,
        owner_id: { type: 'integer', default: 7 },
        deleted: { type: 'boolean' },
      },
      relations: {
        members: manyToMany('Person', { through: 'memberships', from: 'team_id', to: 'person_id' }),
      },
      meta: { ...metas.Team },
    }),
    defineModel('Membership', {
      columns: {
        id,
        personId: { type: 'integer', column: 'person_id' },
        team_id: {
          type: 'integer',
          validator: (team: unknown) => team !== 13 || 'Thirteen brings bad luck',
        },
        owner_id: { type: 'integer', default: 7 },
        rank: { type: 'string', maxLength: 10, default: 'member' },
        joined: { type: 'datetime', managed: 'created' },
        changed: { type: 'datetime', managed: 'updated' },
        deleted: { type: 'boolean', default: false },
        ...columns,
      },
      unique: [['personId', 'team_id']],
      relations: { person: belongsTo('Person', 'personId'), team: belongsTo('Team', 'team_id') },
      meta: { ...metas.Membership },
    }),
    defineModel('Letter', {
      columns: { id, person_id: { type: 'integer', nullable: true } },
      relations: { person: belongsTo('Person', 'person_id') },
      meta: {},
    }),
  ]
}

export const viewer = { id: 7, roles: ['viewer'] }
export const admin = { id: 1, roles: ['admin'] }

export type Client = (method: string, url: string, body?: unknown) => Promise<Answer>

/** Sends requests of a user to an API whose models have these metas. */
export const clientOf = (db: TestDatabase, user: unknown, ...declared: Declared): Client =>
  clientFor(linksApi(db, ...declared), user)

type Declared = [
  metas?: Metas,
  config?: ApiConfig,
  columns?: Readonly<Record<string, Column>>,
  unpublished?: readonly string[],
]

/** An API whose models have these metas. */
export function linksApi(
  db: TestDatabase,
  ...[metas = {}, config = {}, columns = {}, unpublished = []]: Declared
): Api {
  const models = modelsWith(metas, columns).map((model): AnyModel => {
    const { meta: _, ...unlisted } = model
    return unpublished.includes(model.name) ? unlisted : model
  })
  return testApi(db, models, { ...everything, ...config })
}

/** Sends requests of a user to an API. */
export function clientFor(served: Api, user: unknown): Client {
  const api: Api = {
    ...served,
    handle: (request: ApiRequest) => served.handle({ ...request, user }),
    answer: (request: ApiRequest) => served.answer({ ...request, user }),
  }
  return (method, url, body) => send(api, method, url, body === undefined ? {} : { body })
}

const tables = ['memberships', 'letters', 'teams', 'people'] as const
const mine = { owner_id: 7, deleted: false }
const at = { joined: '2020-01-01T00:00:00.000Z', changed: '2020-01-01T00:00:00.000Z' }

export async function createTeams(db: TestDatabase): Promise<void> {
  await createTables(db, modelsWith())
  if (db.name !== 'postgres') return
  // The rows are inserted with their keys, so the sequences must be advanced.
  for (const table of tables)
    await db.execScript(`alter table ${table} alter column id restart with 100`)
}

/**
 * Two people and six teams. Person 1 is linked to team 1, which the viewer sees, and to four teams whose links the viewer does
 * not see: the link to team 2 has another owner, team 3 has another owner, team 4 is deleted, and the link to team 5 is
 * deleted.
 */
export async function fillTeams(db: TestDatabase): Promise<void> {
  const [Person, Team, Membership] = modelsWith() as [AnyModel, AnyModel, AnyModel]
  for (const table of tables) await db.kysely.deleteFrom(table).execute()
  await insertRows(db, Person, [
    { id: 1, name: 'Ann' },
    { id: 2, name: 'Bob' },
  ])
  await insertRows(db, Team, [
    { id: 1, name: 'one', ...mine },
    { id: 2, name: 'two', ...mine },
    { id: 3, name: 'three', ...mine, owner_id: 8 },
    { id: 4, name: 'four', ...mine, deleted: true },
    { id: 5, name: 'five', ...mine },
    { id: 6, name: 'six', ...mine },
    { id: 13, name: 'thirteen', ...mine },
  ])
  const link = (key: number, team: number, more: object = {}) => ({
    id: key,
    personId: 1,
    team_id: team,
    rank: 'old',
    ...mine,
    ...at,
    ...more,
  })
  await insertRows(db, Membership, [
    link(1, 1),
    link(2, 2, { owner_id: 8 }),
    link(3, 3),
    link(4, 4),
    link(5, 5, { deleted: true }),
  ])
}

/** Every link as `<person>-<team>`, with its owner, its rank and whether it is marked: `1-5 7 old deleted`. */
export async function linksIn(db: TestDatabase): Promise<readonly string[]> {
  const rows = await db.kysely.selectFrom('memberships').selectAll().orderBy('id').execute()
  return rows.map(
    ({ person_id, team_id, owner_id, rank, deleted }) =>
      `${person_id}-${team_id} ${owner_id} ${rank}${Number(deleted) === 1 ? ' deleted' : ''}`,
  )
}

/** The links before a test writes. */
export const links = ['1-1 7 old', '1-2 8 old', '1-3 7 old', '1-4 7 old', '1-5 7 old deleted']
