// Compiles a statement that returns the JSON of a whole page in one row, with its total: the service sends the text on without reading
// single rows. For the shortcut `objectText`, whose JSON `test` checks by a regular expression.
// `select group_concat("object of row", ',') as "list of objects", count(*) as "number of objects" from (…) as "page"`

import { listTest } from '../../../dialect/shared/json/object-text.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { RowPlan } from '../../plan/plan.ts'
import { compileCount } from '../rows/row-count.ts'
import { compileRows, type Slice } from '../rows/row-query.ts'
import type { Target } from '../target.ts'
import { objectAlias } from './object-json.ts'

/** The statement of a page as JSON. */
export interface CompiledList {
  readonly list: Fragment
  /** Whether a value is the JSON of `count` objects whose links begin with `base`. */
  readonly test: (base: string) => (text: unknown, count: number) => boolean
}

/** The columns of the row. */
export const listColumns = {
  /** The objects, separated by commas; NULL without objects. */
  objects: { alias: 'list of objects', index: 0 },
  count: { alias: 'number of objects', index: 1 },
  /** The total number of rows, if requested; NULL if it follows from the number of rows on the page. */
  total: { alias: 'total of all', index: 2 },
} as const

/** How to count the total. */
export interface ListTotal {
  /** Counts at most this many rows; null counts all. */
  readonly maxRows: number | null
  /** The page size: a page with fewer rows is the last one. */
  readonly pageSize: number
}

/**
 * Compiles the statement of the page that `slice` describes; undefined if more than the objects must be read, such as cursor values or
 * relations.
 */
export function compileList(
  target: Target,
  plan: RowPlan,
  slice: Omit<Slice, 'total'>,
  total: ListTotal | undefined,
): CompiledList | undefined {
  const objectText = target.dialect.shortcuts?.objectText
  if (objectText === undefined || slice.object?.complete !== true || slice.keyset !== undefined) {
    return undefined
  }
  const { rows } = compileRows(target, plan, slice)
  const selected = [
    objectText.listed(sql.id(objectAlias)).as(listColumns.objects.alias),
    sql`count(*)`.as(listColumns.count.alias),
    ...(total === undefined
      ? []
      : [
          sql`case when ${isTotalNeeded(slice, total)} then (${compileCount(target, plan, total.maxRows)}) end`.as(
            listColumns.total.alias,
          ),
        ]),
  ]
  return {
    list: sql`select ${sql.join(selected)} from (${rows}) as ${sql.id('page')}`,
    test: listTest(slice.object.form),
  }
}

/**
 * Whether to count: if the page is full, or empty because it is beyond the last page. Otherwise the total is the offset plus the
 * page's rows.
 */
const isTotalNeeded = ({ offset }: Pick<Slice, 'offset'>, { pageSize }: ListTotal): Fragment =>
  offset === 0 ? sql`count(*) >= ${pageSize}` : sql`(count(*) >= ${pageSize} or count(*) = 0)`
