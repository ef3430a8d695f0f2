// Identity: the sender of a request, as a strategy verified it. Types only.

import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { StrategyName } from '../../model/settings/access/access-types.ts'
import type { HookUser } from '../../model/settings/access/hook-types.ts'

/** Who sent a request. */
export interface Identity {
  readonly strategy: StrategyName
  /** The user's record as hooks see it, or the value that a host function returned; null: authenticated without a user. */
  readonly user: HookUser | null
}

/** Called around every expensive check of a credential: `before` may refuse the check, `failed` counts a wrong credential. */
export interface CheckGuard {
  before(): Promise<void>
  failed(): Promise<void>
}

/** A credential that a request carries. */
export interface Credential {
  readonly strategy: StrategyName
  /** Whether the credential is certainly present; false for a custom strategy, which reads the request itself. */
  readonly certain: boolean
  /** The key under which failed sign-ins of the account are counted; never a secret. */
  readonly account: string | undefined
  /** True if the signature of a token has already verified the account. */
  readonly proven: boolean
  /** Verifies the credential; rejects with 401 if it is wrong. */
  verify(guard: CheckGuard): Promise<Identity>
}

/** How a credential is looked for and verified. */
export interface FindOptions {
  /** Verifies tokens with this secret instead of the configured key. */
  readonly secret?: string
  /** Whether the route only reads. Also true for a QUERY request that was sent as POST. */
  readonly reads?: boolean
}

/** A way to authenticate. */
export interface Strategy {
  readonly name: StrategyName
  /** Finds the credential of this strategy in a request; undefined if there is none. */
  find(request: ApiRequest, options: FindOptions): MaybePromise<Credential | undefined>
}
