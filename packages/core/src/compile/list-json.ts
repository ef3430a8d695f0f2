// A page whose objects the database writes → the statement whose one row is the text of them all.

import { listTest } from '../dialect/shared/object-text.ts'
import type { RowPlan } from '../plan/plan.ts'
import { type Fragment, sql } from '../sql/fragment.ts'
import { objectAlias } from './object-json.ts'
import { compileCount } from './row-count.ts'
import { compileRows, type Slice } from './row-query.ts'
import type { Target } from './target.ts'

export interface CompiledList {
  readonly list: Fragment
  /** Whether a value is the text of so many objects, whose links begin with `base`. */
  readonly test: (base: string) => (text: unknown, count: number) => boolean
}

/** Where the one row holds what. */
export const listPlaces = {
  /** The objects with commas between them; NULL where there are none. */
  objects: { alias: 'list of objects', index: 0 },
  count: { alias: 'number of objects', index: 1 },
  /** The total of the set where it is asked for; NULL where the page itself proves it. */
  total: { alias: 'total of all', index: 2 },
} as const

/** What is to be known of the set. */
export interface ListTotal {
  /** Counts so many at most. */
  readonly most: number | null
  /** A page of fewer rows is the last one. */
  readonly full: number
}

/** Undefined where more than the objects has to be read: places of rows, relations. */
export function compileList(
  target: Target,
  plan: RowPlan,
  slice: Omit<Slice, 'total'>,
  total: ListTotal | undefined,
): CompiledList | undefined {
  const objectText = target.dialect.shortcuts?.objectText
  if (objectText === undefined || slice.object?.whole !== true || slice.keyset !== undefined) {
    return undefined
  }
  const { rows } = compileRows(target, plan, slice)
  const selected = [
    objectText.listed(sql.id(objectAlias)).as(listPlaces.objects.alias),
    sql`count(*)`.as(listPlaces.count.alias),
    ...(total === undefined
      ? []
      : [
          sql`case when ${isNeeded(slice, total)} then (${compileCount(target, plan, total.most)}) end`.as(
            listPlaces.total.alias,
          ),
        ]),
  ]
  return {
    list: sql`select ${sql.join(selected)} from (${rows}) as ${sql.id('page')}`,
    test: listTest(slice.object.form),
  }
}

/** The set ends with a page that is not full; one that is empty stands beyond the end. */
const isNeeded = ({ offset }: Pick<Slice, 'offset'>, { full }: ListTotal): Fragment =>
  offset === 0 ? sql`count(*) >= ${full}` : sql`(count(*) >= ${full} or count(*) = 0)`
