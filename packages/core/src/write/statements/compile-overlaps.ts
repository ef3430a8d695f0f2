// The SQL of rules by which no two records overlap (`exclude` of a model): the lock of a name, and the search for records that break a
// rule. `check/overlaps.ts` sends it.

import type { SqlBool } from 'kysely'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { constant } from '../../lib/sql/param.ts'
import type { Exclusion, NamedColumn, Resource } from '../../model/registry/resource.ts'
import { readLock } from '../../query/compile/read-lock.ts'
import { whereAll } from '../../query/compile/rows/clauses.ts'
import { compileCondition } from '../../query/compile/rows/condition.ts'
import { keysCondition } from '../../query/compile/rows/keys-condition.ts'
import { selectList } from '../../query/compile/selection.ts'
import { aliasedSource, columnOf } from '../../query/compile/source.ts'
import type { Target } from '../../query/compile/target.ts'
import { refOf } from '../../query/plan/names.ts'
import type { Source, Value } from '../../query/plan/plan.ts'
import { planExclusion } from '../../query/plan/plan-exclusion.ts'
import type { CompiledWrite } from './statements.ts'

/**
 * Locks a name, that of the table, until the transaction ends: for rules without a foreign key, whose record could be locked instead. An
 * empty list on databases without such locks, where `createApi` asks for a foreign key.
 */
export const compileLockOfName = ({ dialect }: Target, name: string): readonly Fragment[] =>
  dialect.lockOfName === undefined
    ? []
    : [sql`select 1 from (select ${dialect.lockOfName(name)}) as ${sql.id('locked')}`]

/**
 * Selects the keys of those of these records that overlap another one, or that refer to no record. The target is unscoped, because rules
 * are about all rows:
 *
 * `select "id" from t as written where id in (…) and (exists (select 1 from t as other where other.room_id = written.room_id and
 * other.id <> written.id and other.starts_at < written.ends_at and written.starts_at < other.ends_at) or …)`
 */
export function compileBreaking(
  target: Target,
  resource: Resource,
  rule: Exclusion,
  keys: readonly (readonly Value[])[],
): CompiledWrite {
  const orphan = isOrphan(target, resource, rule)
  const overlaps = overlapsAnother(target, resource, rule)
  const breaks = orphan === undefined ? overlaps : sql<SqlBool>`(${overlaps} or ${orphan})`
  return compileWritten(target, resource, rule, keys, breaks)
}

/** Selects the keys of those of these records whose foreign key refers to no record; undefined if the rule has no foreign key. */
export function compileOrphans(
  target: Target,
  resource: Resource,
  rule: Exclusion,
  keys: readonly (readonly Value[])[],
): CompiledWrite | undefined {
  const orphan = isOrphan(target, resource, rule)
  return orphan && compileWritten(target, resource, rule, keys, orphan)
}

/**
 * `select "id" from t as written where id in (…) and …`: the written records of which `breaks` is true, among those that the rule is about.
 */
function compileWritten(
  target: Target,
  resource: Resource,
  rule: Exclusion,
  keys: readonly (readonly Value[])[],
  breaks: Fragment<SqlBool>,
): CompiledWrite {
  const { source, where } = planExclusion(resource, rule).written
  const { primaryKey } = resource
  const key = primaryKey.map((column) => ({ column, ref: columnOf(source, column) }))
  const conditions = whereAll([
    keysCondition(target, key, constant(keys)),
    ...where.map((condition) => compileCondition(target, condition)),
    breaks,
  ])
  const { items, readers } = selectList(
    target,
    primaryKey.map((column) => ({ key: column.name, value: refOf(source, column), visible: true })),
  )
  return {
    statement: sql`select ${sql.join(items)} from ${aliasedSource(target, source)}${conditions}${readLock(target, 'base')}`,
    readers,
  }
}

/** `exists (select 1 from t as other where …)`: whether a written record overlaps another one. */
function overlapsAnother(target: Target, resource: Resource, rule: Exclusion): Fragment<SqlBool> {
  const { dialect } = target
  const { written, other } = planExclusion(resource, rule)
  const [a, b] = [written.source, other.source]
  const same = (column: NamedColumn): Fragment<SqlBool> =>
    sql<SqlBool>`${dialect.sameKey(column, columnOf(b, column), column, columnOf(a, column))}`
  const found = whereAll([
    ...rule.equal.map(same),
    sql<SqlBool>`not (${sql.join(resource.primaryKey.map(same), sql` and `)})`,
    isBefore(target, b, rule.start, a, rule.end),
    isBefore(target, a, rule.start, b, rule.end),
    ...other.where.map((condition) => compileCondition(target, condition)),
  ])
  return sql<SqlBool>`exists (select 1 from ${aliasedSource(target, b)}${found}${readLock(target, 'related')})`
}

/** Whether the foreign key of a rule refers to no record; not so where a column is NULL, since such records never overlap. */
function isOrphan(
  target: Target,
  resource: Resource,
  rule: Exclusion,
): Fragment<SqlBool> | undefined {
  const { dialect } = target
  const {
    written: { source },
    parent,
  } = planExclusion(resource, rule)
  if (parent === undefined || rule.parent === undefined) return undefined
  const found = whereAll(
    rule.parent.pairs.map(
      ({ from, to }) =>
        sql<SqlBool>`${dialect.sameKey(to, columnOf(parent, to), from, columnOf(source, from))}`,
    ),
  )
  const known = rule.equal
    .filter(({ nullable }) => nullable)
    .map((column) => sql<SqlBool>`not (${isNull(dialect, column, columnOf(source, column))})`)
  const missing = sql<SqlBool>`not exists (select 1 from ${aliasedSource(target, parent)}${found}${readLock(target, 'related')})`
  return sql<SqlBool>`(${sql.join([...known, missing], sql` and `)})`
}

/** Whether the start of one record is before the end of another one. NULL is no limit. */
function isBefore(
  { dialect }: Target,
  source: Source,
  start: NamedColumn,
  otherSource: Source,
  end: NamedColumn,
): Fragment<SqlBool> {
  const [from, to] = [columnOf(source, start), columnOf(otherSource, end)]
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
