// UserIdentity: which user sent a request. Rate limits count by it, and an Idempotency-Key belongs to it: if two users had the same
// identity, one could receive the other's stored response.

import type { JsonValue } from '../../json/json-value.ts'
import { stringify } from '../../json/stringify.ts'
import type { Resource } from '../../registry/resource.ts'
import { userKey } from './user-key.ts'

/** `nobody`: no user; `unknown`: the user object has no property that identifies the user. */
export type UserIdentity =
  | { readonly kind: 'nobody' | 'unknown' }
  | { readonly kind: 'user'; readonly identity: string }

/**
 * Identifies the user by model name and key, so that users of two models differ. Without a user model, by
 * the JSON of the host's user object without its roles, because roles may change.
 */
export function userIdentityOf(users: Resource | undefined, user: unknown): UserIdentity {
  if (user === null || user === undefined) return { kind: 'nobody' }
  if (users === undefined) return identityOf(jsonWithoutRoles(user))
  const key = userKey(users, user)
  return identityOf(key && stringify([users.name, ...key.map(String)]))
}

const identityOf = (identity: string | undefined): UserIdentity =>
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
