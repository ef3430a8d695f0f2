/** PostgreSQL: years before 1 and after 9999 were returned, but filters, cursors and bodies refused them. */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read, refuses, succeeds } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Era = defineModel('Era', {
  table: 'eras',
  columns: {
    id: { type: 'integer', primaryKey: true },
    day: { type: 'date' },
    at: { type: 'datetime' },
    zoned: { type: 'datetime' },
    days: { type: 'list', items: 'date', nullable: true },
  },
  meta: {},
})

const Day = defineModel('Day', {
  table: 'days',
  columns: { day: { type: 'date', primaryKey: true } },
  meta: {},
})

/** In ascending order: a date and a time as PostgreSQL prints them, and as the service returns them. */
const eras = [
  ['4713-01-01', '00:00:00', ' BC', '-004712-01-01', '00:00:00.000'],
  ['0044-03-15', '12:30:00.123456', ' BC', '-000043-03-15', '12:30:00.123'],
  ['0001-02-29', '00:00:00', ' BC', '0000-02-29', '00:00:00.000'],
  ['2024-05-14', '10:30:00.000001', '', '2024-05-14', '10:30:00.000'],
  ['12024-02-29', '23:59:59.999999', '', '+012024-02-29', '23:59:59.999'],
  ['294276-12-31', '23:59:59', '', '+294276-12-31', '23:59:59.000'],
] as const

eachDatabase(
  'years of five digits',
  (test, db) => {
    const api = testApi(db, [Era, Day])
    const rows = eras.map(([, , , day, time], i) => {
      const at = `${day}T${time}Z`
      return { id: i + 1, day, at, zoned: at, days: [day] }
    })
    const values = eras.map(([day, time, era], i) => {
      const at = `'${day} ${time}+00${era}'`
      return `(${i + 1}, '${day}${era}', ${at}, ${at}, array['${day}${era}'::date])`
    })
    test.before(() =>
      db.execScript(`
        create table eras (id int primary key, day date not null, at timestamp not null, zoned timestamptz not null, days date[]);
        insert into eras values ${values.join(', ')};
        create table days (day date primary key);
        insert into days values ('0044-03-15 BC'), ('5874897-12-31');`),
    )
    const ids = async (query: string): Promise<number[]> =>
      (await read(api, `/api/eras?${query}`)).map(({ id }: { id: number }) => id)

    test('are served, and found by the value served', async () => {
      equal(await read(api, '/api/eras'), rows)
      const all = rows.map(({ id }) => id)
      for (const row of rows) {
        for (const name of ['day', 'at', 'zoned'] as const) {
          const value = encodeURIComponent(row[name])
          equal(await ids(`${name}__eq=${value}`), [row.id], value)
          equal(await ids(`${name}__in=(${value},2024-01-01)`), [row.id], value)
          equal(
            await ids(`${name}__ne=${value}`),
            all.filter((id) => id !== row.id),
            value,
          )
          equal(
            await ids(`${name}__ge=${value}`),
            all.filter((id) => id >= row.id),
            value,
          )
          equal(
            await ids(`${name}__lt=${value}`),
            all.filter((id) => id < row.id),
            value,
          )
        }
      }
    })

    test('are paged by cursors', async () => {
      for (const order of ['day', '-at', 'zoned']) {
        const seen: number[] = []
        let url: string | null = `/api/eras?order_by=${order}&limit=1&paging=cursor`
        while (url !== null && seen.length < 9) {
          const page = await send(api, 'GET', url)
          seen.push(...page.value.map(({ id }: { id: number }) => id))
          url = page.body.next_url
        }
        const forwards = rows.map(({ id }) => id)
        equal(seen, order === '-at' ? forwards.reverse() : forwards, order)
      }
    })

    test('can be written, and sent back', async () => {
      for (const row of rows) {
        equal((await send(api, 'PATCH', `/api/eras/${row.id}`, { body: row })).value, row)
        const copy = { ...row, id: row.id + 10 }
        equal((await send(api, 'POST', '/api/eras', { body: copy })).value, copy)
        equal((await send(api, 'DELETE', `/api/eras/${copy.id}`)).status, 200)
      }
    })

    test('are keys in URLs', async () => {
      equal(await read(api, '/api/days'), [{ day: '-000043-03-15' }, { day: '+5874897-12-31' }])
      for (const { day } of await read(api, '/api/days')) await succeeds(api, `/api/days/${day}`)
    })

    test('are refused if the date does not exist', async () => {
      for (const day of [
        '+012023-02-29',
        '-004713-01-01',
        '+5874898-01-01',
        '-000000-01-01',
        '+012024-13-01',
      ]) {
        await refuses(api, `/api/eras?day__eq=${encodeURIComponent(day)}`, {
          code: 'invalid_value',
        })
      }
    })
  },
  { only: 'postgres' },
)
