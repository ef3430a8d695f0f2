// What MySQL and MariaDB must be asked once: which server it is, and how each column is really declared.

import { type RawBuilder, sql } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'
import { type Fragment, sql as fragment } from '../../sql/fragment.ts'
import type { DialectColumn, DialectTable } from '../dialect.ts'

/** How a column is declared, as far as it changes the SQL. */
export interface ColumnFacts {
  /** It collates by code point without padding: plain operators are right, and its index serves. */
  readonly codePoint: boolean
  /** Its characters are utf8mb4 already. */
  readonly utf8mb4: boolean
  /** A native `uuid`, which is ordered by other rules than its text. */
  readonly nativeUuid: boolean
  /** A `timestamp`, which every session reads and writes in its own time zone. */
  readonly zoned: boolean
}

export interface Facts {
  /** MariaDB rather than MySQL; undefined where nobody looked. */
  readonly mariadb?: boolean
  /** A collation of utf8mb4 by code point that does not pad; each server has its own name for it. */
  readonly collation: Fragment
  readonly of: (column: DialectColumn) => ColumnFacts | undefined
}

/** Without a look: right on MySQL 8, and the careful form for every column. */
export const unknownFacts: Facts = { collation: fragment`utf8mb4_0900_bin`, of: () => undefined }

const codePointCollations = new Set(['utf8mb4_0900_bin', 'utf8mb4_nopad_bin', 'utf8mb3_nopad_bin'])

/** Asks for the version, and for the columns of the tables. */
export async function lookUpFacts(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<Facts> {
  const { rows } = await sql<{ version: unknown }>`select version() as version`.execute(db)
  const mariadb = /mariadb/i.test(String(rows[0]?.version))
  const facts = tables.length === 0 ? new Map() : await columnFacts(db, tables)
  return {
    mariadb,
    collation: mariadb ? fragment`utf8mb4_nopad_bin` : fragment`utf8mb4_0900_bin`,
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
}

async function columnFacts(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<ReadonlyMap<DialectColumn, ColumnFacts>> {
  const names = sql.join([...new Set(tables.map(({ table }) => table))])
  const { rows } = await sql<Declared>`
    select table_schema as s, table_schema = database() as own, table_name as t, column_name as c,
      data_type as type, collation_name as collated
    from information_schema.columns
    where table_schema in (${schemasOf(tables)}) and table_name in (${names})`.execute(db)
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

/** The databases that hold the tables; without a condition on them the server opens those of the same name in every database. */
export function schemasOf(tables: readonly DialectTable[]): RawBuilder<unknown> {
  const named = new Set(tables.flatMap(({ schema }) => schema ?? []))
  return sql.join([sql`database()`, ...named])
}

function factsOf(row: Declared): ColumnFacts {
  const type = String(row.type).toLowerCase()
  const collation = String(row.collated ?? '')
  return {
    codePoint: codePointCollations.has(collation),
    utf8mb4: collation.startsWith('utf8mb4_'),
    nativeUuid: type === 'uuid',
    zoned: type === 'timestamp',
  }
}

/** Names of columns never depend on case here, and those of tables not on every system. */
function place(...names: readonly unknown[]): string {
  return names.map((name) => String(name).toLowerCase()).join('\0')
}
