// Lone writes on PostgreSQL: on which tables RETURNING gives what a SELECT would show afterwards.

import { type Kysely, sql } from 'kysely'
import { classifyPostgres } from './classify.ts'
import type { DialectTable } from './dialect.ts'
import { givingBack, type LoneWrites } from './lone-writes.ts'
import { quotedName } from './postgres-facts.ts'

/**
 * Ordinary tables without rules, row security, children, and triggers that run after the row was stored (those before
 * it are seen); and none whose other columns an ON UPDATE of a foreign key may change in turn, which takes a key that
 * is not the primary one. A server that only resembles PostgreSQL and has other catalogues has none.
 */
export async function postgresLoneWrites(
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
  tables: readonly DialectTable[],
): Promise<LoneWrites> {
  const names = JSON.stringify(tables.map(({ schema, table }) => quotedName(schema, table)))
  const query = sql<{ i: unknown }>`
    select t.i as i
    from jsonb_array_elements_text(${names}::jsonb) with ordinality as t(name, i)
    join pg_class c on c.oid = to_regclass(t.name)
    where c.relkind = 'r' and not c.relhasrules and not c.relrowsecurity and not c.relhassubclass
      and not exists (
        select from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal and g.tgtype & 2 = 0)
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
