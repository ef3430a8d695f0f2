// returning: the RETURNING clause of an INSERT or UPDATE for a list of outputs, and the readers of the rows that it returns.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { type SelectList, selectList } from '../../query/compile/selection.ts'
import type { Target } from '../../query/compile/target.ts'
import type { Output } from '../../query/plan/plan.ts'

/** A RETURNING clause. */
export interface Returning {
  /** ` returning …`, or empty. */
  readonly clause: Fragment
  readonly readers: SelectList['readers']
}

/** The clause returns columns of the written row in the same form as a SELECT would. */
export function returning(target: Target, output: readonly Output[]): Returning {
  const { items, readers } = selectList(target, output)
  return { clause: items.length === 0 ? sql`` : sql` returning ${sql.join(items)}`, readers }
}
