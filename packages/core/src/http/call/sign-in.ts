// SignIn: authentication, refresh tokens and rate limits of an API. Types only.

import type { Auth } from '../../auth/create-auth.ts'
import type { Limiter } from '../../auth/limits/limiter.ts'
import type { RefreshTokenStore } from '../../database/own-tables/refresh-tokens.ts'

export interface SignIn {
  readonly auth: Auth
  readonly refreshStore: RefreshTokenStore
  readonly limiter: Limiter
}
