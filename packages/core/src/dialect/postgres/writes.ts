// Lone writes on PostgreSQL: on which tables RETURNING gives what a SELECT would show afterwards.

import { sql } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'
import type { DialectTable } from '../dialect.ts'
import { givingBack, type LoneWrites } from '../shared/writes.ts'
import { quotedName } from './column-facts.ts'
import { classifyPostgres } from './errors.ts'

// Bits of pg_trigger.tgtype: a row at a time, before, on DELETE.
const beforeRow = 1 | 2
const deleteBeforeRow = beforeRow | 8

/** In the source of a trigger's function: what always gives the row on, and what may not. */
const returnsNew = '\\yreturn\\s+new\\s*;'
const mayReturnOther = '\\yreturn\\y|\\ynew\\s*:?=|\\yinto\\s+(strict\\s+)?new\\y'

/**
 * Ordinary tables without rules, row security, children, and triggers: those after the row was stored are not seen, and
 * those before it may do something else instead, which would be done again when it is asked why nothing was written. Only
 * functions of PL/pgSQL that return nothing but NEW before an INSERT or UPDATE may stay. And none whose other columns an ON UPDATE of a foreign key may change in turn, which takes a key that
 * is not the primary one. A server that only resembles PostgreSQL and has other catalogues has none.
 */
export async function postgresLoneWrites(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<LoneWrites> {
  const names = JSON.stringify(tables.map(({ schema, table }) => quotedName(schema, table)))
  const query = sql<{ i: unknown }>`
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
    const { rows } = await query.execute(db)
    return givingBack(new Set(rows.flatMap(({ i }) => tables[Number(i) - 1]?.table ?? [])))
  } catch (error) {
    if (classifyPostgres(error).kind === 'other') return givingBack(new Set())
    throw error
  }
}
