// Single-statement writes on PostgreSQL: the tables whose RETURNING gives what a SELECT would show afterwards.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { rowsOf } from '../../sql/statement.ts'
import type { DialectTable } from '../dialect.ts'
import { returningOnTables, type SingleWrites } from '../shared/writes.ts'
import { quotedName } from './column-facts.ts'
import { classifyPostgres } from './errors.ts'

// Bits of pg_trigger.tgtype: FOR EACH ROW, BEFORE, DELETE.
const beforeRow = 1 | 2
const deleteBeforeRow = beforeRow | 8

/** Patterns in the source of a trigger function: `return new` keeps the row; anything else may drop or change it. */
const returnsNew = '\\yreturn\\s+new\\s*;'
const mayReturnOther = '\\yreturn\\y|\\ynew\\s*:?=|\\yinto\\s+(strict\\s+)?new\\y'

/**
 * Ordinary tables without rules, row security, children or triggers. RETURNING does not show what triggers after the row
 * change, and a trigger before it may do something else instead, which the search for the reason of a missing row would
 * repeat. PL/pgSQL functions that only ever return NEW before an INSERT or UPDATE are allowed. Tables with a foreign key to
 * a key that is not the primary key are excluded if its ON UPDATE may change other columns of the same row. Empty on a
 * server that only resembles PostgreSQL and has other catalogues.
 */
export async function postgresSingleWrites(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<SingleWrites> {
  const names = JSON.stringify(tables.map(({ schema, table }) => quotedName(schema, table)))
  const found = rowsOf<{ i: unknown }>(db)`
    select t.i as i
    from jsonb_array_elements_text(${names}::jsonb) with ordinality as t(name, i)
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
