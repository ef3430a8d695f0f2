// Reads which server it is, MySQL or MariaDB, and how its columns are declared.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { type Fragment, sql } from '../../sql/fragment.ts'
import { rowsOf } from '../../sql/statement.ts'
import type { DialectColumn, DialectTable } from '../dialect.ts'
import type { Engine } from './engine.ts'
import { mariadbEngine } from './engine-mariadb.ts'
import { mysqlEngine } from './engine-mysql.ts'

/** The properties of a declared column that change the SQL. */
export interface ColumnFacts {
  /** Its collation orders by code point without padding, so plain operators are correct and can use its index. */
  readonly codePoint: boolean
  /** Its collation; empty where it has none. */
  readonly collation: string
  /** Its character set is utf8mb4. */
  readonly utf8mb4: boolean
  /** MariaDB's `uuid` type, whose order differs from that of its text. */
  readonly nativeUuid: boolean
  /** A `timestamp`, which MySQL converts to and from the session's time zone. */
  readonly zoned: boolean
  /** A `float` of 32 bits, whose text has fewer digits than its value. */
  readonly single: boolean
  /** How a column of a type without a JSON form is converted to text. */
  readonly opaque: 'bits' | 'geometry' | 'vector' | 'text'
  /** Its default is `uuid()`. */
  readonly makesUuid: boolean
  /** The digits of a `bit` column. */
  readonly bits: number
}

export interface Facts {
  /** Undefined before the look-up. */
  readonly engine?: Engine
  /** INSERT has RETURNING. */
  readonly insertReturns?: boolean
  /** FROM takes JSON_TABLE. */
  readonly hasJsonTable?: boolean
  readonly of: (column: DialectColumn) => ColumnFacts | undefined
}

/** Before the look-up. */
export const unknownFacts: Facts = { of: () => undefined }

const codePointCollations = new Set(['utf8mb4_0900_bin', 'utf8mb4_nopad_bin', 'utf8mb3_nopad_bin'])

/** Asks for the version, and for the columns of the tables. */
export async function lookUpFacts(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<Facts> {
  const rows = await rowsOf<{ version: unknown }>(db)`select version() as version`
  const facts = tables.length === 0 ? new Map() : await columnFacts(db, tables)
  const version = String(rows[0]?.version)
  return {
    engine: /mariadb/i.test(version) ? mariadbEngine : mysqlEngine,
    insertReturns: insertHasReturning(version),
    hasJsonTable: hasJsonTable(version),
    of: (column) => facts.get(column),
  }
}

interface Declared {
  readonly own: unknown
  readonly s: unknown
  readonly t: unknown
  readonly c: unknown
  readonly type: unknown
  readonly collated: unknown
  readonly digits: unknown
  readonly own_default: unknown
  readonly extra: unknown
}

async function columnFacts(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<ReadonlyMap<DialectColumn, ColumnFacts>> {
  const names = sql.join([...new Set(tables.map(({ table }) => table))])
  const rows = await rowsOf<Declared>(db)`
    select table_schema as s, table_schema = database() as own, table_name as t, column_name as c,
      data_type as type, collation_name as collated, numeric_precision as digits,
      column_default as own_default, extra as extra
    from information_schema.columns
    where table_schema in (${schemasOf(tables)}) and table_name in (${names})`
  const declared = new Map<string, Declared>()
  for (const row of rows) {
    declared.set(place(row.s, row.t, row.c), row)
    if (Number(row.own) === 1) declared.set(place('', row.t, row.c), row)
  }
  const facts = new Map<DialectColumn, ColumnFacts>()
  for (const { schema = '', table, columns } of tables) {
    for (const column of columns) {
      const row = declared.get(place(schema, table, column.dbName))
      if (row !== undefined && column.computed === undefined) facts.set(column, factsOf(row))
    }
  }
  return facts
}

/** The databases that contain the tables. Without a condition on them, the server would open tables of the same names in every database. */
export function schemasOf(tables: readonly DialectTable[]): Fragment {
  const named = new Set(tables.flatMap(({ schema }) => schema ?? []))
  return sql.join([sql`database()`, ...named])
}

function factsOf(row: Declared): ColumnFacts {
  const type = String(row.type).toLowerCase()
  const collation = String(row.collated ?? '')
  return {
    codePoint: codePointCollations.has(collation),
    collation,
    utf8mb4: collation.startsWith('utf8mb4_'),
    nativeUuid: type === 'uuid',
    zoned: type === 'timestamp',
    single: type === 'float',
    opaque: opaqueForm(type),
    // The string 'uuid()' as a constant default would be quoted by MariaDB, and not marked as an expression by MySQL.
    makesUuid:
      String(row.own_default).toLowerCase() === 'uuid()' &&
      (type === 'uuid' || /^$|default_generated/i.test(String(row.extra ?? ''))),
    bits: Number(row.digits ?? 0),
  }
}

/** Since MariaDB 10.5. */
export const insertHasReturning = (version: string): boolean => isMariadbSince10(version, 5)

/** Since MariaDB 10.6, and in every supported MySQL. */
const hasJsonTable = (version: string): boolean =>
  !/mariadb/i.test(version) || isMariadbSince10(version, 6)

function isMariadbSince10(version: string, since: number): boolean {
  const [, major, minor] = /([0-9]+)\.([0-9]+)\.[0-9]+-mariadb/i.exec(version) ?? []
  return Number(major) > 10 || (Number(major) === 10 && Number(minor) >= since)
}

const geometries =
  /^(?:multi)?(?:point|linestring|polygon)$|^geom(?:etry|etrycollection|collection)$/

function opaqueForm(type: string): ColumnFacts['opaque'] {
  if (type === 'bit') return 'bits'
  if (type === 'vector') return 'vector'
  return geometries.test(type) ? 'geometry' : 'text'
}

/** Column names ignore case, and table names do on some systems. */
function place(...names: readonly unknown[]): string {
  return names.map((name) => String(name).toLowerCase()).join('\0')
}
