// An index serves columns whose values have one form, whichever it is; others are sorted.
import { defineModel } from '@model-api/core'
import { CompiledQuery } from 'kysely'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Event = defineModel('Event', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    at: { type: 'datetime' },
    day: { type: 'date' },
    code: { type: 'uuid' },
    active: { type: 'boolean' },
  },
  meta: {},
})

const uuid = `printf('%08x-0000-4000-8000-%012x', i * 7919 % 4000, i)`

/** The stored form of each column, and whether an index on it gives the order. */
const cases: Readonly<Record<string, readonly [at: string, code: string, ordered: boolean]>> = {
  'as the API stores them': [`strftime('%Y-%m-%d %H:%M:%f', i * 977, 'unixepoch')`, uuid, true],
  'as current_timestamp does': [`datetime(i * 977, 'unixepoch')`, uuid, true],
  'as toISOString() does': [`strftime('%Y-%m-%dT%H:%M:%fZ', i * 977, 'unixepoch')`, uuid, true],
  'in several forms': [
    `case when i % 2 then datetime(i * 977, 'unixepoch') else strftime('%Y-%m-%dT%H:%M:%SZ', i * 977, 'unixepoch') end`,
    `case when i % 2 then ${uuid} else upper(${uuid}) end`,
    false,
  ],
}

for (const [title, [at, code, ordered]] of Object.entries(cases)) {
  eachDatabase(`an index on columns that are stored ${title}`, (test, db) => {
    if (db.name !== 'sqlite') {
      test('exists in SQLite only', () => {})
      return
    }
    const warnings: string[] = []
    const api = testApi(db, [Event], {}, { onWarning: (message) => warnings.push(message) })
    test.before(() =>
      db.execScript(`
        create table events (id integer primary key, at datetime not null, day date not null, code text not null, active boolean not null);
        create index of_at on events (at, id); create index of_day on events (day, id);
        create index of_code on events (code); create index of_active on events (active, at);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
        insert into events select i, ${at}, date(i * 977, 'unixepoch'), ${code}, i % 2 from n;`),
    )

    /** How SQLite runs the page's statement of a request. */
    const planOf = async (url: string): Promise<string> => {
      const { statements, result } = await db.capture(() => get(api, url))
      equal(result.status, 200)
      const [page] = statements.filter((one) => one.sql.includes('limit'))
      ok(page !== undefined, url)
      const explained = CompiledQuery.raw(`explain query plan ${page.sql}`, [...page.parameters])
      const { rows } = await db.kysely.executeQuery<{ detail: string }>(explained)
      return rows.map(({ detail }) => detail).join('\n')
    }

    for (const filter of [
      'at__eq=1970-01-05T00:00:00Z',
      'at__in=(1970-01-05T00:00:00Z,1970-01-06T00:00:00Z)',
      'at__ge=1970-02-10T00:00:00Z&order_by=at',
      'at__between=(1970-01-05T00:00:00Z,1970-01-06T00:00:00Z)',
      'day__eq=1970-01-05',
      'day__lt=1970-01-05&order_by=day',
      'code__eq=00000001-0000-4000-8000-000000000001',
    ]) {
      test(`finds ${filter}`, async () => {
        const plan = await planOf(`/api/events?${filter}&fields=id&count=none&limit=5`)
        ok(/SEARCH events USING (COVERING )?INDEX/.test(plan), plan)
      })
    }

    for (const order of ['at', '-at', 'code']) {
      test(`${ordered ? 'gives' : 'does not give'} the order ${order}`, async () => {
        const plan = await planOf(`/api/events?order_by=${order}&limit=5&paging=cursor`)
        equal(plan.includes(`SCAN events USING INDEX of_${order.replace('-', '')}`), ordered, plan)
      })
    }

    test('that cannot be used for an order is named at the start', () => {
      const named = warnings.filter((message) => message.includes('in several forms'))
      equal(
        named.map((message) => message.split(' stores')[0]),
        ordered
          ? []
          : [
              'The indexed datetime column "at" of events',
              'The indexed uuid column "code" of events',
            ],
      )
    })
  })
}
