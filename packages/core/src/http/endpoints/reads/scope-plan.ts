// scopePlan: asks the policies of a plan that is not read by `query/read.ts`: of relations and of the records that writes return.

import { scoperOf } from '../../../access/policies/scoper-of.ts'
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Target } from '../../../query/compile/target.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { ReadPlan } from '../../../query/plan/plan.ts'
import type { Opened } from '../../../query/scoper.ts'
import type { Call } from '../../call/call.ts'

/** scope: narrows every source of the plan by its policy; returns the plan, and the target with the scopes. */
export function scopePlan<P extends ReadPlan>(
  call: Call,
  opened: Opened,
  planned: P,
  ast: Pick<QueryAst, 'additional'>,
): MaybePromise<{ plan: P; target: Target }> {
  const scoper = scoperOf(call)
  const scoped = scoper.scope(scoper.withChecked(planned), opened, ast.additional)
  return andThen(scoped, ({ plan, scopes }) => ({ plan, target: { ...opened.target, scopes } }))
}
