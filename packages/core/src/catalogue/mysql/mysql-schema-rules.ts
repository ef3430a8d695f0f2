// How the check at start-up compares models with a database of MySQL or MariaDB. `SchemaRules` explains each member.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { SchemaRules } from '../shared/schema-rules.ts'
import { type IndexRow, indexesOf } from '../shared/table-index.ts'
import { holdsBy, strictTypes } from '../shared/type-fit.ts'
import { readMysqlSchema } from './mysql-catalogue-session.ts'
import { markerIndexText } from './mysql-partial-key.ts'

export const mysqlSchema: SchemaRules = {
  // There are no partial indexes, so this describes one over a generated column.
  indexAmong: markerIndexText,
  read: (db, schema, only) => readMysqlSchema(db, { schema, only }),
  async tableNames(db, schema) {
    const rows = await rowsOf<{ name: string }>(db)`
      select table_name as name from information_schema.tables
      where table_schema = coalesce(${schema ?? null}, database()) order by table_name`
    return rows.map(({ name }) => name)
  },
  async hasForeignKeys(db, schema) {
    const rows = await rowsOf(db)`
      select 1 from information_schema.referential_constraints
      where constraint_schema = coalesce(${schema ?? null}, database()) limit 1`
    return rows.length > 0
  },
  async indexes(db, schema, tables) {
    return indexesOf(
      await rowsOf<IndexRow>(db)`
        select table_name as ${sql.id('table')}, index_name as ${sql.id('index')},
          column_name as ${sql.id('column')}
        from information_schema.statistics
        where table_schema = coalesce(${schema ?? null}, database()) and table_name in (${sql.join(tables)})
        order by table_name, index_name, seq_in_index`,
    )
  },
  async foldsTables(db) {
    const rows = await rowsOf<{ folds: unknown }>(db)`select @@lower_case_table_names as folds`
    return Number(rows[0]?.folds) > 0
  },
  foldsColumns: true,
  triggersFill: true,
  // `found` is the type of the omitted column, as the database writes it.
  async mayFill(db, { schema = null, table, found }) {
    // A required ENUM that is omitted gets its first member.
    if (/^enum/i.test(found)) return true
    const [row] = await rowsOf<{ name: string; triggers: unknown }>(db)`
      select coalesce(${schema}, database()) as name,
        (select count(*) from information_schema.triggers
          where event_object_schema = coalesce(${schema}, database()) and event_object_table = ${table}
            and action_timing = 'BEFORE') as triggers`
    if (row === undefined || Number(row.triggers) > 0) return true
    return !(await seesTriggers(db, row.name))
  },
  // `boolean` is a name for tinyint(1), and a boolean is stored as 0 or 1, which fits into every integer type.
  holds: holdsBy({
    ...strictTypes,
    integer: [...strictTypes.integer, 'boolean'],
    boolean: ['boolean', 'integer', 'bigint'],
  }),
}

/**
 * Whether this user sees every trigger of a database. The catalogue shows a trigger only to users with the TRIGGER privilege on its
 * table.
 */
async function seesTriggers(db: AnyDatabase, name: string): Promise<boolean> {
  const grants = (await rowsOf<Readonly<Record<string, string>>>(db)`show grants`).map(
    (row) => Object.values(row)[0] ?? '',
  )
  // SHOW GRANTS of MySQL also lists privileges that are revoked for single databases, and escapes wildcards in the names of databases.
  return (
    !grants.some((grant) => /^revoke/i.test(grant)) &&
    grants.some((grant) => {
      const [, what = '', where] = /^grant (.*) on (.*)\.\* to .*@/i.exec(grant) ?? []
      const isHere = where === '*' || where?.replaceAll('\\', '') === `\`${name}\``
      return isHere && /\btrigger\b|^all privileges$/i.test(what)
    })
  )
}
