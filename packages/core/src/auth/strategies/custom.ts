// The strategy custom: API_CUSTOM_AUTH, a function of the host, receives the request and returns its user. If it returns true without a user,
// the caller has no roles. `askedOnce` makes one call of it serve all operations of a batch.

import { invalidCredentials } from '../../errors.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { CustomAuth } from '../../model/settings/access/access-types.ts'
import type { Strategy } from '../users/identity.ts'

/**
 * Creates the strategy. `customAuth` may read any part of the request, for example a header. `challenge`: the `WWW-Authenticate` header of
 * its 401.
 */
export function customStrategy(
  customAuth: CustomAuth,
  challenge: string,
  callHook: CallHook,
): Strategy {
  return {
    name: 'custom',
    find: async (request) => ({
      strategy: 'custom',
      // The function reads the request itself: nobody knows whether there is a credential, so a refusal lets other strategies decide.
      isSent: false,
      account: undefined,
      // No signature has verified an account before the function answers.
      hasProvenAccount: false,
      async verify() {
        const answer = await callHook('custom authentication', () => customAuth(request))
        if (!answer) throw invalidCredentials(challenge)
        // True: the function may have set the user of its request.
        const user = answer === true ? (request.user ?? null) : answer
        return { strategy: 'custom', user }
      },
    }),
  }
}

/**
 * Returns a function that calls `customAuth` once, with `request`, and gives that result for every request it is called with: the
 * operations of a batch then cost one call (`customPerBatch`).
 */
export function askedOnce(customAuth: CustomAuth, request: ApiRequest): CustomAuth {
  let asked: ReturnType<typeof ask> | undefined
  const ask = async () => {
    const answer = await customAuth(request)
    // The function may have set the user of its request instead of returning it.
    return answer === true ? (request.user ?? true) : answer
  }
  return () => (asked ??= ask())
}
