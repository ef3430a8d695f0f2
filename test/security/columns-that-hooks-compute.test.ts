/** A hook's query may compute a column: conditions test the computed values, which need not be stored anywhere in the table. */
import { type AnyModel, type Api, belongsTo, defineModel, hasMany } from '@model-api/core'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { column, read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: any query of Kysely
type Query = any

const id = { type: 'integer', primaryKey: true } as const

/** The start of a datetime's day, in another form than the stored values have. */
const startOfDay = (db: TestDatabase) =>
  ({
    sqlite: sql`substr(at, 1, 10) || 'T00:00:00Z'`,
    postgres: sql`date_trunc('day', at)`,
    mysql: sql`cast(date(at) as datetime(3))`,
  })[db.name]

/** Six hours after a time of a day. */
const later = (db: TestDatabase) =>
  ({
    sqlite: sql`time(clock, '+6 hours')`,
    postgres: sql`clock + interval '6 hours'`,
    mysql: sql`addtime(clock, '06:00:00')`,
  })[db.name]

/** A quarter of a millisecond after a datetime, of which the column holds whole milliseconds. */
const shortlyAfter = (db: TestDatabase) =>
  ({
    sqlite: sql`rtrim(whole_ms, 'Z') || '250Z'`,
    postgres: sql`whole_ms + interval '250 microseconds'`,
    mysql: sql`cast(whole_ms as datetime(6)) + interval 250 microsecond`,
  })[db.name]

const day = (i: number): string => `2024-05-${String(i).padStart(2, '0')}`

eachDatabase('columns that hooks compute', (test, db) => {
  const compute = (query: Query): Query =>
    query
      .clearSelect()
      .select([
        'id',
        startOfDay(db).as('at'),
        later(db).as('clock'),
        'shown_at',
        shortlyAfter(db).as('whole_ms'),
      ])
  const event = (meta: object): readonly AnyModel[] => [
    defineModel('Event', {
      columns: {
        id,
        at: { type: 'datetime', nullable: true },
        clock: { type: 'time', nullable: true },
        shown_at: { type: 'datetime', nullable: true },
        whole_ms: { type: 'datetime', nullable: true },
      },
      relations: { marks: hasMany('Mark', 'event_id') },
      meta: { allow_aggregation: true, ...meta } as never,
    }),
    defineModel('Mark', {
      columns: { id, event_id: { type: 'integer' } },
      relations: { event: belongsTo('Event', 'event_id') },
      meta: { allow_join: true },
    }),
  ]
  const apis: Readonly<Record<string, Api>> = {
    scope_query: testApi(db, event({ access_policy: { scope_query: compute } })),
    'a filter callback': testApi(db, event({}), { API_FILTER_CALLBACK: compute }),
    'a query of its own': testApi(
      db,
      event({
        access_policy: {
          scope_query: (query: Query) => {
            const inner = compute(db.kysely.selectFrom('events')).as('events')
            return query.clearSelect === undefined
              ? query
              : db.kysely.selectFrom(inner as Query).selectAll('events' as never)
          },
        },
      }),
    ),
  }

  test.before(async () => {
    const datetime = { sqlite: 'text', postgres: 'timestamptz', mysql: 'datetime(6)' }[db.name]
    const milliseconds = { sqlite: 'text', postgres: 'timestamptz(3)', mysql: 'datetime(3)' }[
      db.name
    ]
    const time = { sqlite: 'text', postgres: 'time', mysql: 'time(6)' }[db.name]
    await db.execScript(`
      create table events (id int primary key, at ${datetime}, clock ${time}, shown_at ${datetime}, whole_ms ${milliseconds});
      create index ats on events (at); create index clocks on events (clock); create index shown_ats on events (shown_at);
      create index whole_mss on events (whole_ms);
      create table marks (id int primary key, event_id int not null);`)
    const rows = [1, 2, 3, 4].map((i) => ({
      id: i,
      at: `${day(i)} 10:30:00.000`,
      clock: `0${i}:15:00`,
      shown_at: `${day(i)} 10:30:00.000`,
      whole_ms: `${day(i)} 10:30:00.000${db.name === 'sqlite' ? 'Z' : ''}`,
    }))
    await db.kysely.insertInto('events').values(rows).execute()
    await db.kysely
      .insertInto('marks')
      .values(rows.map((row) => ({ id: row.id + 10, event_id: row.id })))
      .execute()
    for (const api of Object.values(apis)) await api.ready
  })

  const ids = async (api: Api, path: string, body: string): Promise<readonly number[]> => {
    const { status, value, errors } = await send(api, 'QUERY', path, {
      body: `${body}&fields=id&order_by=id`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    equal([status, errors], [200, null])
    return value.map((row: { id: number }) => row.id)
  }

  /** A list of a length, of which the first two values are in the table. */
  const lists = [2, 3, 5, 12].map((n) =>
    Array.from({ length: n }, (_, i) => (i < 2 ? i + 1 : i + 7)),
  )

  for (const [by, api] of Object.entries(apis)) {
    test(`by ${by}: datetimes finer than the column`, async () => {
      for (const list of lists) {
        const values = list.map((i) => `${day(i)}T10:30:00.000Z`)
        equal(await ids(api, '/api/events', `whole_ms__in=(${values})`), [1, 2], String(values))
      }
      equal(await ids(api, '/api/events', `whole_ms__eq=${day(1)}T10:30:00.000Z`), [1])
      equal(await ids(api, '/api/events', `whole_ms__nin=(${day(1)}T10:30:00.000Z)`), [2, 3, 4])
    })

    test(`by ${by}: lists of datetimes`, async () => {
      for (const list of lists) {
        const values = list.map((i) => `${day(i)}T00:00:00Z`).join()
        equal(await ids(api, '/api/events', `at__in=(${values})`), [1, 2], values)
        equal(await ids(api, '/api/events', `at__nin=(${values})`), [3, 4], values)
        const stored = list.map((i) => `${day(i)}T10:30:00Z`).join()
        equal(await ids(api, '/api/events', `at__in=(${stored})`), [], stored)
        equal(await ids(api, '/api/events', `shown_at__in=(${stored})`), [1, 2], stored)
      }
    })

    test(`by ${by}: lists of times`, async () => {
      for (const list of lists) {
        const values = list.map((i) => (i < 3 ? `0${i + 6}:15:00` : `12:${i + 10}:00`)).join()
        equal(await ids(api, '/api/events', `clock__in=(${values})`), [1, 2], values)
        equal(await ids(api, '/api/events', `clock__nin=(${values})`), [3, 4], values)
      }
    })

    test(`by ${by}: comparisons and orders`, async () => {
      const at = `${day(2)}T00:00:00Z`
      for (const [operator, found] of [
        ['eq', [2]],
        ['ne', [1, 3, 4]],
        ['lt', [1]],
        ['le', [1, 2]],
        ['gt', [3, 4]],
        ['ge', [2, 3, 4]],
      ] as const) {
        equal(await ids(api, '/api/events', `at__${operator}=${at}`), found, operator)
      }
      equal(await column(api, '/api/events?order_by=-at&fields=id'), [4, 3, 2, 1])
      const [most] = await read(api, '/api/events?at|last__max=1&shown_at|first__min=1')
      equal(most, { last: `${day(4)}T00:00:00.000Z`, first: `${day(1)}T10:30:00.000Z` })
      const pages: unknown[] = []
      let url: string | null = '/api/events?order_by=at&limit=1&fields=id&paging=cursor'
      while (url !== null && pages.length < 5) {
        const { status, body }: { status: number; body: Query } = await send(api, 'GET', url)
        equal(status, 200)
        pages.push(body.value.map((row: { id: number }) => row.id))
        url = body.next_url
      }
      equal(pages, [[1], [2], [3], [4]])
    })
  }

  test('conditions on a joined relation', async () => {
    const api = apis.scope_query as Api
    for (const list of lists) {
      const values = list.map((i) => `${day(i)}T00:00:00Z`).join()
      const joined = `join=event&event.at__in=(${values})`
      equal(await ids(api, '/api/marks', joined), [11, 12], values)
      equal(await ids(api, '/api/marks', `exists(event.at__in=(${values}))`), [11, 12], values)
    }
  })

  test('conditions of a scope on what a filter callback computes', async () => {
    for (const list of lists) {
      const values = list.map((i) => `${day(i)}T00:00:00.000Z`)
      const scope = { at: { in: values } }
      const api = testApi(db, event({ access_policy: { scope } }), { API_FILTER_CALLBACK: compute })
      equal(await column(api, '/api/events?order_by=id'), [1, 2], String(values))
    }
  })
})

eachDatabase('searched columns that a hook computes', (test, db) => {
  const hide = (query: Query): Query =>
    query.clearSelect().select(['id', 'title', sql`'hidden'`.as('body')])
  const story = (scope_query: (query: Query) => Query) =>
    defineModel('Story', {
      columns: { id, title: { type: 'string', maxLength: 80 }, body: { type: 'text' } },
      search: { columns: ['title', 'body'], index: 'story_search' },
      meta: { access_policy: { scope_query } as never },
    })
  const found = (api: Api, search: string): Promise<unknown[]> =>
    column(api, `/api/stories?search=${search}`)

  test.before(async () => {
    const columns = 'id integer primary key, title varchar(80) not null, body text not null'
    await db.execScript(
      {
        sqlite: `create table stories (${columns}); create virtual table story_search using fts5(title, body)`,
        postgres: `create table stories (${columns}, story_search tsvector generated always as (to_tsvector('simple', title || ' ' || body)) stored)`,
        mysql: `create table stories (${columns}, fulltext index story_search (title, body))`,
      }[db.name],
    )
    const row = { title: 'The Whale', body: 'secret captain' }
    await db.kysely
      .insertInto('stories')
      .values({ id: 1, ...row })
      .execute()
    if (db.name === 'sqlite')
      await db.kysely
        .insertInto('story_search')
        .values({ rowid: 1, ...row })
        .execute()
  })

  test('the index is not asked, whose words the hook may hide', async () => {
    const api = testApi(db, [story(hide)])
    equal(await found(api, 'captain'), [])
    equal(await found(api, 'whale'), [1])
    equal(await found(api, 'hidden'), [1])
  })

  test('the index is asked where the query only narrows the rows', async () => {
    const api = testApi(db, [story((query) => query.where('id', '<', 9))])
    const { statements } = await db.capture(async () => {
      equal(await found(api, 'captain'), [1])
    })
    const how = { sqlite: / match \?/, postgres: / @@ /, mysql: /match \(.*\) against/ }[db.name]
    equal(
      statements.some((statement) => how.test(statement.sql)),
      true,
    )
  })
})
