/** The number of statements for links of a published junction, including begin and commit, and how it grows with the number of links. */
import type { AnyModel } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { costTable, expectedCosts, growth } from '../support/costs.ts'
import { eachDatabase } from '../support/suite.ts'
import { insertRows } from '../support/tables.ts'
import {
  admin,
  type Client,
  clientOf,
  createTeams,
  fillTeams,
  type Metas,
  modelsWith,
  owned,
} from '../writing/link-worlds.ts'

const table = costTable(`
  request                                 | sqlite | postgres | mysql
  nobody is asked
  open: POST a person in n teams          |      6 |        6 |      7
  open: PATCH a person into n teams       |      8 |        8 |      9
  open: PATCH a person out of n teams     |      8 |        9 |     10
  open: PATCH a person back into n teams  |      8 |        8 |      9
  open: PATCH a person in n teams         |      6 |        6 |      7
  open: POST n people, each in two teams  |      6 |        6 |       8
  open: PATCH n people out of their teams |      8 |        9 |      10
  a policy is asked about each
  ruled: POST n people, each in two teams |      6 |        7 |       9
  a policy and callbacks are asked about each
  asked: POST a person in n teams         |  5 + n |    6 + n |  7 + n
  asked: PATCH a person into n teams      |  7 + n |    8 + n |  9 + n
  asked: PATCH a person out of n teams    |      9 |       10 |     11
  asked: PATCH a person back into n teams |  7 + n |    8 + n |  9 + n
  asked: PATCH a person in n teams        |      6 |        7 |      8
`)

const asked: Metas = {
  Team: { access_policy: owned },
  Membership: {
    access_policy: { ...owned, can_create: () => true, can_delete: () => true },
    add_callback: (link: object) => link,
    remove_callback: () => {},
  },
}

/** A policy that needs no statement. */
const ruled: Metas = { Membership: { access_policy: { can_create: () => true } } }

interface Write {
  readonly method: 'POST' | 'PATCH'
  readonly url: string
  readonly body: object
}

eachDatabase('statements of links', (test, db) => {
  let serial = 1000
  const teams = async (n: number): Promise<{ id: number }[]> => {
    const rows = Array.from({ length: n }, () => ({
      id: ++serial,
      name: `team ${serial}`,
      owner_id: 7,
      deleted: false,
    }))
    await insertRows(db, modelsWith()[1] as AnyModel, rows)
    return rows.map(({ id }) => ({ id }))
  }
  /** A person in some teams, and the request that replaces the teams. */
  const person = async (client: Client, before: object[], after: object[]): Promise<Write> => {
    const body = { name: `person ${++serial}`, teams: before }
    const { value } = await client('POST', '/api/people', body)
    return { method: 'PATCH', url: `/api/people/${value.id}`, body: { teams: after } }
  }
  const writes: Readonly<Record<string, (client: Client, n: number) => Promise<Write>>> = {
    'POST a person in n teams': async (_, n) => ({
      method: 'POST',
      url: '/api/people',
      body: { name: `person ${++serial}`, teams: await teams(n) },
    }),
    'PATCH a person into n teams': async (client, n) => person(client, [], await teams(n)),
    'PATCH a person out of n teams': async (client, n) => person(client, await teams(n), []),
    'PATCH a person back into n teams': async (client, n) => {
      const some = await teams(n)
      const { method, url, body } = await person(client, some, [])
      await client(method, url, body)
      return { method, url, body: { teams: some } }
    },
    'POST n people, each in two teams': async (_, n) => {
      const some = await teams(n + 1)
      const people = Array.from({ length: n }, (_, i) => ({
        name: `person ${++serial}`,
        teams: some.slice(i, i + 2),
      }))
      return { method: 'POST', url: '/api/people', body: people }
    },
    'PATCH n people out of their teams': async (client, n) => {
      const some = await teams(2)
      const people = Array.from({ length: n }, () => ({ name: `person ${++serial}`, teams: some }))
      const { value } = await client('POST', '/api/people', people)
      const body = value.map(({ id }: { id: number }) => ({ id, teams: [] }))
      return { method: 'PATCH', url: '/api/people', body }
    },
    'PATCH a person in n teams': async (client, n) => {
      const some = await teams(n)
      return person(client, some, some)
    },
  }

  test.before(async () => {
    await createTeams(db)
    await fillTeams(db)
  })

  test('are as many for any number of links, unless a policy or callback is called for each', async () => {
    const lines: string[] = []
    for (const { request } of table) {
      const [who, what = ''] = request.split(': ')
      const client = clientOf(db, admin, { asked, ruled }[who ?? ''] ?? {})
      const counts: [number, number][] = []
      // Triggers the look-ups of an API's first request.
      await client('POST', '/api/people', { name: `person ${++serial}`, teams: await teams(1) })
      for (const n of [2, 3, 6]) {
        const write = await writes[what]?.(client, n)
        if (write === undefined) throw new Error(`What is "${what}"?`)
        const { method, url, body } = write
        const { result, statements } = await db.capture(() => client(method, url, body))
        equal(result.status, method === 'POST' ? 201 : 200, request)
        counts.push([n, statements.length])
      }
      lines.push(`${growth(counts)}: ${request}`)
    }
    equal(lines, expectedCosts(table, db.engine))
  })
})
