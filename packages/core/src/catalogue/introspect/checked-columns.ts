// Applies CHECK constraints of the database to columns: a list of members turns a text into an enum, bounds become limits of the column.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { tableOf } from '../../lib/sql/table-name.ts'
import {
  type CatalogueColumn,
  type CatalogueTable,
  type ColumnShape,
  ownName,
} from '../shared/catalogue.ts'

/** Number of rows to search for other spellings of members, if the collation treats different spellings as equal. */
const sampleRows = 1000

/**
 * Gives every column the limits of its constraints, and turns columns with members into enums. Key columns keep their type,
 * because both sides of a relation need the same one.
 */
export async function withChecks(
  db: AnyDatabase,
  tables: readonly CatalogueTable[],
  schema: string | undefined,
): Promise<CatalogueTable[]> {
  const keys = keyColumns(tables)
  const result: CatalogueTable[] = []
  for (const table of tables) {
    const isKey = ({ name }: CatalogueColumn): boolean => keys.has(keyOf(table.name, name))
    const lists = table.columns.filter(
      (column) => column.checks?.members !== undefined && !isKey(column),
    )
    const inexact = lists.filter(({ checks }) => checks?.isExact !== true)
    const odd = inexact.length === 0 ? noColumns : await oddlySpelt(db, table, schema, inexact)
    const columns = table.columns.map((column) =>
      withLimits(column, {
        isEnum: lists.includes(column) && !odd.has(column),
        isOdd: odd.has(column),
      }),
    )
    result.push({ ...table, columns })
  }
  return result
}

const noColumns: ReadonlySet<CatalogueColumn> = new Set()

/** Identifies a column among all tables, without regard to case. */
const keyOf = (table: string, column: string): string => `${table}\0${column}`.toLowerCase()

/** Returns the columns of primary keys and on both sides of foreign keys, as `keyOf` writes them. */
function keyColumns(tables: readonly CatalogueTable[]): ReadonlySet<string> {
  return new Set(
    tables.flatMap(({ name, primaryKey, foreignKeys }) => [
      ...primaryKey.map((column) => keyOf(name, column)),
      ...foreignKeys.flatMap(({ columns, table, references }) => [
        ...columns.map((column) => keyOf(name, column)),
        ...references.map((column) => keyOf(table, column)),
      ]),
    ]),
  )
}

interface ListedMembers {
  /** The constraint lists members, which become those of an enum. */
  readonly isEnum: boolean
  /** The constraint lists members, but the column holds other spellings of them, so that it stays a text. */
  readonly isOdd: boolean
}

/** Applies the constraints of a column. */
function withLimits(column: CatalogueColumn, { isEnum, isOdd }: ListedMembers): CatalogueColumn {
  const { checks, shape } = column
  if (checks === undefined || shape === undefined) return column
  if (isEnum) return { ...column, shape: enumShape(shape, checks.members ?? []) }
  const { maxLength, ...limits } = checks.limits
  const lengths = [shape.maxLength, maxLength].filter((length) => length !== undefined)
  const note =
    'its CHECK lists its values, but some are stored in another spelling, which its collation takes for equal; so it is served as text'
  return {
    ...column,
    shape: {
      ...shape,
      ...limits,
      ...(lengths.length === 0 ? {} : { maxLength: Math.min(...lengths) }),
    },
    note: isOdd ? (column.note ?? note) : column.note,
  }
}

const enumShape = (
  { collation, readOnly }: ColumnShape,
  members: readonly string[],
): ColumnShape => ({
  type: 'enum',
  enum: members,
  ...(collation === undefined ? {} : { collation }),
  ...(readOnly === undefined ? {} : { readOnly }),
})

/** Returns the columns that contain another spelling of a member in the first rows, such as `New` for `new` under a collation that ignores case. */
async function oddlySpelt(
  db: AnyDatabase,
  table: CatalogueTable,
  schema: string | undefined,
  columns: readonly CatalogueColumn[],
): Promise<ReadonlySet<CatalogueColumn>> {
  const names = sql.join(columns.map(({ name }) => sql.id(name)))
  const from = tableOf(table.place ?? { schema, table: ownName(table) })
  const rows = await rowsOf<Readonly<Record<string, unknown>>>(
    db.withoutPlugins(),
  )`select ${names} from ${from} limit ${sampleRows}`
  return new Set(
    columns.filter(({ name, checks }) =>
      rows.some((row) => {
        const value = row[name] ?? null
        return value !== null && checks?.members?.includes(String(value)) !== true
      }),
    ),
  )
}
