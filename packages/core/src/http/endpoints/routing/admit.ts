// admit: the stages `limit` and `authenticate`, between routing and authorising. Requests are counted by user, so most are authenticated
// before they are counted. A limit is checked before a password or API key, which can be guessed and is expensive to check.
// `admitCall` runs both for routes of resources and the index, `admit` for all others; `lookUpCaller` then adds the roles.

import type { ActionCheck } from '../../../access/authorize.ts'
import { callerOf, hostVary, isUser } from '../../../access/caller.ts'
import { needsAuthentication } from '../../../access/requirement.ts'
import { anonymous, type Caller } from '../../../access/roles/roles.ts'
import { authenticate, findCredentials } from '../../../auth/authenticate.ts'
import type { GivenCaller } from '../../../auth/given-caller.ts'
import { clientAddress } from '../../../auth/limits/address.ts'
import type { LimitHeaders } from '../../../auth/limits/limiter.ts'
import type { RequestLimits, SignIn } from '../../../auth/sign-in.ts'
import { accountKey } from '../../../auth/users/account.ts'
import type { CheckGuard, Credential, Identity } from '../../../auth/users/identity.ts'
import type { MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { StrategyName } from '../../../model/settings/access/access-types.ts'
import type { AuthSettings } from '../../../model/settings/auth/auth-settings.ts'
import type { RateWindow } from '../../../model/settings/auth/rate-windows.ts'
import type { Runtime } from '../../call/call.ts'
import { userIdentityOf } from '../auth/user-identity.ts'

/** The input of these two stages: what the route requires. */
export interface Admission {
  /** Route and method, `Book:GET`, as part of the rate limit's key; does not depend on how the client wrote the path. */
  readonly route: string
  /** The rate limits of the route, such as 100 requests per minute; none if the list is empty. */
  readonly windows: readonly RateWindow[]
  /** Any of these strategies is accepted. */
  readonly strategies: readonly StrategyName[]
  /** Whether anonymous requests get 401. */
  readonly required: boolean
  /** Verifies tokens with this secret instead of the configured key. */
  readonly secret?: string
  /** Whether the route only reads. Also true for a QUERY request that was sent as POST. */
  readonly reads?: boolean
}

/** Returns the admission of a route. All checks must pass, so it accepts only the strategies that every check accepts. */
export function admissionOf(
  checks: readonly ActionCheck[],
  route: string,
  windows: readonly RateWindow[],
): Admission {
  const protectedChecks = checks.filter(({ resource, action }) =>
    needsAuthentication(resource, action),
  )
  const candidates = (protectedChecks.length > 0 ? protectedChecks : checks).map(
    ({ resource }) => resource.settings.strategies,
  )
  const strategies = (candidates[0] ?? []).filter((name) =>
    candidates.every((names) => names.includes(name)),
  )
  return { route, windows, strategies, required: protectedChecks.length > 0 }
}

/** Who sent a request, and the headers of its response. */
export interface Admitted {
  /** The user that the role rules check; `true` for a credential that names no user, null or undefined for an anonymous request. */
  readonly user: unknown
  /** The strategy that found the user; undefined if the host gave it, or for an anonymous request. */
  readonly strategy: StrategyName | undefined
  /** `Vary` and the rate limit headers of the response. */
  readonly headers: LimitHeaders
  /** Counts another request with the same credentials against the limit of its route, without verifying them again. */
  countAgain(admission: Admission): Promise<LimitHeaders>
}

/** Runs both stages for a route of a resource, or for the index. */
export async function admitCall(
  { signIn, settings }: Pick<Runtime, 'signIn' | 'settings'>,
  request: ApiRequest,
  admission: Admission,
): Promise<Admitted> {
  const { strategies, required } = admission
  // If no strategy is enabled, the host may have authenticated the request itself.
  const unasked = strategies.length === 0 && !required ? request.user : undefined
  const given = signIn.given && knownGiven(signIn.given, strategies)
  const hostUser = given === undefined ? unasked : given.user
  const { identity, headers, credentials } = await admit(signIn, request, admission, hostUser)
  // True: authenticated without a user.
  const user = identity === null ? hostUser : (identity.user ?? true)
  return {
    user,
    strategy: identity?.strategy,
    headers: { ...varyOf(strategies, settings.auth, user), ...headers },
    async countAgain({ route, windows }) {
      const counting = requestCounter(signIn, request, credentials, { route, windows }, hostUser)
      return { ...(await counting.first()), ...(await counting.afterwards(identity)) }
    },
  }
}

/** Whether there is no limit and no strategy, so that both stages can be skipped. */
export const needsNoAdmission = ({ windows, strategies, required }: Admission): boolean =>
  windows.length === 0 && strategies.length === 0 && !required

const nobody = { identity: null, headers: {}, credentials: [] }

/**
 * Returns the identity of the caller, or null if anonymous, and the rate limit headers. Throws 401, 403 and 429. `hostUser` is the user whom
 * the host has authenticated itself; undefined if a strategy decides.
 */
export async function admit(
  signIn: SignIn,
  request: ApiRequest,
  admission: Admission,
  hostUser?: unknown,
): Promise<{
  readonly identity: Identity | null
  readonly headers: LimitHeaders
  readonly credentials: readonly Credential[]
}> {
  const { auth, limits, given } = signIn
  const { windows, strategies, required, secret, reads = false } = admission
  if (given !== undefined) return admitGiven(signIn, request, given, admission)
  if (needsNoAdmission(admission)) return nobody
  const options = secret === undefined ? { reads } : { reads, secret }
  const credentials = await findCredentials(auth, strategies, request, options)
  const guard = guardOf(limits, request, credentials)
  if (windows.length === 0) {
    const identity = await authenticate(auth, strategies, request, credentials, { required, guard })
    return { identity, headers: {}, credentials }
  }
  const counting = requestCounter(signIn, request, credentials, admission, hostUser)
  const first = await counting.first()
  let identity: Identity | null
  try {
    identity = await authenticate(auth, strategies, request, credentials, { required, guard })
  } catch (error) {
    await counting.afterwards(null)
    throw error
  }
  return { identity, headers: { ...first, ...(await counting.afterwards(identity)) }, credentials }
}

/** `admit` for a request whose sender the host gives: no credential is looked for. It counts against the limits of its user. */
async function admitGiven(
  signIn: SignIn,
  request: ApiRequest,
  given: GivenCaller,
  { route, windows, strategies, required }: Admission,
): Promise<Awaited<ReturnType<typeof admit>>> {
  const { user, caller } = knownGiven(given, strategies)
  // For the hooks that receive the request.
  if (user !== given.user) Reflect.set(request, 'user', undefined)
  const isKnown = caller?.authenticated ?? isUser(user)
  const counting = requestCounter(signIn, request, [], { route, windows }, user)
  const headers = await counting.first()
  // Throws the 401 of a request without credentials.
  await authenticate(signIn.auth, strategies, request, [], { required: required && !isKnown })
  const record = user === true ? null : (user ?? null)
  const identity = isKnown ? { strategy: caller?.strategy, user: record } : null
  return { identity, headers, credentials: [] }
}

const unknownSender: GivenCaller = { user: undefined, caller: anonymous }

/** Returns the given sender; nobody if a strategy has found it that this route does not accept: over HTTP, its credential would be ignored. */
const knownGiven = (given: GivenCaller, accepted: readonly StrategyName[]): GivenCaller => {
  const strategy = given.caller?.strategy
  return strategy === undefined || accepted.includes(strategy) ? given : unknownSender
}

/** Returns the caller: the admitted user with its roles, or the caller that the host gives. */
export const lookUpCaller = (
  { signIn: { given }, host, registry }: Runtime,
  { user, strategy }: Pick<Admitted, 'user' | 'strategy'>,
): MaybePromise<Caller> =>
  (isUser(user) ? given?.caller : undefined) ??
  callerOf(host.callHook, user, registry.users?.model, strategy)

/**
 * Counts a request once: by user if there is one, else by address. `first` counts it if its user is known before
 * authentication: a valid token proves the user. Otherwise `afterwards` counts it, so that a right credential is not refused
 * because of other requests from its address.
 *
 * A password or API key only claims a user: `first` checks the limit of that user, and that of wrong passwords and keys from the
 * address, without counting. `afterwards(null)`: no credential was right.
 */
function requestCounter(
  { auth, limits: { limiter, trustedProxies } }: SignIn,
  request: ApiRequest,
  credentials: readonly Credential[],
  { route, windows }: Pick<Admission, 'route' | 'windows'>,
  hostUser: unknown,
) {
  const address = (): string => `${route}|ip:${clientAddress(request, trustedProxies)}`
  const guesses = (): string => `guesses ${address()}`
  const byAccount = (account: string): string => `${route}|user:${account}`
  const byUser = async (user: unknown): Promise<string> => {
    const account = await accountOfUser(auth.users?.resource, user)
    return account === undefined ? address() : byAccount(account)
  }
  const proven = credentials.find((credential) => credential.hasProvenAccount)?.account
  const claimed = credentials.flatMap(({ account }) => account ?? [])
  /** Whether only authentication tells by which user the request counts. */
  const pending = proven === undefined && credentials.length > 0
  return {
    async first(): Promise<LimitHeaders> {
      if (windows.length === 0) return {}
      if (!pending) {
        return limiter.count(proven ? byAccount(proven) : await byUser(hostUser), windows)
      }
      if (claimed.length > 0) await limiter.check(guesses(), windows)
      for (const account of claimed) await limiter.check(byAccount(account), windows)
      return {}
    },
    async afterwards(identity: Identity | null): Promise<LimitHeaders> {
      if (windows.length === 0 || !pending) return {}
      if (identity === null && claimed.length > 0) await limiter.count(guesses(), windows)
      const account = credentials.find(
        (credential) => credential.strategy === identity?.strategy,
      )?.account
      return limiter.count(account ? byAccount(account) : await byUser(identity?.user), windows)
    },
  }
}

/** Returns the account of a user whom no login name or API key names; undefined if nothing identifies the user. */
async function accountOfUser(
  users: Resource | undefined,
  user: unknown,
): Promise<string | undefined> {
  const found = userIdentityOf(users, user)
  // The prefix separates these hashes from those of login names and API keys, which clients choose.
  return found.kind === 'user' ? `identity ${await accountKey(found.identity)}` : undefined
}

/** Counts failed passwords and API keys against the login limit, so that guessing at any endpoint is limited as at login. */
function guardOf(
  { limiter, trustedProxies, loginWindows: windows }: RequestLimits,
  request: ApiRequest,
  credentials: readonly Credential[],
): CheckGuard {
  const keys = (): readonly string[] => [
    `failed|ip:${clientAddress(request, trustedProxies)}`,
    ...credentials.flatMap(({ account, hasProvenAccount }) =>
      hasProvenAccount || account === undefined ? [] : `failed|user:${account}`,
    ),
  ]
  return {
    async before() {
      for (const key of keys()) await limiter.check(key, windows)
    },
    async failed() {
      for (const key of keys()) await limiter.count(key, windows)
    },
  }
}

/**
 * Returns the names of the headers that credentials are read from, as a `Vary` header.
 */
function varyOf(
  strategies: readonly StrategyName[],
  { providers, customScheme }: Pick<AuthSettings, 'providers' | 'customScheme'>,
  user: unknown,
): { readonly vary?: string } {
  if (strategies.length === 0) return hostVary(user)
  const custom = strategies.includes('custom') ? customScheme : undefined
  const cookies = strategies.includes('jwt') && providers.some((name) => name !== 'header')
  const headers = ['Authorization']
  if (cookies || custom?.in === 'cookie') headers.push('Cookie')
  if (custom?.in === 'header' && !headers.includes(custom.name)) headers.push(custom.name)
  return { vary: headers.join(', ') }
}
