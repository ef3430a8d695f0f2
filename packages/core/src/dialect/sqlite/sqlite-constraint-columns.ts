// Finds the columns of a violated constraint by what SQLite's error contains: the columns of a unique key, or the name or
// expression of a CHECK. The response to the refused write names their fields.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { TableName } from '../../lib/sql/table-name.ts'

/**
 * Returns the names in the list of columns or in the expression of the CHECK, including SQL keywords. `reported` is what the error
 * contains: `"a", "b"`, `price_positive` or `price > 0`.
 */
export async function sqliteConstraintColumns(
  db: AnyDatabase,
  { schema = 'main', table }: TableName,
  reported: string,
): Promise<readonly string[]> {
  if (!/^\w+$/.test(reported)) return namesIn(reported)
  const rows = await rowsOf<{ text: string | null }>(db)`
    select sql as text from ${sql.id(schema, 'sqlite_master')} where type = 'table' and name = ${table}`
  return namesIn(clauseOf(rows[0]?.text ?? '', reported))
}

const namesIn = (expression: string): readonly string[] =>
  Array.from(
    expression
      .replace(/'(?:[^']|'')*'/g, "''")
      .matchAll(/"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|([A-Za-z_]\w*)/g),
    ([, double, tick, bracket, plain]) =>
      double?.replaceAll('""', '"') ?? tick ?? bracket ?? plain ?? '',
  )

/** Returns the text in the brackets after `constraint <name> check`. */
function clauseOf(table: string, name: string): string {
  const start = new RegExp(`\\bconstraint\\s+["\`[]?${name}["\`\\]]?\\s+check\\s*\\(`, 'i').exec(
    table,
  )
  if (start === null) return ''
  const from = start.index + start[0].length
  let depth = 1
  let end = from
  for (; end < table.length && depth > 0; end++) {
    if (table[end] === '(') depth += 1
    else if (table[end] === ')') depth -= 1
  }
  return table.slice(from, end - 1)
}
