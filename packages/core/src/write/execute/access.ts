// WriteAccess: how roles and policies decide on writes; called for every record, including nested ones and those of bulk writes. Types only.

import type { Target } from '../../compile/target.ts'
import type { RowPlan } from '../../plan/plan.ts'
import type { Resource } from '../../registry/resource.ts'
import type { Values } from '../plan/node.ts'

/** The action on a record. Linking an existing record is GET_ONE, replacing a list of links is also GET_MANY. */
export type WriteAction = 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'RESTORE' | 'GET_ONE' | 'GET_MANY'

type Decision = boolean | Promise<boolean>

/** All objects have API field names and JSON values, including hidden columns. */
export interface WriteAccess {
  /** Whether methods and roles allow the action on the resource; false is 403. */
  mayWrite(resource: Resource, action: WriteAction): Decision
  /** Called in the transaction with the record to insert; false is 403. */
  canCreate(resource: Resource, data: Values): Decision
  /** Called in the transaction with the stored record and the changes; false is 403. */
  canUpdate(resource: Resource, object: Values, data: Values): Decision
  /** Called in the transaction with the stored record; false is 403. */
  canDelete(resource: Resource, object: Values): Decision
  /** Whether a policy has this hook. */
  hasHook(resource: Resource, hook: 'can_create' | 'can_update' | 'can_delete'): boolean
  /** Whether a policy narrows the rows of this resource, so that a foreign key may refer to a row the caller may not see. */
  narrows(resource: Resource): boolean
  /** The target with the scopes of the plan's sources, for all look-ups of a write. */
  scoped(target: Target, rows: RowPlan, action: WriteAction): Promise<Target>
  /** `scoped`, but a policy that refuses gives no rows instead of 403. */
  scopedOrEmpty(target: Target, rows: RowPlan): Promise<Target>
}
