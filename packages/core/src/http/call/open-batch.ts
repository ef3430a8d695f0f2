// OpenBatch: the transaction of a batch, while its operations run in it. Types only.

import type { HookCall } from '../../access/hooks/hook-call.ts'
import type { RoutedRequest } from '../../access/routed-request.ts'
import type { DatabaseFailure } from '../../dialect/dialect.ts'
import type { Change } from '../../model/settings/access/hook-types.ts'
import type { WriteContext } from '../../write/store/context.ts'
import type { HookConnection } from '../endpoints/writes/hook-connection.ts'

/** The search for the record that violates a deferred constraint. */
export interface DeferredCheck {
  readonly failure: DatabaseFailure
  /** Takes the write of an operation, whose records are checked before COMMIT. */
  add(context: WriteContext): void
}

/** What the operations of a batch share while its transaction is open. */
export interface OpenBatch {
  readonly hooks: HookConnection
  /** Whether the host application has begun the transaction. */
  readonly hosted: boolean
  /** Collects what an operation has written, for the callback after COMMIT. */
  note(call: HookCall & RoutedRequest, changes: readonly Change[]): void
  /** Set if the database has refused the COMMIT of an earlier attempt. */
  readonly deferred: DeferredCheck | undefined
}
