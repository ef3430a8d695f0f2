// SignIn: authentication, refresh tokens and rate limits of an API. Types only.

import type { Auth } from '../auth/create-auth.ts'
import type { RefreshTokenStore } from '../auth/refresh-tokens.ts'
import type { Limiter } from '../limits/limiter.ts'

export interface SignIn {
  readonly auth: Auth
  readonly refreshStore: RefreshTokenStore
  readonly limiter: Limiter
}
