// Finds the collation by which the two columns of a relation are compared if their own differ, which SQLite alone allows. Read when the
// dialect connects.

import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import { rowsOf } from '../../../lib/sql/statement.ts'
import type { ColumnReference, DialectColumn, DialectTable } from '../../../model/dialect-column.ts'
import { classifySqlite } from '../sqlite-errors.ts'
import { amongTables } from './among-tables.ts'
import { bySchema } from './by-schema.ts'
import { sqliteCollations } from './collate-clauses.ts'

/**
 * The collation by which two columns of a relation are compared, if their own collations differ: that of the referred column, as in
 * foreign keys of SQLite.
 */
export type CollationBetween = (column: DialectColumn, other: DialectColumn) => string | undefined

/** Reads the collations of the columns of relations in which both are compared by their own, as models say by `collation: 'database'`. */
export async function referredCollations(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<CollationBetween> {
  const references = tables.flatMap(({ references = [] }) => references.filter(areCollated))
  const collated = new Set(references.flatMap(({ held, key }) => [held, key]))
  const collations = new Map<DialectColumn, string>()
  const read = tables.filter(({ columns }) => columns.some((column) => collated.has(column)))
  for (const [schema, inSchema] of bySchema(read)) {
    const texts = await createTables(db, schema, inSchema)
    for (const { table, columns } of inSchema) {
      const text = texts.get(table.toLowerCase())
      if (text === undefined) continue
      const declared = sqliteCollations(text)
      for (const column of columns)
        collations.set(column, declared.get(column.dbName.toLowerCase()) ?? 'BINARY')
    }
  }
  const between = new Map<DialectColumn, Map<DialectColumn, string>>()
  const add = (column: DialectColumn, other: DialectColumn, collation: string): void => {
    between.set(column, (between.get(column) ?? new Map()).set(other, collation))
  }
  for (const { held, key } of references) {
    const collation = collations.get(key)
    const ownCollation = collations.get(held)
    if (collation === undefined || ownCollation === undefined || ownCollation === collation)
      continue
    add(held, key, collation)
    add(key, held, collation)
  }
  return (column, other) => between.get(column.inPlaceOf ?? column)?.get(other.inPlaceOf ?? other)
}

/** Whether both the column of a foreign key (`held`) and the one that it refers to (`key`) are compared by their own collations. */
const areCollated = ({ held, key }: ColumnReference): boolean =>
  held.collation !== undefined && key.collation !== undefined

/** The CREATE TABLE texts of ordinary tables, by their names in lower case. Empty if the database hides its catalogue. */
async function createTables(
  db: AnyDatabase,
  schema: string,
  tables: readonly DialectTable[],
): Promise<ReadonlyMap<string, string>> {
  const names = tables.map(({ table }) => table)
  try {
    const rows = await rowsOf<{ readonly t: string; readonly text: string }>(db)`
      select m.name as t, m.sql as text from ${sql.id(schema, 'sqlite_master')} m
      where m.type = 'table' and not exists (select 1 from sqlite_temp_master s where lower(s.name) = lower(m.name))
        ${amongTables(sql`m.name`, names)}`
    return new Map(rows.map(({ t, text }) => [t.toLowerCase(), text]))
  } catch (error) {
    if (classifySqlite(error).kind === 'other') return new Map()
    throw error
  }
}
