// Compiles an aggregate of related rows: to a subquery that returns its value for one row, or to a table with the values of all rows.

import type { Expression, SqlBool } from 'kysely'
import { aggregateColumn } from '../../../dialect/shared/values/result-column.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { RelatedRef, RelatedStep } from '../../plan/plan.ts'
import { readLock } from '../read-lock.ts'
import { dialectColumnOf, joinCondition, joinedSource, joinKeys, valueIn } from '../source.ts'
import type { Target } from '../target.ts'
import { groupBy, whereAll } from './clauses.ts'

/** The column of the aggregate: the aggregated one, or for a number of rows any column, because none is read. */
export const aggregatedColumn = (target: Target, { of }: RelatedRef): DialectColumn =>
  of === undefined ? rowsColumn : dialectColumnOf(target, of.source, of.column)

const rowsColumn: DialectColumn = { name: 'rows', type: 'integer', nullable: false }

/** Describes the value of an aggregate, as `comparable` returns it. */
export const relatedColumn = (target: Target, ref: RelatedRef): DialectColumn =>
  aggregateColumn(ref.function, aggregatedColumn(target, ref))

/** Whether a value is selected for the response, or compared in conditions and orders. */
export type RelatedForm = 'shown' | 'compared'

/**
 * Compiles the subquery. `where` are the compiled conditions of the aggregate.
 *
 * ```sql
 * (select count(*) from "books" where "books"."author_id" = "authors"."id")
 * ```
 */
export function compileRelated(
  target: Target,
  ref: RelatedRef,
  form: RelatedForm,
  where: readonly Expression<SqlBool>[],
): Fragment {
  const [first] = ref.path as readonly [RelatedStep]
  const conditions = whereAll([joinCondition(target, first), ...where])
  return sql`(select ${aggregateOf(target, ref, form)} from ${pathOf(target, ref)}${conditions}${readLock(target, 'related')})`
}

/** Compiles the rows at the end of the path, with those on the way to them. */
function pathOf(target: Target, { path }: RelatedRef): Fragment {
  const [first, ...further] = path as readonly [RelatedStep, ...RelatedStep[]]
  const joins = further.map(
    (step) => sql` inner join ${joinedSource(target, step)} on ${joinCondition(target, step)}`,
  )
  return sql`${joinedSource(target, first)}${sql.join(joins, sql``)}`
}

/**
 * Compiles the join of a table under `alias` that has the aggregate of each key, and the value for a row of `from`, which has none in the
 * table if it has no related rows.
 *
 * ```sql
 * left join (select "books"."author_id" as "key 1", count(*) as "value" from "books" group by "books"."author_id") as "aggregate 1"
 *   on "aggregate 1"."key 1" = "authors"."id"
 * ```
 */
export function relatedGroups(
  target: Target,
  ref: RelatedRef,
  where: readonly Expression<SqlBool>[],
  alias: string,
): { readonly join: Fragment; readonly value: Fragment } {
  const [first] = ref.path as readonly [RelatedStep]
  const keys = joinKeys(target, first)
  const name = (i: number): string => `key ${i + 1}`
  const selected = [
    ...keys.map((key, i) => key.ref.as(name(i))),
    sql`${aggregateOf(target, ref, 'compared')}`.as('value'),
  ]
  const rows = sql`(select ${sql.join(selected)} from ${pathOf(target, ref)}${whereAll(where)}${groupBy(keys.map((key) => key.ref))})`
  const same = keys.map(({ column, otherColumn, otherRef }, i) =>
    target.dialect.sameKey(column, sql.id(alias, name(i)), otherColumn, otherRef),
  )
  const value = sql.id(alias, 'value')
  return {
    join: sql` left join ${rows.as(alias)} on ${sql.join(same, sql` and `)}`,
    value: ref.function === 'count' ? sql`coalesce(${value}, 0)` : value,
  }
}

/** Compiles the aggregate function over the rows of the path. */
function aggregateOf(target: Target, ref: RelatedRef, form: RelatedForm): Expression<unknown> {
  if (ref.of === undefined) return sql`count(*)`
  const aggregate = target.dialect.aggregate(ref.function, aggregatedColumn(target, ref))
  const value = valueIn(target, ref.of)
  return form === 'shown' ? aggregate.select(value) : aggregate.comparable(value)
}
