// Action: the kind of operation a request performs, the keys of a role map or requirement map that apply to it, most specific first, and the
// HTTP method that the settings must allow for it.

import type { RoleKey } from '../model/settings/access/access-types.ts'

/** The operation on a resource; a bulk request has the action of its HTTP method. */
export type Action =
  | 'GET_MANY'
  | 'GET_ONE'
  | 'POST'
  | 'PATCH'
  | 'PUT'
  | 'DELETE'
  | 'RESTORE'
  | 'RELATION_GET_MANY'
  | 'RELATION_GET_ONE'
  | 'RELATION_POST'
  | 'RELATION_PATCH'
  | 'RELATION_PUT'
  | 'RELATION_DELETE'

/** What role rules decide about: an action, or `UPSERT`, which a POST with `on_conflict` needs besides `POST` and `PATCH`. */
export type Permission = Action | 'UPSERT'

const specific: Readonly<Record<Permission, readonly RoleKey[]>> = {
  GET_MANY: ['GET_MANY', 'GET'],
  GET_ONE: ['GET_ONE', 'GET'],
  POST: ['POST'],
  PATCH: ['PATCH'],
  // PUT and restore change an existing record. If no rule names them, the rule for PATCH applies.
  PUT: ['PUT', 'PATCH'],
  RESTORE: ['RESTORE', 'PATCH'],
  UPSERT: ['UPSERT', 'POST'],
  DELETE: ['DELETE'],
  RELATION_GET_MANY: ['RELATION_GET_MANY', 'RELATION_GET', 'GET_MANY', 'GET'],
  RELATION_GET_ONE: ['RELATION_GET_ONE', 'RELATION_GET', 'GET_ONE', 'GET'],
  RELATION_POST: ['RELATION_POST', 'POST'],
  RELATION_PATCH: ['RELATION_PATCH', 'PATCH'],
  RELATION_PUT: ['RELATION_PUT', 'RELATION_PATCH', 'PUT', 'PATCH'],
  RELATION_DELETE: ['RELATION_DELETE', 'DELETE'],
}

const keys: Readonly<Record<Permission, readonly RoleKey[]>> = Object.fromEntries(
  Object.entries(specific).map(([permission, own]) => [permission, [...own, 'ALL', '*']]),
) as unknown as Record<Permission, readonly RoleKey[]>

/**
 * Returns the keys of a map that can apply to a permission, the most specific first.
 *
 * ```ts
 * keysFor('RELATION_GET_MANY') // ['RELATION_GET_MANY', 'RELATION_GET', 'GET_MANY', 'GET', 'ALL', '*']
 * ```
 */
export const keysFor = (permission: Permission): readonly RoleKey[] => keys[permission]

/**
 * Returns the most specific key of a map that applies to a permission; undefined if the map has no rule for it.
 *
 * ```ts
 * decidingKey({ GET: 'viewer', ALL: true }, 'GET_ONE') // 'GET'
 * ```
 */
export const decidingKey = <Key extends RoleKey>(
  map: { readonly [K in Key]?: unknown },
  permission: Permission,
): Key | undefined =>
  keysFor(permission).find(
    (key): key is Key => Object.hasOwn(map, key) && map[key as Key] !== undefined,
  )

const methods: Readonly<Record<Permission, string>> = {
  GET_MANY: 'GET',
  GET_ONE: 'GET',
  POST: 'POST',
  PATCH: 'PATCH',
  PUT: 'PUT',
  DELETE: 'DELETE',
  RESTORE: 'PATCH',
  UPSERT: 'POST',
  RELATION_GET_MANY: 'GET',
  RELATION_GET_ONE: 'GET',
  RELATION_POST: 'POST',
  RELATION_PATCH: 'PATCH',
  RELATION_PUT: 'PUT',
  RELATION_DELETE: 'DELETE',
}

/** Returns the HTTP method that `allowed_methods` must list for the permission. */
export const methodOf = (permission: Permission): string => methods[permission]
