// The strategy jwt: an access token that a token provider finds; the user is loaded for every request.

import { crossSiteRequest, invalidCredentials, tokenHasExpired } from '../../errors.ts'
import { accountKey } from '../account.ts'
import type { Identity, Strategy } from '../identity.ts'
import { isSameOrigin } from '../same-origin.ts'
import type { FindToken } from '../token-providers.ts'
import type { Claims, Tokens } from '../tokens.ts'
import type { Users } from '../users.ts'

export interface JwtParts {
  readonly tokens: Tokens
  readonly users: Users
  readonly findToken: FindToken
  readonly baseUrl: string
  readonly challenge: string
}

/** `Authorization: Bearer <token>` by default; API_AUTH_TOKEN_PROVIDERS can change it. */
export function jwtStrategy({ tokens, users, findToken, baseUrl, challenge }: JwtParts): Strategy {
  return {
    name: 'jwt',
    async find(request, { secret }) {
      const found = await findToken(request)
      if (found === undefined) return undefined
      const claims = await tokens.readAccess(found.token, secret)
      const proven = claims !== undefined && !claims.expired
      return {
        strategy: 'jwt',
        certain: true,
        account: proven ? await accountKey(claims.lookup || claims.key) : undefined,
        proven,
        async verify() {
          const { key } = valid(claims, challenge)
          if (found.fromCookie && !isSameOrigin(request, baseUrl)) throw crossSiteRequest()
          const user = await users.byKey(request, key)
          if (user === undefined) throw invalidCredentials(challenge)
          return { strategy: 'jwt', user, key } satisfies Identity
        },
      }
    },
  }
}

function valid(claims: Claims | undefined, challenge: string): Claims {
  if (claims === undefined) throw invalidCredentials(challenge)
  if (claims.expired) throw tokenHasExpired()
  return claims
}
