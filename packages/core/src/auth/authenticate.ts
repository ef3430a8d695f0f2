// Finds the credentials of a request (`findCredentials`), and verifies them, strategy by strategy, until one succeeds (`authenticate`;
// docs/guide/authentication.md). In between, callers count the request against the rate limit of the account that the credentials name.

import { ApiError, authorizationMissing, invalidCredentials, notReady } from '../errors.ts'
import { type ApiRequest, header } from '../model/request.ts'
import type { StrategyName } from '../model/settings/access/access-types.ts'
import { challengeOf } from './challenge.ts'
import type { Auth } from './create-auth.ts'
import type { CheckGuard, Credential, FindOptions, Identity } from './users/identity.ts'

/** Finds the credentials that a request carries for the given strategies, in their order; verifies only the signatures of tokens. */
export async function findCredentials(
  auth: Auth,
  names: readonly StrategyName[],
  request: ApiRequest,
  options: FindOptions = {},
): Promise<readonly Credential[]> {
  if (auth.ready !== undefined) await auth.ready().catch(refuseUntilReady)
  const found: Credential[] = []
  for (const name of names) {
    const finding = auth.strategies.get(name)?.find(request, options)
    const credential = finding instanceof Promise ? await finding : finding
    if (credential !== undefined) found.push(credential)
  }
  return found
}

/** `api.as` takes this string for the system, so it must not come out of a request. */
const namedLikeSystem =
  "A function of the host authenticated a request as the string 'system', which api.as takes for the system. Return an object of the user."

function refuseUntilReady(cause: unknown): never {
  throw Object.assign(notReady(), { cause })
}

/** A guard that neither counts nor refuses checks. */
export const unguarded: CheckGuard = { before: async () => {}, failed: async () => {} }

/** What the endpoint requires, and how its failed checks are counted. */
export interface AuthenticateOptions {
  /** Whether a request without credentials is a 401. */
  readonly required: boolean
  /** Called around every expensive check of a credential. */
  readonly guard?: CheckGuard
}

/**
 * Returns the identity of the sender; null for a request without credentials if none are required. A wrong credential is always
 * 401; it is never treated as missing. Only the host knows whether a request for which its custom strategy returns nothing has a
 * credential, so that counts as none.
 */
export async function authenticate(
  auth: Auth,
  names: readonly StrategyName[],
  request: ApiRequest,
  credentials: readonly Credential[],
  { required, guard = unguarded }: AuthenticateOptions,
): Promise<Identity | null> {
  let failure: ApiError | undefined
  for (const credential of credentials) {
    try {
      const identity = await credential.verify(guard)
      if (identity.user === 'system') throw new TypeError(namedLikeSystem)
      // For the hooks that receive the request.
      Reflect.set(request, 'user', identity.user ?? undefined)
      return identity
    } catch (error) {
      const refusal = await auth.refusal(error, request)
      if (!(refusal instanceof ApiError)) throw refusal
      // After a wrong credential the loop tries the next one; 429 and 503 end the request.
      if (refusal.status !== 401 && refusal.status !== 403) throw refusal
      // `refusal` returns an ApiError unchanged. Another error means that a function of the host failed before it could say whether the
      // credential is right.
      const hasFailed = refusal !== error
      if (credential.isSent || hasFailed) failure ??= refusal
      // The custom strategy has thrown an ApiError of the host, which ends the request; `invalid_credentials` only means that it found no user.
      else if (refusal.body.code !== 'invalid_credentials') throw refusal
    }
  }
  if (failure !== undefined) throw failure
  if (!required) return null
  const challenge = challengeOf(names)
  if (auth.onlyCookie !== undefined && names.every((name) => name === 'jwt')) {
    throw authorizationMissing(challenge, { cookie: auth.onlyCookie })
  }
  // Only the host knows which credential its custom strategy reads.
  const place = names.every((name) => name === 'custom') ? 'host' : 'header'
  // An Authorization header that no strategy reads is a wrong credential.
  throw header(request, 'authorization') === undefined
    ? authorizationMissing(challenge, place)
    : invalidCredentials(challenge)
}
