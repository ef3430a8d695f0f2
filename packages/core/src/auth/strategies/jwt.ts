// The strategy jwt: an access token, of this API or of another issuer, that a token provider finds in the request. The user is read from the
// database for every request, so that a removed one is refused at once.

import {
  crossSiteRequest,
  invalidCredentials,
  tokenHasExpired,
  tokenNotYetValid,
} from '../../errors.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { HookUser } from '../../model/settings/access/hook-types.ts'
import { isCredentialText } from '../basic-credentials.ts'
import type { FindIssuer, Issuer, IssuerToken } from '../tokens/issuer-tokens.ts'
import type { FindToken } from '../tokens/token-providers.ts'
import type { Claims, Tokens } from '../tokens/tokens.ts'
import { isFromTrustedOrigin, type TrustedOrigins } from '../trusted-origin.ts'
import type { Credential, Strategy } from '../users/identity.ts'
import type { Users } from '../users/users.ts'

/** What the strategy `jwt` takes. */
export interface JwtParts {
  /** The tokens of the service; undefined if it issues none. */
  readonly tokens: Tokens | undefined
  /** Undefined without a user model. */
  readonly users: Users | undefined
  /** Finds which other service has issued a token (API_JWT_ISSUERS). */
  readonly findIssuer: FindIssuer
  /** Asks the token providers for the token of a request. */
  readonly findToken: FindToken
  readonly origins: TrustedOrigins
  /** The `WWW-Authenticate` header of a 401. */
  readonly challenge: string
  readonly callHook: CallHook
}

/** Creates the strategy: `Authorization: Bearer <token>` by default; API_AUTH_TOKEN_PROVIDERS can change it. */
export function jwtStrategy(parts: JwtParts): Strategy {
  const { tokens, users, findIssuer, findToken, origins, challenge, callHook } = parts
  return {
    name: 'jwt',
    find: (request, { secret, reads = false }) =>
      andThen(findToken(request), (found) => {
        if (found === undefined) return undefined
        // Browsers also send the cookie with requests that other sites make.
        const isSafe = () => reads || !found.fromCookie || isFromTrustedOrigin(request, origins)
        // A secret for one route of the host verifies tokens that no other issuer has signed.
        const issuer = secret === undefined ? findIssuer(found.token) : undefined
        if (issuer !== undefined) {
          return andThen(issuer.read(found.token), (token) =>
            credentialOf(token, isSafe, (verified) => userOfIssuer(request, issuer, verified)),
          )
        }
        return andThen(tokens?.readAccess(found.token, secret), (claims) =>
          credentialOf(claims, isSafe, (subject) => users?.bySubject(request, subject)),
        )
      }),
  }

  /** Returns the user whom the host finds by the claims: an object, or the user with this login name. */
  async function userOfIssuer(
    request: ApiRequest,
    { settings }: Issuer,
    { claims }: IssuerToken,
  ): Promise<HookUser | undefined> {
    const found = await callHook('user of an issuer', () => settings.user(claims))
    if (typeof found === 'object') return Array.isArray(found) ? undefined : (found ?? undefined)
    return typeof found === 'string' && isCredentialText(found)
      ? users?.byName(request, found)
      : undefined
  }

  function credentialOf<Token extends Pick<Claims, 'timing' | 'account'>>(
    claims: Token | undefined,
    isSafe: () => boolean,
    userOf: (claims: Token) => MaybePromise<HookUser | undefined>,
  ): Credential {
    const isValid = claims !== undefined && claims.timing === 'current'
    return {
      strategy: 'jwt',
      isSent: true,
      account: isValid ? claims.account : undefined,
      hasProvenAccount: isValid,
      async verify() {
        const token = valid(claims, challenge)
        if (!isSafe()) throw crossSiteRequest()
        const user = await userOf(token)
        if (user === undefined) throw invalidCredentials(challenge)
        return { strategy: 'jwt', user }
      },
    }
  }
}

/** Returns the claims of a valid token; throws 401 for any other. */
function valid<Token extends Pick<Claims, 'timing'>>(
  claims: Token | undefined,
  challenge: string,
): Token {
  if (claims === undefined) throw invalidCredentials(challenge)
  if (claims.timing === 'expired') throw tokenHasExpired()
  if (claims.timing === 'early') throw tokenNotYetValid()
  return claims
}
