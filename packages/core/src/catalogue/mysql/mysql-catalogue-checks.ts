// Reads the rules for single columns from the CHECK constraints of MySQL and MariaDB: `CHECK (price >= 0)` → a bound of `price`.
// `unescaped` also serves the expressions of generated columns.

import { grouped } from '../../lib/grouped.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { type CheckRule, type CheckSyntax, checkRules } from '../shared/check-rules.ts'
import { among } from '../shared/table-names.ts'

/** What the CHECK constraints of one table say. */
export interface TableChecks {
  /**
   * The text columns with CHECK (json_valid(…)), which is how MariaDB stores json. On MySQL, such a column keeps the digits of
   * numbers; the type json rewrites them.
   */
  readonly json: ReadonlySet<string>
  readonly rules: readonly CheckRule[]
}

interface CheckRow {
  readonly table_name: string
  readonly clause: string
}

const lengths = {
  length: 'bytes',
  octet_length: 'bytes',
  char_length: 'characters',
  character_length: 'characters',
} as const

const mariadb: CheckSyntax = { backslash: 'escapes', lengths, anyCharacters: true }

/** MySQL's catalogue shows the bytes of characters beyond ASCII as if they were Latin-1. */
const mysql: CheckSyntax = { backslash: 'escapes', lengths, anyCharacters: false }

/** The tables whose constraints are read: the tables named in `only`, or every table of the schema. */
interface TableSelection {
  readonly schema: string
  readonly only: readonly string[] | undefined
}

/** Reads the constraints, grouped by the name of their table. `isMariadb`: the server is MariaDB. */
export async function readMysqlChecks(
  db: AnyDatabase,
  selection: TableSelection,
  isMariadb: boolean,
): Promise<ReadonlyMap<string, TableChecks>> {
  const rows = await (isMariadb ? mariadbChecks : mysqlChecks)(db, selection)
  const syntax = isMariadb ? mariadb : mysql
  const text = isMariadb ? (clause: string): string => clause : unescaped
  return new Map(
    [...grouped(rows, (row) => row.table_name)].map(([table, own]) => {
      const clauses = own.map(({ clause }) => text(clause))
      return [
        table,
        {
          json: new Set(clauses.flatMap(jsonColumn)),
          rules: clauses.flatMap((clause) => checkRules(clause, syntax)),
        },
      ]
    }),
  )
}

async function mariadbChecks(
  db: AnyDatabase,
  { schema, only }: TableSelection,
): Promise<readonly CheckRow[]> {
  return rowsOf<CheckRow>(db)`
    select table_name as table_name, check_clause as clause
    from information_schema.check_constraints where constraint_schema = ${schema}${among(sql.id('table_name'), only)}`
}

async function mysqlChecks(
  db: AnyDatabase,
  { schema, only }: TableSelection,
): Promise<readonly CheckRow[]> {
  return rowsOf<CheckRow>(db)`
    select t.table_name as table_name, c.check_clause as clause
    from information_schema.check_constraints c
    join information_schema.table_constraints t
      on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
    where c.constraint_schema = ${schema} and t.constraint_type = 'CHECK' and t.enforced = 'YES'${among(sql.id('t', 'table_name'), only)}`
}

/** MySQL's catalogue escapes clauses as if they were inside a string: `_utf8mb4\\'new\\'`. */
export function unescaped(clause: string): string {
  if (/(?<!\\)'/.test(clause)) return clause
  return clause.replace(/\\([\\'"])/g, '$1')
}

/** Returns the column of ``json_valid(`settings`)``, or none for another clause. With ANSI_QUOTES, MariaDB writes the name in double quotes. */
function jsonColumn(clause: string): readonly string[] {
  const [, quote = '', name] =
    /^\(?json_valid\(([`"])((?:(?!\1).|\1\1)+)\1\)\)?$/i.exec(clause) ?? []
  return name === undefined ? [] : [name.replaceAll(quote + quote, quote)]
}
