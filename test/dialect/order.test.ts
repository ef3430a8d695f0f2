// Order, placement of NULLs, groups and positions of cursors: the same on every database.
import { type Expression, type SqlBool, sql } from 'kysely'
import {
  exactDatetime,
  exactTime,
} from '../../packages/core/src/dialect/shared/values/calendar-text.ts'
import { bucketColumn } from '../../packages/core/src/dialect/shared/values/result-column.ts'
import type { JsonValue } from '../../packages/core/src/lib/json/json-value.ts'
import { stringify } from '../../packages/core/src/lib/json/stringify.ts'
import { equal } from '../support/assert.ts'
import type { PlainDialect } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'
import { compareValues, idsInOrder, planned } from './model.ts'
import {
  blindDialect,
  columns,
  createSamples,
  type Name,
  names,
  rows,
  samplesDialect,
} from './samples.ts'

const ordered = names.filter((name) => name !== 'doc' && name !== 'bytes')
const grouped = ordered.filter((name) => name !== 'id')
const sides = ['first', 'last'] as const

eachDatabase('dialect/order', (test, db) => {
  let known: PlainDialect
  let dialects: readonly PlainDialect[]

  test.before(async () => {
    await createSamples(db)
    known = await samplesDialect(db)
    dialects = [known, await blindDialect(db)]
  })

  // A decimal stored as text has no order; the plan refuses it.
  const served = (name: Name): boolean => name !== 'wide' || db.name !== 'sqlite'

  const ids = async (
    terms: readonly Expression<unknown>[],
    where?: Expression<SqlBool>,
  ): Promise<number[]> => {
    let query = db.kysely.selectFrom('samples').select('id')
    if (where !== undefined) query = query.where(where)
    for (const term of terms) query = query.orderBy(sql`${term}`)
    return (await query.orderBy('id').execute()).map(({ id }) => Number(id))
  }

  for (const name of ordered.filter(served)) {
    test(`by ${name}: both directions, NULLs on both sides`, async () => {
      for (const dialect of dialects) {
        for (const descending of [false, true]) {
          for (const nulls of sides) {
            const terms = dialect.order(columns[name], sql.ref(name), {
              descending,
              nulls,
              mayBeNull: true,
            })
            equal(await ids(terms), idsInOrderOfStored(name, descending, nulls))
          }
        }
      }
    })
  }

  for (const name of ordered.filter(served)) {
    test(`cursors of ${name}: every row is before, at or after every other, as in the order`, async () => {
      const column = columns[name]
      const ref = sql.ref(name)
      const order = known.order(column, ref, { descending: false, nulls: 'last', mayBeNull: true })
      const inOrder = await ids(order, sql`${ref} is not null`)
      const found = await db.kysely
        .selectFrom('samples')
        .select(['id', sql`${known.select(column, ref)}`.as('place')])
        .where(sql<SqlBool>`${ref} is not null`)
        .execute()
      const decode = exact(column.type) ?? known.decoder(column)
      const place = new Map(found.map((row) => [Number(row.id), decode(row.place)]))
      for (const id of inOrder) {
        const chosen = async (operator: 'lt' | 'eq' | 'gt'): Promise<number[]> =>
          ids(order, known.compare(column, ref, operator, planned(column, place.get(id) ?? '')))
        const [before, same, after] = [await chosen('lt'), await chosen('eq'), await chosen('gt')]
        equal([...before, ...same, ...after], inOrder, `${name} ${String(place.get(id))}`)
        equal(same.includes(id), true)
      }
    })
  }

  test('groups of every column are its distinct JSON values in order', async () => {
    for (const dialect of dialects) {
      for (const name of grouped.filter(served)) {
        // The meaning of a timestamp of MySQL depends on the session's zone until its column is known.
        const column = { ...columns[name], comparable: true } as const
        const group = dialect.comparable(columns[name], sql.ref(name))
        let query = db.kysely
          .selectFrom('samples')
          .select([
            sql`${dialect.select(column, group)}`.as('value'),
            sql<number>`count(*)`.as('n'),
          ])
          .groupBy(sql`${group}`)
        for (const term of dialect.order(column, group, {
          descending: false,
          nulls: 'last',
          mayBeNull: true,
        })) {
          query = query.orderBy(sql`${term}`)
        }
        const decode = dialect.decoder(column)
        const found = (await query.execute()).map(({ value, n }) => [decode(value), Number(n)])
        equal(stringify(found as never), JSON.stringify(groups(name)), name)
      }
    }
  })

  test('buckets of dates and datetimes, in UTC whatever the session’s zone', async () => {
    const zones = {
      sqlite: [],
      postgres: [`set timezone to 'Pacific/Kiritimati'`, `set timezone to 'America/St_Johns'`],
      mysql: [`set time_zone = '+13:00'`, `set time_zone = '-03:30'`],
    }
    await db.kysely.connection().execute(async (connection) => {
      for (const zone of ['', ...zones[db.name]]) {
        if (zone !== '') await sql.raw(zone).execute(connection)
        for (const name of ['day', 'moment', 'zoned'] as const) {
          for (const [unit, length] of [
            ['year', 4],
            ['month', 7],
            ['day', 10],
          ] as const) {
            const column = bucketColumn(unit)
            const bucket = known.bucket(unit, columns[name], sql.ref(name))
            let query = connection
              .selectFrom('samples')
              .select(sql`${known.select(column, bucket)}`.as('value'))
              .groupBy(sql`${bucket}`)
            for (const term of known.order(column, bucket, {
              descending: true,
              nulls: 'last',
              mayBeNull: true,
            })) {
              query = query.orderBy(sql`${term}`)
            }
            const decode = known.decoder(column)
            const found = (await query.execute()).map(({ value }) => decode(value))
            const cut = rows.map((row) =>
              row[name] === null ? null : String(row[name]).slice(0, length),
            )
            const expected = [...new Set(cut)].sort((a, b) =>
              a === null ? 1 : b === null ? -1 : a < b ? 1 : -1,
            )
            equal(
              found,
              unit === 'year' ? expected.map((year) => year && Number(year)) : expected,
              `${name} ${unit} ${zone}`,
            )
          }
        }
      }
      if (db.name !== 'sqlite')
        await sql
          .raw(db.name === 'mysql' ? `set time_zone = '+00:00'` : 'reset timezone')
          .execute(connection)
    })
  })

  test('months and days are comparable strings', async () => {
    const column = bucketColumn('month')
    const bucket = known.bucket('month', columns.day, sql.ref('day'))
    const expected = rows
      .filter(({ day }) => String(day).startsWith('2024-05'))
      .map(({ id }) => Number(id))
    equal(await ids([], known.compare(column, bucket, 'eq', '2024-05')), expected)
    const year = known.bucket('year', columns.day, sql.ref('day'))
    equal(await ids([], known.compare(bucketColumn('year'), year, 'lt', 2)), [1])
  })
})

/** Cursors contain points in time with digits that the JSON does not show. */
function exact(type: string): ((raw: unknown) => JsonValue) | undefined {
  if (type === 'datetime') return (raw) => exactDatetime(String(raw))
  return type === 'time' ? (raw) => exactTime(String(raw)) : undefined
}

/**
 * The order of the stored values: two datetimes in one millisecond, or two times in one second, differ only in digits that the
 * JSON does not show.
 */
function idsInOrderOfStored(name: Name, descending: boolean, nulls: 'first' | 'last'): number[] {
  const found = idsInOrder(columns[name], descending, nulls)
  // Samples 1 and 2 share 10:30:00.000 in `zoned`; the second is a fraction later.
  if (name === 'zoned' && descending) return swapped(found, 1, 2)
  // Samples 2 and 5 share 23:59:59 in `clock`, the first with a fraction.
  if (name === 'clock' && !descending) return swapped(found, 2, 5)
  return found
}

function swapped(list: readonly number[], a: number, b: number): number[] {
  return list.map((id) => (id === a ? b : id === b ? a : id))
}

/** The distinct values of a column with their counts, in order, NULL last. */
function groups(name: Name): (readonly [JsonValue, number])[] {
  const counts = new Map<JsonValue, number>()
  for (const row of rows) counts.set(row[name], (counts.get(row[name]) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => {
    if (a === null || b === null) return a === null ? 1 : -1
    return compareValues(columns[name], a, b)
  })
}
