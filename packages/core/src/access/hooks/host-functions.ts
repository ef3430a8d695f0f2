// HostFunctions: how the service calls functions of the host application and reports events to the host. Types only.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import type { Refusal } from '../../model/refusal-report.ts'
import type { ApiRequest } from '../../model/request.ts'

/** Part of the `Runtime`, the same for all requests. */
export interface HostFunctions {
  /** Calls functions of the host, with API_HOOK_TIMEOUT. */
  readonly callHook: CallHook
  /** Returns the `callHook` for hooks that receive this connection as `args.db` (`second-connection.ts`). */
  callHookOn(db: AnyDatabase): CallHook
  /** Reports an unexpected error to `onError`; never throws. */
  report(error: unknown, request: ApiRequest): void
  /** Reports a 401, 403 or 429 to `onRefusal`; never throws. */
  refused(refusal: Refusal): void
  /** Reports a probable mistake to `onWarning`; never throws. */
  warn(message: string): void
}
