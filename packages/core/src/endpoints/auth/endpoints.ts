// The authentication endpoints: login, refresh, logout and the current user (specification: Authentication endpoints).

import { accountKey } from '../../auth/account.ts'
import { authenticate, findCredentials } from '../../auth/authenticate.ts'
import { isCredential } from '../../auth/basic-credentials.ts'
import type { Identity } from '../../auth/identity.ts'
import type { Call, Runtime } from '../../call.ts'
import { authorizationMissing, invalidCredentials } from '../../errors.ts'
import type { Result } from '../../http/envelope.ts'
import type { ApiRequest } from '../../http/request.ts'
import { clientAddress } from '../../limits/address.ts'
import { readTexts } from './body.ts'
import { noCookie } from './cookie.ts'
import { firstPair, nextPair, readRefreshToken, type TokenTools } from './tokens.ts'
import { basicInformation, currentUser } from './user.ts'

/** What of authentication a path leads to. */
export type AuthEndpoint = 'login' | 'refresh' | 'logout' | 'me'

/** `POST /auth/login`: JSON `{ username, password }`, a Basic header, or an API key, as far as they are enabled. */
export async function login(runtime: Runtime, request: ApiRequest): Promise<Result> {
  const { auth, settings } = runtime
  const names = settings.auth.strategies
  const byHeader = names.filter((name) => name === 'basic' || name === 'api_key')
  const credentials = await findCredentials(auth, byHeader, request)
  if (credentials.length > 0) {
    await throttle(runtime, request, 'login', credentials[0]?.account)
    const found = await authenticate(auth, byHeader, request, credentials, true)
    const { user } = found as Identity
    const value = basicInformation(auth.users, settings.auth.lookupField, user)
    return { status: 200, value, total: 1 }
  }
  const tools = tokenTools(runtime)
  if (tools === undefined || !names.includes('jwt')) {
    await throttle(runtime, request, 'login', undefined)
    throw authorizationMissing(auth.challenge)
  }
  const { username, password } = readTexts(runtime, request, ['username', 'password'])
  await throttle(runtime, request, 'login', await accountKey(username))
  if (!isCredential(username) || !isCredential(password)) throw invalidCredentials(auth.challenge)
  const user = await tools.users.byName(request, username)
  const right = await checked(runtime, request, tools, user, password)
  if (!right || user === undefined) throw invalidCredentials(auth.challenge)
  return firstPair(runtime, request, tools, user)
}

/** What the model's method throws is reported, and counts as a wrong password. */
async function checked(
  runtime: Runtime,
  request: ApiRequest,
  { users }: TokenTools,
  user: Parameters<TokenTools['users']['check']>[0],
  password: string,
): Promise<boolean> {
  try {
    return await users.check(user, password, 'password', async () => {})
  } catch (error) {
    throw runtime.auth.refusal(error, request)
  }
}

/** `POST /auth/refresh`: JSON `{ refresh_token }`, for a new pair; a leading `Bearer ` is dropped. */
export async function refresh(runtime: Runtime, request: ApiRequest): Promise<Result> {
  const tools = tokenTools(runtime)
  if (tools === undefined) throw authorizationMissing(runtime.auth.challenge)
  const texts = readTexts(runtime, request, ['refresh_token'])
  const presented = texts.refresh_token.trim().replace(/^bearer +/i, '')
  await throttle(runtime, request, 'refresh', undefined)
  const claims = await readRefreshToken(tools, presented)
  await throttleAccount(runtime, 'refresh', await accountKey(claims.lookup || claims.key))
  return nextPair(runtime, request, tools, presented, claims)
}

/** `POST /auth/logout`: nothing is kept between requests, so there is nothing to end but the cookie. */
export function logout(runtime: Runtime, request: ApiRequest): Result {
  Reflect.set(request, 'user', undefined)
  return { status: 200, value: null, total: 0, headers: noCookie(runtime, request) }
}

/** `GET /auth/me`: the current user, as the user model shows records. */
export async function me(call: Call): Promise<Result> {
  const { users, challenge } = call.runtime.auth
  if (users === undefined) throw authorizationMissing(challenge)
  return currentUser(call, users, call.caller.user)
}

function tokenTools({ auth }: Runtime): TokenTools | undefined {
  const { users, tokens } = auth
  return users === undefined || tokens === undefined ? undefined : { users, tokens }
}

/** API_LOGIN_RATE_LIMIT, per address and per account; no part of a key is unchecked text of the client. */
async function throttle(
  runtime: Runtime,
  request: ApiRequest,
  endpoint: AuthEndpoint,
  account: string | undefined,
): Promise<void> {
  const { trustedProxies, auth } = runtime.settings
  const address = clientAddress(request, trustedProxies)
  await runtime.limiter.count(`${endpoint}|ip:${address}`, auth.loginWindows)
  if (account !== undefined) await throttleAccount(runtime, endpoint, account)
}

const throttleAccount = async (
  { limiter, settings }: Runtime,
  endpoint: AuthEndpoint,
  account: string,
): Promise<void> => {
  await limiter.count(`${endpoint}|user:${account}`, settings.auth.loginWindows)
}
