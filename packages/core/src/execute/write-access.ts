// WriteAccess: the one door through which roles and policies decide on writes, asked for every record, nested and bulk ones too. Types only.

import type { Target } from '../compile/target.ts'
import type { RowPlan } from '../plan/plan.ts'
import type { Values } from '../plan/write-node.ts'
import type { Resource } from '../registry/resource.ts'

/** What is done to a record; linking an existing one only reads it, and replacing a list of links reads many. */
export type WriteAction = 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'RESTORE' | 'GET_ONE' | 'GET_MANY'

type Answer = boolean | Promise<boolean>

/** All objects have field names and JSON forms, hidden columns included. */
export interface WriteAccess {
  /** Whether methods and roles allow the action on this resource at all; false is 403. */
  mayWrite(resource: Resource, action: WriteAction): Answer
  /** Asked inside the transaction with the record as it will be inserted; false is 403. */
  canCreate(resource: Resource, data: Values): Answer
  /** Asked inside the transaction with the stored record and what changes; false is 403. */
  canUpdate(resource: Resource, object: Values, data: Values): Answer
  /** Asked inside the transaction with the stored record; false is 403. */
  canDelete(resource: Resource, object: Values): Answer
  /** Whether a policy has this hook, so that each record must be stored before it is asked about the next. */
  asks(resource: Resource, hook: 'can_create' | 'can_delete'): boolean
  /** Whether a policy narrows the rows of this resource, so that a foreign key may lead to one the caller may not see. */
  narrows(resource: Resource): boolean
  /** The target with the scopes of the plan's sources: every look-up of a write goes through it. */
  scoped(target: Target, rows: RowPlan, action: WriteAction): Promise<Target>
  /** As `scoped`; where the policy refuses, there are no rows instead of a 403. */
  shown(target: Target, rows: RowPlan): Promise<Target>
}
