// JwtIssuer: an issuer of tokens besides this service, such as an OpenID provider (API_JWT_ISSUERS), its algorithms and claims, and the check
// of that setting.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { HookUser } from '../access/hook-types.ts'
import type { Check } from '../setting-checks.ts'

/** The algorithms of other issuers: signatures by a private key, so that nobody who verifies tokens can issue them. */
export const issuerAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

export type IssuerAlgorithm = (typeof issuerAlgorithms)[number]

/** The claims of a verified token. */
export type IssuerClaims = Readonly<Record<string, unknown>>

/** An issuer whose access tokens the API accepts. */
export interface JwtIssuer {
  /** The claim `iss`, exactly. */
  readonly issuer: string
  /** The claim `aud` has this value, or one of these. */
  readonly audience: string | readonly string[]
  /** The URL of the issuer's public keys (JSON Web Key Set), or the keys themselves. */
  readonly jwks: string | { readonly keys: readonly Readonly<Record<string, unknown>>[] }
  /** Default `['RS256']`. */
  readonly algorithms?: readonly IssuerAlgorithm[]
  /** The header `typ` of its access tokens. Default: `at+jwt`, `JWT` or none. */
  readonly typ?: string
  /**
   * Returns the user of a token: an object, or the user's value of `API_USER_LOOKUP_FIELD`, such as the login name. Return undefined, null or
   * false to refuse the token.
   *
   * ```ts
   * user: (claims) => claims.email_verified === true && claims.email
   * ```
   */
  readonly user: (claims: IssuerClaims) => HookUser
}

const members = ['issuer', 'audience', 'jwks', 'algorithms', 'typ', 'user']

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isAlgorithm = (value: unknown): boolean => issuerAlgorithms.some((known) => known === value)

/** Whether the value is a list of at least one item, and each is valid. */
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isItem)

/** Accepts a `JwtIssuer`. */
export const jwtIssuer: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return "expected an object such as { issuer: 'https://id.example.com', audience: 'shop', jwks: 'https://id.example.com/jwks', user: (claims) => claims.email }."
  }
  const issuer = value as Readonly<Record<string, unknown>>
  const unknown = Object.keys(issuer).find((key) => !members.includes(key))
  if (unknown !== undefined) {
    return `"${unknown}" is not a member of an issuer: expected ${members.join(', ')}.${didYouMean(unknown, members)}`
  }
  if (!isText(issuer.issuer)) return 'issuer: expected the claim "iss" of its tokens.'
  if (!isText(issuer.audience) && !isListOf(issuer.audience, isText)) {
    return 'audience: expected the claim "aud" of tokens for this API; without it, tokens for other services would be accepted.'
  }
  if (typeof issuer.user !== 'function') return 'user: expected a function of the claims.'
  if (issuer.typ !== undefined && !isText(issuer.typ)) return 'typ: expected a non-empty string.'
  const { algorithms } = issuer
  if (algorithms !== undefined && !isListOf(algorithms, isAlgorithm)) {
    const wrong = Array.isArray(algorithms)
      ? algorithms.find((name) => !isAlgorithm(name))
      : algorithms
    return `algorithms: expected a list of ${issuerAlgorithms.join(', ')}.${didYouMean(String(wrong), issuerAlgorithms)}`
  }
  return jwksProblem(issuer.jwks)
}

/** Returns what is wrong with `jwks`. Who can change the response of its URL can issue tokens, so it must be HTTPS, except on this machine. */
function jwksProblem(jwks: unknown): string | undefined {
  if (typeof jwks === 'string') {
    const url = URL.canParse(jwks) ? new URL(jwks) : undefined
    const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '')
    if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return undefined
    return 'jwks: expected an https URL.'
  }
  const keys = (jwks as { readonly keys?: unknown } | null | undefined)?.keys
  if (!isListOf(keys, isKey)) {
    return 'jwks: expected a URL, or { keys: […] } with public keys in the form of JSON Web Keys.'
  }
  return (keys as object[]).some((key) => 'd' in key)
    ? 'jwks: holds a private key; expected the public ones.'
    : undefined
}

const isKey = (key: unknown): boolean =>
  typeof key === 'object' &&
  key !== null &&
  ['RSA', 'EC', 'OKP'].includes(String((key as { readonly kty?: unknown }).kty))
