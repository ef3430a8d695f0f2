// What the API writes into an indexed datetime column stands in its order, whichever form the stored values have.
import { defineModel, hasMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Event = defineModel('Event', {
  columns: { id: { type: 'integer', primaryKey: true }, at: { type: 'datetime' } },
  meta: {},
})

const Moment = defineModel('Moment', {
  columns: { id: { type: 'integer', primaryKey: true }, at: { type: 'datetime', unique: true } },
  relations: { records: hasMany('Record', 'at', { references: 'at' }) },
  meta: {},
})

const Record = defineModel('Record', {
  columns: { id: { type: 'integer', primaryKey: true }, at: { type: 'datetime' } },
  meta: {},
})

const forms = {
  'as toISOString() does': ['2024-01-01T05:00:00.000Z', '2024-01-02T05:00:00.000Z'],
  'as current_timestamp does': ['2024-01-01 05:00:00', '2024-01-02 05:00:00'],
  'as the API does': ['2024-01-01 05:00:00.000', '2024-01-02 05:00:00.000'],
} as const

for (const [title, [first, last]] of Object.entries(forms)) {
  eachDatabase(`an index on datetimes that another program stored ${title}`, (test, db) => {
    const api = testApi(db, [Event, Moment, Record])
    const text = (value: string): string => value.replace('T', ' ').replace('Z', '')
    const stored = db.name === 'sqlite' ? [first, last] : [text(first), text(last)]
    const type = { sqlite: 'text', postgres: 'timestamp(3)', mysql: 'datetime(3)' }[db.name]
    test.before(async () => {
      await db.execScript(`
        create table events (id integer primary key, at ${type} not null); create index of_at on events (at);
        create table moments (id integer primary key, at ${type} not null unique);
        create table records (id integer primary key, at ${type} not null); create index of_record_at on records (at);
        insert into events values (5, '${stored[0]}'), (6, '${stored[1]}');
        insert into moments select id, at from events;
        insert into records values (1, '2024-01-01 05:00:00.000');`)
      await get(api, '/api/events')
    })

    test('orders and pages added and changed rows, too', async () => {
      for (const body of [
        { id: 3, at: '2024-01-01T10:00:00.250Z' },
        { id: 4, at: '2024-01-01T05:00:00.000Z' },
      ]) {
        equal((await send(api, 'POST', '/api/events', { body })).status, 201)
      }
      const at = '2024-01-01T04:00:00.000Z'
      equal((await send(api, 'PATCH', '/api/events/6', { body: { at } })).status, 200)
      const all = await get(api, '/api/events?order_by=at&fields=id')
      const expected = [6, 4, 5, 3]
      equal(
        all.value.map(({ id }: { id: number }) => id),
        expected,
      )
      const paged: number[] = []
      let url: string | null = '/api/events?order_by=at&fields=id&limit=1&paging=cursor'
      while (url !== null && paged.length < 10) {
        const page = await get(api, url)
        paged.push(...page.value.map(({ id }: { id: number }) => id))
        url = page.body.next_url
      }
      equal(paged, expected)
    })

    test('is matched with a column of another form', async () => {
      const { value } = await get(api, '/api/moments?exists(records.id__eq=1)&fields=id')
      equal(
        value.map(({ id }: { id: number }) => id),
        [5],
      )
    })
  })
}
