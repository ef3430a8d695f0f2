/** A constraint of the database covers rows that a caller may not see. An error reveals only what the documentation says. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

const owned: AccessPolicy = {
  scope_query: (query, { user }) => query.where('owner_id', '=', user?.id ?? 0),
  can_create: (data) => data.name !== 'forbidden',
}

const Team = defineModel('Team', {
  columns: { id, owner_id: { type: 'integer' } },
  meta: { access_policy: owned },
})
const Member = defineModel('Member', {
  columns: {
    id,
    owner_id: { type: 'integer' },
    name: { type: 'string' },
    email: { type: 'string', maxLength: 40, unique: true },
    badge: {
      type: 'string',
      maxLength: 40,
      unique: true,
      hidden: true,
      default: ({ user }: { user?: { badge?: string } | null }) => user?.badge ?? 'none',
    },
    team_id: { type: 'integer', nullable: true },
  },
  unique: [['team_id', 'badge']],
  relations: { team: belongsTo('Team', 'team_id') },
  meta: { access_policy: owned },
})
const Shift = defineModel('Shift', {
  columns: {
    id,
    owner_id: { type: 'integer' },
    name: { type: 'string', default: 'x' },
    team_id: { type: 'integer' },
    begins: { type: 'integer' },
    ends: { type: 'integer' },
    wage: { type: 'integer', hidden: true, default: 1 },
  },
  relations: { team: belongsTo('Team', 'team_id') },
  exclude: { team_id: 'equal', wage: 'equal', period: ['begins', 'ends'] },
  meta: { access_policy: owned },
})
const models: readonly AnyModel[] = [Team, Member, Shift]

/** A user whose next record gets this badge. */
const me = (badge: string) => ({ id: 7, badge })

eachDatabase('a constraint', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_BULK: true })
  let next = 100
  const fresh = () => {
    next += 1
    return { id: next, owner_id: 7, name: 'x', email: `${next}@x.org` }
  }
  const answer = async (method: string, url: string, body: unknown, badge = `own ${next}`) => {
    const { status, text } = await send(api, method, url, { user: me(badge), body })
    return [status, text] as const
  }
  const reason = (text: string) => JSON.parse(text).errors.reason

  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Team, [
      { id: 1, owner_id: 7 },
      { id: 2, owner_id: 8 },
    ])
    await insertRows(db, Member, [
      { id: 1, owner_id: 7, name: 'Ann', email: 'mine@x.org', badge: 'b1', team_id: 1 },
      { id: 2, owner_id: 7, name: 'Bob', email: 'bob@x.org', badge: 'b2', team_id: null },
      { id: 3, owner_id: 8, name: 'Eve', email: 'theirs@x.org', badge: 'b3', team_id: 2 },
    ])
    const shift = { name: 'x', team_id: 1, wage: 1 }
    await insertRows(db, Shift, [
      { ...shift, id: 1, owner_id: 7, begins: 10, ends: 12 },
      { ...shift, id: 2, owner_id: 8, begins: 20, ends: 22 },
      { ...shift, id: 3, owner_id: 7, begins: 30, ends: 32 },
    ])
  })

  test('gives the same error for a hidden row as for a visible one', async () => {
    const taken = ['mine@x.org', 'theirs@x.org']
    const writes = taken.map((email) => [
      answer('POST', '/api/members', { ...fresh(), email }),
      answer('POST', '/api/members', [fresh(), { ...fresh(), email }]),
      answer('PATCH', '/api/members/2', { email }),
    ])
    const [mine, theirs] = await Promise.all(writes.map((list) => Promise.all(list)))
    equal(theirs, mine)
    const message = ['Another record has this value.']
    equal(
      theirs?.map(([status, text]) => [status, reason(text)]),
      [
        [409, { email: message }],
        [409, { '[1].email': message }],
        [409, { email: message }],
      ],
    )
  })

  test('does not name a hidden column', async () => {
    const [status, text] = await answer('POST', '/api/members', fresh(), 'b3')
    equal([status, reason(text)], [409, 'Another record has this value.'])
    const email = 'theirs@x.org'
    const [, both] = await answer('POST', '/api/members', { ...fresh(), email }, 'b3')
    ok(!both.includes('badge'), both)
    const [, pair] = await answer('POST', '/api/members', { ...fresh(), team_id: 1 }, 'b1')
    equal(reason(pair), { team_id: ['Another record has this value.'] })
  })

  test('is not checked for a caller without the right to write', async () => {
    const answers = []
    for (const email of ['mine@x.org', 'theirs@x.org', 'free@x.org']) {
      answers.push(await answer('POST', '/api/members', { ...fresh(), name: 'forbidden', email }))
      answers.push(await answer('PATCH', '/api/members/3', { email }))
    }
    equal(
      answers.map(([status]) => status),
      [403, 404, 403, 404, 403, 404],
    )
    equal(new Set(answers.map(([, text]) => text)).size, 2)
  })

  test('against overlaps gives the same error for a hidden row as for a visible one, and names no hidden column', async () => {
    const shift = (begins: number, more = {}) => ({
      ...{ id: next + 1, owner_id: 7, team_id: 1, begins, ends: begins + 1 },
      ...more,
    })
    const answersAt = async (begins: number) => [
      await answer('POST', '/api/shifts', shift(begins)),
      await answer('POST', '/api/shifts', [shift(50), shift(begins, { id: next + 2 })]),
      await answer('PATCH', '/api/shifts/3', { begins, ends: begins + 1 }),
    ]
    const [mine, theirs] = [await answersAt(11), await answersAt(21)]
    equal(theirs, mine)
    const message = ['Another record overlaps this one (team_id, begins, ends).']
    equal(
      theirs.map(([status, text]) => [status, reason(text)]),
      [
        [409, { begins: message }],
        [409, { '[1].begins': message }],
        [409, { begins: message }],
      ],
    )
    const refused = []
    for (const begins of [11, 21, 60]) {
      refused.push(await answer('POST', '/api/shifts', shift(begins, { name: 'forbidden' })))
      refused.push(await answer('PATCH', '/api/shifts/2', { begins, ends: begins + 1 }))
    }
    equal(
      refused.map(([status]) => status),
      [403, 404, 403, 404, 403, 404],
    )
    equal(new Set(refused.map(([, text]) => text)).size, 2)
    const orphans = []
    for (const team_id of [2, 99]) {
      orphans.push(await answer('POST', '/api/shifts', shift(60, { team_id })))
    }
    equal(orphans[1], orphans[0])
    equal(orphans[0]?.[0], 422)
  })

  test('of a foreign key does not reveal hidden rows', async () => {
    const answers = []
    for (const team_id of [2, 99]) {
      answers.push(await answer('POST', '/api/members', { ...fresh(), team_id }))
      answers.push(await answer('PATCH', '/api/members/2', { team_id }))
    }
    equal(answers.slice(2), answers.slice(0, 2))
    equal(answers[0]?.[0], 422)
  })
})
