// The strategy basic (RFC 7617): every request carries login name and password in its Authorization header.

import { invalidCredentials } from '../../errors.ts'
import { readBasic } from '../basic-credentials.ts'
import { authorization } from '../tokens/token-providers.ts'
import { accountKey } from '../users/account.ts'
import type { Strategy } from '../users/identity.ts'
import type { Users } from '../users/users.ts'

/** Creates the strategy: `Authorization: Basic <base64 of username:password>`. `challenge`: the `WWW-Authenticate` header of its 401. */
export function basicStrategy(users: Users, challenge: string): Strategy {
  return {
    name: 'basic',
    async find(request) {
      const value = authorization(request, 'Basic')
      if (value === undefined) return undefined
      const given = readBasic(value)
      return {
        strategy: 'basic',
        isSent: true,
        account: given && (await accountKey(given.name)),
        // The header may name any account until the password has been checked.
        hasProvenAccount: false,
        async verify(guard) {
          if (given === undefined) throw invalidCredentials(challenge)
          const user = await users.byName(request, given.name)
          const right = await users.check(request, user, given.password, 'password', guard.before)
          if (!right || user === undefined) {
            await guard.failed()
            throw invalidCredentials(challenge)
          }
          return { strategy: 'basic', user }
        },
      }
    },
  }
}
