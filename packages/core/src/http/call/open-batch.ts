// OpenBatch: the transaction of a batch, while its operations run in it; `Runtime.batch` of their calls. Types only.

import type { HookCall } from '../../access/hooks/hook-call.ts'
import type { RoutedRequest } from '../../access/routed-request.ts'
import type { HookConnection } from '../../database/leases/hook-connection.ts'
import type { Change } from '../../model/settings/access/hook-types.ts'
import type { DeferredCheck } from '../../write/refusals/refused-commit.ts'
import type { Result } from '../envelope.ts'

/** What the operations of a batch share while its transaction is open. */
export interface OpenBatch {
  /** The connection that hooks receive: the transaction. */
  readonly hooks: HookConnection
  /** `level` of the lease of the transaction. */
  readonly level: number
  /** Whether the host application has begun the transaction. */
  readonly hosted: boolean
  /**
   * Collects what an operation has written, for the callbacks before and after COMMIT. `rebuildResponse` makes its response again after the
   * callback before COMMIT.
   */
  note(
    call: HookCall & RoutedRequest,
    changes: readonly Change[],
    rebuildResponse: (() => Promise<Result>) | undefined,
  ): void
  /** Set if the database has refused the COMMIT of an earlier attempt. */
  readonly deferred: DeferredCheck | undefined
}
