// WriteAccess: how roles and policies decide on writes; called for every record, including nested ones and those of bulk writes.
// `access/policies/write-decisions.ts` implements it. Types only.

import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { RowScope } from '../../query/compile/scopes.ts'
import type { Target } from '../../query/compile/target.ts'
import type { RowPlan } from '../../query/plan/plan.ts'
import type { OneRecord } from '../fusion/one-record.ts'
import type { Values } from '../nodes/node.ts'

/** What the caller does to a resource. A body that refers to a stored record needs GET_ONE; one that replaces links also needs GET_MANY. */
export type WriteAction = 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'RESTORE' | 'GET_ONE' | 'GET_MANY'

/** true allows; false refuses. */
type Decision = boolean | Promise<boolean>

/** The scope of policy and filter callback for a write of one record by a single statement. */
export interface RecordScope {
  /** The stored records that may be written: those in the scope of the policy. */
  readonly written: RowScope | 'all'
  /** The records that the response may show: those of `written` that the filter callback does not exclude. */
  readonly shown: RowScope | 'all'
}

/** 'none' if the policy refuses; 'other rows' if the scope may read rows that the write changes, so that no statement can contain it. */
export type FoundScope = RecordScope | 'none' | 'other rows'

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
  /** The scope of a record that one statement writes; asked before it is written. */
  scopeOfRecord(oneRecord: OneRecord): MaybePromise<FoundScope>
  /** The scope of the records of a resource that a record may refer to. */
  scopeOfReferred(resource: Resource): MaybePromise<FoundScope>
}
