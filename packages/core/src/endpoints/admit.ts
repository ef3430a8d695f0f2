// admit: the stages limit and authenticate; who is calling, and whether they may call now. The limit comes before any password is hashed.

import type { Check } from '../access/authorize.ts'
import { needsAuthentication } from '../access/requirement.ts'
import { authenticate, findCredentials } from '../auth/authenticate.ts'
import type { CheckGuard, Credential, Identity } from '../auth/identity.ts'
import type { Call, Runtime } from '../call.ts'
import type { StrategyName, TokenProvider } from '../config/access-types.ts'
import type { RateWindow } from '../config/rate-windows.ts'
import type { ApiRequest } from '../http/request.ts'
import type { Timing } from '../http/server-timing.ts'
import { clientAddress } from '../limits/address.ts'
import type { LimitHeaders } from '../limits/limiter.ts'

/** What a request asks of these two stages. */
export interface Admission {
  /** The route and method, for counting: the same however the path was spelt. */
  readonly route: string
  readonly windows: readonly RateWindow[]
  /** The strategies that would do. */
  readonly strategies: readonly StrategyName[]
  readonly required: boolean
  /** Verifies tokens instead of the configured key. */
  readonly secret?: string
}

/** What the checks of a route ask for together; a caller must satisfy all of them (contract §9). */
export function admissionOf(
  checks: readonly Check[],
  route: string,
  windows: readonly RateWindow[],
): Admission {
  const needing = checks.filter(({ resource, action }) => needsAuthentication(resource, action))
  const candidates = (needing.length > 0 ? needing : checks).map(
    ({ resource }) => resource.settings.strategies,
  )
  const strategies = (candidates[0] ?? []).filter((name) =>
    candidates.every((names) => names.includes(name)),
  )
  return { route, windows, strategies, required: needing.length > 0 }
}

/** The two stages for a route of a resource; `user` is what the role rules are asked about. */
export async function admitTo(
  call: Call,
  admission: Admission,
): Promise<{
  readonly user: unknown
  readonly strategy: StrategyName | undefined
  readonly headers: LimitHeaders
}> {
  const { runtime, request } = call
  const { identity, headers } = await admit(runtime, request, admission, call.timing)
  const { strategies, required } = admission
  const { providers } = runtime.settings.auth
  const caching = privateHeaders(strategies, providers, identity !== null)
  // Where no strategy is enabled, the host may have put its own user there.
  const known = strategies.length === 0 && !required ? request.user : null
  return {
    user: identity === null ? known : (identity.user ?? true),
    strategy: identity?.strategy,
    headers: { ...caching, ...headers },
  }
}

/** Nothing to count and nobody to ask for: an API without limits and strategies pays nothing for them. */
export const asksNothing = ({ windows, strategies, required }: Admission): boolean =>
  windows.length === 0 && strategies.length === 0 && !required

const nobody = { identity: null, headers: {} }

/** Who sent the request, or null; `headers` tell the client of its limit. Throws 401, 403 and 429. */
export async function admit(
  runtime: Runtime,
  request: ApiRequest,
  admission: Admission,
  timing?: Timing,
): Promise<{ readonly identity: Identity | null; readonly headers: LimitHeaders }> {
  const { auth } = runtime
  const { route, windows, strategies, required, secret } = admission
  if (asksNothing(admission)) return nobody
  const options = secret === undefined ? {} : { secret }
  const authenticating = () => {
    if (strategies.length > 0 || required) timing?.enter('authenticate')
  }
  const limiting = () => {
    if (windows.length > 0) timing?.enter('limit')
  }
  authenticating()
  const credentials = await findCredentials(auth, strategies, request, options)
  const counting = counter(runtime, request, credentials, route, windows)
  limiting()
  let headers = await counting.first()
  authenticating()
  const guard = guardOf(runtime, request, credentials)
  try {
    const identity = await authenticate(auth, strategies, request, credentials, required, guard)
    limiting()
    headers = { ...headers, ...(await counting.afterwards(identity)) }
    return { identity, headers }
  } catch (error) {
    await counting.afterwards(null)
    throw error
  }
}

/**
 * Counts a request once: by the user, else by the address. Who the user is, is known beforehand where a token proves
 * it; a password or key only claims it, so its counts are looked at first and written when it proved right.
 */
function counter(
  { limiter, settings }: Runtime,
  request: ApiRequest,
  credentials: readonly Credential[],
  route: string,
  windows: readonly RateWindow[],
) {
  const address = (): string => `${route}|ip:${clientAddress(request, settings.trustedProxies)}`
  const byAccount = (account: string): string => `${route}|user:${account}`
  const proven = credentials.find((credential) => credential.proven)?.account
  const claimed = credentials.flatMap(({ account }) => account ?? [])
  const pending = proven === undefined && credentials.length > 0
  return {
    async first(): Promise<LimitHeaders> {
      if (windows.length === 0) return {}
      if (!pending) return limiter.count(proven ? byAccount(proven) : address(), windows)
      await limiter.check(address(), windows)
      for (const account of claimed) await limiter.check(byAccount(account), windows)
      return {}
    },
    async afterwards(identity: Identity | null): Promise<LimitHeaders> {
      if (windows.length === 0 || !pending) return {}
      const account = identity && accountOf(identity, credentials)
      return limiter.count(account ? byAccount(account) : address(), windows)
    },
  }
}

/** By what an identity is counted: the account its credential named, else its key. */
function accountOf(identity: Identity, credentials: readonly Credential[]): string | undefined {
  const credential = credentials.find(({ strategy }) => strategy === identity.strategy)
  return credential?.account ?? (identity.key === undefined ? undefined : `key ${identity.key}`)
}

/** Failed passwords and keys count against the login limit, so that every endpoint is as hard to guess at as login is. */
function guardOf(
  { limiter, settings }: Runtime,
  request: ApiRequest,
  credentials: readonly Credential[],
): CheckGuard {
  const keys = (): readonly string[] => [
    `failed|ip:${clientAddress(request, settings.trustedProxies)}`,
    ...credentials.flatMap(({ account, proven }) =>
      proven || account === undefined ? [] : `failed|user:${account}`,
    ),
  ]
  const windows = settings.auth.loginWindows
  return {
    async before() {
      for (const key of keys()) await limiter.check(key, windows)
    },
    async failed() {
      for (const key of keys()) await limiter.count(key, windows)
    },
  }
}

/** What answers to a protected route say to caches: nobody else may have them, and they must be asked for again. */
export const privateHeaders = (
  strategies: readonly StrategyName[],
  providers: readonly TokenProvider[],
  authenticated: boolean,
): LimitHeaders => {
  if (strategies.length === 0) return {}
  const cookies = strategies.includes('jwt') && providers.some((name) => name !== 'header')
  const vary = { vary: cookies ? 'Authorization, Cookie' : 'Authorization' }
  return authenticated ? { ...vary, 'cache-control': 'private, no-cache' } : vary
}
