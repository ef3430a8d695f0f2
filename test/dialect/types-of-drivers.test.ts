/** Every column type through every driver: rows and inserts have the types that `DatabaseOf` says. */
import { DatabaseSync } from 'node:sqlite'
import {
  type AnyModel,
  createApi,
  type DatabaseOf,
  type DriverName,
  defineModel,
} from '@model-api/core'
import { guardedMysql, preparedPg, preparedSqlite } from '@model-api/core/drivers'
import Sqlite from 'better-sqlite3'
import {
  type Insertable,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  type Selectable,
  SqliteDialect,
  sql,
} from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

const shared = {
  id: { type: 'integer', primaryKey: true },
  big: { type: 'bigint' },
  ratio: { type: 'float' },
  price: { type: 'decimal', precision: 8, scale: 2 },
  wide: { type: 'decimal', precision: 30, scale: 4, storage: 'text' },
  flag: { type: 'boolean' },
  name: { type: 'string', maxLength: 80 },
  note: { type: 'text' },
  kind: { type: 'enum', enum: ['a', 'b'] },
  code: { type: 'uuid' },
  day: { type: 'date' },
  moment: { type: 'datetime', column: 'occurred_at' },
  clock: { type: 'time' },
  doc: { type: 'json' },
  bytes: { type: 'binary' },
} as const
const Sample = defineModel('Sample', { table: 'samples', columns: shared, meta: {} })
const Listed = defineModel('Sample', {
  table: 'samples',
  columns: {
    ...shared,
    tags: { type: 'list', items: 'string' },
    numbers: { type: 'list', items: 'bigint' },
    moments: { type: 'list', items: 'datetime' },
    kinds: { type: 'list', items: 'enum', enum: ['a', 'b'] },
  },
  meta: {},
})

interface Kinds {
  readonly number: number
  readonly string: string
  readonly boolean: boolean
  readonly Date: Date
  readonly bytes: Uint8Array
  readonly any: unknown
  readonly 'a or b': 'a' | 'b'
  readonly strings: (string | null)[]
  readonly dates: (Date | null)[]
}

/** What the drivers return for each column. */
const texts = {
  name: 'string',
  note: 'string',
  kind: 'a or b',
  code: 'string',
  clock: 'string',
} as const
const returned = {
  sqlite: {
    ...texts,
    id: 'number',
    big: 'number',
    ratio: 'number',
    price: 'number',
    wide: 'string',
    flag: 'number',
    day: 'string',
    occurred_at: 'string',
    doc: 'string',
    bytes: 'bytes',
  },
  postgres: {
    ...texts,
    id: 'number',
    big: 'string',
    ratio: 'number',
    price: 'string',
    wide: 'string',
    flag: 'boolean',
    day: 'Date',
    occurred_at: 'Date',
    doc: 'any',
    bytes: 'bytes',
    tags: 'strings',
    numbers: 'strings',
    moments: 'dates',
    kinds: 'string',
  },
  mysql: {
    ...texts,
    id: 'number',
    big: 'number',
    ratio: 'number',
    price: 'string',
    wide: 'string',
    flag: 'number',
    day: 'Date',
    occurred_at: 'Date',
    doc: 'any',
    bytes: 'bytes',
  },
} as const satisfies Readonly<Record<DriverName, Readonly<Record<string, keyof Kinds>>>>

/** The types of the rows of a table are those that the drivers return. */
type Rows<DB extends { readonly samples: unknown }> = Selectable<DB['samples']>
type Found<D extends DriverName> = {
  -readonly [K in keyof (typeof returned)[D]]: (typeof returned)[D][K] extends keyof Kinds
    ? Kinds[(typeof returned)[D][K]]
    : never
}
holds<Equal<Rows<DatabaseOf<[typeof Sample], 'sqlite'>>, Found<'sqlite'>>>()
holds<Equal<Rows<DatabaseOf<[typeof Listed], 'postgres'>>, Found<'postgres'>>>()
holds<Equal<Rows<DatabaseOf<[typeof Sample], 'mysql'>>, Found<'mysql'>>>()

function kindOf(value: unknown, as: keyof Kinds): string {
  if (as === 'any') return as
  if (as === 'a or b') return value === 'a' || value === 'b' ? as : String(value)
  if (value instanceof Date) return 'Date'
  if (value instanceof Uint8Array) return 'bytes'
  if (Array.isArray(value)) {
    return value.every((one) => one instanceof Date) ? 'dates' : `${typeof value[0]}s`
  }
  return typeof value
}

const tables = {
  sqlite: `id integer primary key, big bigint, ratio real, price decimal(8, 2), wide text, flag boolean, name text, note text, kind text,
    code text, day text, occurred_at text, clock text, doc text, bytes blob`,
  postgres: `id int primary key, big bigint, ratio float8, price numeric(8, 2), wide numeric(30, 4), flag boolean, name text, note text,
    kind kind, code uuid, day date, occurred_at timestamptz(3), clock time, doc json, bytes bytea, tags text[], numbers bigint[],
    moments timestamptz(3)[], kinds kind[]`,
  mysql: `id int primary key, big bigint, ratio double, price decimal(8, 2), wide decimal(30, 4), flag boolean, name varchar(80), note longtext,
    kind enum('a', 'b'), code char(36), day date, occurred_at datetime(3), clock time, doc json, bytes blob`,
} as const

const json = {
  big: '12345',
  ratio: 0.5,
  price: '12.50',
  wide: '1234567890.1234',
  flag: true,
  name: 'Emma',
  note: 'x',
  kind: 'b',
  code: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
  day: '2024-05-14',
  moment: '2024-05-14T10:30:00.500Z',
  clock: '10:30:00',
  doc: { a: [1] },
  bytes: 'AP8=',
} as const
const lists = {
  tags: ['a', 'b'],
  numbers: ['1', '2'],
  moments: ['2024-05-14T10:30:00.500Z'],
  kinds: ['a', 'b'],
} as const

const bytes = Uint8Array.of(0, 255)
const { name, note, kind, code, clock, ratio, wide } = json
const plain = { name, note, kind, code, clock, ratio, wide, bytes }
const date = new Date('2024-05-14T10:30:00.500Z')

/** Inserts with all that the types take. */
const inserted: {
  readonly sqlite: readonly Insertable<DatabaseOf<[typeof Sample], 'sqlite'>['samples']>[]
  readonly postgres: readonly Insertable<DatabaseOf<[typeof Listed], 'postgres'>['samples']>[]
  readonly mysql: readonly Insertable<DatabaseOf<[typeof Sample], 'mysql'>['samples']>[]
} = {
  sqlite: [12345, 12345n, '12345'].map((big, i) => ({
    ...plain,
    id: 10 + i,
    big,
    price: i === 0 ? 12.5 : '12.50',
    flag: 1,
    day: json.day,
    occurred_at: '2024-05-14 10:30:00.500',
    doc: '{"a":[1]}',
  })),
  postgres: [12345, 12345n, '12345'].map((big, i) => ({
    ...plain,
    id: 10 + i,
    big,
    price: i === 0 ? 12.5 : '12.50',
    flag: true,
    day: i === 0 ? new Date(2024, 4, 14) : json.day,
    occurred_at: i === 0 ? date : json.moment,
    doc: i === 0 ? { a: [1] } : '{"a":[1]}',
    tags: ['a', 'b'],
    numbers: ['1', '2'],
    moments: [date],
    kinds: '{a,b}',
  })),
  mysql: [12345, 12345n, '12345'].map((big, i) => ({
    ...plain,
    id: 10 + i,
    big,
    price: i === 0 ? 12.5 : '12.50',
    flag: i === 0 ? 1 : true,
    day: i === 0 ? new Date(2024, 4, 14) : json.day,
    // Of the time zone of the process, as the driver reads it.
    occurred_at: i === 0 ? date : '2024-05-14 10:30:00.500',
    doc: '{"a":[1]}',
  })),
}

eachDatabase('types of drivers', (test, db) => {
  const model = (db.name === 'postgres' ? Listed : Sample) as unknown as AnyModel
  const create = async (on: Kysely<Record<string, never>>): Promise<void> => {
    if (db.name === 'postgres') await sql`create type kind as enum ('a', 'b')`.execute(on)
    await sql.raw(`create table samples (${tables[db.name]})`).execute(on)
  }
  const record = db.name === 'postgres' ? { ...json, ...lists } : json

  test.before(async () => {
    if (db.name !== 'sqlite') await create(db.kysely)
  })

  for (const [title, open] of Object.entries(driversOf(db.name, db.url ?? ''))) {
    test(`${title} returns and takes them`, async () => {
      // biome-ignore lint/suspicious/noExplicitAny: the table has other columns on each database
      const kysely = open() as Kysely<any>
      try {
        if (db.name === 'sqlite') await create(kysely)
        await kysely.deleteFrom('samples').execute()
        const api = createApi({ db: kysely, models: [model], onWarning: () => {} })
        await api.ready
        await kysely
          .insertInto('samples')
          .values(api.toRow(model, { id: 1, ...record }))
          .execute()
        const row = await kysely.selectFrom('samples').selectAll().executeTakeFirstOrThrow()
        const expected = returned[db.name] as Readonly<Record<string, keyof Kinds>>
        const kinds = Object.entries(expected).map(([column, as]) => [
          column,
          kindOf(row[column], as),
        ])
        equal(Object.fromEntries(kinds), expected)
        for (const values of inserted[db.name]) {
          await kysely.insertInto('samples').values(values).execute()
          const stored = await kysely
            .selectFrom('samples')
            .selectAll()
            .where('id', '=', values.id)
            .executeTakeFirstOrThrow()
          equal(api.toRecord(model, stored), { id: values.id, ...record })
        }
      } finally {
        await kysely.destroy()
      }
    })
  }
})

function driversOf(name: DriverName, url: string): Readonly<Record<string, () => Kysely<never>>> {
  if (name === 'postgres') {
    const poolOf = (): pg.Pool => {
      const pool = new pg.Pool({ connectionString: url, max: 2 })
      pool.on('error', () => {})
      return pool
    }
    return {
      pg: () => new Kysely({ dialect: new PostgresDialect({ pool: poolOf() }) }),
      preparedPg: () =>
        new Kysely({ dialect: new PostgresDialect({ pool: preparedPg(poolOf()) }) }),
    }
  }
  if (name === 'mysql') {
    const poolOf = () => mysql.createPool({ uri: url, connectionLimit: 2 })
    return {
      mysql2: () => new Kysely({ dialect: new MysqlDialect({ pool: poolOf() }) }),
      guardedMysql: () =>
        new Kysely({ dialect: new MysqlDialect({ pool: guardedMysql(poolOf()) }) }),
    }
  }
  return {
    'better-sqlite3': () =>
      new Kysely({ dialect: new SqliteDialect({ database: new Sqlite(':memory:') }) }),
    preparedSqlite: () =>
      new Kysely({
        dialect: new SqliteDialect({ database: preparedSqlite(new Sqlite(':memory:')) }),
      }),
    'node:sqlite': () => {
      const sqlite = new DatabaseSync(':memory:')
      const database = {
        close: () => sqlite.close(),
        prepare(text: string) {
          const statement = sqlite.prepare(text)
          return {
            reader: statement.columns().length > 0,
            all: (values: readonly never[]) => statement.all(...values),
            run: (values: readonly never[]) => statement.run(...values),
            iterate: (values: readonly never[]) => statement.iterate(...values),
          }
        },
      }
      return new Kysely({ dialect: new SqliteDialect({ database: database as never }) })
    },
  }
}
