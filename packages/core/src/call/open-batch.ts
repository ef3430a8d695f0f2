// OpenBatch: the transaction of a batch, while its operations run in it. Types only.

import type { Change } from '../config/hook-types.ts'
import type { HookConnection } from '../write/endpoints/hook-connection.ts'
import type { HookCall } from './hook-call.ts'
import type { RoutedRequest } from './routed-request.ts'

/** What the operations of a batch share while its transaction is open. */
export interface OpenBatch {
  readonly hooks: HookConnection
  /** Whether the host application has begun the transaction. */
  readonly hosted: boolean
  /** Collects what an operation has written, for the callback after COMMIT. */
  note(call: HookCall & RoutedRequest, changes: readonly Change[]): void
}
