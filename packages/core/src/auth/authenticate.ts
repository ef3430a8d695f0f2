// authenticate: verifies the credentials of a request, strategy by strategy, until one succeeds (docs/authentication.md).

import type { StrategyName } from '../config/access-types.ts'
import { ApiError, authorizationMissing, invalidCredentials, notReady } from '../errors.ts'
import { type ApiRequest, header } from '../http/request.ts'
import { challengeOf } from './challenge.ts'
import type { Auth } from './create-auth.ts'
import type { CheckGuard, Credential, FindOptions, Identity } from './identity.ts'

/** Finds the credentials that a request carries for the given strategies. */
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

function refuseUntilReady(cause: unknown): never {
  throw Object.assign(notReady(), { cause })
}

/** A guard that neither counts nor refuses checks. */
export const unguarded: CheckGuard = { before: async () => {}, failed: async () => {} }

/**
 * Returns the identity of the sender; null for a request without credentials if none are required. A wrong credential is always
 * 401; it is never treated as missing.
 *
 * `guard` is called around every expensive check of a credential.
 */
export async function authenticate(
  auth: Auth,
  names: readonly StrategyName[],
  request: ApiRequest,
  credentials: readonly Credential[],
  required: boolean,
  guard: CheckGuard = unguarded,
): Promise<Identity | null> {
  let failure: ApiError | undefined
  for (const credential of credentials) {
    try {
      const identity = await verified(auth, credential, request, guard)
      Reflect.set(request, 'user', identity.user ?? undefined)
      return identity
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // After a wrong credential the loop tries the next one; 429 and 503 end the request.
      if (error.status !== 401 && error.status !== 403) throw error
      if (credential.certain) failure ??= error
      else if (error.body.code !== 'invalid_credentials') throw error
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
  throw header(request, 'authorization') === undefined
    ? authorizationMissing(challenge, place)
    : invalidCredentials(challenge)
}

/** Verifies a credential; an unexpected error of a host function is reported and refuses the request. */
async function verified(
  auth: Auth,
  credential: Credential,
  request: ApiRequest,
  guard: CheckGuard,
): Promise<Identity> {
  try {
    return await credential.verify(guard)
  } catch (error) {
    throw await auth.refusal(error, request)
  }
}
