// Issues pairs of access and refresh tokens: on login, and in exchange for an unused refresh token.

import { sha256Hex } from '../../../auth/tokens/digest.ts'
import type { IssuedToken, Subject, Tokens } from '../../../auth/tokens/tokens.ts'
import type { Users } from '../../../auth/users/users.ts'
import type {
  RefreshRecord,
  RefreshTokenStore,
  StoredUse,
} from '../../../database/own-tables/refresh-tokens.ts'
import {
  invalidCredentials,
  invalidRefreshToken,
  invalidToken,
  tokenNotYetValid,
} from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { HookRecord } from '../../../model/settings/access/hook-types.ts'
import type { AuthSettings } from '../../../model/settings/auth/auth-settings.ts'
import type { Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { tokenCookies } from './cookie.ts'
import { userKeyValue } from './user.ts'

/** The users and the tokens that login by password and refresh need; without a user model or a token key, both respond with 401. */
export interface TokenTools {
  readonly users: Users
  readonly tokens: Tokens
}

/** Issues a pair for a user who has just signed in. */
export async function firstPair(
  { clock, database, signIn, settings }: Runtime,
  request: ApiRequest,
  tools: TokenTools,
  user: HookRecord,
): Promise<Result> {
  const subject = subjectOf(tools.users, user)
  const refresh = await tools.tokens.issueRefresh(subject)
  const db = await database.session(request)
  const record = await refreshRecordOf(subject, refresh)
  await signIn.refreshStore.save(db, record)
  // The user may have been removed while the password was checked. The removal has revoked only the tokens that were stored before it, so
  // this one is revoked here.
  if ((await tools.users.bySubject(request, subject)) === undefined) {
    await signIn.refreshStore.revoke(db, record.digest, clock.now())
    throw invalidCredentials(signIn.auth.challenge)
  }
  return tokenPairResult(settings.auth, request, tools, user, refresh)
}

/** Verifies a refresh token and returns its user; throws 401 if it is not valid. Its expiry is checked in the store, not here. */
export async function readRefreshToken(tools: TokenTools, text: string): Promise<Subject> {
  const claims = await tools.tokens.readRefresh(text)
  if (claims === undefined) throw invalidToken()
  if (claims.timing === 'early') throw tokenNotYetValid()
  return claims
}

/**
 * Exchanges a refresh token for a new pair; throws 403 if the store does not know it, or it is used, revoked or expired. If two tabs of a
 * browser send the same token within the grace, the second one gets the successor of the first, or another token beside it.
 */
export async function nextPair(
  { clock, database, signIn, settings, host }: Runtime,
  request: ApiRequest,
  tools: TokenTools,
  presented: string,
  claims: Subject,
): Promise<Result> {
  const now = clock.now()
  const db = await database.session(request)
  const { refreshStore } = signIn
  const digest = await sha256Hex(presented)
  const user = await tools.users.bySubject(request, claims)
  if (user === undefined) {
    await refreshStore.revoke(db, digest, now)
    throw invalidRefreshToken()
  }
  const subject = subjectOf(tools.users, user)
  const refresh = await tools.tokens.issueRefresh(subject, { token: presented, usedAt: now })
  const successor = await refreshRecordOf(subject, refresh)
  const grace = 1000 * (settings.auth.jwt?.refreshGrace ?? 0)
  const rotation = await refreshStore.rotate(db, { digest, successor, now, grace })
  if (rotation.kind === 'rotated')
    return tokenPairResult(settings.auth, request, tools, user, refresh)
  if (rotation.kind === 'repeated') {
    const { uses } = rotation
    const valid = uses.at(-1)?.successor ?? ''
    const again =
      (await lastSuccessor(uses, tools, subject, presented)) ??
      (await siblingToken(refreshStore, db, tools, subject, valid, now))
    if (again !== undefined) return tokenPairResult(settings.auth, request, tools, user, again)
  }
  if (rotation.kind === 'replayed') {
    host.warn(
      'A refresh token was presented a second time; the tokens that followed it are revoked.',
    )
  }
  throw invalidRefreshToken()
}

/**
 * Makes the last successor of a token again, since the store has only its hash; undefined if that is not possible: the settings have
 * changed, or the algorithm makes another signature each time.
 */
async function lastSuccessor(
  uses: readonly StoredUse[],
  { tokens }: TokenTools,
  subject: Subject,
  presented: string,
): Promise<IssuedToken | undefined> {
  let token = presented
  let issued: IssuedToken | undefined
  for (const { usedAt, successor } of uses) {
    issued = await tokens.issueRefresh(subject, { token, usedAt })
    token = issued.token
    if ((await sha256Hex(token)) !== successor) return undefined
  }
  return issued
}

/** Issues another token for the session of a valid one, given by its digest; undefined if that one is not valid any more. */
async function siblingToken(
  store: RefreshTokenStore,
  db: AnyDatabase,
  { tokens }: TokenTools,
  subject: Subject,
  digest: string,
  now: number,
): Promise<IssuedToken | undefined> {
  const issued = await tokens.issueRefresh(subject)
  const isStored = await store.addSibling(db, digest, await refreshRecordOf(subject, issued), now)
  return isStored ? issued : undefined
}

const subjectOf = (users: Users, user: HookRecord): Subject => ({
  key: users.keyOf(user) ?? '',
  lookup: users.lookupOf(user),
})

const refreshRecordOf = async (subject: Subject, refresh: IssuedToken): Promise<RefreshRecord> => ({
  digest: await sha256Hex(refresh.token),
  userKey: subject.key,
  userLookup: subject.lookup,
  createdAt: refresh.createdAt,
  expiresAt: refresh.expiresAt,
})

/** Returns the response with both tokens; issues the access token. */
async function tokenPairResult(
  auth: AuthSettings,
  request: ApiRequest,
  { users, tokens }: TokenTools,
  user: HookRecord,
  refresh: IssuedToken,
): Promise<Result> {
  const access = await tokens.issueAccess(subjectOf(users, user))
  const value: JsonValue = {
    access_token: access.token,
    // A refresh token in a cookie is not in the body: a script that reads it there could keep the session after the page is closed.
    refresh_token: auth.refreshCookie === null ? refresh.token : null,
    user_pk: userKeyValue(users, user),
  }
  const cookies = tokenCookies(auth, request, { access: access.token, refresh: refresh.token })
  return { status: 200, value, total: 1, ...cookies }
}
