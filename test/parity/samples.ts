/** One table with a column of every type, filled with values that databases are known to treat differently. */
import { type AnyModel, belongsTo, type ColumnType, defineModel, hasMany } from '@model-api/core'
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseName, TestDatabase } from '../support/databases.ts'
import { createTables } from '../support/tables.ts'

export const Sample = defineModel('Sample', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    integer: { type: 'integer', nullable: true },
    bigint: { type: 'bigint', nullable: true },
    float: { type: 'float', nullable: true },
    decimal: { type: 'decimal', precision: 15, scale: 4, nullable: true },
    digits: { type: 'decimal', precision: 30, scale: 10, storage: 'text', nullable: true },
    boolean: { type: 'boolean', nullable: true },
    string: { type: 'string', maxLength: 60, nullable: true },
    text: { type: 'text', nullable: true },
    date: { type: 'date', nullable: true },
    datetime: { type: 'datetime', nullable: true },
    time: { type: 'time', nullable: true },
    uuid: { type: 'uuid', nullable: true },
    json: { type: 'json', nullable: true },
    binary: { type: 'binary', nullable: true },
    enum: { type: 'enum', enum: ['b', 'B', 'a', 'é', 'e\u0301', 'b b'], nullable: true },
    next_id: { type: 'integer', nullable: true },
  },
  relations: { next: belongsTo('Sample', 'next_id'), previous: hasMany('Sample', 'next_id') },
  meta: {},
})

export type Field = Exclude<keyof typeof Sample.columns, 'id' | 'next_id'> & string

export const fields = Object.keys(Sample.columns).filter(
  (name): name is Field => name !== 'id' && name !== 'next_id',
)

/** Emoji, combining marks, spaces, pairs of cases, and letters whose other case depends on the language. */
const texts = [
  '',
  ' ',
  'a',
  'a ',
  ' a',
  'a\u00A0',
  'A',
  'ab',
  'aB',
  'é',
  'e\u0301',
  'É',
  '\uFFFD',
  '\uFFFF',
  '\u{10000}',
  '😀',
  '👨\u200D👩\u200D👧',
  '🇹🇷',
  'i',
  'I',
  'ı',
  'İ',
  'ss',
  'SS',
  'ß',
  'ẞ',
  's',
  'ſ',
  'k',
  'K',
  '\u212A',
  'σ',
  'ς',
  'Σ',
  'ǆ',
  'ǅ',
  'Ǆ',
  'å',
  'Å',
  '\u212B',
  'µ',
  'μ',
  '%',
  '_',
  '100%',
  '1000',
  '\\',
  '\\\\',
  "'",
  '"',
  '`',
  '[a]',
  '*',
  '?',
  '\n',
  '\t',
  '\u200B',
  '\uFEFF',
  '\uFEFFa',
  '10',
  '9',
  'NULL',
]

/** A stored value as SQL text, and its JSON form if that differs. */
interface Stored {
  readonly json: unknown
  readonly stored?: string
}

const same = (values: readonly unknown[]): Stored[] => values.map((json) => ({ json }))

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('base64')

/** The values of each column, one per row; NULL fills the rest. */
export const values: Readonly<Record<Field, readonly Stored[]>> = {
  integer: same([0, 1, -1, 2147483647, -2147483648, 2147483646, 7, 7]),
  bigint: same([
    '0',
    '-1',
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775806',
    '9007199254740993',
    '9007199254740992',
    '-9007199254740993',
    '10',
    '9',
  ]),
  float: [
    ...same([0, 0.1, 1, -1, 1e21, 1e-7, 123456789.12345679, 0.30000000000000004, 0.3]),
    { json: 5e-324 },
    { json: -5e-324 },
    { json: 2.2250738585072014e-308 },
    { json: Number.MAX_VALUE },
    { json: -Number.MAX_VALUE },
    { json: 0, stored: '-0.0' },
    { json: 9007199254740992, stored: '9007199254740993' },
  ],
  decimal: same([
    '0.0000',
    '0.0001',
    '-0.0001',
    '99999999999.9999',
    '-99999999999.9999',
    '99999999999.9998',
    '1.5000',
    '10.0000',
    '9.0000',
    '0.1000',
    '0.2000',
  ]),
  digits: same([
    '12345678901234567890.1234567890',
    '-12345678901234567890.1234567890',
    '0.0000000001',
    '0.0000000000',
    '1.0000000000',
  ]),
  boolean: same([true, false, true]),
  string: same(texts),
  text: same([...texts, 'x'.repeat(70_000), `y${'x'.repeat(70_000)}`]),
  date: same([
    '0001-01-01',
    '9999-12-31',
    '1970-01-01',
    '1969-12-31',
    '2024-02-29',
    '1582-10-10',
    '1900-02-28',
    '1994-12-31',
    '2000-02-29',
  ]),
  datetime: [
    ...[
      '0001-01-01 00:00:00.000000',
      '9999-12-31 23:59:59.999999',
      '1970-01-01 00:00:00.000000',
      '1969-12-31 23:59:59.999999',
      '2024-03-10 02:30:00.000000',
      '2024-03-31 01:30:00.500000',
      '2024-11-03 01:30:00.000000',
      '1994-12-31 12:00:00.000000',
      '2011-12-30 12:00:00.000000',
      '2024-01-01 00:00:00.123456',
      '2024-01-01 00:00:00.123000',
      '2024-01-01 00:00:00.123999',
      '2024-01-01 00:00:00.124000',
      '2024-12-31 23:59:59.999000',
      '1582-10-10 00:00:00.000000',
      '0099-05-05 05:05:05.005000',
    ].map((stored) => ({ json: `${stored.slice(0, 23).replace(' ', 'T')}Z`, stored })),
  ],
  time: same(['00:00:00', '23:59:59', '12:34:56', '12:34:55', '01:00:00']),
  uuid: same([
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '0a0b0c0d-0e0f-4a0b-8c0d-0e0f0a0b0c0d',
    'a0000000-0000-4000-8000-000000000000',
    '9fffffff-ffff-4fff-bfff-ffffffffffff',
  ]),
  json: [
    { json: '{}' },
    { json: '[]' },
    { json: 'null', stored: 'null' },
    { json: '"x\\n\\u0001 é 😀"', stored: '"x\\n\\u0001 \\u00e9 \\ud83d\\ude00"' },
    { json: '12345678901234567890', stored: '12345678901234567890' },
    { json: '-0', stored: '-0' },
    { json: '1.10', stored: '1.10' },
    { json: '1e400', stored: '1e400' },
    {
      json: '{"":0,"10":1,"9":2,"A":3,"__proto__":4,"a":5,"é":6,"\uFFFD":7,"😀":8}',
      stored: '{"😀":8,"a":5,"9":2,"A":3,"10":1,"":0,"__proto__":4,"é":6,"\uFFFD":7}',
    },
    {
      json: '[1.0,[100,1E2,0.1],{"a":{"b":[null,true,false]},"z":"<>&\'\\"/"}]',
      stored: '[1.0, [100, 1E2, 0.1], {"z": "<>&\'\\"\\/", "a": {"b": [null, true, false]}}]',
    },
  ],
  binary: same([everyByte, '', 'AA==', 'AAA=', '/////w==', '+/+/']),
  enum: same(['b', 'B', 'a', 'é', 'e\u0301', 'b b', 'b']),
}

export const rowCount = Math.max(...Object.values(values).map((list) => list.length)) + 1

/** A value as the database accepts it, without any encoder under test. */
function literal(
  name: DatabaseName,
  type: ColumnType,
  { json, stored }: Stored,
): RawBuilder<unknown> {
  const text = stored ?? String(json)
  switch (type) {
    case 'binary': {
      const hex = Buffer.from(String(json), 'base64').toString('hex')
      if (name === 'postgres') return sql`decode(${hex}, 'hex')`
      return name === 'mysql' ? sql`unhex(${hex})` : sql.raw(`x'${hex}'`)
    }
    case 'boolean':
      return sql.raw(name === 'postgres' ? String(json) : json === true ? '1' : '0')
    case 'integer':
    case 'bigint':
    case 'decimal':
      return sql.raw(text)
    case 'float':
      if (name === 'postgres') return sql.raw(`'${text}'::float8`)
      return sql.raw(/[.e]/.test(text) ? text : `${text}.0e0`)
    case 'datetime':
      return name === 'postgres' ? sql`${`${text}+00`}::timestamptz` : sql`${text}`
    case 'string':
    case 'text':
    case 'enum':
      return sql`${text}`
    default: {
      if (name !== 'postgres') return sql`${text}`
      return sql`${text}${sql.raw(`::${type}`)}`
    }
  }
}

export async function createSamples(db: TestDatabase): Promise<void> {
  await createTables(db, [Sample as AnyModel])
  // The json type of MySQL rewrites numbers, which `dialect/values` tests.
  if (db.engine === 'mysql') await db.execScript('alter table samples modify json longtext')
  await db.kysely.transaction().execute(async (kysely) => {
    for (let i = 0; i < rowCount; i++) await sampleRow(db.name, i).execute(kysely)
  })
}

function sampleRow(name: DatabaseName, i: number): RawBuilder<unknown> {
  const given: [string, RawBuilder<unknown>][] = fields.flatMap((field) => {
    const value = values[field][i]
    if (value === undefined) return []
    const { type, storage } = Sample.columns[field] as { type: ColumnType; storage?: string }
    const asText = storage === 'text' && name === 'sqlite'
    return [[field, literal(name, asText ? 'string' : type, value)]]
  })
  const columns: [string, RawBuilder<unknown>][] = [
    ['id', sql`${i + 1}`],
    ['next_id', i === 0 ? sql`null` : sql`${i}`],
    ...given,
  ]
  const names = sql.join(columns.map(([column]) => sql.id(column)))
  const cells = sql.join(columns.map(([, value]) => value))
  return sql`insert into ${sql.id('samples')} (${names}) values (${cells})`
}
