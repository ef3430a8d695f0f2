// Compiles the RETURNING clause of an output list and its readers.

import { type SelectList, selectList } from '../../compile/selection.ts'
import type { Target } from '../../compile/target.ts'
import type { Output } from '../../plan/plan.ts'
import { type Fragment, sql } from '../../sql/fragment.ts'

export interface Returning {
  /** ` returning …`, or empty. */
  readonly clause: Fragment
  readonly readers: SelectList['readers']
}

/** Returns the columns of the written row in the same form as a SELECT. */
export function returning(target: Target, output: readonly Output[]): Returning {
  const { items, readers } = selectList(target, output, false)
  return { clause: items.length === 0 ? sql`` : sql` returning ${sql.join(items)}`, readers }
}
