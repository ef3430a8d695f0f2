/**
 * Times outside a day: filters and cursors refused the negative and longer ones of MySQL and MariaDB. `24:00:00`, which PostgreSQL stores
 * too, was a valid value on some databases alone.
 */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read, refuses } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Lap = defineModel('Lap', {
  table: 'laps',
  columns: {
    id: { type: 'integer', primaryKey: true },
    whole: { type: 'time' },
    exact: { type: 'time' },
  },
  meta: {},
})

const lengths = [
  '-838:59:59',
  '-12:30:01',
  '-12:30:00',
  '-00:00:00',
  '00:00:00',
  '23:59:59',
  '24:00:00',
  '838:59:59',
]

eachDatabase(
  'times beyond 24 hours',
  (test, db) => {
    const api = testApi(db, [Lap])
    test.before(() =>
      db.execScript(`
        create table laps (id int primary key, whole time not null, exact time(6) not null);
        insert into laps values ${lengths
          .map((text, i) => {
            const fraction = /838/.test(text) ? '' : '.25'
            return `(${i + 1}, '${text}', '${text}${fraction}')`
          })
          .join(', ')};`),
    )
    const ids = async (query: string): Promise<number[]> =>
      (await read(api, `/api/laps?limit=50&${query}`)).map(({ id }: { id: number }) => id)

    test('are served, and paged by cursors', async () => {
      equal(
        (await read(api, '/api/laps')).map((one: { exact: string }) => one.exact),
        lengths,
      )
      for (const order of ['exact', '-exact', 'whole,id']) {
        const seen: number[] = []
        let url: string | null = `/api/laps?order_by=${order}&limit=1&paging=cursor`
        while (url !== null && seen.length < 20) {
          const page = await send(api, 'GET', url)
          seen.push(...page.value.map(({ id }: { id: number }) => id))
          url = page.body.next_url
        }
        const forwards = lengths.map((_, i) => i + 1)
        equal(seen, order.startsWith('-') ? forwards.reverse() : forwards, order)
      }
    })

    test('are filtered by the value that was served', async () => {
      for (const [i, text] of lengths.entries()) {
        if (text === '24:00:00') continue
        const id = i + 1
        const all = lengths.map((_, n) => n + 1)
        equal(await ids(`exact__eq=${text}`), [id], text)
        equal(
          await ids(`exact__ne=${text}`),
          all.filter((one) => one !== id),
          text,
        )
        equal(
          await ids(`exact__lt=${text}`),
          all.filter((one) => one < id),
          text,
        )
        equal(
          await ids(`exact__le=${text}`),
          all.filter((one) => one <= id),
          text,
        )
        equal(
          await ids(`exact__gt=${text}`),
          all.filter((one) => one > id),
          text,
        )
        equal(
          await ids(`exact__ge=${text}`),
          all.filter((one) => one >= id),
          text,
        )
        equal(await ids(`exact__in=(${text},00:00:05)`), [id], text)
      }
    })

    test('can be written, but no longer ones', async () => {
      const body = { id: 20, whole: '-100:00:01', exact: '30:00:00' }
      equal((await send(api, 'POST', '/api/laps', { body })).value, body)
      equal((await send(api, 'DELETE', '/api/laps/20')).status, 200)
      await refuses(api, '/api/laps?exact__eq=839:00:00', { code: 'invalid_value' })
      await refuses(api, '/api/laps?exact__eq=-1:00:00', { code: 'invalid_value' })
      const stored = await read(api, '/api/laps/7')
      equal((await send(api, 'PATCH', '/api/laps/7', { body: stored })).value, stored)
    })
  },
  { only: 'mysql' },
)

eachDatabase(
  'the time 24:00',
  (test, db) => {
    const api = testApi(db, [Lap])
    const times = ['00:00:00', '23:59:59', '23:59:59.9', '24:00:00', '24:00:00']
    test.before(() =>
      db.execScript(`
        create table laps (id int primary key, whole time(0) not null, exact time not null);
        insert into laps values ${times.map((time, i) => `(${i + 1}, '${time.slice(0, 8)}', '${time}')`).join(', ')};`),
    )
    const ids = async (query: string): Promise<number[]> =>
      (await read(api, `/api/laps?limit=50&${query}`)).map(({ id }: { id: number }) => id)

    test('is shown, paged by cursors and sent back, and refused as a value of a request', async () => {
      equal(await ids('exact__gt=23:59:59'), [4, 5])
      equal(await ids('exact__eq=23:59:59'), [2, 3])
      for (const order of ['exact', '-exact', 'whole']) {
        const seen: number[] = []
        let url: string | null = `/api/laps?order_by=${order}&limit=1&paging=cursor`
        while (url !== null && seen.length < 20) {
          const page = await send(api, 'GET', url)
          equal(page.status, 200, url)
          seen.push(...page.value.map(({ id }: { id: number }) => id))
          url = page.body.next_url
        }
        equal([...seen].sort(), [1, 2, 3, 4, 5], order)
      }
      const record = (await read(api, '/api/laps/4')) as object
      equal((await send(api, 'PATCH', '/api/laps/4', { body: record })).value, record)
    })
  },
  { only: 'postgres' },
)

eachDatabase('the time 24:00 in a request', (test, db) => {
  const api = testApi(db, [Lap])
  test.before(() =>
    db.execScript(
      'create table laps (id int primary key, whole time not null, exact time not null)',
    ),
  )

  test('is refused on every database', async () => {
    for (const filter of ['eq=24:00:00', 'ge=24:00:00', 'in=(10:00:00,24:00:00)']) {
      await refuses(api, `/api/laps?exact__${filter}`, { code: 'invalid_value' })
    }
    const body = { id: 9, whole: '24:00:00', exact: '10:00:00' }
    const answer = await send(api, 'POST', '/api/laps', { body })
    equal(
      [answer.status, answer.body.errors.reason],
      [400, { whole: ['Expected a time such as 10:30:00.'] }],
    )
  })
})
