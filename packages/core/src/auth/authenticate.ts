// authenticate: the strategies whose credential a request carries, in order, until one says who it is (contract §9).

import type { StrategyName } from '../config/access-types.ts'
import { ApiError, authorizationMissing, invalidCredentials, notReady } from '../errors.ts'
import { type ApiRequest, header } from '../http/request.ts'
import { challengeOf } from './challenge.ts'
import type { Auth } from './create-auth.ts'
import type { CheckGuard, Credential, Identity } from './identity.ts'

/** The credentials of a request, of the strategies that would do. */
export async function findCredentials(
  auth: Auth,
  names: readonly StrategyName[],
  request: ApiRequest,
  options: { readonly secret?: string } = {},
): Promise<readonly Credential[]> {
  try {
    await auth.ready()
  } catch (cause) {
    throw Object.assign(notReady(), { cause })
  }
  const found: Credential[] = []
  for (const name of names) {
    const credential = await auth.strategies.get(name)?.find(request, options)
    if (credential !== undefined) found.push(credential)
  }
  return found
}

/** Nothing to count, nothing to refuse. */
export const unguarded: CheckGuard = { before: async () => {}, failed: async () => {} }

/**
 * Who sent a request, or null where nobody has to be known. A credential that is there and wrong is 401 either way: it
 * is never taken for none.
 *
 * `guard` is told of every expensive check of a credential.
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
      // Only a wrong credential leaves room for the next; 429 and 503 are answers to all of them.
      if (error.status !== 401 && error.status !== 403) throw error
      if (credential.certain) failure ??= error
      else if (error.body.code !== 'invalid_credentials') throw error
    }
  }
  if (failure !== undefined) throw failure
  if (!required) return null
  const challenge = challengeOf(names)
  throw header(request, 'authorization') === undefined
    ? authorizationMissing(challenge)
    : invalidCredentials(challenge)
}

/** What the author's callables throw is reported, and counts as a wrong credential. */
async function verified(
  auth: Auth,
  credential: Credential,
  request: ApiRequest,
  guard: CheckGuard,
): Promise<Identity> {
  try {
    return await credential.verify(guard)
  } catch (error) {
    throw auth.refusal(error, request)
  }
}
