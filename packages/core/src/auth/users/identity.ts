// What a strategy of authentication implements (`Strategy`): it finds a `Credential` in a request, and verifies it, which gives the `Identity`
// of the sender. Types only.

import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { StrategyName } from '../../model/settings/access/access-types.ts'
import type { HookUser } from '../../model/settings/access/hook-types.ts'

/** Who sent a request. */
export interface Identity {
  /** Undefined if the host says who sent the request. */
  readonly strategy: StrategyName | undefined
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
  /**
   * Whether the request carries the credential, so that a wrong one is 401. False for a custom strategy: only the host's function knows
   * whether there is one, so that its refusal counts as no credential.
   */
  readonly isSent: boolean
  /** The key under which failed sign-ins of the account are counted, never a secret; undefined if the credential names no account. */
  readonly account: string | undefined
  /** Whether `account` is already verified: it was read from a token with a valid signature. Otherwise `verify` has to check it. */
  readonly hasProvenAccount: boolean
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
