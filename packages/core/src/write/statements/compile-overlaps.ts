// Statements of rules by which no two records overlap: the lock of a name, and the search for records that do.

import type { SqlBool } from 'kysely'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { constant } from '../../lib/sql/param.ts'
import type { Exclusion, NamedColumn, Resource } from '../../model/registry/resource.ts'
import { readLock } from '../../query/compile/read-lock.ts'
import { whereAll } from '../../query/compile/rows/clauses.ts'
import { compileCondition } from '../../query/compile/rows/condition.ts'
import { keysCondition } from '../../query/compile/rows/keys-condition.ts'
import { unscoped } from '../../query/compile/scopes.ts'
import { selectList } from '../../query/compile/selection.ts'
import { aliasedSource, columnOf } from '../../query/compile/source.ts'
import type { Target } from '../../query/compile/target.ts'
import { refOf } from '../../query/plan/names.ts'
import type { Source, Value } from '../../query/plan/plan.ts'
import { planExclusion } from '../../query/plan/plan-exclusion.ts'
import type { CompiledWrite } from './statements.ts'

/** Locks a name until the transaction ends; none without such locks, where `createApi` asks for a foreign key. */
export const compileLockOfName = ({ dialect }: Target, name: string): readonly Fragment[] =>
  dialect.lockOfName === undefined
    ? []
    : [sql`select 1 from (select ${dialect.lockOfName(name)}) as ${sql.id('locked')}`]

/**
 * Selects the keys of those of these records that overlap another one, whoever may see it:
 *
 * `select "id" from t as written where id in (…) and exists (select 1 from t as other where other.room_id = written.room_id and
 * other.id <> written.id and other.starts_at < written.ends_at and written.starts_at < other.ends_at)`
 */
export function compileOverlapping(
  scoped: Target,
  resource: Resource,
  rule: Exclusion,
  keys: readonly (readonly Value[])[],
): CompiledWrite {
  const target = unscoped(scoped)
  const { dialect } = target
  const { written, other } = planExclusion(resource, rule)
  const [a, b] = [written.source, other.source]
  const { primaryKey } = resource
  const same = (column: NamedColumn): Fragment<SqlBool> =>
    sql<SqlBool>`${dialect.sameKey(column, columnOf(b, column), column, columnOf(a, column))}`
  const isOther = sql<SqlBool>`not (${sql.join(primaryKey.map(same), sql` and `)})`
  const found = whereAll([
    ...rule.equal.map(same),
    isOther,
    isBefore(target, b, rule.start, a, rule.end),
    isBefore(target, a, rule.start, b, rule.end),
    ...other.where.map((one) => compileCondition(target, one)),
  ])
  const exists = sql`exists (select 1 from ${aliasedSource(target, b)}${found}${readLock(target, 'related')})`
  const key = primaryKey.map((column) => ({ column, ref: columnOf(a, column) }))
  const wanted = whereAll([
    keysCondition(target, key, constant(keys)),
    ...written.where.map((one) => compileCondition(target, one)),
    exists,
  ])
  const { items, readers } = selectList(
    target,
    primaryKey.map((column) => ({ key: column.name, value: refOf(a, column), visible: true })),
  )
  return {
    statement: sql`select ${sql.join(items)} from ${aliasedSource(target, a)}${wanted}${readLock(target, 'base')}`,
    readers,
  }
}

/** Whether the start of one record is before the end of another one. NULL is no limit. */
function isBefore(
  { dialect }: Target,
  one: Source,
  start: NamedColumn,
  another: Source,
  end: NamedColumn,
): Fragment<SqlBool> {
  const [from, to] = [columnOf(one, start), columnOf(another, end)]
  const isEarlier = sql`${dialect.comparable(start, from)} < ${dialect.comparable(end, to)}`
  const open = [
    ...(start.nullable ? [isNull(dialect, start, from)] : []),
    ...(end.nullable ? [isNull(dialect, end, to)] : []),
  ]
  return open.length === 0
    ? sql<SqlBool>`${isEarlier}`
    : sql<SqlBool>`(${sql.join([isEarlier, ...open], sql` or `)})`
}

const isNull = (
  dialect: Target['dialect'],
  column: NamedColumn,
  ref: Fragment,
): Fragment<SqlBool> => sql<SqlBool>`${dialect.isNull?.(column, ref) ?? sql`${ref} is null`}`
