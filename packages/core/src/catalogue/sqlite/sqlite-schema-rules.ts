// How the check at start-up compares models with a SQLite schema, whose declared types only decide how values are converted. `SchemaRules`
// explains each member.

import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { CatalogueColumn } from '../shared/catalogue.ts'
import { partialIndexText } from '../shared/partial-key.ts'
import type { SchemaRules } from '../shared/schema-rules.ts'
import { type IndexRow, indexesOf } from '../shared/table-index.ts'
import { type FittingTypes, holdsBy, strictTypes } from '../shared/type-fit.ts'
import { readSqlite } from './sqlite-catalogue.ts'
import { sqliteLacks } from './sqlite-lacking.ts'

const text = ['text', 'string'] as const

/** Dates and times are stored as text, booleans as numbers. */
const types: FittingTypes = {
  ...strictTypes,
  integer: ['integer', 'bigint', 'boolean'],
  decimal: ['decimal', 'float'],
  boolean: ['boolean', 'integer', 'bigint'],
  date: ['date', ...text],
  datetime: ['datetime', ...text],
  time: ['time', ...text],
}

/** A column of affinity NUMERIC keeps every number as it is. */
const ofAnyNumber: FittingTypes = {
  ...types,
  integer: [...types.integer, 'float', 'opaque'],
  bigint: [...types.bigint, 'float', 'opaque'],
  float: [...types.float, 'opaque'],
  decimal: [...types.decimal, 'opaque'],
  boolean: [...types.boolean, 'float', 'opaque'],
}

const holdsDeclared = holdsBy(types)
const holdsNumber = holdsBy(ofAnyNumber)

/** Columns without a declared type keep every value as it is. */
const isUntyped = ({ databaseType }: CatalogueColumn): boolean =>
  /^(?:|any)$/i.test(databaseType.trim())

/** Number types without digits, and type names that SQLite does not know. */
const isNumeric = ({ databaseType, shape }: CatalogueColumn): boolean =>
  /^(?:dec|num)/i.test(databaseType) ||
  (shape?.type === 'opaque' && !/date|time/i.test(databaseType))

export const sqliteSchema: SchemaRules = {
  indexAmong: partialIndexText,
  // Triggers of SQLite cannot change the new row.
  triggersFill: false,
  mayFill: async () => false,
  lacks: sqliteLacks,
  read: readSqlite,
  async tableNames(db, schema = 'main') {
    const rows = await rowsOf<{ name: string }>(db)`
      select name from ${sql.id(schema, 'sqlite_master')}
      where type in ('table', 'view') and name not like 'sqlite!_%' escape '!' order by name`
    return rows.map(({ name }) => name)
  },
  async indexes(db, schema = 'main', tables) {
    return indexesOf(
      await rowsOf<IndexRow>(db)`
        select t.name as "table", i.name as "index", c.name as "column"
        from ${sql.id(schema, 'sqlite_master')} t, pragma_index_list(t.name, ${schema}) i,
          pragma_index_info(i.name, ${schema}) c
        where t.type = 'table' and t.name in (${sql.join(tables)})
        order by t.name, i.seq, c.seqno`,
    )
  },
  async hasForeignKeys(db, schema = 'main') {
    const rows = await rowsOf(db)`
      select 1 from ${sql.id(schema, 'sqlite_master')} t, pragma_foreign_key_list(t.name, ${schema}) f
      where t.type = 'table' limit 1`
    return rows.length > 0
  },
  // SQLite looks for a table in `temp`, `main` and the attached databases.
  async furtherSchemas(db) {
    const rows = await rowsOf<{ name: string }>(db)`
      select name from pragma_database_list where name <> 'main' order by seq`
    return rows.map(({ name }) => name)
  },
  foldsTables: async () => true,
  foldsColumns: true,
  holds(declared, found) {
    if (isUntyped(found)) return true
    if (declared.storage === 'text') {
      // Affinity NUMERIC and REAL would turn the text into a 64-bit float.
      return found.shape?.storage === 'text' || text.some((type) => type === found.shape?.type)
    }
    // `holdsTexts`: some sampled values are texts. Integers and texts in one column are compared as they are stored.
    if (found.holdsTexts === true && text.some((type) => type === declared.type)) return true
    return (isNumeric(found) ? holdsNumber : holdsDeclared)(declared, found)
  },
}
