// What a table of SQLite needs of the program that opens the file: functions, collations and modules are registered by each program for its
// own connections.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { StatementOnTable } from '../shared/schema-rules.ts'

/** Of a CHECK or a generated column, SQLite says `unknown function: fold()`. */
const lacking = /no such (?:function|collation sequence|module): [^\s:]+|unknown function: [^\s:]+/

/** Returns what SQLite misses when it prepares the statement, such as `no such function: fold`; undefined if it misses nothing. */
export async function sqliteLacks(
  db: AnyDatabase,
  statement: StatementOnTable,
): Promise<string | undefined> {
  try {
    await rowsOf(db)`explain ${textOf(statement)}`
    return undefined
  } catch (error) {
    return lacking.exec(error instanceof Error ? error.message : '')?.[0]
  }
}

/** A statement that runs all triggers of its kind, and compares all columns. */
function textOf({ kind, schema, table, columns }: StatementOnTable): Fragment {
  const name = schema === undefined ? sql.id(table) : sql.id(schema, table)
  const ids = columns.map((column) => sql.id(column))
  switch (kind) {
    case 'SELECT':
      return sql`select 1 from ${name} order by ${sql.join(ids)}`
    case 'INSERT':
      return sql`insert into ${name} default values`
    case 'UPDATE':
      return sql`update ${name} set ${sql.join(ids.map((id) => sql`${id} = ${id}`))}`
    case 'DELETE':
      return sql`delete from ${name}`
  }
}
