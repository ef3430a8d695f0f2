// WriteAccess: how roles and policies decide on writes; called for every record, including nested ones and those of bulk writes. Types
// only.

import type { Resource } from '../../model/registry/resource.ts'
import type { Target } from '../../query/compile/target.ts'
import type { RowPlan } from '../../query/plan/plan.ts'
import type { Values } from '../nodes/node.ts'

/** What the caller does to a resource. A body that refers to a stored record needs GET_ONE; one that replaces links also needs GET_MANY. */
export type WriteAction = 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'RESTORE' | 'GET_ONE' | 'GET_MANY'

type Decision = boolean | Promise<boolean>

/** Objects have the API's field names, with JSON values, and include hidden columns. `path` is that of the record in the body. */
export interface WriteAccess {
  /** Whether methods and roles allow the action on the resource; false is 403. */
  mayWrite(resource: Resource, action: WriteAction): Decision
  /** Called in the transaction with the record to insert; false is 403. */
  canCreate(resource: Resource, data: Values, path: string): Decision
  /** Called in the transaction with the stored record and the changes; false is 403. */
  canUpdate(resource: Resource, object: Values, data: Values, path: string): Decision
  /** Called in the transaction with the stored record; false is 403. */
  canDelete(resource: Resource, object: Values, path: string): Decision
  /** Whether a policy has this hook. */
  hasHook(resource: Resource, hook: 'can_create' | 'can_update' | 'can_delete'): boolean
  /** Whether a policy hides rows of this resource, so that a foreign key may refer to a row that the caller may not see. */
  narrows(resource: Resource): boolean
  /** Returns the target with the scopes of the plan's sources. All look-ups of a write use it. */
  scoped(target: Target, rows: RowPlan, action: WriteAction): Promise<Target>
  /** `scoped`, but if a policy refuses, the plan returns no rows; `scoped` throws 403. */
  scopedOrEmpty(target: Target, rows: RowPlan): Promise<Target>
}
