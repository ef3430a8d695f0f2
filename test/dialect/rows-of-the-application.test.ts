/** `toRow`, `toRecord` and `toColumn` with every column type: the application's statements store, read and compare what the API does. */
import { type AnyModel, type Api, createApi, defineModel } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect, sql } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import { columnTypes } from '../../packages/core/src/model/column-types.ts'
import { send } from '../support/api.ts'
import { equal, match, notEqual, ok, throws } from '../support/assert.ts'
import type { DatabaseName } from '../support/databases.ts'
import { eachDatabase, suite } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests' own table
type Database = Kysely<any>
type Values = Readonly<Record<string, unknown>>

const kinds = ['b', 'a', 'c'] as const
const nullable = true

/** The columns of every database, with their types on SQLite, PostgreSQL and MySQL. */
const shared = {
  whole: [{ type: 'integer' }, 'integer', 'bigint', 'bigint'],
  small: [{ type: 'integer' }, 'integer', 'int', 'int'],
  big: [{ type: 'bigint' }, 'integer', 'bigint', 'bigint'],
  ratio: [{ type: 'float' }, 'real', 'float8', 'double'],
  single: [{ type: 'float' }, 'real', 'float4', 'float'],
  price: [
    { type: 'decimal', precision: 12, scale: 2 },
    'decimal(12, 2)',
    'numeric(12, 2)',
    'decimal(12, 2)',
  ],
  wide: [
    { type: 'decimal', precision: 38, scale: 4, storage: 'text' },
    'text',
    'numeric(38, 4)',
    'decimal(38, 4)',
  ],
  flag: [{ type: 'boolean' }, 'boolean', 'boolean', 'boolean'],
  name: [
    { type: 'string', maxLength: 80 },
    'text',
    'varchar(80)',
    'varchar(80) character set utf8mb4 collate utf8mb4_bin',
  ],
  note: [{ type: 'text' }, 'text', 'text', 'longtext character set utf8mb4 collate utf8mb4_bin'],
  kind: [{ type: 'enum', enum: kinds }, 'text', 'kind', "enum('b', 'a', 'c')"],
  code: [{ type: 'uuid' }, 'text', 'uuid', 'char(36)'],
  day: [{ type: 'date' }, 'text', 'date', 'date'],
  moment: [{ type: 'datetime', column: 'occurred_at' }, 'text', 'timestamp(3)', 'datetime(3)'],
  zoned: [{ type: 'datetime' }, 'text', 'timestamptz(3)', 'timestamp(3) null'],
  whole_second: [{ type: 'datetime' }, 'text', 'timestamp(0)', 'datetime'],
  clock: [{ type: 'time' }, 'text', 'time', 'time'],
  doc: [{ type: 'json' }, 'text', 'json', 'json'],
  loose_doc: [{ type: 'json' }, 'text', 'text', 'longtext'],
  bytes: [{ type: 'binary' }, 'blob', 'bytea', 'blob'],
} as const
const lists = {
  tags: [{ type: 'list', items: 'string' }, 'text[]'],
  numbers: [{ type: 'list', items: 'bigint' }, 'bigint[]'],
  moments: [{ type: 'list', items: 'datetime' }, 'timestamp(3)[]'],
  kinds: [{ type: 'list', items: 'enum', enum: kinds }, 'kind[]'],
  object: [{ type: 'json' }, 'jsonb'],
} as const

const at = { sqlite: 1, postgres: 2, mysql: 3 } as const

suite('the samples of rows of the application', (test) => {
  test('have a column of every type that a model may declare', () => {
    const sampled = new Set<string>(
      Object.values({ ...shared, ...lists }).map(([column]) => column.type),
    )
    const missing = Object.keys(columnTypes).filter((type) => !sampled.has(type))
    // `opaque` columns are read as texts and never written.
    equal(missing, ['opaque'], 'add a column of the type to this file')
  })
})

function modelFor(name: DatabaseName): AnyModel {
  const all = name === 'postgres' ? { ...shared, ...lists } : shared
  const columns = Object.entries(all).map(([field, [column]]) => [field, { ...column, nullable }])
  return defineModel('Sample', {
    table: 'all_types',
    columns: { id: { type: 'integer', primaryKey: true }, ...Object.fromEntries(columns) },
    computed: {
      doubled: {
        type: 'integer',
        nullable,
        expression: () => sql`2 * small`,
      },
    },
    meta: { allowed_methods: ['GET', 'POST', 'DELETE'] },
  } as never) as unknown as AnyModel
}

function tableFor(name: DatabaseName): string {
  const own = Object.entries(shared).map(
    ([field, types]) => `${field === 'moment' ? 'occurred_at' : field} ${types[at[name]]}`,
  )
  const more =
    name === 'postgres' ? Object.entries(lists).map(([field, [, type]]) => `${field} ${type}`) : []
  const kind = name === 'postgres' ? "create type kind as enum ('b', 'a', 'c');" : ''
  const primary = name === 'sqlite' ? 'integer primary key' : 'int primary key'
  return `${kind} create table all_types (id ${primary}, ${[...own, ...more].join(', ')})`
}

/** Values of each column in ascending order. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  whole: [-9007199254740991, 5_000_000_000, 9007199254740991],
  small: [-7, 0, 1073741823],
  big: ['-9223372036854775808', '9007199254740992', '9007199254740993'],
  ratio: [-1e300, 0.1, 123456789.125],
  single: [-2.5, 0.1, 1234.5],
  price: ['-12.50', '9.99', '10.10'],
  wide: [
    '-9999999999999999999999999999999999.0000',
    '0.0001',
    '9999999999999999999999999999999999.9999',
  ],
  flag: [false, true],
  name: ['', 'A', 'a'],
  note: ['"1"', 'NULL', '{"a":1}'],
  kind: ['b', 'a', 'c'],
  code: [
    '00000000-0000-0000-0000-000000000000',
    '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ],
  day: ['0101-01-01', '2024-05-14', '9999-12-31'],
  moment: ['1001-01-01T00:00:00.000Z', '2024-05-14T10:30:00.001Z', '2024-05-14T22:30:00.500Z'],
  zoned: ['1999-12-31T23:59:59.999Z', '2024-05-14T10:30:00.001Z', '2024-05-14T22:30:00.500Z'],
  whole_second: [
    '1999-12-31T23:59:59.000Z',
    '2024-05-14T10:30:00.000Z',
    '2024-05-14T22:30:00.000Z',
  ],
  clock: ['00:00:00', '10:30:00', '23:59:59'],
  loose_doc: ['1', { a: 1 }, '[2]'],
  doc: ['1', { a: [1, null, 'x'], b: '2024-05-14' }, '{"a":1}'],
  bytes: ['', 'AP9h', '/w=='],
  tags: [['a'], ['a', null, '{"\\,}'], ['b']],
  numbers: [['-5'], ['9007199254740993', null], ['9223372036854775807']],
  moments: [
    ['2024-05-14T10:30:00.001Z'],
    ['2024-05-14T10:30:00.001Z', null],
    ['2024-05-14T22:30:00.500Z'],
  ],
  kinds: [['b', null], ['a'], ['c', 'b']],
  object: [false, { a: 1 }, { a: 2 }],
}
const jsonOf = (field: string, i: number): unknown => values[field]?.[i] ?? null

const names = (model: AnyModel): readonly string[] =>
  Object.keys(model.columns).filter((name) => name !== 'id')

const recordsOf = (model: AnyModel): readonly Values[] => [
  ...[0, 1, 2].map((i) => ({
    id: i + 1,
    ...Object.fromEntries(names(model).map((name) => [name, jsonOf(name, i)])),
  })),
  { id: 4, ...Object.fromEntries(names(model).map((name) => [name, null])) },
]

const without = ({ doubled: _, ...record }: Values): Values => record

eachDatabase('rows of the application', (test, db) => {
  const model = modelFor(db.name)
  const records = recordsOf(model)
  const apiOf = async (kysely: Database): Promise<Api> => {
    const api = createApi({ db: kysely, models: [model] }) as unknown as Api
    await api.ready
    return api
  }
  test.before(() => db.execScript(tableFor(db.name)))

  /** Checks `toRecord` field by field, because it refuses what drivers have rounded. */
  const checkRows = (api: Api, rows: readonly Values[]): void => {
    for (const [i, row] of rows.entries()) {
      let isExact = true
      for (const field of names(model)) {
        const column = field === 'moment' ? 'occurred_at' : field
        const read = () => api.toRecord(model, { [column]: row[column] })
        const expected = records[i]?.[field]
        isExact &&= !isRounded(field, expected, row[column])
        if (isRounded(field, expected, row[column])) throws(read, /rounded/)
        else equal(read(), { [field]: expected }, `${field} ${String(row[column])}`)
      }
      if (isExact) equal(api.toRecord(model, row), records[i])
    }
  }

  test('a row that the application stores is the record that the API serves, and the other way round', async () => {
    const api = await apiOf(db.kysely)
    for (const record of records) {
      await db.kysely.insertInto('all_types').values(api.toRow(model, record)).execute()
    }
    const byApplication = await send(api, 'GET', '/api/samples?limit=10')
    equal(byApplication.status, 200, byApplication.text)
    equal((byApplication.value as readonly Values[]).map(without), records)
    const rows = await db.kysely.selectFrom('all_types').selectAll().orderBy('id').execute()
    checkRows(api, rows)
    await db.kysely.deleteFrom('all_types').execute()
    for (const body of records) {
      const { status, text } = await send(api, 'POST', '/api/samples', { body })
      equal(status, 201, text)
    }
    const stored = await db.kysely.selectFrom('all_types').selectAll().orderBy('id').execute()
    checkRows(api, stored)
    equal(stored, rows)
  })

  test('a comparison with the value for a column finds what that of the JSON forms does', async () => {
    const api = await apiOf(db.kysely)
    for (const field of names(model)) {
      const column = field === 'moment' ? 'occurred_at' : field
      const { type } = model.columns[field] as { readonly type: string }
      if (db.name === 'postgres' && field === 'doc') {
        throws(() => api.toColumn(model, field, {}), /cannot compare "doc".*jsonb/)
        continue
      }
      const isOrdered = !['json', 'list', 'enum', 'boolean'].includes(type)
      for (const [i, value] of (values[field] ?? []).entries()) {
        for (const operator of isOrdered
          ? (['<', '=', '>', '<>'] as const)
          : (['=', '<>'] as const)) {
          // The text of a decimal has equality only.
          if (db.name === 'sqlite' && field === 'wide' && operator !== '=' && operator !== '<>')
            continue
          const found = await db.kysely
            .selectFrom('all_types')
            .select('id')
            .where(column, operator, api.toColumn(model, field, value))
            .orderBy('id')
            .execute()
          const expected = (values[field] ?? []).flatMap((_, j) =>
            (operator === '=' && j === i) ||
            (operator === '<>' && j !== i) ||
            (operator === '<' && j < i) ||
            (operator === '>' && j > i)
              ? [j + 1]
              : [],
          )
          equal(
            found.map(({ id }) => Number(id)),
            expected,
            `${field} ${operator} ${JSON.stringify(value)}`,
          )
        }
      }
    }
    equal(api.toColumn(model, 'moment', null), null)
  })

  test('a moment is compared with all of its digits', async () => {
    const api = await apiOf(db.kysely)
    const found = await db.kysely
      .selectFrom('all_types')
      .select('id')
      .where('whole_second', '<', api.toColumn(model, 'whole_second', '2024-05-14T10:30:00.500Z'))
      .execute()
    equal(found.map(({ id }) => Number(id)).sort(), [1, 2])
    // Any form that a body may have.
    const later = await db.kysely
      .selectFrom('all_types')
      .select('id')
      .where('zoned', '>', api.toColumn(model, 'zoned', '2024-05-14T12:30:00.001+02:00'))
      .execute()
    equal(
      later.map(({ id }) => Number(id)),
      [3],
    )
  })

  for (const [title, open] of Object.entries(otherDrivers(db.name, db.url ?? ''))) {
    for (const zone of ['UTC', 'Europe/London', 'America/St_Johns', 'Pacific/Kiritimati']) {
      test(`rows of a driver: ${title}, in ${zone}`, async () => {
        const before = process.env.TZ
        process.env.TZ = zone
        const kysely = open()
        try {
          if (zone !== 'UTC') notEqual(new Date(2024, 5, 1).getTimezoneOffset(), 0)
          if (db.name === 'sqlite') await sql.raw(tableFor('sqlite')).execute(kysely)
          const api = await apiOf(kysely)
          if (db.name === 'sqlite') {
            for (const record of records) {
              await kysely.insertInto('all_types').values(api.toRow(model, record)).execute()
            }
          }
          const rows = await kysely.selectFrom('all_types').selectAll().orderBy('id').execute()
          equal(rows.length, records.length)
          checkRows(api, rows)
        } finally {
          if (before === undefined) delete process.env.TZ
          else process.env.TZ = before
          await kysely.destroy()
        }
      })
    }
  }

  test('a TIMESTAMP is read in the time zone of the session', async () => {
    if (db.name !== 'mysql') return
    for (const [zone, expected] of [
      ['+02:00', '2024-05-14T10:30:00.001Z'],
      ['-09:30', '2024-05-14T10:30:00.001Z'],
    ] as const) {
      for (const dateStrings of [true, false]) {
        const pool = mysql.createPool({ uri: db.url ?? '', connectionLimit: 1, dateStrings })
        pool.on('connection', (connection) => connection.query(`set time_zone = '${zone}'`))
        const kysely = new Kysely({ dialect: new MysqlDialect({ pool }) }) as Database
        try {
          const api = await apiOf(kysely)
          const rows = await kysely.selectFrom('all_types').selectAll().orderBy('id').execute()
          equal(api.toRecord(model, { zoned: rows[1]?.zoned }), { zoned: expected })
          const value = api.toColumn(model, 'zoned', expected)
          const found = await kysely
            .selectFrom('all_types')
            .select('id')
            .where('zoned', '=', value)
            .execute()
          equal(
            found.map(({ id }) => id),
            [2],
          )
        } finally {
          await kysely.destroy()
        }
      }
    }
  })

  test('unknown names are errors with a suggestion', async () => {
    const api = await apiOf(db.kysely)
    const message = (call: () => unknown): string => {
      try {
        call()
      } catch (error) {
        ok(error instanceof TypeError, String(error))
        return error.message
      }
      return 'no error'
    }
    equal(
      message(() => api.toRow('Sample', { momment: null })),
      'toRow: Sample has no field "momment". Did you mean "moment"?',
    )
    equal(
      message(() => api.toColumn('Sample', 'pricce', '1')),
      'toColumn: Sample has no field "pricce". Did you mean "price"?',
    )
    equal(
      message(() => api.toColumn('Sample', 'doubled', 2)),
      'toColumn: "doubled" of Sample is computed, and no column of its table.',
    )
    equal(
      message(() => api.toRow('Sampel', {})),
      'toRow: no published model named "Sampel". Did you mean "Sample"?',
    )
    equal(
      message(() => api.toRecord('Sample', { occurredAt: '2024-05-14' })),
      'toRecord: Sample has no column "occurredAt", nor one of another name in the row. Rows have the names of the database. Did you mean "occurred_at"?',
    )
    equal(
      message(() => api.toRecord('Sample', {})),
      'toRecord: the row of Sample is empty.',
    )
    match(
      message(() => api.toRow('Sample', { moment: 'tomorrow' })),
      /^toRow: the value of "moment" of Sample is not a date and time such as/,
    )
    match(
      message(() => api.toColumn('Sample', 'price', 0.1 + 0.2)),
      /^toColumn: the value of "price" of Sample is not/,
    )
    match(
      message(() => api.toColumn('Sample', 'price', undefined)),
      /is not a value or null/,
    )
    // Computed columns and undefined members are left out, and columns that the model does not have.
    equal(api.toRow('Sample', { small: 1, doubled: 2, note: undefined }), { small: 1 })
    equal(api.toRecord('Sample', { small: 1, other: 2 }), { small: 1 })
  })

  test('before the database is known, the error says to await ready', () => {
    const api = createApi({ db: db.kysely, models: [model] }) as unknown as Api
    throws(() => api.toRow(model, { small: 1 }), /Await api\.ready/)
  })
})

/** Whether a driver that returns numbers has rounded the value, or may have. */
const isRounded = (field: string, expected: unknown, raw: unknown): boolean =>
  typeof raw === 'number' &&
  (field === 'big' || field === 'wide') &&
  expected !== null &&
  String(expected).replace(/\D|0+$/g, '').length > 15

/** Drivers with other parsers and time zones. */
function otherDrivers(name: DatabaseName, url: string): Readonly<Record<string, () => Database>> {
  if (name === 'postgres') {
    const withTypes =
      (types?: object): (() => Database) =>
      () => {
        const pool = new pg.Pool({
          connectionString: url,
          max: 2,
          ...(types && { types: types as never }),
        })
        pool.on('error', () => {})
        return new Kysely({ dialect: new PostgresDialect({ pool }) })
      }
    const dates = new Set([1082, 1114, 1184])
    return {
      'pg as it is': withTypes(),
      'everything as text': withTypes({ getTypeParser: () => (text: string) => text }),
      'dates in UTC, numbers': withTypes({
        getTypeParser: (oid: number) =>
          dates.has(oid)
            ? (text: string) => new Date(oid === 1114 ? `${text}Z` : text)
            : [20, 21, 23, 700, 701, 1700].includes(oid)
              ? Number
              : oid === 1115
                ? (text: string) => text
                : pg.types.getTypeParser(oid as never),
      }),
    }
  }
  if (name === 'mysql') {
    const withOptions =
      (options: mysql.PoolOptions): (() => Database) =>
      () =>
        new Kysely({
          dialect: new MysqlDialect({
            pool: mysql.createPool({ uri: url, connectionLimit: 2, ...options }),
          }),
        })
    return {
      'mysql2 as it is': withOptions({}),
      'mysql2 in UTC': withOptions({ timezone: 'Z' }),
      'mysql2 in another time zone': withOptions({ timezone: '+05:30', decimalNumbers: true }),
      'dates and JSON as strings': withOptions({
        dateStrings: true,
        jsonStrings: true,
        supportBigNumbers: true,
        bigNumberStrings: true,
      }),
    }
  }
  return {
    'every integer as BigInt': () => {
      const database = new Sqlite(':memory:')
      database.defaultSafeIntegers(true)
      return new Kysely({ dialect: new SqliteDialect({ database }) })
    },
    'better-sqlite3 as it is': () =>
      new Kysely({ dialect: new SqliteDialect({ database: new Sqlite(':memory:') }) }),
  }
}
