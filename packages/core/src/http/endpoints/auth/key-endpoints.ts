// The endpoints of API keys: `GET` and `POST /auth/keys`, `DELETE /auth/keys/<id>` (docs/guide/api-keys.md).

import { callerOf } from '../../../access/caller.ts'
import type { KnownCall } from '../../../access/hooks/hook-args.ts'
import { keyLimitsOf } from '../../../access/roles/key-limits.ts'
import type { Caller } from '../../../access/roles/roles.ts'
import { type KeyOwner, shownKey } from '../../../auth/keys/own-keys.ts'
import { accountKey } from '../../../auth/users/account.ts'
import type { Users } from '../../../auth/users/users.ts'
import type { StoredApiKey } from '../../../database/own-tables/api-keys.ts'
import { authorizationMissing, invalidCredentials, recordNotFound } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { admit } from '../routing/admit.ts'
import { readKeyDraft } from './key-body.ts'
import { userKey } from './user-key.ts'

/** Answers a request about the keys of the current user. `id` is that of the path; undefined for the path of all keys. */
export async function serveKeys(
  runtime: Runtime,
  request: ApiRequest,
  id: string | undefined,
  routed: (call: KnownCall) => void,
): Promise<Result> {
  const { settings, signIn, host, database, clock } = runtime
  const { keys, users, challenge } = signIn.auth
  const { strategies, userModel, loginWindows } = settings.auth
  const method = request.method.toUpperCase()
  const { identity, headers } = await admit(signIn, request, {
    route: `keys ${method === 'HEAD' ? 'GET' : method}`,
    windows: settings.rateWindows,
    strategies,
    required: true,
  })
  if (keys === undefined || users === undefined) throw authorizationMissing(challenge)
  const caller = await callerOf(host.callHook, identity?.user ?? true, userModel)
  routed({ caller })
  const owner = await ownerOf(users, request, caller)
  // Authenticated without a user of the model, or deleted since.
  if (owner === undefined) throw invalidCredentials(challenge)
  const db = await database.session(request)
  const answered = (status: number, value: JsonValue, total: number): Result => ({
    status,
    value,
    total,
    headers,
  })
  if (id !== undefined) {
    const own = await keys.store.ofUser(db, owner.key)
    const isOwn = own.some((key) => key.id === id && isManagedBy(caller, key))
    if (!isOwn || !(await keys.store.delete(db, id))) throw recordNotFound()
    return answered(200, null, 0)
  }
  if (method === 'POST') {
    await signIn.limits.limiter.count(`keys|user:${await accountKey(owner.key)}`, loginWindows)
    const draft = readKeyDraft(settings, request, caller, clock.now())
    const made = await keys.make(db, owner, draft)
    // The user may have been removed meanwhile. The removal has deleted only the keys that were stored before it, so this one is deleted here.
    const user = await users.bySubject(request, owner)
    if (user === undefined) {
      await keys.store.delete(db, made.id)
      throw invalidCredentials(challenge)
    }
    return answered(201, { ...made } as JsonValue, 1)
  }
  const own = await keys.store.ofUser(db, owner.key)
  const shown = own.filter((key) => isManagedBy(caller, key)).map(shownKey)
  return answered(200, shown as unknown as JsonValue, shown.length)
}

/** Whether the caller may see and delete a key of its own: a key with scopes manages only those that can do no more than itself. */
function isManagedBy({ user }: Caller, key: StoredApiKey): boolean {
  const scopes = keyLimitsOf(user)?.scopes ?? null
  return scopes === null || (key.scopes?.every((role) => scopes.includes(role)) ?? false)
}

/** Looks up the user, since a strategy of the host may know no more than its key; undefined if it is no user of the user model. */
async function ownerOf(
  users: Users,
  request: ApiRequest,
  { user }: Caller,
): Promise<KeyOwner | undefined> {
  const { primaryKey } = users.resource
  const values = userKey(users.resource, user)
  const key = users.keyOf(Object.fromEntries(primaryKey.map(({ name }, i) => [name, values?.[i]])))
  const record = key === undefined ? undefined : await users.byKey(request, key)
  return key === undefined || !record ? undefined : { key, lookup: users.lookupOf(record) }
}
