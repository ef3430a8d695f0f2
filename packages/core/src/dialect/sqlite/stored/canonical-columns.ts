// Finds the indexed columns that store all values in one format, so that ORDER BY can use the index on the plain column. Read when the
// dialect connects.

// Statements are Kysely's `sql` here; `fragment` is that of this library, of which the other functions make their parts.
import { sql } from 'kysely'
import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { sql as fragment } from '../../../lib/sql/fragment.ts'
import type {
  DialectColumn,
  DialectTable,
  DialectTableColumn,
} from '../../../model/dialect-column.ts'
import { classifySqlite } from '../sqlite-errors.ts'
import { amongTables } from './among-tables.ts'
import { bySchema } from './by-schema.ts'
import { type CollationBetween, referredCollations } from './referred-collations.ts'
import { exactForm, hasForms, sqliteTypes } from './sqlite-types.ts'
import { foldedColumnKey, tableColumns } from './table-columns.ts'

/** Where a column is stored. */
export interface StoredPlace {
  readonly schema: string
  readonly table: string
  readonly dbName: string
}

/** The formats of the values that indexed columns contained at start-up. */
export interface KnownForms {
  /** The columns that can be stored in several formats and are the first of an index. */
  readonly indexed: ReadonlyMap<DialectColumn, StoredPlace>
  /** Columns whose stored values compare in the order of the values that they represent. */
  readonly ordered: ReadonlySet<DialectColumn>
  /**
   * Columns in which all stored texts of a value are close to each other: datetime columns without offsets, and uuid columns in which no
   * value mixes upper and lower case.
   */
  readonly narrow: ReadonlySet<DialectColumn>
  /**
   * `ordered` datetime columns that use another format than the service does, each with the function that converts a value to that
   * format, so that writes keep the column ordered.
   */
  readonly written: ReadonlyMap<DialectColumn, InForm>
  /** Columns whose affinity converts texts of numbers to numbers when they are stored. */
  readonly numbers: ReadonlySet<DialectColumn>
  /** Indexed columns that are not `ordered`. */
  readonly mixed: readonly (readonly [table: string, column: DialectColumn])[]
  /** The collation by which the columns of a relation are compared, if their own differ; otherwise undefined. */
  readonly collationBetween: CollationBetween
}

/** Converts `YYYY-MM-DD HH:MM:SS.sss` to the format of a column. */
type InForm = (text: string) => string

/** The knowledge before `connect`: conditions do not use indexes of columns with several formats. */
export const nothingKnown: KnownForms = {
  indexed: new Map(),
  ordered: new Set(),
  narrow: new Set(),
  written: new Map(),
  numbers: new Set(),
  mixed: [],
  collationBetween: () => undefined,
}

/** Reads each index once. Conditions are correct without this knowledge; it only decides which conditions can use an index. */
export async function knownForms(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<KnownForms> {
  const indexed = new Map<DialectColumn, StoredPlace>()
  const numbers = await tableColumns(db, tables, numberAffinity)
  const collationBetween = await referredCollations(db, tables)
  try {
    const ordered = new Set<DialectColumn>()
    const narrow = new Set<DialectColumn>()
    const written = new Map<DialectColumn, InForm>()
    const mixed: [string, DialectColumn][] = []
    const found = await indexedColumns(db, tables)
    for (const { schema, table, column } of found)
      indexed.set(column, { schema, table, dbName: column.dbName })
    for (const { schema, table, column } of found) {
      const shapes = await shapesOf(db, column, sql.id(schema, table), column.dbName)
      // The format of a column without values is unknown: another program may store any.
      if (shapes.size === 0) continue
      if (!shapes.has(shape.wide)) narrow.add(column)
      if (!isOneForm(shapes)) {
        mixed.push([table, column])
        continue
      }
      ordered.add(column)
      const inForm = inFormOf(shapes)
      if (inForm !== undefined) written.set(column, inForm)
    }
    return { indexed, ordered, narrow, written, numbers, mixed, collationBetween }
  } catch (error) {
    // D1 reports the kind `value`, because it refuses patterns of more than 50 characters.
    const { kind } = classifySqlite(error)
    if (kind === 'other' || kind === 'value')
      return { ...nothingKnown, indexed, numbers, collationBetween }
    throw error
  }
}

/** INTEGER, REAL or NUMERIC, by SQLite's rules in their order. */
const numberAffinity = fragment`(p.type like '%INT%' or not (p.type in ('', 'ANY') or p.type like '%CHAR%' or p.type like '%CLOB%' or p.type like '%TEXT%' or p.type like '%BLOB%'))`

interface IndexedColumn {
  readonly schema: string
  readonly table: string
  readonly column: DialectTableColumn
}

/** Finds the stored columns that are the first column of an index and whose type can be stored in several formats. */
async function indexedColumns(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<readonly IndexedColumn[]> {
  const found: IndexedColumn[] = []
  for (const [schema, inSchema] of bySchema(tables)) {
    if (!inSchema.some(({ columns }) => columns.some(hasForms))) continue
    const indexed = await namesOfIndexed(db, schema, inSchema)
    for (const { table, columns } of inSchema) {
      for (const column of columns) {
        const { dbName, computed } = column
        if (
          hasForms(column) &&
          computed === undefined &&
          indexed.has(foldedColumnKey(table, dbName))
        )
          found.push({ schema, table, column })
      }
    }
  }
  return found
}

async function namesOfIndexed(
  db: AnyDatabase,
  schema: string,
  inSchema: readonly DialectTable[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ readonly t: unknown; readonly c: unknown }>`
    select m.name as t, i.name as c
    from ${sql.id(schema, 'sqlite_master')} m, pragma_index_list(m.name, ${schema}) l,
      pragma_index_info(l.name, ${schema}) i
    where m.type = 'table' and i.seqno = 0 and i.name is not null
      ${amongTables(
        fragment`m.name`,
        inSchema.map(({ table }) => table),
      )}`.execute(db)
  return new Set(rows.map(({ t, c }) => foldedColumnKey(t, c)))
}

/** The format in which a value is stored. The SQL of `shape` in `sqlite-types.ts` contains the same numbers. */
const shape = {
  /** The service's own format, for types other than datetime. */
  service: 1,
  /** `YYYY-MM-DD HH:MM:SS` */
  seconds: 2,
  /** `YYYY-MM-DD HH:MM:SS.sss` */
  milliseconds: 3,
  /** `YYYY-MM-DD HH:MM:SS.000` */
  noMilliseconds: 4,
  /** `YYYY-MM-DDTHH:MM:SS.sssZ` */
  iso: 5,
  other: 6,
  /** A format that may sort far from the service's own: a datetime with an offset, or a uuid of mixed letter case. */
  wide: 7,
} as const

/**
 * Whether stored values sort in the order of the values that they represent. A column with two formats of datetimes still sorts
 * correctly if no instant is stored in both formats: for example with and without milliseconds, as long as no text ends in `.000`.
 */
const isOneForm = (shapes: ReadonlySet<number>): boolean =>
  [
    [shape.service],
    [shape.seconds, shape.milliseconds],
    [shape.milliseconds, shape.noMilliseconds],
    [shape.iso],
  ].some((form) => [...shapes].every((found) => (form as readonly number[]).includes(found)))

/** Converts values to the one format in which the column has its datetimes; undefined for the service's own format. */
function inFormOf(shapes: ReadonlySet<number>): InForm | undefined {
  if (shapes.has(shape.iso)) return (text) => `${text.replace(' ', 'T')}Z`
  if (shapes.has(shape.seconds)) return (text) => text.replace(/\.000$/, '')
  return undefined
}

/** The numbers of `shape` that occur among the values of a column. */
async function shapesOf(
  db: AnyDatabase,
  column: DialectColumn,
  table: unknown,
  dbName: string,
): Promise<ReadonlySet<number>> {
  const ref = fragment.id(dbName)
  const exact = exactForm(column, ref)
  const { rows } = await sql<{ readonly shape: unknown }>`
    select distinct ${sqliteTypes[column.type].shape(ref, exact)} as shape from ${table}
    where ${ref} is not null`.execute(db)
  return new Set(rows.map((row) => Number(row.shape)))
}
