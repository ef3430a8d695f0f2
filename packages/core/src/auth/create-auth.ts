// Auth: the strategies by which requests are authenticated, with the look-ups of users, tokens and API keys that they use. Built once, by
// `create-sign-in.ts`, from the settings.

import { asUnavailable } from '../database/statements/unavailable.ts'
import { ApiError, invalidCredentials } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import { type CallHook, HookTimeout } from '../model/hooks/call-hook.ts'
import type { Resource } from '../model/registry/resource.ts'
import type { ApiRequest } from '../model/request.ts'
import type { StrategyName } from '../model/settings/access/access-types.ts'
import type { ApiSettings } from '../model/settings/settings.ts'
import { challengeOf } from './challenge.ts'
import { createKeys, type KeyParts, type Keys } from './keys/own-keys.ts'
import { apiKeyStrategy } from './strategies/api-key.ts'
import { basicStrategy } from './strategies/basic.ts'
import { askedOnce, customStrategy } from './strategies/custom.ts'
import { jwtStrategy } from './strategies/jwt.ts'
import { createIssuers } from './tokens/issuer-tokens.ts'
import { tokenProviders } from './tokens/token-providers.ts'
import { createTokens, type Tokens } from './tokens/tokens.ts'
import type { TrustedOrigins } from './trusted-origin.ts'
import type { Strategy } from './users/identity.ts'
import type { OpenForRequest } from './users/look-up-user.ts'
import { createUsers, type Users } from './users/users.ts'

/** How requests to an API are authenticated. */
export interface Auth {
  /** The enabled strategies, by name. */
  readonly strategies: ReadonlyMap<StrategyName, Strategy>
  /** The look-ups of users; undefined without a user model. */
  readonly users: Users | undefined
  /** Signs and verifies the tokens of this API; undefined if it issues none. */
  readonly tokens: Tokens | undefined
  /** The API keys that the service stores; undefined without API_KEYS. */
  readonly keys: Keys | undefined
  /** The WWW-Authenticate header of a 401, with all strategies: `Bearer, Basic realm="api", charset="UTF-8"`. */
  readonly challenge: string
  /** The name of the cookie with the access token, if tokens are read from no other place; a 401 names it. */
  readonly onlyCookie: string | undefined
  /** The origins whose requests may be authenticated by a cookie. */
  readonly origins: TrustedOrigins
  /** Imports the token providers configured as `"module#export"`; undefined if there are none. */
  readonly ready: (() => Promise<unknown>) | undefined
  /**
   * Returns the error to throw when a host function threw `error`: an ApiError and a HookTimeout unchanged, 503 if the database was
   * unavailable (with `error` as its cause), otherwise 401, with the original error reported.
   */
  refusal(error: unknown, request: ApiRequest): Promise<unknown>
  /** Returns the `Auth` for the operations of a batch. With API_CUSTOM_AUTH_PER_BATCH it calls the custom strategy once for all of them. */
  forBatch(request: ApiRequest): Auth
}

/** What `createAuth` takes. */
export interface AuthParts {
  readonly settings: ApiSettings
  /** The user model; undefined if the API has none. */
  readonly users: Resource | undefined
  readonly clock: Clock
  /** Opens the connection on which a user is read. */
  readonly open: OpenForRequest
  /** The table of API keys, and the connection of a request. */
  readonly keys: Pick<KeyParts, 'store' | 'session'>
  /** Passes an error to the host that the response does not show. */
  readonly report: (error: unknown, request: ApiRequest) => void
  readonly callHook: CallHook
}

/** Returns a 503 error if a host function failed because the database was unavailable: its own error is the cause of `error`. */
async function databaseFailure(
  { open }: Pick<AuthParts, 'open'>,
  error: unknown,
  request: ApiRequest,
): Promise<ApiError | undefined> {
  try {
    const { target } = await open(request)
    return asUnavailable(target.dialect, error instanceof Error ? error.cause : error)
  } catch (failure) {
    return failure instanceof ApiError && failure.status === 503 ? failure : undefined
  }
}

/** Builds the enabled strategies; their settings were checked at start-up. */
export function createAuth(parts: AuthParts): Auth {
  const { auth: settings, baseUrl } = parts.settings
  const origins = { baseUrl, others: settings.trustedOrigins }
  const { callHook } = parts
  const challenge = challengeOf(settings.strategies)
  const refusal = async (error: unknown, request: ApiRequest): Promise<unknown> => {
    if (error instanceof ApiError || error instanceof HookTimeout) return error
    // If an outage were a 401, clients would log their users out.
    const failure = await databaseFailure(parts, error, request)
    if (failure !== undefined) return Object.assign(failure, { cause: error })
    parts.report(error, request)
    return invalidCredentials(challenge)
  }
  const { users: resource, open, report } = parts
  const users = resource && createUsers({ settings, resource, open, callHook, report, refusal })
  const keys =
    parts.settings.keys && users !== undefined
      ? createKeys({ ...parts.keys, users, clock: parts.clock })
      : undefined
  const tokens = settings.jwt === null ? undefined : createTokens(settings.jwt, parts.clock)
  const providers = tokenProviders(settings.providers, settings.cookieName, callHook)
  const onlyCookie = settings.providers.every((provider) => provider === 'cookie')
    ? settings.cookieName
    : undefined
  const strategies = new Map<StrategyName, Strategy>()
  for (const name of settings.strategies) {
    const strategy = make(name)
    if (strategy !== undefined) strategies.set(name, strategy)
  }
  const auth: Auth = {
    strategies,
    users,
    tokens,
    keys,
    challenge,
    onlyCookie,
    origins,
    ready: providers.ready,
    refusal,
    forBatch(request) {
      if (!settings.customPerBatch || settings.customAuth === undefined) return auth
      const custom = askedOnce(settings.customAuth, request)
      const own = customStrategy(custom, challenge, callHook)
      return { ...auth, strategies: new Map([...strategies, ['custom', own]]) }
    },
  }
  return auth

  function make(name: StrategyName): Strategy | undefined {
    switch (name) {
      case 'jwt':
        return jwtStrategy({
          tokens,
          users,
          findIssuer: createIssuers(settings.issuers, settings.leeway, parts.clock),
          findToken: providers.find,
          origins,
          challenge,
          callHook,
        })
      case 'basic':
        return users && basicStrategy(users, challenge)
      case 'api_key':
        return apiKeyStrategy({ keys, users, lookup: settings.keyLookup, challenge, callHook })
      case 'custom':
        return settings.customAuth && customStrategy(settings.customAuth, challenge, callHook)
    }
  }
}
