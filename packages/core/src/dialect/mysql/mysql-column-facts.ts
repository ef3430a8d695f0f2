// Reads whether the server is MySQL or MariaDB, and how its columns are declared, when the dialect connects (lookUpMysqlFacts). The SQL of
// `mysql-dialect.ts` depends on these facts. `mysql-writes.ts` uses insertHasReturning and schemasOf for look-ups of its own.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { DialectColumn, DialectTable } from '../../model/dialect-column.ts'
import type { Held } from '../internal-dialect.ts'
import {
  type DriverProbes,
  type DriverValues,
  lookUpDriverValues,
  usualDriver,
} from '../shared/values/driver-values.ts'
import type { Engine } from './engine.ts'
import { mariadbEngine } from './engine-mariadb.ts'
import { mysqlEngine } from './engine-mysql.ts'
import { lackingBySet } from './mysql-character-sets.ts'

/** The properties of a declared column that change the SQL. */
export interface ColumnFacts {
  /** Its collation orders by code point and compares trailing spaces, so plain operators are correct and can use its index. */
  readonly codePoint: boolean
  /** Its collation; empty where it has none. */
  readonly collation: string
  /** Drivers return its values as they are: it is a text of a table, and not MariaDB's JSON, a LONGTEXT that drivers may parse. */
  readonly isPlainText: boolean
  /** Its character set is utf8mb4. */
  readonly utf8mb4: boolean
  /** Whether its character set lacks a character of a text; undefined if it has all. */
  readonly lacks: ((text: string) => boolean) | undefined
  /** MariaDB's `uuid` type, whose order differs from that of its text. */
  readonly nativeUuid: boolean
  /** MySQL's `json`. MariaDB's is a LONGTEXT. */
  readonly nativeJson: boolean
  /** The server tells drivers that the values are JSON: MySQL's `json`, MariaDB's LONGTEXT with a `json_valid` constraint, or a view. */
  readonly isToldAsJson: boolean
  /** A `timestamp`, which MySQL converts to and from the session's time zone. */
  readonly zoned: boolean
  /** The fractional digits of a second that a datetime or time stores; undefined for other types. */
  readonly fraction: number | undefined
  /** What its values are rounded or cut to. */
  readonly held: Held
  /** A `float` of 32 bits, whose text has fewer digits than its value. */
  readonly single: boolean
  /** How a column of the type `opaque` is converted to text. */
  readonly opaque: 'bits' | 'geometry' | 'vector' | 'text'
  /** Its default is `uuid()`. */
  readonly makesUuid: boolean
  /** The number of bits of a `bit` column. */
  readonly bits: number
}

/** What `connect` has read of the server, and of the columns (`of`). */
export interface MysqlFacts {
  /** Undefined until `connect` has read it. */
  readonly engine?: Engine
  /** INSERT has RETURNING; as the next member, undefined until `connect` has read it. */
  readonly insertReturns?: boolean
  /** FROM takes JSON_TABLE. */
  readonly hasJsonTable?: boolean
  /** Undefined for a column that the catalogue does not have: a computed one, or any before `connect`. */
  readonly of: (column: DialectColumn) => ColumnFacts | undefined
  /** What the driver makes of values. */
  readonly driver: DriverValues
  /** Milliseconds by which the time zone of the session is ahead of UTC; undefined if that depends on the season, or is not known. */
  readonly sessionAhead: number | undefined
}

/** The facts before `connect` has read any. */
export const unknownMysqlFacts: MysqlFacts = {
  of: () => undefined,
  driver: usualDriver,
  sessionAhead: undefined,
}

const codePointCollations = new Set(['utf8mb4_0900_bin', 'utf8mb4_nopad_bin', 'utf8mb3_nopad_bin'])

/** Reads the version of the server and the declarations of the tables' columns. */
export async function lookUpMysqlFacts(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<MysqlFacts> {
  const [row] = await rowsOf<Readonly<Record<'version' | 'zone' | 'system_zone', unknown>>>(
    db,
  )`select version() as version, @@session.time_zone as zone, @@system_time_zone as system_zone`
  const driver = await lookUpDriverValues(db, driverProbes)
  const version = String(row?.version)
  const engine = /mariadb/i.test(version) ? mariadbEngine : mysqlEngine
  const facts = tables.length === 0 ? new Map() : await columnFacts(db, tables, engine)
  const zone = String(row?.zone)
  return {
    driver,
    sessionAhead: aheadOf(zone === 'SYSTEM' ? String(row?.system_zone) : zone),
    engine,
    insertReturns: insertHasReturning(version),
    hasJsonTable: hasJsonTable(version),
    of(column) {
      const { inPlaceOf } = column
      if (inPlaceOf === undefined) return facts.get(column)
      const known = facts.get(inPlaceOf)
      // A query of a hook computes the values, which may have more digits of a second than the column stores.
      return known && { ...known, fraction: undefined }
    },
  }
}

/** A datetime of a text, and the JSON text `"1"` as a value that drivers may parse. */
const driverProbes: DriverProbes = {
  moment: (text) => sql`cast(${text} as datetime(3))`,
  json: sql`json_extract('["1"]', '$[0]')`,
}

/** Milliseconds by which a time zone is ahead of UTC: `+02:00` → 7,200,000; undefined for a name such as `Europe/Berlin`. */
function aheadOf(zone: string): number | undefined {
  if (/^(?:utc|gmt|etc\/utc)$/i.test(zone)) return 0
  const [, sign, hours, minutes] = /^([+-])([0-9]{2}):([0-9]{2})$/.exec(zone) ?? []
  if (sign === undefined) return undefined
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes))
}

/** A column as the catalogue of the server has it. */
interface Declared {
  /** 1 if the table is in the database of the connection. */
  readonly in_own_schema: unknown
  readonly in_schema: unknown
  readonly in_table: unknown
  readonly named: unknown
  readonly type: unknown
  readonly collated: unknown
  readonly charset: unknown
  readonly digits: unknown
  readonly fraction: unknown
  readonly scale: unknown
  readonly length: unknown
  readonly bytes: unknown
  readonly own_default: unknown
  readonly extra: unknown
}

/** Reads the facts of the columns; one that the catalogue does not have is absent. */
async function columnFacts(
  db: AnyDatabase,
  tables: readonly DialectTable[],
  engine: Engine,
): Promise<ReadonlyMap<DialectColumn, ColumnFacts>> {
  const names = sql.join([...new Set(tables.map(({ table }) => table))])
  const rows = await rowsOf<Declared>(db)`
    select table_schema as in_schema, table_schema = database() as in_own_schema, table_name as in_table, column_name as named,
      data_type as type, collation_name as collated, character_set_name as charset, numeric_precision as digits,
      datetime_precision as fraction, numeric_scale as scale, character_maximum_length as length,
      character_octet_length as bytes,
      column_default as own_default, extra as extra
    from information_schema.columns
    where table_schema in (${schemasOf(tables)}) and table_name in (${names})`
  const declared = new Map<string, Declared>()
  for (const row of rows) {
    const { in_schema: schema, in_table: table, named } = row
    declared.set(columnKey(schema, table, named), row)
    if (Number(row.in_own_schema) === 1) declared.set(columnKey('', table, named), row)
  }
  const views = await viewsAmong(db, tables)
  const checked = await columnsCheckedAsJson(db, tables, rows, engine)
  const lacking = await lackingBySet(db, new Set(rows.map(({ charset }) => String(charset ?? ''))))
  const facts = new Map<DialectColumn, ColumnFacts>()
  for (const { schema = '', table, columns } of tables) {
    const isTable = !views.has(columnKey(schema, table))
    for (const column of columns) {
      const row = declared.get(columnKey(schema, table, column.dbName))
      if (row === undefined || column.computed !== undefined) continue
      const lacks = lacking.get(String(row.charset ?? ''))
      const isChecked = checked.has(columnKey(row.in_schema, row.in_table, row.named))
      facts.set(column, factsOf(row, { isTable, isChecked, lacks }))
    }
  }
  return facts
}

/** Returns the views among the tables, as `columnKey` writes them. */
async function viewsAmong(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<ReadonlySet<string>> {
  const names = sql.join([...new Set(tables.map(({ table }) => table))])
  const rows = await rowsOf<Readonly<Record<'own' | 's' | 't', unknown>>>(db)`
    select table_schema as s, table_schema = database() as own, table_name as t
    from information_schema.views
    where table_schema in (${schemasOf(tables)}) and table_name in (${names})`
  const views = new Set<string>()
  for (const { own, s, t } of rows) {
    views.add(columnKey(s, t))
    if (Number(own) === 1) views.add(columnKey('', t))
  }
  return views
}

/** Returns the columns of MariaDB's type JSON, as `columnKey` writes them: LONGTEXT with the constraint `json_valid`. */
async function columnsCheckedAsJson(
  db: AnyDatabase,
  tables: readonly DialectTable[],
  declared: readonly Declared[],
  engine: Engine,
): Promise<ReadonlySet<string>> {
  const isLongText = ({ type }: Declared): boolean => /^longtext$/i.test(String(type))
  // In MySQL such a column is no JSON for drivers, and the catalogue has other columns.
  if (engine !== mariadbEngine) return new Set()
  const hasJson = tables.some(({ columns }) => columns.some(({ type }) => type === 'json'))
  if (!hasJson || !declared.some(isLongText)) return new Set()
  const names = sql.join([...new Set(tables.map(({ table }) => table))])
  const rows = await rowsOf<Readonly<Record<'s' | 't' | 'clause', unknown>>>(db)`
    select constraint_schema as s, table_name as t, check_clause as clause
    from information_schema.check_constraints
    where constraint_schema in (${schemasOf(tables)}) and table_name in (${names})`
  return new Set(
    rows.flatMap(({ s, t, clause }) => {
      const [, named] = /^json_valid\(`(.*)`\)$/i.exec(String(clause)) ?? []
      return named === undefined ? [] : [columnKey(s, t, named)]
    }),
  )
}

/** Lists the databases of the tables. Without a condition on the database, the server opens the tables of these names in every database. */
export function schemasOf(tables: readonly DialectTable[]): Fragment {
  const named = new Set(tables.flatMap(({ schema }) => schema ?? []))
  return sql.join([sql`database()`, ...named])
}

interface KnownOfColumn extends Pick<ColumnFacts, 'lacks'> {
  readonly isTable: boolean
  /** Whether a constraint says that the values are JSON. */
  readonly isChecked: boolean
}

function factsOf(row: Declared, { isTable, isChecked, lacks }: KnownOfColumn): ColumnFacts {
  const type = String(row.type).toLowerCase()
  const collation = String(row.collated ?? '')
  return {
    codePoint: codePointCollations.has(collation),
    collation,
    // The columns of a view may be the results of functions.
    isPlainText: isTable && plainTexts.has(type),
    utf8mb4: collation.startsWith('utf8mb4_'),
    lacks,
    nativeUuid: type === 'uuid',
    nativeJson: type === 'json',
    isToldAsJson: type === 'json' || isChecked || !isTable,
    zoned: type === 'timestamp',
    fraction: row.fraction === null ? undefined : Number(row.fraction),
    held: heldBy(type, collation, row),
    single: type === 'float',
    opaque: opaqueForm(type),
    // The string 'uuid()' as a constant default would be quoted by MariaDB, and not marked as an expression by MySQL.
    makesUuid:
      String(row.own_default).toLowerCase() === 'uuid()' &&
      (type === 'uuid' || /^$|default_generated/i.test(String(row.extra ?? ''))),
    bits: Number(row.digits ?? 0),
  }
}

const plainTexts: ReadonlySet<string> = new Set([
  'char',
  'varchar',
  'tinytext',
  'text',
  'mediumtext',
  'enum',
  'set',
  'uuid',
])

/** The catalogue has a scale for the types `float(7,3)` and `double(8,2)`, and none for `float` and `double`. */
const scaled: ReadonlySet<string> = new Set(['decimal', 'float', 'double'])

function heldBy(type: string, collation: string, row: Declared): Held {
  const scale = scaled.has(type) && row.scale !== null ? Number(row.scale) : undefined
  const fraction = row.fraction === null ? undefined : Number(row.fraction)
  const sized = { most: Number(row.bytes), of: bytesIn(collation) }
  return {
    digits: fraction ?? scale,
    floatDigits: type === 'float' ? 6 : undefined,
    length: type === 'varchar' || type === 'char' ? Number(row.length) : undefined,
    bytes: type.endsWith('text') ? sized : undefined,
    losesBlanks: type === 'char',
    fixedBytes: type === 'binary' ? Number(row.length) : undefined,
    shortYears: type === 'year',
    generatesForZero: /auto_increment/i.test(String(row.extra ?? '')),
  }
}

/** Collations of character sets with up to four bytes for a character. */
const severalBytes = /^(?:big5|cp932|eucjpms|euckr|gb|sjis|ujis)/

/** Returns a function that counts the bytes of a text in the character set of a collation; at least as many as it has. */
function bytesIn(collation: string): (text: string) => number {
  if (collation.startsWith('utf8')) return (text) => new TextEncoder().encode(text).length
  if (/^(?:ucs2|utf16)/.test(collation)) return (text) => text.length * 2
  if (collation.startsWith('utf32')) return (text) => [...text].length * 4
  const most = severalBytes.test(collation) ? 4 : 1
  return (text) => {
    let bytes = 0
    for (const character of text) bytes += character < '\x80' ? 1 : most
    return bytes
  }
}

/** Whether INSERT has RETURNING: in MariaDB since 10.5, never in MySQL. */
export const insertHasReturning = (version: string): boolean => isMariadbSince10(version, 5)

/** Whether FROM takes JSON_TABLE: in MariaDB since 10.6, and in every supported MySQL. */
const hasJsonTable = (version: string): boolean =>
  !/mariadb/i.test(version) || isMariadbSince10(version, 6)

function isMariadbSince10(version: string, since: number): boolean {
  const [, major, minor] = /([0-9]+)\.([0-9]+)\.[0-9]+-mariadb/i.exec(version) ?? []
  return Number(major) > 10 || (Number(major) === 10 && Number(minor) >= since)
}

const geometries =
  /^(?:multi)?(?:point|linestring|polygon)$|^geom(?:etry|etrycollection|collection)$/

/** How the text of a column of the type `opaque` is selected. */
function opaqueForm(type: string): ColumnFacts['opaque'] {
  if (type === 'bit') return 'bits'
  if (type === 'vector') return 'vector'
  return geometries.test(type) ? 'geometry' : 'text'
}

/**
 * Returns a key for the map of declared columns, in lower case: column names ignore case, and so do table names on some systems. An empty
 * schema stands for the database of the connection.
 */
function columnKey(...names: readonly unknown[]): string {
  return names.map((name) => String(name).toLowerCase()).join('\0')
}
