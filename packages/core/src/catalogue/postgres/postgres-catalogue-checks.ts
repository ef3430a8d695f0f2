// Reads the rules for single columns from the CHECK constraints of PostgreSQL's tables and domains: `CHECK (price >= 0)` → a bound of `price`.

import { grouped } from '../../lib/grouped.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { type CheckRule, type CheckSyntax, checkRules } from '../shared/check-rules.ts'
import { among } from '../shared/table-names.ts'

const syntax: CheckSyntax = {
  backslash: 'plain',
  lengths: {
    length: 'characters',
    char_length: 'characters',
    character_length: 'characters',
    octet_length: 'bytes',
  },
  anyCharacters: true,
}

/** The rules of all constraints of a schema. */
export interface ConstraintRules {
  /** By the name of the table. */
  readonly ofTables: ReadonlyMap<string, readonly CheckRule[]>
  /** By the oid of the domain, including the rules of the domains that it is based on. */
  readonly ofDomains: ReadonlyMap<string, readonly CheckRule[]>
}

interface CheckRow {
  /** The name of a table, or the oid of a domain. */
  readonly owner: string
  readonly expression: string
}

/** Reads only constraints that hold for every row: validated, enforced, and inherited by child tables. */
export async function readPostgresChecks(
  db: AnyDatabase,
  schema: string,
  oids?: readonly string[],
): Promise<ConstraintRules> {
  const ofTables = await rowsOf<CheckRow>(db)`
    select c.relname::text as owner, pg_get_expr(o.conbin, o.conrelid) as expression
    from pg_constraint o
    join pg_class c on c.oid = o.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p') and o.contype = 'c'
      and o.convalidated and not o.connoinherit${among(sql.id('o', 'conrelid'), oids)}
    order by c.relname, o.conname`
  const ofDomains = await rowsOf<CheckRow>(db)`
    with recursive part_of (domain, oid) as (
      select oid, oid from pg_type where typtype = 'd'
      union all
      select p.domain, t.typbasetype from part_of p join pg_type t on t.oid = p.oid
      where t.typtype = 'd'
    )
    select p.domain::text as owner, pg_get_expr(o.conbin, 0) as expression
    from part_of p join pg_constraint o on o.contypid = p.oid
    where o.contype = 'c' and o.convalidated
    order by p.domain, o.conname`
  return { ofTables: byOwner(ofTables), ofDomains: byOwner(ofDomains) }
}

/** Parses the expressions, and groups their rules by table or domain. */
const byOwner = (rows: readonly CheckRow[]): ReadonlyMap<string, readonly CheckRule[]> =>
  new Map(
    [...grouped(rows, ({ owner }) => owner)].map(([owner, own]) => [
      owner,
      own.flatMap(({ expression }) => checkRules(expression, syntax)),
    ]),
  )

/**
 * Returns the rules for a column: the rules of its table, and the rules of its domain (`type`, the oid), in whose expressions the name
 * VALUE stands for the value.
 */
export const rulesOf = (
  { ofTables, ofDomains }: ConstraintRules,
  table: string,
  column: string,
  type: string,
): readonly CheckRule[] => [
  ...(ofTables.get(table) ?? []).filter((rule) => rule.column === column),
  ...(ofDomains.get(type) ?? []).filter((rule) => rule.column === 'VALUE'),
]
