// What login and `/auth/me` return about a user: `{ "user_pk": 7, "name": "ann" }`, or the whole record.

import type { Users } from '../../../auth/users/users.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { HookRecord, HookUser } from '../../../model/settings/access/hook-types.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { getOne } from '../reads/item.ts'
import { userKey } from './user-key.ts'

/** Returns the user's key as JSON. A key of several columns becomes the string that paths use. */
export function userKeyValue(users: Users | undefined, user: HookRecord): JsonValue {
  const [column, ...others] = users?.resource.primaryKey ?? []
  if (column !== undefined && others.length > 0) return users?.keyOf(user) ?? null
  // Without a user model, the user comes from the host's callback; its key is then taken from `id`.
  return (user?.[column?.name ?? 'id'] as JsonValue | undefined) ?? null
}

/** Returns basic user information: the key, and the login name under its own field. */
export function basicInformation(
  users: Users | undefined,
  lookupField: string | undefined,
  user: HookUser,
): JsonValue {
  const name = lookupField === undefined ? undefined : (user?.[lookupField] as JsonValue)
  return {
    user_pk: userKeyValue(users, user),
    ...(lookupField === undefined ? {} : { [lookupField]: name ?? null }),
  }
}

/** Reads the current user's record as `GET` of that record would, including policies. */
export async function readCurrentUser(call: Call, users: Users, user: HookUser): Promise<Result> {
  return getOne(call, call.resource, userKey(users.resource, user))
}
