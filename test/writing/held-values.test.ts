/** Values that the column of the database would round or cut are refused, and values that the service sets are cut to what it holds. */
import { defineModel } from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const columns = {
  postgres: {
    plain: 'timestamp(0)',
    zoned: 'timestamptz(0)',
    tenths: 'timestamp(1)',
    exact: 'timestamp(3)',
  },
  mysql: {
    plain: 'datetime',
    zoned: 'timestamp null',
    tenths: 'datetime(1)',
    exact: 'datetime(3)',
  },
} as const

const Event = defineModel('Event', {
  table: 'events',
  columns: {
    id: { type: 'integer', primaryKey: true },
    plain: { type: 'datetime', nullable: true },
    zoned: { type: 'datetime', nullable: true },
    tenths: { type: 'datetime', nullable: true },
    exact: { type: 'datetime', nullable: true },
    price: { type: 'decimal', nullable: true },
    rate: { type: 'decimal', precision: 10, scale: 4, nullable: true },
    code: { type: 'string', nullable: true },
    note: { type: 'string', maxLength: 9, nullable: true },
    created: { type: 'datetime', managed: 'created' },
    changed: { type: 'datetime', managed: 'updated' },
    seen: { type: 'datetime', default: () => '2024-05-14T10:30:00.999Z' },
    parentId: { type: 'integer', nullable: true, column: 'parent_id' },
  },
  relations: { parts: { kind: 'hasMany', target: 'Event', key: 'parentId' } },
  meta: {},
})

const half = '2024-05-14T10:30:00.500Z'
const whole = '2024-05-14T10:30:00.000Z'
const tenth = '2024-05-14T10:30:00.100Z'
const milli = '2024-05-14T10:30:00.123Z'

for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase(
    'values that a column does not hold',
    (test, db) => {
      const { plain, zoned, tenths, exact } = columns[only]
      const moment = only === 'mysql' ? 'datetime' : 'timestamp(0)'
      test.before(() =>
        db.execScript(`create table events (id integer primary key, plain ${plain}, zoned ${zoned},
          tenths ${tenths}, exact ${exact}, price decimal(10,1), rate decimal(10,2), code varchar(5), note varchar(5),
          created ${moment}, changed ${moment}, seen ${moment}, parent_id integer)`),
      )
      const api = testApi(db, [Event], {
        API_ALLOW_NESTED_WRITES: true,
        API_ALLOW_BULK: true,
        API_ALLOW_UPSERT: true,
        API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT'],
      })
      const post = (body: unknown): Promise<Answer> => send(api, 'POST', '/api/events', { body })

      test('are problems that name the field', async () => {
        const { status, errors } = await post({
          id: 1,
          plain: half,
          zoned: half,
          tenths: milli,
          exact: milli,
          price: '1.25',
          rate: '1.125',
          code: 'abcde ',
          note: 'abcd    ',
        })
        equal(status, 400)
        equal(errors?.reason, {
          plain: ['Expected a date and time without a fraction of a second.'],
          zoned: ['Expected a date and time without a fraction of a second.'],
          tenths: ['Expected a date and time with at most 1 digit after the second.'],
          price: ['Expected a decimal number with at most 1 digit after the point.'],
          rate: ['Expected a decimal number with at most 2 digits after the point.'],
          code: ['Expected at most 5 characters, got 6.'],
          note: ['Expected at most 5 characters, got 8.'],
        })
      })

      test('are refused in lists, nested records, changes, upserts and by filters', async () => {
        await post({ id: 2, plain: whole })
        const wrong = { plain: half }
        const cases = [
          ['POST', '/api/events', [{ id: 3 }, { id: 4, ...wrong }], '[1].plain'],
          ['POST', '/api/events', { id: 3, parts: [{ id: 4, ...wrong }] }, 'parts[0].plain'],
          ['PATCH', '/api/events/2', wrong, 'plain'],
          ['PUT', '/api/events/2', wrong, 'plain'],
          ['PATCH', '/api/events', [{ id: 2, ...wrong }], '[0].plain'],
          ['PATCH', '/api/events?id__eq=2', wrong, 'plain'],
          ['POST', '/api/events?on_conflict=id', [{ id: 2, ...wrong }], '[0].plain'],
        ] as const
        for (const [method, url, body, path] of cases) {
          const { status, errors } = await send(api, method, url, { body })
          equal(
            [method, url, status, Object.keys(errors?.reason ?? {})],
            [method, url, 400, [path]],
          )
        }
      })

      test('are stored as the answer shows them, and its ETag fits', async () => {
        const written = await post({
          id: 5,
          plain: whole,
          zoned: whole,
          tenths: tenth,
          exact: milli,
          price: '1.5',
          rate: '1.25',
          code: 'abcde',
          note: 'abc',
        })
        equal(written.status, 201)
        const { value } = written
        equal(
          [
            value.plain,
            value.zoned,
            value.tenths,
            value.exact,
            value.price,
            value.rate,
            value.code,
          ],
          [whole, whole, tenth, milli, '1.5', '1.2500', 'abcde'],
        )
        const read = await get(api, '/api/events/5')
        equal([read.value, read.headers.etag], [value, written.headers.etag])
      })

      test('of the service are cut, and not rounded to a later second', async () => {
        await post({ id: 6 })
        const first = await get(api, '/api/events/6')
        const now = '2026-01-02T03:04:05.000Z'
        const seen = '2024-05-14T10:30:00.000Z'
        equal([first.value.created, first.value.changed, first.value.seen], [now, now, seen])
        const changed = await send(api, 'PATCH', '/api/events/6', { body: { note: 'x' } })
        equal([changed.status, changed.value.changed], [200, now])
        const listed = await send(api, 'PATCH', '/api/events', {
          body: [5, 6].map((id) => ({ id, note: `y${id}` })),
        })
        equal(listed.status, 200)
        const { value } = await get(api, '/api/events?id__in=(5,6)')
        equal(
          value.map((row: { changed: string }) => row.changed),
          [now, now],
        )
      })

      test('may stand in filters', async () => {
        const { value } = await get(api, `/api/events?plain__lt=${half}&order_by=id`)
        equal(
          value.map((row: { id: number }) => row.id),
          [2, 5],
        )
      })
    },
    { only },
  )
}
