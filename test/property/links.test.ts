/** Lists of links by random callers, compared with a model of the links: links that a caller does not see stay unchanged. */
import fc from 'fast-check'
import { equal } from '../support/assert.ts'
import { batches } from '../support/property.ts'
import { eachDatabase } from '../support/suite.ts'
import {
  admin,
  clientOf,
  createTeams,
  fillTeams,
  type Metas,
  owned,
  viewer,
} from '../writing/link-worlds.ts'

const stranger = { id: 8, roles: ['viewer'] }
const users = { viewer, stranger, admin }
const policies: Metas = { Team: { access_policy: owned }, Membership: { access_policy: owned } }

interface User {
  readonly id: number
  readonly roles: readonly string[]
}

/** The owner of each team by its key; null if the team is deleted. */
const teams = new Map<number, number | null>([
  [1, 7],
  [2, 7],
  [3, 8],
  [4, null],
  [5, 7],
  [6, 7],
])

interface Link {
  readonly owner: number
  readonly deleted: boolean
}

/** The links, by `<person>-<team>`. */
type World = ReadonlyMap<string, Link>

const before: World = new Map([
  ['1-1', { owner: 7, deleted: false }],
  ['1-2', { owner: 8, deleted: false }],
  ['1-3', { owner: 7, deleted: false }],
  ['1-4', { owner: 7, deleted: false }],
  ['1-5', { owner: 7, deleted: true }],
])

const sees = (user: User, owner: number | null | undefined): boolean =>
  owner !== null && owner !== undefined && (user.roles.includes('admin') || owner === user.id)

/** The effect of a list according to the documentation: the status, and the links afterwards. */
function expected(world: World, user: User, person: number, list: readonly number[]) {
  if (list.some((team) => !sees(user, teams.get(team)))) return { status: 422, world }
  const next = new Map(world)
  for (const [pair, link] of world) {
    const [who, team] = pair.split('-').map(Number)
    const seen = !link.deleted && sees(user, link.owner) && sees(user, teams.get(team ?? 0))
    if (who === person && seen && !list.includes(team ?? 0))
      next.set(pair, { ...link, deleted: true })
  }
  for (const team of list) {
    const pair = `${person}-${team}`
    const link = world.get(pair)
    // The pair is unique in the database, even if the caller does not see it.
    if (link !== undefined && !sees(user, link.owner)) return { status: 409, world }
    next.set(pair, { owner: link?.owner ?? 7, deleted: false })
  }
  return { status: 200, world: next }
}

const writes = fc.array(
  fc.record({
    user: fc.constantFrom(...(Object.keys(users) as (keyof typeof users)[])),
    person: fc.constantFrom(1, 2),
    side: fc.constantFrom('people', 'people by filter'),
    list: fc.uniqueArray(fc.constantFrom(...teams.keys()), { maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 6 },
)

eachDatabase('random lists of links', (test, db) => {
  const clients = Object.fromEntries(
    Object.entries(users).map(([name, user]) => [name, clientOf(db, user, policies)]),
  )
  test.before(() => createTeams(db))

  const stored = async (): Promise<readonly string[]> => {
    const rows = await db.kysely.selectFrom('memberships').selectAll().execute()
    return rows
      .map((row) => `${row.person_id}-${row.team_id} ${row.owner_id} ${Number(row.deleted) === 1}`)
      .sort()
  }
  const listed = (world: World): readonly string[] =>
    [...world].map(([pair, { owner, deleted }]) => `${pair} ${owner} ${deleted}`).sort()

  batches(test, 'leave what a model of them says', 50, ({ numRuns, seed }) =>
    fc.assert(
      fc.asyncProperty(writes, async (sequence) => {
        await fillTeams(db)
        let world = before
        for (const { user, person, side, list } of sequence) {
          const outcome = expected(world, users[user], person, list)
          const url = side === 'people' ? `/api/people/${person}` : `/api/people?id__eq=${person}`
          const body = { teams: list.map((team) => ({ id: team })) }
          const answer = await clients[user]?.('PATCH', url, body)
          world = outcome.world
          equal([answer?.status, await stored()], [outcome.status, listed(world)])
        }
      }),
      { numRuns, seed },
    ),
  )
})
