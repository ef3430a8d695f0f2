/** Links of a published junction: each link that is created or removed follows the rules of its model, in every kind of write. */
import type { Api } from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import type { Answer } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import {
  admin,
  type Client,
  clientFor,
  clientOf,
  createTeams,
  fillTeams,
  links,
  linksApi,
  linksIn,
  type Metas,
  owned,
  viewer,
} from './link-worlds.ts'

/** Policies that limit what the viewer sees: teams, and the links themselves. */
const policies: Metas = { Team: { access_policy: owned }, Membership: { access_policy: owned } }

const withPolicy = (more: AccessPolicy): Metas => ({
  ...policies,
  Membership: { access_policy: { ...owned, ...more } },
})

type Body = readonly object[]

/** Every write that sets the teams of person 1. */
const changes: Readonly<Record<string, (client: Client, teams: Body) => Promise<Answer>>> = {
  PATCH: (client, teams) => client('PATCH', '/api/people/1?dump=json', { teams }),
  PUT: (client, teams) => client('PUT', '/api/people/1?dump=json', { name: 'Ann', teams }),
  upsert: (client, teams) =>
    client('POST', '/api/people?on_conflict=name&dump=json', { name: 'Ann', teams }),
  'bulk PATCH': (client, teams) => client('PATCH', '/api/people?id__eq=1&dump=json', { teams }),
  'bulk upsert': (client, teams) =>
    client('POST', '/api/people?on_conflict=name&dump=json', [{ name: 'Ann', teams }]),
}

/** Every write that creates a person with teams. */
const creations: typeof changes = {
  POST: (client, teams) => client('POST', '/api/people', { name: 'New', teams }),
  'bulk POST': (client, teams) =>
    client('POST', '/api/people', [{ name: 'First' }, { name: 'New', teams }]),
  'upsert of a new one': (client, teams) =>
    client('POST', '/api/people?on_conflict=name', { name: 'New', teams }),
  'a nested person': (client, teams) =>
    client('POST', '/api/letters', { person: { name: 'New', teams } }),
  'a nested person of a PATCH': async (client, teams) => {
    const { value } = await client('POST', '/api/letters', {})
    return client('PATCH', `/api/letters/${value.id}`, { person: { name: 'New', teams } })
  },
}

eachDatabase('links of a published junction', (test, db) => {
  test.before(() => createTeams(db))
  test.before.each(() => fillTeams(db))
  /** One for all requests to models with the same metas. */
  const apis = new Map<Metas, Api>()
  const as = (user: unknown, metas: Metas = policies) => {
    const api = apis.get(metas) ?? linksApi(db, metas)
    apis.set(metas, api)
    return clientFor(api, user)
  }
  const namesOf = ({ value }: Answer): unknown => {
    const person = Array.isArray(value) ? value[0] : value
    return person.teams.map((team: { name: string }) => team.name)
  }
  const one = (team: number) => [{ id: team }]

  for (const [write, change] of Object.entries(changes)) {
    test(`that the caller cannot see are preserved, also if the result of GET is sent back: ${write}`, async () => {
      for (const user of [viewer, admin]) {
        const { value } = await as(user)('GET', '/api/people/1?dump=json')
        const { status } = await change(as(user), value.teams)
        equal([status, await linksIn(db)], [200, links])
      }
    })

    test(`are soft-deleted if the junction allows it, and restored if made again: ${write}`, async () => {
      const removed = await change(as(viewer), [])
      equal([removed.status, namesOf(removed)], [200, []])
      equal(await linksIn(db), ['1-1 7 old deleted', ...links.slice(1)])
      const made = await change(as(viewer), [{ id: 1 }, { id: 5 }])
      equal([made.status, namesOf(made)], [200, ['one', 'five']])
      equal(await linksIn(db), [...links.slice(0, 4), '1-5 7 old'])
    })

    test(`are deleted if the junction has no soft delete: ${write}`, async () => {
      const hard = { ...policies, Membership: { access_policy: owned, soft_delete: false } }
      equal((await change(as(viewer, hard), one(6))).status, 200)
      // The row that was marked as deleted is now visible like any other, and not in the sent list.
      equal(await linksIn(db), ['1-2 8 old', '1-3 7 old', '1-4 7 old', '1-6 7 member'])
    })

    test(`need the rights of the junction to be removed: ${write}`, async () => {
      const refusals: readonly Metas[] = [
        { ...policies, Membership: { access_policy: owned, block_methods: ['DELETE'] } },
        { ...policies, Membership: { access_policy: owned, role_map: { DELETE: 'admin' } } },
        withPolicy({ can_delete: () => false }),
        withPolicy({ can_delete: ({ rank }) => rank !== 'old' }),
      ]
      for (const metas of refusals) {
        equal([(await change(as(viewer, metas), [])).status, await linksIn(db)], [403, links])
        equal((await change(as(viewer, metas), one(1))).status, 200)
      }
    })
  }

  for (const [write, make] of Object.entries({ ...changes, ...creations })) {
    test(`need the rights of the junction to be created: ${write}`, async () => {
      const refusals: readonly Metas[] = [
        { ...policies, Membership: { access_policy: owned, block_methods: ['POST'] } },
        { ...policies, Membership: { access_policy: owned, role_map: { POST: 'admin' } } },
        withPolicy({ can_create: () => false }),
        withPolicy({ can_create: ({ team_id }) => team_id !== 6 }),
        withPolicy({ can_create: ({ rank, owner_id }) => rank !== 'member' || owner_id !== 7 }),
      ]
      for (const metas of refusals) {
        const { status } = await make(as(viewer, metas), [{ id: 1 }, { id: 6 }])
        equal([status, await linksIn(db)], [403, links])
      }
    })

    test(`go through the callbacks of the junction: ${write}`, async () => {
      const seen: (readonly [string, unknown, unknown])[] = []
      const Membership = {
        access_policy: owned,
        add_callback: (link: { team_id?: unknown; rank?: unknown }) => {
          seen.push(['add', link.team_id, link.rank])
          return { ...link, rank: 'stamped' }
        },
        remove_callback: (link: { team_id?: unknown; rank?: unknown }) => {
          seen.push(['remove', link.team_id, link.rank])
        },
      }
      const client = as(viewer, { ...policies, Membership })
      const { status } = await make(client, one(6))
      const changed = write in changes
      equal(status < 300, true)
      equal(seen, [...(changed ? [['remove', 1, 'old']] : []), ['add', 6, 'member']])
      const stamped = (await linksIn(db)).filter((link) => /-6 7 stamped$/.test(link))
      equal(stamped.length, 1)
    })
  }

  test('are created as by POST, with managed columns, defaults and validators', async () => {
    const client = as(viewer)
    equal((await client('PATCH', '/api/people/2', { teams: one(6) })).status, 200)
    const { value } = await client('GET', '/api/memberships?personId__eq=2')
    const now = '2026-01-02T03:04:05.678Z'
    const { rank, joined, changed, deleted } = value[0]
    equal([rank, joined, changed, deleted], ['member', now, now, false])
    const refused = await client('PATCH', '/api/people/2', { teams: [{ id: 1 }, { id: 13 }] })
    const reason = { 'teams[1].team_id': ['Thirteen brings bad luck'] }
    equal([refused.status, refused.errors.reason], [400, reason])
    equal((await linksIn(db)).length, links.length + 1)
  })

  test('that are restored keep their values and get a new timestamp', async () => {
    const client = as(viewer)
    equal((await client('PATCH', '/api/people/1', { teams: [{ id: 1 }, { id: 5 }] })).status, 200)
    const { value } = await client('GET', '/api/memberships/5')
    const { rank, joined, changed, deleted } = value
    equal(
      [rank, joined, changed, deleted],
      ['old', '2020-01-01T00:00:00.000Z', '2026-01-02T03:04:05.678Z', false],
    )
  })

  test('that are restored need can_create, which gets their stored values', async () => {
    const seen: unknown[] = []
    const can_create: AccessPolicy['can_create'] = ({ id, rank, deleted }) => {
      seen.push([id, rank, deleted])
      return false
    }
    const client = as(viewer, withPolicy({ can_create }))
    equal((await client('PATCH', '/api/people/1', { teams: one(5) })).status, 403)
    equal(seen, [[5, 'old', false]])
    equal(await linksIn(db), links)
    const posting = { access_policy: owned, block_methods: ['PATCH'] }
    const allowed = as(viewer, { ...policies, Membership: posting })
    equal((await allowed('PATCH', '/api/people/1', { teams: [{ id: 1 }, { id: 5 }] })).status, 200)
    equal(await linksIn(db), [...links.slice(0, 4), '1-5 7 old'])
  })

  test('whose pair exists in a link that the caller cannot see are 409, with the path', async () => {
    for (const hooks of [{}, { add_callback: (link: object) => link }]) {
      const client = as(viewer, { ...policies, Membership: { access_policy: owned, ...hooks } })
      const teams = [{ id: 1 }, { id: 6 }, { id: 2 }]
      const { status, errors } = await client('PATCH', '/api/people/1', { teams })
      const reason = { 'teams[2]': ['Another record has this value.'] }
      equal([status, errors.reason, await linksIn(db)], [409, reason, links])
    }
  })

  test('to records that the caller cannot see are 422', async () => {
    for (const team of [3, 4, 99]) {
      const { status, errors } = await as(viewer)('PATCH', '/api/people/1', { teams: one(team) })
      equal([status, errors.reason], [422, { 'teams[0].id': ['No such record.'] }])
    }
    equal(await linksIn(db), links)
  })

  test('that need a field which a list cannot set are refused', async () => {
    const models = { ...policies, Membership: { access_policy: owned } }
    const client = clientOf(db, viewer, models, {}, { rank: { type: 'string', maxLength: 10 } })
    const { status, errors } = await client('PATCH', '/api/people/2', { teams: one(6) })
    const reason = {
      'teams[0]': [
        'This link cannot be made here, because its record needs "rank". Create the Membership itself.',
      ],
    }
    equal([status, errors.reason], [400, reason])
    const add_callback = (link: object) => ({ ...link, rank: 'given' })
    const given = { ...policies, Membership: { access_policy: owned, add_callback } }
    const column = { rank: { type: 'string', maxLength: 10 } } as const
    const filling = clientOf(db, viewer, given, {}, column)
    equal((await filling('PATCH', '/api/people/2', { teams: one(6) })).status, 200)
  })

  test('can be created and removed from either side', async () => {
    const client = as(viewer)
    equal((await client('PATCH', '/api/teams/6', { members: [{ id: 1 }, { id: 2 }] })).status, 200)
    equal((await client('PATCH', '/api/teams/1', { members: [] })).status, 200)
    // The link of team 2 has another owner.
    equal((await client('PATCH', '/api/teams/2', { members: [] })).status, 200)
    equal(await linksIn(db), [
      '1-1 7 old deleted',
      ...links.slice(1),
      '1-6 7 member',
      '2-6 7 member',
    ])
  })

  test('a list is 403 if the caller may not list the linked records, whatever is linked', async () => {
    for (const Team of [
      { role_map: { GET: 'admin' } },
      { access_policy: { scope_query: () => null } },
    ]) {
      for (const person of [1, 2]) {
        const client = as(viewer, { ...policies, Team })
        const { status } = await client('PATCH', `/api/people/${person}`, { teams: [] })
        equal([status, await linksIn(db)], [403, links])
      }
    }
  })

  test('are not removed if the policy of the junction hides them', async () => {
    const Membership = { access_policy: { scope_query: () => null } }
    const client = as(viewer, { ...policies, Membership })
    equal((await client('PATCH', '/api/people/1', { teams: [] })).status, 200)
    equal(await linksIn(db), links)
  })

  test('are removed up to the limit of records per request', async () => {
    const client = clientOf(db, admin, policies, { API_MAX_BULK: 2 })
    const { status, errors } = await client('PATCH', '/api/people/1', { teams: [] })
    equal([status, errors.code], [400, 'too_many_records'])
    equal(await linksIn(db), links)
    equal((await client('PATCH', '/api/people/1', { teams: one(1) })).status, 200)
  })
})
