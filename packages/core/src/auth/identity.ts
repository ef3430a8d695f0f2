// Identity: who sent a request, as a strategy found out. Types only.

import type { StrategyName } from '../config/access-types.ts'
import type { HookUser } from '../config/hook-types.ts'
import type { ApiRequest } from '../http/request.ts'

/** Who sent a request. */
export interface Identity {
  readonly strategy: StrategyName
  /** The user's record as hooks see it, what the author's callable returned, or null: authenticated, but nobody known. */
  readonly user: HookUser | null
  /** The user's key as text, where there is one. */
  readonly key: string | undefined
}

/** Told of every expensive check: before it, so that it can be refused, and when it fails. */
export interface CheckGuard {
  before(): Promise<void>
  failed(): Promise<void>
}

/** A credential that a request carries. */
export interface Credential {
  readonly strategy: StrategyName
  /** Whether it is there for certain; only the author's own callable knows what a custom strategy reads. */
  readonly certain: boolean
  /** The account it names, as a key for counting: bounded, and never a secret. */
  readonly account: string | undefined
  /** Whether the account is beyond doubt already: a signature was verified. */
  readonly proven: boolean
  /** Who it is; rejects with the 401 of the credential. */
  verify(guard: CheckGuard): Promise<Identity>
}

/** One way to authenticate. */
export interface Strategy {
  readonly name: StrategyName
  /** The credential of this strategy in a request; undefined where it has none. */
  find(request: ApiRequest, options: { readonly secret?: string }): Promise<Credential | undefined>
}
