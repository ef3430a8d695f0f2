// Four authentication endpoints: login, refresh, logout and the current user (docs/guide/authentication.md). `auth-route.ts` calls them;
// those of API keys are in `key-endpoints.ts`.

import { authenticate, findCredentials } from '../../../auth/authenticate.ts'
import { isCredentialText } from '../../../auth/basic-credentials.ts'
import type { Auth } from '../../../auth/create-auth.ts'
import { clientAddress } from '../../../auth/limits/address.ts'
import type { RequestLimits } from '../../../auth/sign-in.ts'
import { cookie } from '../../../auth/tokens/token-providers.ts'
import { isFromTrustedOrigin } from '../../../auth/trusted-origin.ts'
import { accountKey } from '../../../auth/users/account.ts'
import type { Identity } from '../../../auth/users/identity.ts'
import { authorizationMissing, crossSiteRequest, invalidCredentials } from '../../../errors.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { AuthSettings } from '../../../model/settings/auth/auth-settings.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import type { Call, Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { deletedCookies } from './cookie.ts'
import { firstPair, nextPair, readRefreshToken, type TokenTools } from './issue-tokens.ts'
import { readStrings } from './sign-in-body.ts'
import { basicInformation, readCurrentUser } from './user.ts'

/** The endpoints below the path of authentication. `keys`: the list of API keys; `key`: one of them, `/auth/keys/<id>`. */
export type AuthEndpoint = 'login' | 'refresh' | 'logout' | 'me' | 'keys' | 'key'

/** `POST /auth/login`: JSON `{ username, password }`, a Basic header, or an API key, whichever are enabled. */
export async function login(runtime: Runtime, request: ApiRequest): Promise<Result> {
  const { signIn, settings } = runtime
  const { auth, limits } = signIn
  const names = settings.auth.strategies
  const headerStrategies = names.filter((name) => name === 'basic' || name === 'api_key')
  const credentials = await findCredentials(auth, headerStrategies, request)
  if (credentials.length > 0) {
    await throttle(limits, request, 'login', credentials[0]?.account)
    const found = await authenticate(auth, headerStrategies, request, credentials, {
      required: true,
    })
    const { user } = found as Identity
    const value = basicInformation(auth.users, settings.auth.lookupField, user)
    return { status: 200, value, total: 1 }
  }
  const tools = tokenTools(auth)
  if (tools === undefined || !names.includes('jwt')) {
    await throttle(limits, request, 'login', undefined)
    throw authorizationMissing(auth.challenge)
  }
  const { username, password } = readStrings(settings, request, ['username', 'password'])
  await throttle(limits, request, 'login', await accountKey(username))
  if (!isCredentialText(username) || !isCredentialText(password))
    throw invalidCredentials(auth.challenge)
  const user = await tools.users.byName(request, username)
  const correct = await passwordIsCorrect(auth, request, tools, user, password)
  if (!correct || user === undefined) throw invalidCredentials(auth.challenge)
  return firstPair(runtime, request, tools, user)
}

/** Checks the password. An error thrown by the model's method is reported, and refused like a wrong password. */
async function passwordIsCorrect(
  auth: Auth,
  request: ApiRequest,
  { users }: TokenTools,
  user: Parameters<TokenTools['users']['check']>[1],
  password: string,
): Promise<boolean> {
  try {
    // The guard does nothing: `throttle` has counted the attempt and checked the limit already.
    return await users.check(request, user, password, 'password', async () => {})
  } catch (error) {
    throw await auth.refusal(error, request)
  }
}

/** `POST /auth/refresh`: JSON `{ refresh_token }`, or its cookie, → a new pair of tokens; a leading `Bearer ` is ignored. */
export async function refresh(runtime: Runtime, request: ApiRequest): Promise<Result> {
  const { auth, limits } = runtime.signIn
  const tools = tokenTools(auth)
  if (tools === undefined) throw authorizationMissing(auth.challenge)
  const { presented, fromCookie } = presentedToken(runtime.settings, request)
  await throttle(limits, request, 'refresh', undefined)
  if (fromCookie && !isFromTrustedOrigin(request, auth.origins)) throw crossSiteRequest()
  const claims = await readRefreshToken(tools, presented)
  await throttleAccount(limits, 'refresh', await accountKey(claims.lookup || claims.key))
  return nextPair(runtime, request, tools, presented, claims)
}

/** Returns the refresh token of the body, or of the cookie if the body has none. */
function presentedToken(
  settings: ApiSettings,
  request: ApiRequest,
): { readonly presented: string; readonly fromCookie: boolean } {
  const { refreshCookie } = settings.auth
  const stored = refreshCookie === null ? undefined : cookie(request, refreshCookie.name)
  const sent =
    stored === undefined || stored === ''
      ? readStrings(settings, request, ['refresh_token']).refresh_token
      : readStrings(settings, request, [], ['refresh_token']).refresh_token
  const presented = (sent ?? stored ?? '').trim().replace(/^bearer +/i, '')
  return { presented, fromCookie: sent === undefined }
}

/** `POST /auth/logout`: deletes the cookies. There is no server-side session to end, and issued tokens stay valid until they expire. */
export function logout(auth: AuthSettings, request: ApiRequest): Result {
  // For the hooks that receive the request after this.
  Reflect.set(request, 'user', undefined)
  return { status: 200, value: null, total: 0, ...deletedCookies(auth, request) }
}

/** `GET /auth/me`: the current user's record, serialised like any record of the user model. */
export async function me(call: Call): Promise<Result> {
  const { users, challenge } = call.runtime.signIn.auth
  if (users === undefined) throw authorizationMissing(challenge)
  return readCurrentUser(call, users, call.caller.user)
}

/** Returns what login and refresh need; undefined if the API issues no tokens. */
function tokenTools({ users, tokens }: Auth): TokenTools | undefined {
  return users === undefined || tokens === undefined ? undefined : { users, tokens }
}

/**
 * Counts against API_LOGIN_RATE_LIMIT by address and by account. `account` is a digest, so clients cannot choose the keys of the
 * limiter's store; undefined if it is not known yet, or if the credential names none.
 */
async function throttle(
  limits: RequestLimits,
  request: ApiRequest,
  endpoint: AuthEndpoint,
  account: string | undefined,
): Promise<void> {
  const { limiter, trustedProxies, loginWindows } = limits
  const address = clientAddress(request, trustedProxies)
  await limiter.count(`${endpoint}|ip:${address}`, loginWindows)
  if (account !== undefined) await throttleAccount(limits, endpoint, account)
}

const throttleAccount = async (
  { limiter, loginWindows }: RequestLimits,
  endpoint: AuthEndpoint,
  account: string,
): Promise<void> => {
  await limiter.count(`${endpoint}|user:${account}`, loginWindows)
}
