// The JSON is the same whatever type parsers the host has set in the driver.
import Sqlite from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect, sql } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import { genericDialect as generic } from '../../packages/core/src/dialect/generic/generic-dialect.ts'
import { aggregateColumn } from '../../packages/core/src/dialect/shared/values/result-column.ts'
import { stringify } from '../../packages/core/src/lib/json/stringify.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { withPlainValues } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'
import { columns, createSamples, names, rows, samplesDialect } from './samples.ts'

const genericDialect = withPlainValues(generic)

// biome-ignore lint/suspicious/noExplicitAny: the tests' own table
type Database = Kysely<any>

/** A connection may still be closing when its database is dropped; nothing waits for it then. */
function poolOf(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options)
  pool.on('error', () => {})
  return pool
}

/** The same database through drivers that do not parse values as they do by default. */
function oddDrivers(db: TestDatabase): Readonly<Record<string, () => Database>> {
  const url = db.url ?? ''
  if (db.name === 'postgres') {
    const parsed =
      (parse: (text: string) => unknown): (() => Database) =>
      () =>
        new Kysely({
          dialect: new PostgresDialect({
            pool: poolOf({
              connectionString: url,
              max: 2,
              types: { getTypeParser: () => parse } as never,
            }),
          }),
        })
    const numbers = new Set([20, 21, 23, 700, 701, 1700])
    const odd = (oid: number): ((text: string) => unknown) =>
      oid === 20
        ? BigInt
        : numbers.has(oid)
          ? Number.parseFloat
          : oid === 1184 || oid === 1114 || oid === 1082
            ? (text) => new Date(text)
            : (text) => text
    return {
      'everything as text': parsed((text) => text),
      'bigint as BigInt, numeric as float, dates as Date': () =>
        new Kysely({
          dialect: new PostgresDialect({
            pool: poolOf({
              connectionString: url,
              max: 2,
              types: { getTypeParser: odd } as never,
            }),
          }),
        }),
    }
  }
  if (db.name === 'mysql') {
    const withOptions =
      (options: mysql.PoolOptions): (() => Database) =>
      () =>
        new Kysely({
          dialect: new MysqlDialect({
            pool: mysql.createPool({ uri: url, connectionLimit: 2, ...options }),
          }),
        })
    return {
      'big numbers as strings, dates as strings': withOptions({
        supportBigNumbers: true,
        bigNumberStrings: true,
        dateStrings: true,
      }),
      'decimals as numbers, another time zone': withOptions({
        decimalNumbers: true,
        timezone: '+05:30',
      }),
      'JSON as strings': withOptions({ jsonStrings: true }),
      'everything as text': withOptions({ typeCast: (field) => field.string() }),
    }
  }
  return {
    'every integer as BigInt': () => {
      const database = new Sqlite(':memory:')
      database.defaultSafeIntegers(true)
      return new Kysely({ dialect: new SqliteDialect({ database }) })
    },
  }
}

eachDatabase('dialect/drivers', (test, db) => {
  test.before(async () => {
    if (db.name !== 'sqlite') await createSamples(db)
  })

  for (const [title, open] of Object.entries(oddDrivers(db))) {
    test(title, async () => {
      const kysely = open()
      try {
        const odd: TestDatabase = {
          ...db,
          kysely,
          execScript: async (text) => void (await sql.raw(text).execute(kysely)),
        }
        if (db.name === 'sqlite') await createSamples(odd)
        const dialect = await samplesDialect(odd)
        const read = names.filter((name) => title !== 'everything as text' || name !== 'bytes')
        const selected = read.map((name) =>
          sql`${dialect.select(columns[name], sql.ref(name))}`.as(name),
        )
        const found = await kysely.selectFrom('samples').select(selected).orderBy('id').execute()
        const decoders = read.map((name) => dialect.decoder(columns[name]))
        equal(
          stringify(found.map((row) => read.map((name, i) => decoders[i]?.(row[name]) ?? null))),
          JSON.stringify(rows.map((row) => read.map((name) => row[name]))),
        )
        for (const fn of ['sum', 'avg', 'count', 'min', 'max'] as const) {
          const column = columns.price
          const [row] = await kysely
            .selectFrom('samples')
            .select(sql`${dialect.aggregate(fn, column).select(sql.ref('price'))}`.as('v'))
            .execute()
          const expected = {
            sum: '113.8050',
            avg: '11.38050000',
            count: 10,
            min: '-99999999999.9999',
            max: '99999999999.9999',
          }
          equal(dialect.aggregate(fn, column).decode(row?.v), expected[fn])
        }
      } finally {
        await kysely.destroy()
      }
    })
  }
})

eachDatabase('dialect/generic', (test, db) => {
  test.before(() => createSamples(db))

  test('reads ordinary types, and filters, orders and counts portably', async () => {
    const plain = ['id', 'name', 'day', 'flag'] as const
    const selected = plain.map((name) =>
      sql`${genericDialect.select(columns[name], sql.ref(name))}`.as(name),
    )
    let query = db.kysely.selectFrom('samples').select(selected)
    query = query.where(sql<boolean>`${genericDialect.compare(columns.id, sql.ref('id'), 'le', 3)}`)
    query = query.where(
      sql<boolean>`${genericDialect.oneOf(columns.name, sql.ref('name'), ['', 'a', 'A', 'b'], false)}`,
    )
    query = query.where(
      sql<boolean>`${genericDialect.textMatch(columns.name, sql.ref('name'), { match: 'contains', text: 'zz%', ignoreCase: true, negated: true })}`,
    )
    for (const term of genericDialect.order(columns.day, sql.ref('day'), {
      descending: true,
      nulls: 'last',
      mayBeNull: true,
    }))
      query = query.orderBy(sql`${term}`)
    const found = await query.orderBy('id').execute()
    const ids = found.map((row) => genericDialect.decoder(columns.id)(row.id))
    equal(ids, [2, 3, 1])
    equal(
      found.map((row) => genericDialect.decoder(columns.flag)(row.flag)),
      [true, false, false],
    )
    equal(
      found.map((row) => genericDialect.decoder(columns.name)(row.name)),
      ['a', 'A', ''],
    )
    const count = aggregateColumn('count', columns.name)
    const having = genericDialect.compare(
      count,
      genericDialect.aggregate('count', columns.name).comparable(sql.ref('name')),
      'gt',
      5,
    )
    const groups = await db.kysely
      .selectFrom('samples')
      .select(
        sql`${genericDialect.aggregate('count', columns.name).select(sql.ref('name'))}`.as('n'),
      )
      .having(sql<boolean>`${having}`)
      .execute()
    equal(
      groups.map(({ n }) => genericDialect.aggregate('count', columns.name).decode(n)),
      [rows.filter(({ name }) => name !== null).length],
    )
  })
})
