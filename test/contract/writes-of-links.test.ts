/** Contract §8: one test for each sentence about links, nested records and keys. The details are in test/writing. */
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import {
  clientOf,
  createTeams,
  fillTeams,
  links,
  linksIn,
  type Metas,
  owned,
  viewer,
} from '../writing/link-worlds.ts'

const policies: Metas = { Team: { access_policy: owned }, Membership: { access_policy: owned } }
const junction = (meta: object): Metas => ({
  ...policies,
  Membership: { access_policy: owned, ...meta },
})

eachDatabase('writes of links', (test, db) => {
  test.before(() => createTeams(db))
  test.before.each(() => fillTeams(db))
  const as = (metas: Metas) => clientOf(db, viewer, metas)

  test('many-to-many lists replace the links that the caller can see; links to records outside the scope stay', async () => {
    const { status, value } = await as(policies)('PATCH', '/api/people/1?dump=json', {
      teams: [{ id: 6 }],
    })
    equal([status, value.teams.length], [200, 1])
    const replaced = ['1-1 7 old deleted', ...links.slice(1), '1-6 7 member']
    equal(await linksIn(db), replaced)
  })

  test('where the junction is a published model, each link that is made or removed passes its methods, roles, policy, callbacks and soft delete', async () => {
    const refusing = [
      { block_methods: ['POST'] },
      { role_map: { DELETE: 'admin' } },
      { access_policy: { ...owned, can_create: () => false } },
      { access_policy: { ...owned, can_delete: () => false } },
    ]
    for (const meta of refusing) {
      const { status } = await as(junction(meta))('PATCH', '/api/people/1', { teams: [{ id: 6 }] })
      equal([status, await linksIn(db)], [403, links])
    }
    const called: string[] = []
    const callbacks = {
      add_callback: (link: object) => {
        called.push('add')
        return link
      },
      remove_callback: () => called.push('remove'),
    }
    const client = as(junction(callbacks))
    equal((await client('PATCH', '/api/people/1', { teams: [{ id: 6 }] })).status, 200)
    equal(called, ['remove', 'add'])
    equal((await client('PATCH', '/api/people/1', { teams: [{ id: 1 }] })).status, 200)
    equal(await linksIn(db), [...links, '1-6 7 member deleted'])
  })

  test('a nested link into a resource that the caller may not use is 403 whether the row exists or not', async () => {
    const client = as({ Person: { role_map: { GET_ONE: 'admin' } } })
    for (const id of [1, 99]) {
      equal((await client('POST', '/api/letters', { person: { id } })).status, 403)
    }
  })

  test('a plain foreign key value into it is checked for existence only', async () => {
    const hidden = { scope_query: () => null }
    const client = as({ Person: { role_map: { GET: 'admin' }, access_policy: hidden } })
    const status = async (person_id: number) =>
      (await client('POST', '/api/letters', { person_id })).status
    equal([await status(1), await status(99)], [201, 422])
  })

  test('a text key that no path can carry is a validation problem', async () => {
    const name = { type: 'string', maxLength: 20, primaryKey: true } as const
    const keyed = clientOf(db, viewer, {}, {}, { rank: name })
    for (const rank of ['', '.', '..']) {
      const body = { rank, personId: 2, team_id: 1 }
      const { status, errors } = await keyed('POST', '/api/memberships', body)
      const message = 'A key cannot be empty, "." or "..", because no URL path can contain it.'
      equal([status, errors.reason], [400, { rank: [message] }])
    }
  })

  test('a published junction is a child like any other when its record is deleted', async () => {
    const client = as({})
    equal((await client('DELETE', '/api/people/1')).status, 409)
    equal((await client('DELETE', '/api/people/1?cascade_delete=1')).status, 200)
    equal(await linksIn(db), [])
  })

  test('links of a many-to-many whose junction is no published model are deleted with the record', async () => {
    const client = as({ Membership: { soft_delete: false } })
    equal((await client('DELETE', '/api/people/1')).status, 409)
    const unpublished = clientOf(db, viewer, {}, {}, {}, ['Membership'])
    equal((await unpublished('DELETE', '/api/people/1')).status, 200)
    equal(await linksIn(db), [])
    equal((await unpublished('GET', '/api/teams')).total, 6)
  })
})
