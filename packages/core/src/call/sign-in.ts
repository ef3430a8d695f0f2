// SignIn: authentication, refresh tokens and rate limits of an API. Types only.

import type { Auth } from '../auth/create-auth.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { RefreshTokenStore } from '../store/refresh-tokens.ts'

export interface SignIn {
  readonly auth: Auth
  readonly refreshStore: RefreshTokenStore
  readonly limiter: Limiter
}
