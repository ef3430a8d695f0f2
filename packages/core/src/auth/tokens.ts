// Tokens: signed and verified with jose; algorithms and keys come from settings alone, never from the token (specification: JWT settings, Token claims).

import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../call.ts'
import type { Algorithm, JwtSettings, KeyTexts } from '../config/auth-settings.ts'
import { looksLikePem } from '../config/pem.ts'
import { secretProblem } from '../config/secret-strength.ts'
import { isTokenForm } from './token-form.ts'
import { type KeyOf, tokenKeys } from './token-keys.ts'

/** Whom a token is about. */
export interface Subject {
  /** The user's key as text. */
  readonly key: string
  /** The value of API_USER_LOOKUP_FIELD when the token was made. */
  readonly lookup: string
}

/** What a verified token says. */
export interface Claims extends Subject {
  /** Whether its time is over; everything else about it is right. */
  readonly expired: boolean
}

/** A token that was just made. */
export interface IssuedToken {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt: number
}

export interface Tokens {
  issueAccess(subject: Subject): Promise<IssuedToken>
  issueRefresh(subject: Subject): Promise<IssuedToken>
  /** Undefined: not a token of ours; `secret` goes before the configured keys. */
  readAccess(token: string, secret?: string): Promise<Claims | undefined>
  readRefresh(token: string): Promise<Claims | undefined>
}

/** The two kinds are told apart by `typ`, so that neither passes for the other. */
const accessType = 'at+jwt'
const refreshType = 'rt+jwt'

/** Makes the functions that sign and verify, from the settings. */
export function createTokens(settings: JwtSettings, clock: Clock): Tokens {
  const access = tokenKeys(settings.access)
  const refresh = tokenKeys(settings.refresh)
  const explicit = new Map<string, KeyOf>()
  const keysOfSecret = (secret: string): KeyOf => {
    const known = explicit.get(secret) ?? tokenKeys(textsOf(secret)).verifying
    // A host has one secret or two; more would be a leak.
    if (explicit.size >= 16) explicit.clear()
    explicit.set(secret, known)
    return known
  }
  return {
    issueAccess: (subject) =>
      issue(settings, clock, accessType, subject, settings.accessSeconds, access.signing),
    issueRefresh: (subject) =>
      issue(settings, clock, refreshType, subject, settings.refreshSeconds, refresh.signing),
    readAccess: (token, secret) => {
      const keys = secret === undefined ? access.verifying : keysOfSecret(secret)
      return read(settings, clock, accessType, token, keys)
    },
    readRefresh: (token) => read(settings, clock, refreshType, token, refresh.verifying),
  }
}

/** An explicit secret is held to the same rules as a configured one. */
function textsOf(secret: string): KeyTexts {
  if (looksLikePem(secret)) return { secret: undefined, privateKey: undefined, verifyKey: secret }
  const problem = secretProblem(secret)
  if (problem !== undefined) throw new Error(`authenticate: the secret ${problem}`)
  return { secret, privateKey: undefined, verifyKey: undefined }
}

async function issue(
  settings: JwtSettings,
  clock: Clock,
  typ: string,
  subject: Subject,
  lifetime: number,
  signing: KeyOf,
): Promise<IssuedToken> {
  const key = await signing(settings.algorithm)
  if (key === undefined) throw new Error(`no key signs ${settings.algorithm}`)
  const now = Math.floor(clock.now() / 1000)
  const token = new SignJWT({ lookup: subject.lookup })
    .setProtectedHeader({ alg: settings.algorithm, typ })
    .setSubject(subject.key)
    .setJti(crypto.randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + lifetime)
  if (settings.issuer !== undefined) token.setIssuer(settings.issuer)
  if (settings.audience !== undefined) token.setAudience(settings.audience)
  return {
    token: await token.sign(key),
    createdAt: clock.now(),
    expiresAt: (now + lifetime) * 1000,
  }
}

async function read(
  settings: JwtSettings,
  clock: Clock,
  typ: string,
  token: string,
  verifying: KeyOf,
): Promise<Claims | undefined> {
  if (!isTokenForm(token)) return undefined
  const algorithm = algorithmOf(token, settings.allowed)
  const key = algorithm && (await verifying(algorithm))
  if (algorithm === undefined || key === undefined) return undefined
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
    return claims(payload, settings, clock, false)
  } catch (error) {
    // jose looks at the time last: what is expired is right in everything else.
    if (error instanceof errors.JWTExpired) return claims(error.payload, settings, clock, true)
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** The algorithm the token names, if it is one of the allowed; its other header members are not looked at. */
function algorithmOf(token: string, allowed: readonly Algorithm[]): Algorithm | undefined {
  try {
    const { alg } = decodeProtectedHeader(token)
    return allowed.find((algorithm) => algorithm === alg)
  } catch {
    return undefined
  }
}

function claims(
  payload: JWTPayload,
  settings: JwtSettings,
  clock: Clock,
  expired: boolean,
): Claims | undefined {
  const { sub, iat, exp, lookup } = payload
  if (typeof sub !== 'string' || sub === '' || !Number.isFinite(exp)) return undefined
  // A token of the future was not made by us.
  const now = Math.floor(clock.now() / 1000)
  if (iat !== undefined && !(Number.isFinite(iat) && iat <= now + settings.leeway)) return undefined
  return { key: sub, lookup: typeof lookup === 'string' ? lookup : '', expired }
}
