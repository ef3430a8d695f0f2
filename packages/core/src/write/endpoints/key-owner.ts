// KeyOwner: which user an Idempotency-Key belongs to. If two users had the same owner, one could receive the other's stored response.

import type { Call } from '../../call.ts'
import { userKey } from '../../endpoints/auth/user-key.ts'
import type { JsonValue } from '../../json/json-value.ts'
import { stringify } from '../../json/stringify.ts'

/** `nobody`: an anonymous request; `unknown`: the user object has no property that identifies the user. */
export type KeyOwner =
  | { readonly kind: 'nobody' | 'unknown' }
  | { readonly kind: 'user'; readonly identity: string }

/**
 * Identifies the user by model name and key, so that users of two models differ. Without a user model, by
 * the JSON of the host's user object without its roles: roles may change, and every replay checks them again.
 */
export function keyOwnerOf({
  caller: { user },
  runtime,
}: Pick<Call, 'caller' | 'runtime'>): KeyOwner {
  if (user === null || user === undefined) return { kind: 'nobody' }
  const { users } = runtime.registry
  if (users === undefined) return ownerOf(jsonWithoutRoles(user))
  const key = userKey(users, user)
  return ownerOf(key && stringify([users.name, ...key.map(String)]))
}

const ownerOf = (identity: string | undefined): KeyOwner =>
  identity === undefined ? { kind: 'unknown' } : { kind: 'user', identity }

/** The user as JSON; undefined if it has no JSON form, or no member besides its roles. */
function jsonWithoutRoles(user: unknown): string | undefined {
  const json = jsonOf(user)
  if (json === null) return undefined
  if (typeof json !== 'object') return stringify(json)
  const { roles: _, ...rest } = json as { readonly [name: string]: JsonValue }
  return Object.keys(rest).length === 0 ? undefined : stringify(rest)
}

function jsonOf(user: unknown): JsonValue {
  const bigintAsString = (_: string, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value
  try {
    return JSON.parse(JSON.stringify(user, bigintAsString) ?? 'null')
  } catch {
    return null
  }
}
