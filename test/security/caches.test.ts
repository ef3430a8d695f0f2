/**
 * What the service caches for one caller does not affect the response to another: plans, embedded relations, echoes of writes,
 * totals and stored responses.
 */
import {
  type Api,
  type ApiConfig,
  type ApiRequest,
  belongsTo,
  defineModel,
  hasMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const generated = { type: 'integer', primaryKey: true, generated: true } as const

/** Only admins may list payrolls; they have no policy. */
const Team = defineModel('Team', {
  columns: { id: generated, name: { type: 'string' } },
  relations: { payrolls: hasMany('Payroll', 'team_id') },
  meta: {},
})
const Payroll = defineModel('Payroll', {
  columns: { id, team_id: { type: 'integer' }, amount: { type: 'integer' } },
  meta: { role_map: { '*': 'admin' } },
})
/** Every authenticated user may write suggestions; only admins may read them. */
const Suggestion = defineModel('Suggestion', {
  columns: { id: generated, text: { type: 'string' } },
  meta: { role_map: { GET: 'admin', '*': true } },
})
const User = defineModel('User', { columns: { id, name: { type: 'string' } } })
const models = [Team, Payroll, Suggestion, User] as const

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_USER_MODEL: User,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT'],
}

const admin = { id: 1, roles: ['admin'] }
const viewer = { id: 7, roles: ['viewer'] }
/** The same user after losing the role. */
const dismissed = { ...admin, roles: [] }

/** Three requests, because some things are cached only after the second or third request of a kind. */
const often = [1, 2, 3]

eachDatabase('what was cached for one caller', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Team, [{ id: 50, name: 'Red' }])
    await insertRows(db, Payroll, [{ id: 1, team_id: 50, amount: 1000 }])
  })

  const url = '/api/teams/50/payrolls'
  const embedded = [{ id: 1, team_id: 50, amount: 1000 }]

  for (const path of ['/api/teams?dump=json&id__eq=50', '/api/teams/50?dump=json']) {
    for (const [name, first] of [
      ['an admin', admin],
      ['a viewer', viewer],
      ['an anonymous caller', undefined],
    ] as const) {
      test(`is not sent to other callers: ${path}, after ${name}`, async () => {
        const api = testApi(db, models, config)
        const payrolls = async (user: unknown) =>
          [(await send(api, 'GET', path, { user })).value].flat()[0].payrolls
        for (const _ of often) await payrolls(first)
        equal(await payrolls(viewer), url)
        equal(await payrolls(admin), embedded)
        equal(await payrolls(undefined), url)
        for (const _ of often) equal(await payrolls(viewer), url)
      })
    }
  }

  for (const query of [
    'join=payrolls',
    'exists(payrolls)',
    'join=payrolls&payrolls.amount__gt=1',
  ]) {
    test(`does not admit other callers: ?${query}`, async () => {
      const api = testApi(db, models, config)
      const status = async (user: unknown) =>
        (await send(api, 'GET', `/api/teams?${query}`, { user })).status
      for (const _ of often) equal(await status(admin), 200)
      equal(await status(viewer), 403)
      equal(await status(admin), 200)
    })
  }

  for (const [name, first] of [
    ['an admin', admin],
    ['a viewer', viewer],
  ] as const) {
    test(`the response to a write embeds only what its caller may list, after ${name}`, async () => {
      const api = testApi(db, models, config)
      const write = async (user: unknown) =>
        (await send(api, 'PATCH', '/api/teams/50?dump=json', { user, body: { name: 'Red' } })).value
          .payrolls
      for (const _ of often) await write(first)
      equal(await write(viewer), url)
      equal(await write(admin), embedded)
      equal(await write(viewer), url)
    })
  }

  test('queries sent for the first time show each caller only its own columns and rows', async () => {
    const Note = defineModel('Note', {
      columns: {
        id,
        owner: { type: 'integer' },
        team_id: { type: 'integer' },
        text: { type: 'string' },
        mood: { type: 'string', read: ({ user }) => user?.roles.includes('admin') === true },
      },
      relations: { team: belongsTo('Team', 'team_id') },
      meta: {
        access_policy: {
          scope_query: (query, { user }) => query.where('owner', '=', user?.id ?? 0),
        },
      },
    })
    await createTables(db, [Note])
    await insertRows(
      db,
      Note,
      [1, 7].map((owner) => ({ id: owner, owner, team_id: 50, text: 'tea', mood: 'good' })),
    )
    const api = testApi(db, [...models, Note] as const, config)
    let number = 0
    const rows = async (user: unknown, query: string) => {
      number += 1
      const condition = `not[id__in=(${Array(number).fill(99)}),text__eq=none]`
      return (await send(api, 'GET', `/api/notes?${condition}&${query}`, { user })).value
    }
    const whole = { id: 1, owner: 1, team_id: 50, text: 'tea', mood: 'good' }
    const { mood: _, ...part } = { ...whole, id: 7, owner: 7 }
    for (const query of ['dump_relationships=false', 'dump=url']) {
      const shown = (row: { id: number }) =>
        query === 'dump=url' ? { ...row, team: `/api/notes/${row.id}/team` } : row
      for (const _ of often) {
        equal(await rows(admin, query), [shown(whole)])
        equal(await rows(viewer, query), [shown(part)])
        equal(await rows({ id: 5, roles: [] }, query), [])
      }
    }
  })

  test('the response to a write shows the record only to callers who may list it', async () => {
    const api = testApi(db, models, config)
    const write = async (user: unknown) => {
      const body = { text: 'more tea' }
      const created = await send(api, 'POST', '/api/suggestions', { user, body })
      const place = created.headers.location ?? ''
      const changed = await send(api, 'PATCH', place, { user, body })
      const replaced = await send(api, 'PUT', place, { user, body })
      return [created, changed, replaced].map(({ status, value, headers }) => [
        status,
        value?.text ?? null,
        headers.etag !== undefined,
      ])
    }
    const shown = [201, 200, 200].map((status) => [status, 'more tea', true])
    const unseen = [201, 200, 200].map((status) => [status, null, false])
    equal(await write(viewer), unseen)
    for (const _ of often) equal(await write(admin), shown)
    for (const _ of often) equal(await write(viewer), unseen)
  })

  test('a replayed response shows only what its caller may see now', async () => {
    const api = testApi(db, models, config)
    const post = async (user: unknown, key: string) => {
      const body = { name: 'Blue' }
      const headers = { 'idempotency-key': key.padEnd(16, '.') }
      const {
        status,
        value,
        headers: answered,
      } = await send(api, 'POST', '/api/teams?dump=json', {
        user,
        body,
        headers,
      })
      return [status, value?.payrolls, answered['idempotency-replayed'], value?.id]
    }
    const [, , , blue] = await post(admin, 'a')
    equal(await post(admin, 'a'), [201, [], 'true', blue])
    equal(await post(dismissed, 'a'), [201, `/api/teams/${blue}/payrolls`, 'true', blue])
    equal((await post(viewer, 'a'))[2], undefined)
  })
})

/** A policy may decide differently the next time, although its caller has the same roles. */
eachDatabase('a replayed response', (test, db) => {
  let shown = true
  const Shelf = defineModel('Shelf', {
    columns: { id, name: { type: 'string' } },
    meta: {
      access_policy: {
        scope_query: (query) => (shown ? query : query.where('id', '=', -1)),
      },
    },
  })
  const Item = defineModel('Item', {
    columns: { id: generated, shelf_id: { type: 'integer' } },
    relations: { shelf: belongsTo('Shelf', 'shelf_id') },
    meta: {},
  })
  test.before(async () => {
    await createTables(db, [Shelf, Item])
    await insertRows(db, Shelf, [{ id: 1, name: 'Poems' }])
  })

  test('shows related records as their policy allows now', async () => {
    const api = testApi(db, [Shelf, Item], { API_ALLOWED_METHODS: ['GET', 'POST'] })
    const post = async () => {
      const headers = { 'idempotency-key': 'the-same-key-again' }
      const body = { shelf_id: 1 }
      const answer = await send(api, 'POST', '/api/items?dump=json', { headers, body })
      return [answer.status, answer.value.shelf?.name ?? null]
    }
    equal(await post(), [201, 'Poems'])
    equal(await post(), [201, 'Poems'])
    shown = false
    equal(await post(), [201, null])
  })
})

/** Concurrent requests share a count only if the database could not tell them apart, so never across transactions. */
eachDatabase('a total', (test, db) => {
  test.before(async () => {
    await createTables(db, [Team, Payroll])
    await insertRows(db, Team, [
      { id: 1, name: 'Red' },
      { id: 2, name: 'Blue' },
    ])
  })

  const list = (limit: number): string => `/api/teams?limit=${limit}`
  const totalOf = async (api: Api, request: Partial<ApiRequest>) => {
    const { body } = await api.handle({ method: 'GET', url: list(1), ...request })
    return (body as { total_count?: number } | undefined)?.total_count
  }

  test('inside a transaction of the host counts what this transaction sees', async () => {
    // A SQLite database in memory has one connection.
    const count = db.name === 'sqlite' ? 1 : 3
    const open = async () => {
      const transaction = await db.kysely.startTransaction().execute()
      await insertRows({ ...db, kysely: transaction }, Team, [{ id: 100, name: 'Green' }])
      return transaction
    }
    const first = await open()
    const plain = await Promise.all(
      Array.from({ length: count - 1 }, () => db.kysely.startTransaction().execute()),
    )
    const transactions = [first, ...plain]
    const api = testApi(db, [Team, Payroll], {
      API_SESSION_GETTER: ({ headers }) => transactions[Number(headers?.['x-session'])] as never,
    })
    const ask = (i: number) => totalOf(api, { headers: { 'x-session': String(i) } })
    const expected = transactions.map((_, i) => (i === 0 ? 3 : 2))
    try {
      for (const _ of often) {
        // Two of them join while the count of the third runs.
        const askers = transactions.flatMap((_, i) => [i, i])
        const totals = await Promise.all(askers.map(ask))
        equal(
          totals,
          askers.map((i) => expected[i]),
        )
      }
    } finally {
      await Promise.all(transactions.map((transaction) => transaction.rollback().execute()))
    }
  })

  test('is counted separately by each request where the service runs inside a transaction', async () => {
    const transaction = await db.kysely.startTransaction().execute()
    try {
      const api = testApi({ ...db, kysely: transaction }, [Team, Payroll])
      await totalOf(api, {})
      const { statements } = await db.capture(() =>
        Promise.all(often.map(() => totalOf(api, {}))).then((totals) => equal(totals, [2, 2, 2])),
      )
      equal(statements.length, often.length)
    } finally {
      await transaction.rollback().execute()
    }
  })
})
