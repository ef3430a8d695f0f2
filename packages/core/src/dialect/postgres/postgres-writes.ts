// Single-statement writes on PostgreSQL: the tables whose RETURNING gives what a SELECT would show afterwards. Looked up when the dialect
// connects.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { DialectTable } from '../../model/dialect-column.ts'
import { returningOnTables, type SingleWrites } from '../shared/sql/single-writes.ts'
import { quotedName } from './postgres-column-facts.ts'
import { classifyPostgres } from './postgres-errors.ts'

// Bits of pg_trigger.tgtype: FOR EACH ROW, BEFORE, DELETE.
const beforeRow = 1 | 2
const deleteBeforeRow = beforeRow | 8

/** Patterns in the source of a trigger function: `return new` keeps the row; anything else may drop or change it. */
const returnsNew = '\\yreturn\\s+new\\s*;'
const mayReturnOther = '\\yreturn\\y|\\ynew\\s*:?=|\\yinto\\s+(strict\\s+)?new\\y'

/**
 * Allows ordinary tables without rules, row security, child tables or triggers. RETURNING does not show what AFTER triggers
 * change. A BEFORE trigger may write something else and skip the row; looking for the reason of the missing row would fire it
 * again. PL/pgSQL triggers that only ever return NEW before an INSERT or UPDATE are allowed. A table is excluded if a foreign key
 * with an ON UPDATE action refers to columns outside of its primary key, because the action may change the same row. Allows no
 * table on a server that speaks PostgreSQL's protocol but has another catalogue.
 */
export async function postgresSingleWrites(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<SingleWrites> {
  const names = JSON.stringify(tables.map(({ schema, table }) => quotedName(schema, table)))
  // `relkind` r is an ordinary table; `confupdtype` a is NO ACTION, r RESTRICT; `contype` f is a foreign key, p a primary key.
  const found = rowsOf<{ i: unknown }>(db)`
    select t.i as i
    from jsonb_array_elements_text(${names}::text::jsonb) with ordinality as t(name, i)
    join pg_class c on c.oid = to_regclass(t.name)
    where c.relkind = 'r' and not c.relhasrules and not c.relrowsecurity and not c.relhassubclass
      and not exists (
        select from pg_trigger g join pg_proc p on p.oid = g.tgfoid join pg_language l on l.oid = p.prolang
        where g.tgrelid = c.oid and not g.tgisinternal
          and (g.tgtype & ${deleteBeforeRow} <> ${beforeRow} or l.lanname <> 'plpgsql'
            or regexp_replace(p.prosrc, ${returnsNew}, '', 'gi') ~* ${mayReturnOther}))
      and not exists (
        select from pg_constraint f
        where f.confrelid = c.oid and f.contype = 'f' and f.confupdtype not in ('a', 'r')
          and not exists (
            select from pg_constraint p
            where p.conrelid = c.oid and p.contype = 'p' and p.conkey @> f.confkey))`
  try {
    return returningOnTables((await found).flatMap(({ i }) => tables[Number(i) - 1] ?? []))
  } catch (error) {
    if (classifyPostgres(error).kind === 'other') return returningOnTables([])
    throw error
  }
}
