// The row of an incomplete cursor. A cursor `?after=…` leaves out values of more than 200 characters (`plan/order/cursor.ts`); before the
// page is compiled, they are read from the row that the cursor's key identifies.

import type { Lease } from '../database/leases/lease.ts'
import { cursorExpired } from '../errors.ts'
import { compilePage } from './compile/read-program.ts'
import type { Target } from './compile/target.ts'
import { pageBeyondRow } from './plan/order/keyset.ts'
import type { ReadPlan } from './plan/plan.ts'
import { isListPlan, planCursorRow } from './plan/read-plan.ts'
import { readPage } from './run/read-rows.ts'

/** Whether the plan's cursor leaves out values, so that `withCursorRow` must read them. */
export const lacksCursorValues = (plan: ReadPlan): boolean =>
  isListPlan(plan) && plan.page.kind === 'keyset' && plan.page.unread.length > 0

/**
 * Returns the plan with all values of the cursor's row, which is read in the scopes of the plan, since clients can write cursors. Throws
 * a 400 if the caller can read no such row. For plans for which `lacksCursorValues` is true; `target` has the scopes.
 */
export async function withCursorRow<P extends ReadPlan>(
  lease: Lease,
  target: Target,
  plan: P,
): Promise<P> {
  if (!isListPlan(plan) || plan.page.kind !== 'keyset') return plan
  const { page } = plan
  // `first`: the values of the first row's cursor, which is the only row here.
  const { first } = await readPage(lease, compilePage(target, planCursorRow(plan, page)))
  if (first === undefined) throw cursorExpired(page.direction)
  return { ...plan, page: pageBeyondRow(page, first) }
}
