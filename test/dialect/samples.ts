/** One table with every column type and extreme values, as each database stores them, and the JSON that the contract requires. */
import { sql } from 'kysely'
import { detectDialect } from '../../packages/core/src/dialect/detect.ts'
import type { JsonValue } from '../../packages/core/src/lib/json/json-value.ts'
import type { DialectColumn, DialectTable } from '../../packages/core/src/model/dialect-column.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type PlainDialect, withPlainValues } from '../support/plain-values.ts'

type Column = DialectTable['columns'][number]

const column = (name: string, type: Column['type'], more: Partial<Column> = {}): Column => ({
  name,
  dbName: name,
  type,
  nullable: true,
  ...more,
})

export const columns = {
  id: column('id', 'integer', { nullable: false }),
  whole: column('whole', 'integer'),
  big: column('big', 'bigint'),
  ratio: column('ratio', 'float'),
  price: column('price', 'decimal', { precision: 15, scale: 4 }),
  wide: column('wide', 'decimal', { precision: 38, scale: 10, storage: 'text' }),
  flag: column('flag', 'boolean'),
  name: column('name', 'string'),
  kind: column('kind', 'enum', { enum: ['b', 'a', 'C', 'é'] }),
  code: column('code', 'uuid'),
  day: column('day', 'date'),
  moment: column('moment', 'datetime'),
  zoned: column('zoned', 'datetime'),
  clock: column('clock', 'time'),
  doc: column('doc', 'json'),
  bytes: column('bytes', 'binary'),
} as const

export type Name = keyof typeof columns
export const names = Object.keys(columns) as Name[]

/** The JSON of a row by column; missing columns are NULL. */
export type Row = Partial<Readonly<Record<Name, JsonValue>>>

const allBytes = Uint8Array.from({ length: 256 }, (_, i) => i)

/** Texts as stored where the JSON form has fewer digits: microseconds, fractions of seconds. */
interface Sample {
  readonly json: Row
  readonly stored?: Partial<Readonly<Record<Name, unknown>>>
}

const verbatim = '{"a":1.0,"b":12345678901234567890,"c":[1e2,-0,0.1]}'

export const samples: readonly Sample[] = [
  {
    json: {
      whole: 0,
      big: '0',
      ratio: 0,
      price: '0.0000',
      wide: '0.0000000000',
      flag: false,
      name: '',
      kind: 'a',
      code: '00000000-0000-0000-0000-000000000000',
      day: '0001-01-01',
      moment: '0001-01-01T00:00:00.000Z',
      zoned: '2024-05-14T10:30:00.000Z',
      clock: '00:00:00',
      doc: {},
      bytes: '',
    },
    stored: { ratio: -0, moment: '0001-01-01 00:00:00', zoned: '2024-05-14 10:30:00' },
  },
  {
    json: {
      whole: 9007199254740991,
      big: '9223372036854775807',
      ratio: 1.7976931348623157e308,
      price: '99999999999.9999',
      wide: '9999999999999999999999999999.9999999999',
      flag: true,
      name: 'a',
      kind: 'b',
      code: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      day: '9999-12-31',
      moment: '9999-12-31T23:59:59.999Z',
      zoned: '2024-05-14T10:30:00.000Z',
      clock: '23:59:59',
      doc: 'text',
      bytes: Buffer.from(allBytes).toString('base64'),
    },
    stored: {
      moment: '9999-12-31 23:59:59.999999',
      zoned: '2024-05-14 10:30:00.000999',
      clock: '23:59:59.999999',
      doc: '"text"',
      bytes: allBytes,
    },
  },
  {
    json: {
      whole: -9007199254740991,
      big: '-9223372036854775808',
      ratio: 5e-324,
      price: '-99999999999.9999',
      wide: '-9999999999999999999999999999.9999999999',
      flag: false,
      name: 'A',
      kind: 'C',
      code: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
      day: '1970-01-01',
      moment: '1970-01-01T00:00:00.000Z',
      zoned: '2024-05-14T10:30:00.001Z',
      clock: '12:00:00',
      doc: [],
    },
    stored: { moment: '1970-01-01 00:00:00.000', zoned: '2024-05-14 10:30:00.001', doc: '[ ]' },
  },
  {
    json: {
      whole: 1,
      big: '9007199254740993',
      ratio: 0.1,
      price: '0.0001',
      wide: '0.0000000001',
      name: 'a ',
    },
  },
  {
    json: {
      whole: -1,
      big: '9007199254740992',
      ratio: -0.1,
      price: '-0.0001',
      wide: '-0.0000000001',
      name: 'á',
      kind: 'é',
      day: '2024-02-29',
      moment: '2024-02-29T23:59:59.999Z',
      zoned: '2024-02-29T23:59:59.999Z',
      clock: '23:59:59',
    },
    stored: { moment: '2024-02-29 23:59:59.9999', zoned: '2024-02-29 23:59:59.9999' },
  },
  {
    json: {
      whole: 10,
      big: '-10',
      ratio: 2.5,
      price: '12.5000',
      wide: '12.5000000000',
      name: 'a\u0301',
    },
  },
  { json: { whole: 9, big: '-9', ratio: 1e21, price: '1.0050', wide: '1.0050000000', name: 'Á' } },
  { json: { whole: 100, big: '100', ratio: 1e-7, price: '100.0000', name: '\u{10ffff}' } },
  { json: { whole: 2, ratio: 123456789012345.67, price: '0.1000', name: '\uffff' } },
  { json: { whole: 2, ratio: 0.3, price: '0.2000', name: '😀 smile' } },
  { json: { name: '\ue000' } },
  { json: { name: 'Kelvin \u212a' } },
  { json: { name: 'kelvin k' } },
  { json: { name: 'STRASSE' } },
  { json: { name: 'straße' } },
  { json: { name: 'STRAẞE' } },
  { json: { name: 'ſtraſſe' } },
  { json: { name: 'ΣΊΣΥΦΟΣ' } },
  { json: { name: 'σίσυφος' } },
  { json: { name: 'İstanbul' } },
  { json: { name: 'istanbul' } },
  { json: { name: 'ISTANBUL' } },
  { json: { name: 'ıstanbul' } },
  { json: { name: '𐐀𐐨' } },
  { json: { name: '100%' } },
  { json: { name: '100_' } },
  { json: { name: '100\\' } },
  { json: { name: 'a*b?c[d]e' } },
  { json: { name: '!^$.|+(){}' } },
  { json: { name: 'quote \' and " and `' } },
  { json: { name: 'line\nbreak\n' } },
  { json: { name: 'line\nbreak' } },
  { json: { name: 'tab\tand \u0001 control' } },
  { json: { name: '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}' } },
  {
    json: {
      moment: '2024-05-14T10:30:00.123Z',
      zoned: '2024-05-14T10:30:00.123Z',
      clock: '10:30:00',
      day: '2024-05-14',
    },
    stored: {
      moment: '2024-05-14 10:30:00.123456',
      zoned: '2024-05-14 10:30:00.123456',
      clock: '10:30:00.5',
    },
  },
  {
    json: {
      moment: '2024-05-14T10:30:00.500Z',
      zoned: '2024-05-14T10:30:00.500Z',
      clock: '10:30:01',
      day: '2024-05-15',
    },
    stored: { moment: '2024-05-14 10:30:00.5', zoned: '2024-05-14 10:30:00.5', clock: '10:30:01' },
  },
  {
    json: {
      moment: '2024-05-14T10:30:00.000Z',
      zoned: '2038-01-01T00:00:00.000Z',
      clock: '10:29:59',
      day: '2024-05-13',
    },
    stored: { moment: '2024-05-14 10:30:00', zoned: '2038-01-01 00:00:00', clock: '10:29:59.999' },
  },
  {
    json: { moment: '2024-05-14T10:29:59.999Z', zoned: '1970-01-02T00:00:00.000Z' },
    stored: { moment: '2024-05-14 10:29:59.999999', zoned: '1970-01-02 00:00:00' },
  },
  { json: {} },
]

/** What a sample stores in a column: the text of its JSON form unless it says otherwise. */
export function storedText(sample: Sample, name: Name): unknown {
  if (sample.stored !== undefined && name in sample.stored) return sample.stored[name]
  const json = sample.json[name]
  if (json === undefined || json === null) return null
  if (name === 'doc') return JSON.stringify(json)
  if (name === 'bytes') return Buffer.from(String(json), 'base64')
  if (name === 'moment' || name === 'zoned') return String(json).replace('T', ' ').replace('Z', '')
  return json
}

/** The row of a sample, every column named. */
export function jsonOf(sample: Sample, id: number): Readonly<Record<Name, JsonValue>> {
  const row: Record<string, JsonValue> = {}
  for (const name of names) row[name] = name === 'id' ? id : (sample.json[name] ?? null)
  return row as Readonly<Record<Name, JsonValue>>
}

export const rows = samples.map((sample, i) => jsonOf(sample, i + 1))
export { verbatim }

const tables = {
  sqlite: `create table samples (id integer primary key, whole integer, big integer, ratio real,
    price decimal(15, 4), wide text, flag boolean, name text, kind text, code text, day text, moment text,
    zoned text, clock text, doc text, bytes blob)`,
  postgres: `create type kind as enum ('b', 'a', 'C', 'é');
    create table samples (id int primary key, whole bigint, big bigint, ratio float8, price numeric(15, 4),
    wide numeric(38, 10), flag boolean, name text, kind kind, code uuid, day date, moment timestamp(6),
    zoned timestamptz(6), clock time(6), doc json, bytes bytea)`,
  mysql: `create table samples (id int primary key, whole bigint, big bigint, ratio double, price decimal(15, 4),
    wide decimal(38, 10), flag boolean, name varchar(200), kind enum('b', 'a', 'C', 'é'), code char(36), day date,
    moment datetime(6), zoned timestamp(6) null, clock time(6), doc json, bytes blob)
    character set utf8mb4 collate utf8mb4_general_ci`,
} as const

/** Makes the table and fills it, without the help of the dialect: what is tested is how it reads. */
export async function createSamples(db: TestDatabase): Promise<void> {
  await db.execScript(tables[db.name])
  const inserts = samples.map((sample, i) => {
    const values = names.map((name) => {
      const stored = name === 'id' ? i + 1 : storedText(sample, name)
      if (stored === null) return sql`null`
      if (typeof stored === 'boolean') return db.name === 'postgres' ? stored : Number(stored)
      if (name === 'big')
        return sql`cast(${String(stored)} as ${sql.raw(db.name === 'mysql' ? 'signed' : 'bigint')})`
      if (name === 'zoned' && db.name === 'postgres') return `${stored}Z`
      return typeof stored === 'object' && !(stored instanceof Uint8Array)
        ? JSON.stringify(stored)
        : stored
    })
    return sql`insert into samples (${sql.join(names.map((name) => sql.ref(name)))}) values (${sql.join(values)})`
  })
  await db.kysely.connection().execute(async (connection) => {
    if (db.name === 'mysql') await sql`set time_zone = '+00:00'`.execute(connection)
    for (const insert of inserts) await insert.execute(connection)
  })
}

/** The dialect of a database that knows the samples. */
export async function samplesDialect(db: TestDatabase): Promise<PlainDialect> {
  const dialect = detectDialect(db.kysely)
  const tables: readonly DialectTable[] = [{ table: 'samples', columns: Object.values(columns) }]
  return withPlainValues((await dialect.connect?.(db.kysely, tables)) ?? dialect)
}

/** The dialect as it is before it has looked at anything but the version. */
export async function blindDialect(db: TestDatabase): Promise<PlainDialect> {
  const dialect = detectDialect(db.kysely)
  return withPlainValues((await dialect.connect?.(db.kysely)) ?? dialect)
}

export type { Column, DialectColumn }
