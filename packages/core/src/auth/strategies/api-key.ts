// The strategy api_key: a long random key in the Authorization header. Its user is found in the service's own table (API_KEYS), by
// API_KEY_AUTH_AND_RETURN_METHOD of the host, or by the hash of the key in a column of the user model.

import { invalidCredentials } from '../../errors.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { ApiKeyLookup } from '../../model/settings/access/access-types.ts'
import type { HookUser } from '../../model/settings/access/hook-types.ts'
import { isCredentialText } from '../basic-credentials.ts'
import { keyIdIn } from '../keys/key-text.ts'
import type { Keys } from '../keys/own-keys.ts'
import { hashApiKey } from '../tokens/digest.ts'
import { authorization } from '../tokens/token-providers.ts'
import { accountKey } from '../users/account.ts'
import type { CheckGuard, Strategy } from '../users/identity.ts'
import type { Users } from '../users/users.ts'

/** What the strategy `api_key` takes. */
export interface ApiKeyParts {
  /** The keys that the service keeps; undefined without API_KEYS. */
  readonly keys: Keys | undefined
  /** Undefined without a user model. */
  readonly users: Users | undefined
  /** API_KEY_AUTH_AND_RETURN_METHOD, the host's own look-up; undefined without it. */
  readonly lookup: ApiKeyLookup | undefined
  /** The `WWW-Authenticate` header of a 401. */
  readonly challenge: string
  readonly callHook: CallHook
}

/** Creates the strategy: `Authorization: Api-Key <key>`. */
export function apiKeyStrategy(parts: ApiKeyParts): Strategy {
  const { keys, users, lookup, challenge, callHook } = parts
  const userOf = async (request: ApiRequest, key: string, guard: CheckGuard): Promise<HookUser> => {
    // A text in the form of the service's own keys is not looked up elsewhere.
    if (keys !== undefined && keyIdIn(key) !== undefined) {
      const user = await keys.userOf(request, key)
      // Refuses further guesses of an address that has made too many.
      if (user === undefined) await guard.before()
      return user
    }
    if (lookup !== undefined) {
      await guard.before()
      const answer = await callHook('look-up of an API key', () => lookup(key))
      // True: the function has set the user of its request.
      return answer === true ? request.user : answer
    }
    const user = await users?.byKeyHash(request, await hashApiKey(key))
    if (user === undefined) {
      // Refuses further guesses of an address that has made too many.
      await guard.before()
      return undefined
    }
    return (await users?.check(request, user, key, 'api_key', guard.before)) === true
      ? user
      : undefined
  }
  return {
    name: 'api_key',
    async find(request) {
      const key = authorization(request, 'Api-Key')
      if (key === undefined) return undefined
      return {
        strategy: 'api_key',
        isSent: true,
        account: isCredentialText(key) ? await accountKey(`key ${key}`) : undefined,
        hasProvenAccount: false,
        async verify(guard) {
          const user = isCredentialText(key) ? await userOf(request, key, guard) : undefined
          if (!user) {
            await guard.failed()
            throw invalidCredentials(challenge)
          }
          return { strategy: 'api_key', user }
        },
      }
    },
  }
}
