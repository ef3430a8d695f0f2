// Conditions on lists of datetimes and times, such as `created__in=…`: one array of bound values for any length, although each value
// stands for a range of stored values.
// Values of requests are `Param`s (`lib/sql/param.ts`): `map` converts one, `share` does so once for several parameters, and `decide`
// answers a question on which the SQL depends.

import type { SqlBool } from 'kysely'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import { tableOf } from '../../../lib/sql/table-name.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { PlanValue } from '../../dialect.ts'
import { arrayLiteral } from '../../shared/json/list-text.ts'
import type { Ref, SqlTest } from '../../shared/sql/sql-parts.ts'
import type { DeclaredType, PostgresFacts, StoredColumn } from '../postgres-column-facts.ts'
import type { MomentSpan } from './moment-spans.ts'
import { momentText } from './moments.ts'

/** The types of datetimes and times, by their catalogue names, each with the cast from text to an array of the type. */
const momentTypes: ReadonlyMap<string, Fragment> = new Map([
  ['timestamp', sql`::text::timestamp[]`],
  ['timestamptz', sql`::text::timestamptz[]`],
  ['time', sql`::text::time[]`],
])

/**
 * `column in (values)` for datetimes and times.
 *
 * A column that stores no more digits than a value has is compared as it is. Otherwise an index on the column finds the stored values
 * within the ranges of the values, which the condition then looks up; without one, the condition compares what responses show.
 *
 * `created_at = any(array(select … from unnest($1, $2) as v ("low", "high") join "orders" s on s."created_at" between v."low" and v."high"))`
 */
export function momentIn(
  facts: PostgresFacts,
  span: MomentSpan,
  column: DialectColumn,
  ref: Ref,
  values: Param<readonly PlanValue[]>,
): SqlTest {
  // What a statement computes has no declared type.
  const type = column.comparable ? undefined : facts.declared(column)
  const cast = type && momentTypes.get(type.name)
  // Undefined without an index on the column.
  const stored = cast && facts.indexed(column)
  if (stored === undefined || cast === undefined || isExact(span, type)) {
    return amongShown('in', span, ref, values, type)
  }
  // The ranges of two values are the same or have no value in common, so that the join finds each stored value once.
  const ranges = values.share((all) => [
    ...new Map(all.map((value) => span.range(String(value)))).entries(),
  ])
  const found = storedWithin(stored, ranges, cast)
  return sql<SqlBool>`${ref} = any(array(${found}))`
}

/** `column not in (values)` for datetimes and times. */
export function momentNotIn(
  facts: PostgresFacts,
  span: MomentSpan,
  column: DialectColumn,
  ref: Ref,
  values: Param<readonly PlanValue[]>,
): SqlTest {
  return amongShown(
    'not in',
    span,
    ref,
    values,
    column.comparable ? undefined : facts.declared(column),
  )
}

/** Whether the column stores no more digits than values have; false if its type or its digits are not known. */
const isExact = ({ digits }: MomentSpan, type: DeclaredType | undefined): boolean =>
  type?.held.digits !== undefined && type.held.digits <= digits

/** Tests whether responses show one of the values, or none of them (`not in`). */
function amongShown(
  operator: 'in' | 'not in',
  span: MomentSpan,
  ref: Ref,
  values: Param<readonly PlanValue[]>,
  type: DeclaredType | undefined,
): SqlTest {
  const negated = operator === 'not in'
  const texts = values.map((all) => all.map((value) => momentText(String(value))))
  const cast = type && momentTypes.get(type.name)
  const exact = isExact(span, type)
  if (cast !== undefined && (exact || !span.isShownAsText)) {
    // The cast depends on settings of the session, so that it would be made again for each row outside of a subquery.
    const list = sql`select unnest(${texts.map(arrayLiteral)}${cast})`
    const shown = exact ? ref : span.shown(ref)
    return sql<SqlBool>`${shown} ${negated ? sql`not in` : sql`in`} (${list})`
  }
  return sql<SqlBool>`${span.shown(ref)} ${negated ? sql`<> all` : sql`= any`}(${texts})`
}

function storedWithin(
  { table, dbName }: StoredColumn,
  ranges: Param<readonly (readonly [low: string, high: string])[]>,
  cast: Fragment,
): Fragment {
  const [wanted, stored] = ['model_api_wanted', 'model_api_stored']
  const lows = sql`${ranges.map((all) => arrayLiteral(all.map(([low]) => low)))}${cast}`
  const highs = sql`${ranges.map((all) => arrayLiteral(all.map(([, high]) => high)))}${cast}`
  const value = sql.id(stored, dbName)
  return sql`select ${value} from unnest(${lows}, ${highs}) as ${sql.id(wanted)} ("low", "high") join ${tableOf(table)} as ${sql.id(stored)} on ${value} between ${sql.id(wanted, 'low')} and ${sql.id(wanted, 'high')}`
}
