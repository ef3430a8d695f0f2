// Whose an Idempotency-Key is. Two users must never be taken for one: each would be answered what the other wrote.

import type { Call } from '../call.ts'
import type { JsonValue } from '../json/json-value.ts'
import { stringify } from '../json/stringify.ts'
import { userKey } from './auth/user-key.ts'

/** `unknown`: somebody, but nothing that is told of the user tells it from others. */
export type KeyOwner =
  | { readonly kind: 'nobody' | 'unknown' }
  | { readonly kind: 'user'; readonly identity: string }

/**
 * The user's model and key, so that users of two models never meet (security S14). Without a user model, everything that
 * the host tells of the user but its roles: those may change, and are asked again for every answer.
 */
export function keyOwnerOf({ caller: { user }, runtime }: Call): KeyOwner {
  if (user === null || user === undefined) return { kind: 'nobody' }
  const { users } = runtime.registry
  if (users === undefined) return ownerOf(told(user))
  const key = userKey(users, user)
  return ownerOf(key && stringify([users.name, ...key.map(String)]))
}

const ownerOf = (identity: string | undefined): KeyOwner =>
  identity === undefined ? { kind: 'unknown' } : { kind: 'user', identity }

/** What JSON tells of a user; undefined for what it cannot write, and for objects of which it tells nothing. */
function told(user: unknown): string | undefined {
  const json = jsonOf(user)
  if (json === null) return undefined
  if (typeof json !== 'object') return stringify(json)
  const { roles: _, ...rest } = json as { readonly [name: string]: JsonValue }
  return Object.keys(rest).length === 0 ? undefined : stringify(rest)
}

function jsonOf(user: unknown): JsonValue {
  const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  try {
    return JSON.parse(JSON.stringify(user, exact) ?? 'null')
  } catch {
    return null
  }
}
