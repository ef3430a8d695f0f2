// The four authentication endpoints: login, refresh, logout and the current user (specification: Authentication endpoints).

import { authenticate, findCredentials } from '../../../auth/authenticate.ts'
import { isCredential } from '../../../auth/basic-credentials.ts'
import { clientAddress } from '../../../auth/limits/address.ts'
import { accountKey } from '../../../auth/users/account.ts'
import type { Identity } from '../../../auth/users/identity.ts'
import { authorizationMissing, invalidCredentials } from '../../../errors.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Call, Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { deletedCookie } from './cookie.ts'
import { firstPair, nextPair, readRefreshToken, type TokenTools } from './issue-tokens.ts'
import { readStrings } from './sign-in-body.ts'
import { basicInformation, currentUser } from './user.ts'

export type AuthEndpoint = 'login' | 'refresh' | 'logout' | 'me'

/** `POST /auth/login`: JSON `{ username, password }`, a Basic header, or an API key, whichever are enabled. */
export async function login(runtime: Runtime, request: ApiRequest): Promise<Result> {
  const { auth, settings } = runtime
  const names = settings.auth.strategies
  const headerStrategies = names.filter((name) => name === 'basic' || name === 'api_key')
  const credentials = await findCredentials(auth, headerStrategies, request)
  if (credentials.length > 0) {
    await throttle(runtime, request, 'login', credentials[0]?.account)
    const found = await authenticate(auth, headerStrategies, request, credentials, true)
    const { user } = found as Identity
    const value = basicInformation(auth.users, settings.auth.lookupField, user)
    return { status: 200, value, total: 1 }
  }
  const tools = tokenTools(runtime)
  if (tools === undefined || !names.includes('jwt')) {
    await throttle(runtime, request, 'login', undefined)
    throw authorizationMissing(auth.challenge)
  }
  const { username, password } = readStrings(runtime, request, ['username', 'password'])
  await throttle(runtime, request, 'login', await accountKey(username))
  if (!isCredential(username) || !isCredential(password)) throw invalidCredentials(auth.challenge)
  const user = await tools.users.byName(request, username)
  const correct = await passwordIsCorrect(runtime, request, tools, user, password)
  if (!correct || user === undefined) throw invalidCredentials(auth.challenge)
  return firstPair(runtime, request, tools, user)
}

/** Checks the password. An error thrown by the model's method is reported, and refused like a wrong password. */
async function passwordIsCorrect(
  runtime: Runtime,
  request: ApiRequest,
  { users }: TokenTools,
  user: Parameters<TokenTools['users']['check']>[1],
  password: string,
): Promise<boolean> {
  try {
    return await users.check(request, user, password, 'password', async () => {})
  } catch (error) {
    throw await runtime.auth.refusal(error, request)
  }
}

/** `POST /auth/refresh`: JSON `{ refresh_token }` → a new pair of tokens; a leading `Bearer ` is ignored. */
export async function refresh(runtime: Runtime, request: ApiRequest): Promise<Result> {
  const tools = tokenTools(runtime)
  if (tools === undefined) throw authorizationMissing(runtime.auth.challenge)
  const body = readStrings(runtime, request, ['refresh_token'])
  const presented = body.refresh_token.trim().replace(/^bearer +/i, '')
  await throttle(runtime, request, 'refresh', undefined)
  const claims = await readRefreshToken(tools, presented)
  await throttleAccount(runtime, 'refresh', await accountKey(claims.lookup || claims.key))
  return nextPair(runtime, request, tools, presented, claims)
}

/** `POST /auth/logout`: deletes the cookie. There is no server-side session to end, and issued tokens stay valid until they expire. */
export function logout(runtime: Runtime, request: ApiRequest): Result {
  Reflect.set(request, 'user', undefined)
  return { status: 200, value: null, total: 0, headers: deletedCookie(runtime, request) }
}

/** `GET /auth/me`: the current user's record, serialised like any record of the user model. */
export async function me(call: Call): Promise<Result> {
  const { users, challenge } = call.runtime.auth
  if (users === undefined) throw authorizationMissing(challenge)
  return currentUser(call, users, call.caller.user)
}

function tokenTools({ auth }: Runtime): TokenTools | undefined {
  const { users, tokens } = auth
  return users === undefined || tokens === undefined ? undefined : { users, tokens }
}

/**
 * Counts against API_LOGIN_RATE_LIMIT by address and by account. `account` is a digest, so clients cannot choose the keys of the
 * limiter's store.
 */
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
