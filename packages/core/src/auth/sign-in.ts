// SignIn: authentication, refresh tokens and rate limits of an API. Types only.

import type { RefreshTokenStore } from '../database/own-tables/refresh-tokens.ts'
import type { AuthSettings } from '../model/settings/auth/auth-settings.ts'
import type { ApiSettings } from '../model/settings/settings.ts'
import type { Auth } from './create-auth.ts'
import type { GivenCaller } from './given-caller.ts'
import type { Limiter } from './limits/limiter.ts'
import type { CredentialCleanup } from './users/credential-cleanup.ts'

/** How the sender of a request is found, and how often it may send one. */
export interface SignIn {
  /** The sender of all requests; absent if their credentials decide. */
  readonly given?: GivenCaller
  readonly auth: Auth
  readonly refreshStore: RefreshTokenStore
  /** Revokes tokens and API keys of users that a write removes; undefined if users have neither. */
  readonly credentialCleanup: CredentialCleanup | undefined
  readonly limits: RequestLimits
}

/** What counting a request against its limits needs, besides the limits of its route. */
export interface RequestLimits
  extends Pick<ApiSettings, 'trustedProxies'>,
    Pick<AuthSettings, 'loginWindows'> {
  readonly limiter: Limiter
}
