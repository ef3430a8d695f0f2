// AuthSettings: the resolved settings about users, credentials, tokens and their routes; `resolve-auth.ts` builds them.

import type { AnyModel } from '../../define-model.ts'
import type {
  ApiKeyLookup,
  CustomAuth,
  StrategyName,
  TokenProvider,
} from '../access/access-types.ts'
import type { RefreshCookie } from './cookies/refresh-cookie.ts'
import type { CustomAuthScheme } from './custom-auth-scheme.ts'
import type { JwtIssuer } from './jwt-issuers.ts'
import type { RateWindow } from './rate-windows.ts'
import type { UserCondition } from './user-active.ts'

/** Environment variables; only ACCESS_SECRET_KEY, REFRESH_SECRET_KEY and NODE_ENV are read. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The algorithms of tokens: HMAC with a secret, RSA with a key pair. */
export const algorithms = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const

export type Algorithm = (typeof algorithms)[number]

/** The keys of one kind of token, as text. */
export interface KeyTexts {
  /** HMAC secret; never a PEM. */
  readonly secret: string | undefined
  /** PEM of the private key that signs with RSA. */
  readonly privateKey: string | undefined
  /** PEM that verifies RSA signatures: a public key, or a private key whose public half is used. */
  readonly verifyKey: string | undefined
  /** Earlier keys, which verify but do not sign: HMAC secrets, and PEMs as in `verifyKey`. */
  readonly previous: readonly string[]
}

/** How tokens are issued and verified. */
export interface JwtSettings {
  /** Signs the tokens that the service issues. */
  readonly algorithm: Algorithm
  /** The algorithms that are accepted in verification. */
  readonly allowed: readonly Algorithm[]
  /** The claims `iss` and `aud`; undefined: not in issued tokens, and not checked. */
  readonly issuer: string | undefined
  readonly audience: string | undefined
  /** Seconds. */
  readonly leeway: number
  /** Lifetimes in seconds. */
  readonly accessSeconds: number
  readonly refreshSeconds: number
  /** Seconds after its use in which a refresh token may be presented again. */
  readonly refreshGrace: number
  readonly access: KeyTexts
  readonly refresh: KeyTexts
}

/** The paths of the authentication endpoints; null where one is not served. */
export interface AuthRoutes {
  readonly login: string | null
  readonly refresh: string | null
  readonly logout: string | null
  readonly me: string | null
  /** The API keys of the current user; each has a path below. */
  readonly keys: string | null
}

/** Everything about users, credentials and tokens; undefined: not configured. */
export interface AuthSettings {
  /** Every strategy that any endpoint accepts, in the order they are tried. */
  readonly strategies: readonly StrategyName[]
  readonly userModel: AnyModel | undefined
  /** The field of the user model with the login name. */
  readonly lookupField: string | undefined
  /** The method of the user model that checks a password. */
  readonly checkMethod: string | undefined
  /** Which users are active; undefined: all. */
  readonly userActive: UserCondition | undefined
  /** The cost of new password hashes: bcrypt runs 2^cost rounds. */
  readonly passwordCost: number
  /** The field of the user model with the hash of an API key. */
  readonly hashField: string | undefined
  /** The host's function that finds the user of an API key. */
  readonly keyLookup: ApiKeyLookup | undefined
  readonly customAuth: CustomAuth | undefined
  /** Whether `customAuth` is called once for all operations of a batch. */
  readonly customPerBatch: boolean
  readonly customScheme: CustomAuthScheme | undefined
  /** The other issuers whose access tokens the strategy jwt accepts. */
  readonly issuers: readonly JwtIssuer[]
  /** Clock skew allowed for tokens, in seconds. */
  readonly leeway: number
  /** Null if the service issues no tokens. */
  readonly jwt: JwtSettings | null
  /** Where access tokens are looked for, in order. */
  readonly providers: readonly TokenProvider[]
  /** The name of the cookie with the access token. */
  readonly cookieName: string
  /** The cookie with the refresh token; null if it is sent in bodies. */
  readonly refreshCookie: RefreshCookie | null
  /** Origins of other hosts whose requests may be authenticated by a cookie. */
  readonly trustedOrigins: readonly string[]
  readonly routes: AuthRoutes
  /** Limit of login and refresh, per address and per account. */
  readonly loginWindows: readonly RateWindow[]
}
