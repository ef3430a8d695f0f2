// The strategy jwt: an access token that a token provider finds; the user is loaded for every request.

import {
  crossSiteRequest,
  invalidCredentials,
  tokenHasExpired,
  tokenNotYetValid,
} from '../../errors.ts'
import { andThen } from '../../lib/maybe-promise.ts'
import type { ApiRequest } from '../../model/request.ts'
import { isSameOrigin } from '../same-origin.ts'
import type { FindToken } from '../tokens/token-providers.ts'
import type { Claims, Tokens } from '../tokens/tokens.ts'
import type { Credential, Strategy } from '../users/identity.ts'
import type { Users } from '../users/users.ts'

export interface JwtParts {
  readonly tokens: Tokens
  readonly users: Users
  readonly findToken: FindToken
  readonly baseUrl: string
  readonly challenge: string
}

/** Creates the strategy: `Authorization: Bearer <token>` by default; API_AUTH_TOKEN_PROVIDERS can change it. */
export function jwtStrategy({ tokens, users, findToken, baseUrl, challenge }: JwtParts): Strategy {
  return {
    name: 'jwt',
    find: (request, { secret, reads = false }) =>
      andThen(findToken(request), (found) => {
        if (found === undefined) return undefined
        const isSafe = () => reads || !found.fromCookie || isSameOrigin(request, baseUrl)
        return andThen(tokens.readAccess(found.token, secret), (claims) =>
          credentialOf(request, claims, isSafe),
        )
      }),
  }

  function credentialOf(
    request: ApiRequest,
    claims: Claims | undefined,
    isSafe: () => boolean,
  ): Credential {
    const isValid = claims !== undefined && claims.timing === 'current'
    return {
      strategy: 'jwt',
      isSent: true,
      account: isValid ? claims.account : undefined,
      hasProvenAccount: isValid,
      async verify() {
        const { key } = valid(claims, challenge)
        if (!isSafe()) throw crossSiteRequest()
        const user = await users.byKey(request, key)
        if (user === undefined) throw invalidCredentials(challenge)
        return { strategy: 'jwt', user }
      },
    }
  }
}

function valid(claims: Claims | undefined, challenge: string): Claims {
  if (claims === undefined) throw invalidCredentials(challenge)
  if (claims.timing === 'expired') throw tokenHasExpired()
  if (claims.timing === 'early') throw tokenNotYetValid()
  return claims
}
