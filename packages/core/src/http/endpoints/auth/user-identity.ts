// UserIdentity: which user sent a request, as one string such as `["User","7"]`. Rate limits count by it, and an Idempotency-Key belongs to
// it: if two users had the same identity, one could receive the other's stored response.

import type { Caller } from '../../../access/roles/roles.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { stringify } from '../../../lib/json/stringify.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { userKey } from './user-key.ts'

/** `nobody`: no user; `unknown`: the user object has no property that identifies the user. */
export type UserIdentity =
  | { readonly kind: 'nobody' | 'unknown' }
  | { readonly kind: 'user'; readonly identity: string }

/** Identifies the caller of a request. The identity of the system is no JSON, as those of users are. */
export const callerIdentityOf = (
  users: Resource | undefined,
  { user, isSystem }: Caller,
): UserIdentity =>
  isSystem === true ? { kind: 'user', identity: 'system' } : userIdentityOf(users, user)

/**
 * Identifies the user by model name and key, so that users of two models differ. Without a user model, by the JSON of the host's user
 * object, in whatever order it has its members, and without those that may change between two requests of a user.
 */
export function userIdentityOf(users: Resource | undefined, user: unknown): UserIdentity {
  if (user === null || user === undefined) return { kind: 'nobody' }
  if (users === undefined) return identityOf(lastingJson(user))
  const key = userKey(users, user)
  return identityOf(key && stringify([users.name, ...key.map(String)]))
}

const identityOf = (identity: string | undefined): UserIdentity =>
  identity === undefined ? { kind: 'unknown' } : { kind: 'user', identity }

/** The roles, and the claims that a token has of itself (RFC 7519), which hosts may pass on. */
const passing: ReadonlySet<string> = new Set(['roles', 'iat', 'exp', 'nbf', 'jti'])

/** The user as JSON, without the `passing` members and with the others sorted; undefined if it has no JSON form, or no other member. */
function lastingJson(user: unknown): string | undefined {
  const json = jsonOf(user)
  if (json === null) return undefined
  if (typeof json !== 'object') return stringify(json)
  const rest = Object.entries(json).filter(([name]) => !passing.has(name))
  rest.sort(([a], [b]) => (a < b ? -1 : 1))
  return rest.length === 0 ? undefined : stringify(Object.fromEntries(rest))
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
