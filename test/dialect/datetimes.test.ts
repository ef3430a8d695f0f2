// Datetimes in every form in which the databases store them: texts of SQLite, columns with and without a time zone.
import { type Expression, type SqlBool, sql } from 'kysely'
import { detectDialect } from '../../packages/core/src/dialect/detect.ts'
import { exactDatetime } from '../../packages/core/src/dialect/shared/values/calendar-text.ts'
import { equal } from '../support/assert.ts'
import { type PlainDialect, withPlainValues } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'

const at = { name: 'at', dbName: 'at', type: 'datetime', nullable: false } as const

eachDatabase('dialect/datetimes', (test, db) => {
  let dialect: PlainDialect

  test.before(async () => {
    const type = { sqlite: 'text', postgres: 'timestamptz(6)', mysql: 'timestamp(6)' }[db.name]
    await db.execScript(`create table events (id int primary key, at ${type})`)
    const detected = detectDialect(db.kysely)
    dialect = withPlainValues(
      (await detected.connect?.(db.kysely, [{ table: 'events', columns: [at] }])) ?? detected,
    )
  })

  const ids = async (where: Expression<SqlBool>): Promise<number[]> =>
    (await db.kysely.selectFrom('events').select('id').where(where).orderBy('id').execute()).map(
      ({ id }) => Number(id),
    )

  test('SQLite: fractions of any length compare as instants', async () => {
    if (db.name !== 'sqlite') return
    const stored = [
      '10:00:00',
      '10:00:00.0',
      '10:00:00.000',
      '10:00:00.000000',
      '10:00:00.0005',
      '10:00:00.001',
      '10:00:00.5',
      '10:00:00.500',
      '10:00:00.4999',
      '10:00:01',
      '09:59:59.9999',
    ]
    await db.kysely
      .insertInto('events')
      .values(stored.map((time, id) => ({ id, at: `2024-01-01 ${time}` })))
      .execute()
    const is = (
      operator: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge',
      time: string,
    ): Promise<number[]> => ids(dialect.compare(at, sql.ref('at'), operator, `2024-01-01T${time}Z`))
    equal(await is('eq', '10:00:00.000'), [0, 1, 2, 3, 4])
    equal(await is('ne', '10:00:00.000'), [5, 6, 7, 8, 9, 10])
    equal(await is('eq', '10:00:00.500'), [6, 7])
    equal(await is('eq', '10:00:00.499'), [8])
    equal(await is('lt', '10:00:00.000'), [10])
    equal(await is('le', '10:00:00.000'), [0, 1, 2, 3, 4, 10])
    equal(await is('gt', '10:00:00.000'), [5, 6, 7, 8, 9])
    equal(await is('ge', '10:00:00.500'), [6, 7, 9])
    await db.kysely.deleteFrom('events').execute()
  })

  test('SQLite: strings with T, Z and offsets are read, and grouped with the others', async () => {
    if (db.name !== 'sqlite') return
    const stored = [
      '2024-01-01T10:00:00Z',
      '2024-01-01T10:00:00.000Z',
      '2024-01-01 10:00:00',
      '2024-01-01T10:00:00',
    ]
    await db.kysely
      .insertInto('events')
      .values(stored.map((text, id) => ({ id, at: text })))
      .execute()
    const found = await db.kysely
      .selectFrom('events')
      .select(sql`${dialect.select(at, sql.ref('at'))}`.as('at'))
      .execute()
    equal(
      new Set(found.map((row) => dialect.decoder(at)(row.at))),
      new Set(['2024-01-01T10:00:00.000Z']),
    )
    const group = dialect.comparable(at, sql.ref('at'))
    equal(
      (
        await db.kysely
          .selectFrom('events')
          .select(sql`${group}`.as('at'))
          .groupBy(sql`${group}`)
          .execute()
      ).length,
      1,
    )
    equal(dialect.decoder(at)('2024-01-01T12:00:00+02:00'), '2024-01-01T10:00:00.000Z')
    await db.kysely.deleteFrom('events').execute()
  })

  test('a column with a zone means UTC in every session', async () => {
    if (db.name === 'sqlite') return
    const zones = {
      postgres: [`set timezone to 'America/St_Johns'`, `set timezone to 'Asia/Kathmandu'`],
      mysql: [`set time_zone = '-03:30'`, `set time_zone = '+05:45'`],
    }[db.name]
    await db.kysely.connection().execute(async (connection) => {
      for (const zone of zones) {
        await sql.raw(zone).execute(connection)
        await connection.deleteFrom('events').execute()
        // The instant 2024-01-01T00:15:00.123456Z, written without depending on the session.
        const instant =
          db.name === 'postgres'
            ? sql`'2024-01-01 00:15:00.123456Z'::timestamptz`
            : sql`from_unixtime(1704068100.123456)`
        await sql`insert into events values (1, ${instant})`.execute(connection)
        const one = async (value: Expression<unknown>): Promise<unknown> =>
          (await connection.selectFrom('events').select(sql`${value}`.as('v')).execute())[0]?.v
        const ref = sql.ref('at')
        equal(dialect.decoder(at)(await one(dialect.select(at, ref))), '2024-01-01T00:15:00.123Z')
        equal(await one(dialect.bucket('day', at, ref)), '2024-01-01')
        equal(Number(await one(dialect.bucket('year', at, ref))), 2024)
        for (const fn of ['min', 'max'] as const) {
          equal(
            dialect.aggregate(fn, at).decode(await one(dialect.aggregate(fn, at).select(ref))),
            '2024-01-01T00:15:00.123Z',
          )
        }
        const holds = async (condition: Expression<unknown>): Promise<boolean> =>
          Boolean(Number(await one(sql`case when ${condition} then 1 else 0 end`)))
        equal(await holds(dialect.compare(at, ref, 'eq', '2024-01-01T00:15:00.123Z')), true)
        equal(await holds(dialect.compare(at, ref, 'ne', '2024-01-01T00:15:00.123Z')), false)
        equal(await holds(dialect.compare(at, ref, 'gt', '2024-01-01T00:15:00.122Z')), true)
        equal(await holds(dialect.compare(at, ref, 'gt', '2024-01-01T00:15:00.123Z')), false)
        equal(await holds(dialect.compare(at, ref, 'lt', '9999-12-31T23:59:59.999Z')), true)
        equal(await holds(dialect.compare(at, ref, 'ge', '0001-01-01T00:00:00.000Z')), true)
        const place = exactDatetime(String(await one(dialect.select(at, ref)))) ?? ''
        equal(place, '2024-01-01T00:15:00.123456Z')
        equal(await holds(dialect.compare(at, ref, 'eq', place)), true)
        equal(await holds(dialect.compare(at, ref, 'gt', place)), false)
        // A value that one session writes is the same in every other session.
        await connection.deleteFrom('events').execute()
        await connection
          .insertInto('events')
          .values({ id: 2, at: dialect.encode(at, '2024-07-01T12:00:00.500Z') })
          .execute()
        await sql
          .raw(db.name === 'postgres' ? 'reset timezone' : `set time_zone = '+00:00'`)
          .execute(connection)
        equal(dialect.decoder(at)(await one(dialect.select(at, ref))), '2024-07-01T12:00:00.500Z')
      }
      await connection.deleteFrom('events').execute()
    })
  })
})
