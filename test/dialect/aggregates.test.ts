// Aggregates: exact sums and averages, minima by code point, HAVING and order by label. The result equals that of the model on
// every database.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { PlanValue } from '../../packages/core/src/dialect/dialect.ts'
import { aggregateColumn } from '../../packages/core/src/dialect/shared/values/result-column.ts'
import type { JsonValue } from '../../packages/core/src/lib/json/json-value.ts'
import { stringify } from '../../packages/core/src/lib/json/stringify.ts'
import type { DialectColumn } from '../../packages/core/src/model/dialect-column.ts'
import type { AggregateFunction } from '../../packages/core/src/model/query-words/operators.ts'
import { equal } from '../support/assert.ts'
import type { DatabaseName, TestDatabase } from '../support/databases.ts'
import type { PlainDialect } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'
import { compareValues, operators, planned } from './model.ts'
import { blindDialect } from './samples.ts'

const columns = {
  n: { name: 'n', dbName: 'n', type: 'integer', nullable: true },
  big: { name: 'big', dbName: 'big', type: 'bigint', nullable: true },
  price: {
    name: 'price',
    dbName: 'price',
    type: 'decimal',
    nullable: true,
    precision: 12,
    scale: 2,
  },
  ratio: { name: 'ratio', dbName: 'ratio', type: 'float', nullable: true },
  name: { name: 'name', dbName: 'name', type: 'string', nullable: true },
  moment: { name: 'moment', dbName: 'moment', type: 'datetime', nullable: true },
  day: { name: 'day', dbName: 'day', type: 'date', nullable: true },
} as const

type Name = keyof typeof columns
const numeric = ['n', 'big', 'price', 'ratio'] as const
const names = Object.keys(columns) as Name[]

type Row = { readonly team: number } & Readonly<Record<Name, JsonValue>>

/** Twenty teams: empty ones, one with only NULLs, sums at their limits, thirds and halves, negative ones, random ones. */
function makeRows(): Row[] {
  const none = { n: null, big: null, price: null, ratio: null, name: null, moment: null, day: null }
  const rows: Row[] = [
    { team: 1, ...none },
    { team: 1, ...none },
    { ...none, team: 2, n: 1, big: '1', price: '0.01', ratio: 0.1, name: 'a' },
    { ...none, team: 2, n: 1, big: '1', price: '0.01', ratio: 0.2, name: 'B' },
    { ...none, team: 2, n: 2, big: '2', price: '0.02', ratio: 0.3, name: 'á' },
    {
      ...none,
      team: 3,
      n: 9007199254740991,
      big: '9223372036854775807',
      price: '9999999999.99',
      ratio: 1e300,
      name: '\uffff',
    },
    {
      ...none,
      team: 3,
      n: 9007199254740991,
      big: '9223372036854775807',
      price: '9999999999.99',
      ratio: 1e300,
      name: '\u{10ffff}',
    },
    {
      ...none,
      team: 4,
      n: -9007199254740991,
      big: '-9223372036854775808',
      price: '-9999999999.99',
      ratio: -1e300,
    },
    {
      ...none,
      team: 4,
      n: -9007199254740991,
      big: '-9223372036854775808',
      price: '-9999999999.99',
      ratio: -1e300,
    },
    {
      ...none,
      team: 5,
      n: -1,
      big: '-1',
      price: '-0.01',
      ratio: -0.5,
      moment: '2024-05-14T10:30:00.123Z',
      day: '2024-05-14',
    },
    {
      ...none,
      team: 5,
      n: -2,
      big: '-2',
      price: '-0.02',
      ratio: 0.5,
      moment: '2024-05-14T10:30:00.122Z',
      day: '2023-05-14',
    },
    { ...none, team: 6, n: 0, big: '0', price: '0.00', ratio: 0 },
    { ...none, team: 6, n: 0, big: '0', price: '0.00', ratio: -0 },
    { ...none, team: 7, n: 5, price: '0.01' },
    { ...none, team: 7, n: null, price: '0.00' },
    ...['0.01', '0.00', '0.00', '0.00', '0.00', '0.00', '0.00', '0.00'].map((price) => ({
      ...none,
      team: 8,
      price,
      n: 1,
    })),
    ...Array.from({ length: 15 }, () => ({ ...none, team: 9, price: '-0.01', big: '-7' })),
    { ...none, team: 9, price: '0.00', big: '0' },
  ]
  let seed = 7
  const next = (below: number): number => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
  for (let i = 0; i < 300; i++) {
    const cents = next(2_000_000) - 1_000_000
    rows.push({
      team: 10 + next(10),
      n: next(2001) - 1000,
      big: String(BigInt(next(2_000_000_000)) * BigInt(next(2_000_000_000)) - 10n ** 18n),
      price: `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`,
      ratio: (next(2_000_001) - 1_000_000) / 1000,
      name: ['Ab', 'aB', 'é', 'Z', '~', '😀', 'ab ', 'ab'][next(8)] as string,
      moment: new Date(Date.UTC(2000, 0, 1) + next(2_000_000_000)).toISOString(),
      day: new Date(Date.UTC(1990, 0, 1 + next(9000))).toISOString().slice(0, 10),
    })
  }
  return rows
}

const rows = makeRows()
const teams = [...new Set(rows.map(({ team }) => team))].sort((a, b) => a - b)

const ddl: Readonly<Record<DatabaseName, string>> = {
  sqlite:
    'create table terms (id integer primary key, team integer, n integer, big integer, price decimal(12, 2), ratio real, name text, moment text, day text)',
  postgres:
    'create table terms (id serial primary key, team int, n bigint, big bigint, price numeric(12, 2), ratio float8, name text, moment timestamptz(6), day date)',
  mysql:
    'create table terms (id int auto_increment primary key, team int, n bigint, big bigint, price decimal(12, 2), ratio double, name varchar(50), moment datetime(6), day date) character set utf8mb4',
}

async function createTerms(db: TestDatabase, dialect: PlainDialect): Promise<void> {
  await db.execScript(ddl[db.name])
  for (const row of rows) {
    const values = Object.fromEntries(
      names.map((name) => [name, dialect.encode(columns[name], row[name])]),
    )
    await db.kysely
      .insertInto('terms')
      .values({ team: row.team, ...values })
      .execute()
  }
}

// ---------------------------------------------------------------- the model

const rounded12 = (value: number): number => Number(value.toPrecision(12)) + 0

/** Divides, and rounds half away from zero; in units of 10^-digits. */
function quotient(sum: bigint, scale: number, count: number, digits: number): string {
  const dividend = sum * 10n ** BigInt(digits - scale)
  const magnitude = dividend < 0n ? -dividend : dividend
  const twice = 2n * BigInt(count)
  const units = (2n * magnitude + BigInt(count)) / twice
  const text = String(units).padStart(digits + 1, '0')
  return `${dividend < 0n && units > 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

function cents(value: JsonValue): bigint {
  return BigInt(String(value).replace('.', ''))
}

function aggregate(fn: AggregateFunction, name: Name, team: number): JsonValue {
  const values = rows
    .filter((row) => row.team === team && row[name] !== null)
    .map((row) => row[name])
  if (fn === 'count') return values.length
  if (values.length === 0) return null
  if (fn === 'min' || fn === 'max') {
    const sorted = [...values].sort((a, b) => compareValues(columns[name], a, b))
    const value = fn === 'min' ? sorted[0] : sorted.at(-1)
    return value === 0 ? 0 : (value ?? null)
  }
  const count = values.length
  if (name === 'ratio') {
    const sum = values.reduce<number>((total, value) => total + Number(value), 0)
    return rounded12(fn === 'sum' ? sum : sum / count)
  }
  const scale = name === 'price' ? 2 : 0
  const sum = values.reduce<bigint>((total, value) => total + cents(value), 0n)
  if (name === 'n') return fn === 'sum' ? exact(sum) : Number(sum) / count + 0
  if (fn === 'avg') return quotient(sum, scale, count, scale + 4)
  return name === 'big' ? String(sum) : quotient(sum, 2, 1, 2)
}

/** A JSON number with all digits. */
function exact(sum: bigint): JsonValue {
  const value = Number(sum)
  return Number.isSafeInteger(value) ? value : { verbatim: String(sum), toJSON: () => value }
}

const plainOf = (value: JsonValue): JsonValue =>
  typeof value === 'object' && value !== null && 'verbatim' in value
    ? Number(value.verbatim)
    : value

const functionsOf = (name: Name): readonly AggregateFunction[] =>
  (numeric as readonly Name[]).includes(name)
    ? ['count', 'sum', 'avg', 'min', 'max']
    : ['count', 'min', 'max']

// ---------------------------------------------------------------- the tests

eachDatabase('dialect/aggregates', (test, db) => {
  let dialect: PlainDialect

  test.before(async () => {
    dialect = await blindDialect(db)
    await createTerms(db, dialect)
  })

  for (const name of names) {
    for (const fn of functionsOf(name)) {
      test(`${fn} of ${name}`, async () => {
        const found = await db.kysely
          .selectFrom('terms')
          .select([
            'team',
            sql`${dialect.aggregate(fn, columns[name]).select(sql.ref(name))}`.as('value'),
          ])
          .groupBy('team')
          .orderBy('team')
          .execute()
        const decode = dialect.aggregate(fn, columns[name]).decode
        const expected = teams.map((team) => aggregate(fn, name, team))
        const text = (list: readonly JsonValue[]): string[] =>
          list.map((value, i) => `${teams[i]}: ${written(value)}`)
        equal(text(found.map(({ value }) => decode(value))), text(expected))
      })
    }
  }

  test('aggregates of no rows', async () => {
    for (const name of names) {
      for (const fn of functionsOf(name)) {
        const [row] = await db.kysely
          .selectFrom('terms')
          .select(sql`${dialect.aggregate(fn, columns[name]).select(sql.ref(name))}`.as('value'))
          .where(sql<SqlBool>`1 = 0`)
          .execute()
        equal(
          dialect.aggregate(fn, columns[name]).decode(row?.value),
          fn === 'count' ? 0 : null,
          `${fn} ${name}`,
        )
      }
    }
  })

  const chosenTeams = async (having: Expression<SqlBool>): Promise<number[]> => {
    const found = await db.kysely
      .selectFrom('terms')
      .select('team')
      .groupBy('team')
      .having(having)
      .orderBy('team')
      .execute()
    return found.map(({ team }) => Number(team))
  }

  for (const name of names) {
    for (const fn of functionsOf(name)) {
      test(`HAVING ${fn} of ${name}`, async () => {
        const column: DialectColumn = aggregateColumn(fn, columns[name])
        const ref = dialect.aggregate(fn, columns[name]).comparable(sql.ref(name))
        const results = teams.map((team) => plainOf(aggregate(fn, name, team)))
        // Without the extremes, whose exact average doubles or bigints cannot express.
        const values = new Set(
          results.filter((value) => value !== null && !isExtreme(fn, name, value)),
        )
        for (const value of values) {
          for (const operator of ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const) {
            const found = await chosenTeams(
              dialect.compare(column, ref, operator, typedValue(column, value)),
            )
            const expected = teams.filter((_, i) => {
              const result = results[i] ?? null
              return result !== null && operators[operator](compareValues(column, result, value))
            })
            equal(found, expected, `${operator} ${String(value)}`)
          }
        }
      })

      test(`order by ${fn} of ${name}`, async () => {
        const column = aggregateColumn(fn, columns[name])
        const ref = dialect.aggregate(fn, columns[name]).comparable(sql.ref(name))
        for (const descending of [false, true]) {
          let query = db.kysely.selectFrom('terms').select('team').groupBy('team')
          for (const term of dialect.order(column, ref, {
            descending,
            nulls: 'last',
            mayBeNull: true,
          })) {
            query = query.orderBy(sql`${term}`)
          }
          const found = (await query.orderBy('team').execute()).map(({ team }) => Number(team))
          const result = new Map(teams.map((team) => [team, plainOf(aggregate(fn, name, team))]))
          const expected = [...teams].sort((a, b) => {
            const [x, y] = [result.get(a) ?? null, result.get(b) ?? null]
            if (x === null || y === null) return Number(x === null) - Number(y === null) || a - b
            const order = compareValues(column, x, y)
            return (descending ? -order : order) || a - b
          })
          equal(found, expected)
        }
      })
    }
  }

  test('HAVING a sum of whole numbers beside a fraction', async () => {
    const sum = dialect.aggregate('sum', columns.n).comparable(sql.ref('n'))
    const column = aggregateColumn('sum', columns.n)
    const above = teams.filter((team) => Number(plainOf(aggregate('sum', 'n', team))) > 3.5)
    equal(await chosenTeams(dialect.compare(column, sum, 'gt', 3.5)), above)
    equal(await chosenTeams(dialect.compare(column, sum, 'eq', 3.5)), [])
    equal(await chosenTeams(dialect.oneOf(column, sum, [3.5, 4, 5.5], false)), [2])
  })

  test('a sum beyond 64 bits is exact, selected and compared', async () => {
    const [row] = await db.kysely
      .selectFrom('terms')
      .select(sql`${dialect.aggregate('sum', columns.big).select(sql.ref('big'))}`.as('value'))
      .where('team', '=', 3)
      .execute()
    equal(dialect.aggregate('sum', columns.big).decode(row?.value), '18446744073709551614')
    const sum = dialect.aggregate('sum', columns.big).comparable(sql.ref('big'))
    const column = aggregateColumn('sum', columns.big)
    const exactly = typedValue(column, '18446744073709551614')
    equal(await chosenTeams(dialect.compare(column, sum, 'eq', exactly)), [3])
    const more = typedValue(column, '18446744073709551615')
    equal(await chosenTeams(dialect.compare(column, sum, 'ge', more)), [])
  })
})

const written = (value: JsonValue): string =>
  typeof value === 'object' && value !== null && 'verbatim' in value
    ? String(value.verbatim)
    : stringify(value)

function typedValue(column: DialectColumn, value: JsonValue): PlanValue {
  return planned({ ...column, dbName: column.name }, value)
}

function isExtreme(fn: AggregateFunction, name: Name, value: JsonValue): boolean {
  return fn === 'avg' && name === 'n' && Math.abs(Number(value)) > 1e15
}
