// Tokens: signs and verifies the access and refresh tokens of this API (JWTs, with jose). Algorithms and keys come from the settings, never
// from the token.

import type { errors, JWTPayload, ProtectedHeaderParameters } from 'jose'
import type { Clock } from '../../lib/clock.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Algorithm, JwtSettings, KeyTexts } from '../../model/settings/auth/auth-settings.ts'
import { looksLikePem } from '../../model/settings/auth/pem.ts'
import { secretProblem } from '../../model/settings/auth/secret-strength.ts'
import { accountKey } from '../users/account.ts'
import { sha256Hex } from './digest.ts'
import { jose } from './jose.ts'
import { isTokenForm } from './token-form.ts'
import { type NamedKey, type TokenKeys, tokenKeys } from './token-keys.ts'
import { rememberVerified } from './verified-tokens.ts'

/** The user a token is issued to. */
export interface Subject {
  /** The user's primary key as a string. */
  readonly key: string
  /** The value of API_USER_LOOKUP_FIELD when the token was issued. */
  readonly lookup: string
}

/** `early`: the token was issued, or begins to be valid (`nbf`), later than now. */
export type Timing = 'current' | 'expired' | 'early'

/** The claims of a verified token. */
export interface Claims extends Subject {
  /** Whether the token is valid now; an expired or early one is valid in all other respects. */
  readonly timing: Timing
  /** The key under which requests and failed sign-ins of the account are counted. */
  readonly account: string
  /** When the token expires, so that it must be verified again, in seconds since 1970. */
  readonly verifiedUntil: number
}

/** When a refresh token was exchanged for its successor. */
export interface Use {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly usedAt: number
}

/** The times are in milliseconds since 1970. */
export interface IssuedToken {
  readonly token: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** Signs and verifies the tokens of an API. */
export interface Tokens {
  issueAccess(subject: Subject): Promise<IssuedToken>
  /**
   * Issues a refresh token: the first of a session, or the successor of a token that was used. The same use gives the same token again,
   * while the settings are the same and the algorithm makes the same signature twice.
   */
  issueRefresh(subject: Subject, used?: Use): Promise<IssuedToken>
  /** Verifies an access token; undefined if it is not valid for this API. `secret`, of a route of the host, replaces the configured keys. */
  readAccess(token: string, secret?: string): MaybePromise<Claims | undefined>
  /** Verifies a refresh token; undefined if this API has not signed it. Whether it was used or revoked is in the store. */
  readRefresh(token: string): Promise<Claims | undefined>
}

/** Values of the `typ` header, so that neither kind of token is accepted as the other. */
const accessType = 'at+jwt'
const refreshType = 'rt+jwt'

/** Creates the functions that sign and verify, from the settings. */
export function createTokens(settings: JwtSettings, clock: Clock): Tokens {
  const access = tokenKeys(settings.access)
  const refresh = tokenKeys(settings.refresh)
  const verified = rememberVerified<Claims>(clock, settings.leeway)
  const keysBySecret = new Map<string, TokenKeys['verifying']>()
  const keysOfSecret = (secret: string): TokenKeys['verifying'] => {
    const known = keysBySecret.get(secret) ?? tokenKeys(textsOf(secret)).verifying
    // A host application uses one or two secrets for its routes; the cap of 16 bounds memory.
    if (keysBySecret.size >= 16) keysBySecret.clear()
    keysBySecret.set(secret, known)
    return known
  }
  return {
    issueAccess: (subject) =>
      issue(settings, subject, {
        typ: accessType,
        id: crypto.randomUUID(),
        createdAt: clock.now(),
        lifetime: settings.accessSeconds,
        signing: access.signing,
      }),
    issueRefresh: async (subject, used) =>
      issue(settings, subject, {
        typ: refreshType,
        id:
          used === undefined
            ? crypto.randomUUID()
            : await sha256Hex(`the successor of ${used.token}`),
        createdAt: used?.usedAt ?? clock.now(),
        lifetime: settings.refreshSeconds,
        signing: refresh.signing,
      }),
    readAccess: (token, secret) => {
      const keys = secret === undefined ? access.verifying : keysOfSecret(secret)
      const verify = () => read(settings, clock, accessType, token, keys)
      // The length separates secret and token, so that two pairs never have the same name in the cache.
      return verified(`${secret?.length ?? -1}:${secret ?? ''}${token}`, verify)
    },
    readRefresh: (token) => read(settings, clock, refreshType, token, refresh.verifying),
  }
}

/** Returns the key texts of a secret or PEM for one route; throws for a weak secret, as `createApi` does for a configured one. */
function textsOf(secret: string): KeyTexts {
  const none = { secret: undefined, privateKey: undefined, verifyKey: undefined, previous: [] }
  if (looksLikePem(secret)) return { ...none, verifyKey: secret }
  const problem = secretProblem(secret)
  if (problem !== undefined) throw new Error(`authenticate: the secret ${problem}`)
  return { ...none, secret }
}

/** What differs between the tokens that are issued. */
interface Issue {
  readonly typ: string
  /** The claim `jti`. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Seconds. */
  readonly lifetime: number
  readonly signing: TokenKeys['signing']
}

/** Signs a token with the current key. */
async function issue(
  settings: JwtSettings,
  subject: Subject,
  { typ, id, createdAt, lifetime, signing }: Issue,
): Promise<IssuedToken> {
  const named = await signing(settings.algorithm)
  if (named === undefined) throw new Error(`no key signs ${settings.algorithm}`)
  const { SignJWT } = await jose()
  const now = Math.floor(createdAt / 1000)
  const token = new SignJWT({ lookup: subject.lookup })
    .setProtectedHeader({ alg: settings.algorithm, typ, kid: named.id })
    .setSubject(subject.key)
    .setJti(id)
    .setIssuedAt(now)
    .setExpirationTime(now + lifetime)
  if (settings.issuer !== undefined) token.setIssuer(settings.issuer)
  if (settings.audience !== undefined) token.setAudience(settings.audience)
  return {
    token: await token.sign(named.key),
    createdAt,
    expiresAt: (now + lifetime) * 1000,
  }
}

/** Verifies a token of type `typ` with the keys for its algorithm, one after the other; undefined if none has signed it. */
async function read(
  settings: JwtSettings,
  clock: Clock,
  typ: string,
  token: string,
  verifying: TokenKeys['verifying'],
): Promise<Claims | undefined> {
  if (!isTokenForm(token)) return undefined
  const header = await headerOf(token)
  const algorithm = settings.allowed.find((name) => name === header?.alg)
  if (algorithm === undefined) return undefined
  for (const { key } of candidates(await verifying(algorithm), header?.kid)) {
    const found = await readBy({ key, algorithm, typ, token }, settings, clock)
    if (found !== 'another signature') return found
  }
  return undefined
}

/** The key that a token names; all keys if it names none of them, as the tokens of other programs with the same key do. */
function candidates(keys: readonly NamedKey[], id: unknown): readonly NamedKey[] {
  const named = keys.filter((key) => key.id === id)
  return named.length > 0 ? named : keys
}

/** A token, and what it is verified by. */
interface Verification {
  readonly token: string
  readonly typ: string
  readonly key: CryptoKey
  readonly algorithm: Algorithm
}

/** Verifies a token with one key; 'another signature' if this key has not signed it, undefined if it is signed but not valid for this API. */
async function readBy(
  { token, typ, key, algorithm }: Verification,
  settings: JwtSettings,
  clock: Clock,
): Promise<Claims | 'another signature' | undefined> {
  const { errors, jwtVerify } = await jose()
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      typ,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: settings.leeway,
      currentDate: new Date(clock.now()),
      ...(settings.issuer === undefined ? {} : { issuer: settings.issuer }),
      ...(settings.audience === undefined ? {} : { audience: settings.audience }),
    })
    return await claims(payload, settings, clock, 'current')
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return 'another signature'
    // jose checks `nbf` and `exp` last, so these tokens are valid in all other respects.
    if (error instanceof errors.JWTExpired)
      return await claims(error.payload, settings, clock, 'expired')
    if (error instanceof errors.JWTClaimValidationFailed && beginsLater(error))
      return await claims(error.payload, settings, clock, 'early')
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Whether the claim `nbf` is a time, but later than now. */
const beginsLater = ({ claim, reason }: errors.JWTClaimValidationFailed): boolean =>
  claim === 'nbf' && reason === 'check_failed'

/** Returns the header of a token, of which only `alg` and `kid` are read before the signature is verified; undefined if malformed. */
async function headerOf(token: string): Promise<ProtectedHeaderParameters | undefined> {
  const { decodeProtectedHeader } = await jose()
  try {
    return decodeProtectedHeader(token)
  } catch {
    return undefined
  }
}

/** Returns the claims of a verified payload; undefined if a required one is missing or not of its type. */
async function claims(
  payload: JWTPayload,
  settings: JwtSettings,
  clock: Clock,
  timing: Timing,
): Promise<Claims | undefined> {
  const { sub, iat, exp, lookup: given } = payload
  if (typeof sub !== 'string' || sub === '' || exp === undefined || !Number.isFinite(exp)) {
    return undefined
  }
  if (iat !== undefined && !Number.isFinite(iat)) return undefined
  const now = Math.floor(clock.now() / 1000)
  const isEarly = iat !== undefined && iat > now + settings.leeway
  const lookup = typeof given === 'string' ? given : ''
  return {
    key: sub,
    lookup,
    timing: isEarly ? 'early' : timing,
    account: await accountKey(lookup || sub),
    verifiedUntil: exp,
  }
}
