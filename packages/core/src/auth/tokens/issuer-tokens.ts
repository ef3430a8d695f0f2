// The tokens of other issuers (API_JWT_ISSUERS): which issuer a token names, and its claims if that issuer has signed it for this API.

import type { JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../lib/clock.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { IssuerClaims, JwtIssuer } from '../../model/settings/auth/jwt-issuers.ts'
import { accountKey } from '../users/account.ts'
import { issuerKeys } from './issuer-keys.ts'
import { jose } from './jose.ts'
import { isTokenForm } from './token-form.ts'
import type { Timing } from './tokens.ts'
import { rememberVerified } from './verified-tokens.ts'

/** A token that its issuer has signed. */
export interface IssuerToken {
  readonly claims: IssuerClaims
  readonly timing: Timing
  /** The key under which requests and failed sign-ins of the account are counted. */
  readonly account: string
  /** When it must be verified again, in seconds since 1970; the leeway is added. */
  readonly verifiedUntil: number
}

/** An issuer of API_JWT_ISSUERS. */
export interface Issuer {
  readonly settings: JwtIssuer
  /** Verifies a token; undefined if this issuer has not signed it for this API. Rejects with 503 if its keys cannot be read. */
  read(token: string): MaybePromise<IssuerToken | undefined>
}

/** Seconds after which a signature is verified again, so that keys that the issuer has withdrawn are no longer accepted. */
const rememberedFor = 600

/** Returns the issuer that a token names; undefined if it is none of them. */
export type FindIssuer = (token: string) => Issuer | undefined

/** Creates the issuers of an API. `leeway`: seconds by which the clocks may differ. */
export function createIssuers(
  issuers: readonly JwtIssuer[],
  leeway: number,
  clock: Clock,
): FindIssuer {
  const byName = new Map(
    issuers.map((settings) => [settings.issuer, issuerOf(settings, leeway, clock)]),
  )
  return (token) => {
    if (byName.size === 0 || !isTokenForm(token)) return undefined
    const name = issuerIn(token)
    return name === undefined ? undefined : byName.get(name)
  }
}

/** Returns the claim `iss`, undefined if there is none, before the signature is verified: it decides by whose keys that is done. */
function issuerIn(token: string): string | undefined {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const iss = typeof claims === 'object' && claims !== null && Reflect.get(claims, 'iss')
    return typeof iss === 'string' ? iss : undefined
  } catch {
    return undefined
  }
}

/** Creates an issuer; its keys are read when the first of its tokens is verified. */
function issuerOf(settings: JwtIssuer, leeway: number, clock: Clock): Issuer {
  const { issuer, audience, algorithms = ['RS256'], typ } = settings
  const verified = rememberVerified<IssuerToken>(clock, leeway)
  let keys: Promise<JWTVerifyGetKey> | undefined
  const verify = async (token: string): Promise<IssuerToken | undefined> => {
    const { errors, jwtVerify } = await jose()
    keys ??= issuerKeys(settings, clock)
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await keys, {
        issuer,
        audience: typeof audience === 'string' ? audience : [...audience],
        algorithms: [...algorithms],
        requiredClaims: ['exp', 'sub'],
        clockTolerance: leeway,
        currentDate: new Date(clock.now()),
        ...(typ === undefined ? {} : { typ }),
      })
      if (typ === undefined && !isUsualType(protectedHeader.typ)) return undefined
      return await verifiedToken(payload, 'current')
    } catch (error) {
      // `jose` has verified the signature before it looks at `exp`.
      if (error instanceof errors.JWTExpired) return verifiedToken(error.payload, 'expired')
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
  const verifiedToken = async (
    claims: IssuerClaims,
    timing: Timing,
  ): Promise<IssuerToken | undefined> => {
    const { sub, exp, iat } = claims
    if (typeof sub !== 'string' || sub === '' || typeof exp !== 'number') return undefined
    const now = Math.floor(clock.now() / 1000)
    if (iat !== undefined && typeof iat !== 'number') return undefined
    const isEarly = iat !== undefined && iat > now + leeway
    return {
      claims,
      timing: timing === 'current' && isEarly ? 'early' : timing,
      account: await accountKey(JSON.stringify([issuer, sub])),
      verifiedUntil: Math.min(exp, now + rememberedFor),
    }
  }
  return { settings, read: (token) => verified(token, () => verify(token)) }
}

/** `JWT`, `at+jwt`, `application/at+jwt`. Other types are no access tokens: logout tokens, security events, proofs of possession. */
const isUsualType = (typ: string | undefined): boolean =>
  typ === undefined || /^(?:application\/)?(?:at\+)?jwt$/i.test(typ)
