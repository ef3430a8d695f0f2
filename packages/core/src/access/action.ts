// Action: the kind of operation a request performs, and the keys of a role map or requirement map that apply to it, most specific first.

import type { AccessKey } from '../config/access-types.ts'

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

const specific: Readonly<Record<Action, readonly AccessKey[]>> = {
  GET_MANY: ['GET_MANY', 'GET'],
  GET_ONE: ['GET_ONE', 'GET'],
  POST: ['POST'],
  PATCH: ['PATCH'],
  // PUT and restore change an existing record. If no rule names them, the rule for PATCH applies.
  PUT: ['PUT', 'PATCH'],
  RESTORE: ['PATCH'],
  DELETE: ['DELETE'],
  RELATION_GET_MANY: ['RELATION_GET_MANY', 'RELATION_GET', 'GET_MANY', 'GET'],
  RELATION_GET_ONE: ['RELATION_GET_ONE', 'RELATION_GET', 'GET_ONE', 'GET'],
  RELATION_POST: ['RELATION_POST', 'POST'],
  RELATION_PATCH: ['RELATION_PATCH', 'PATCH'],
  RELATION_PUT: ['RELATION_PUT', 'RELATION_PATCH', 'PUT', 'PATCH'],
  RELATION_DELETE: ['RELATION_DELETE', 'DELETE'],
}

const keys: Readonly<Record<Action, readonly AccessKey[]>> = Object.fromEntries(
  Object.entries(specific).map(([action, own]) => [action, [...own, 'ALL', '*']]),
) as unknown as Record<Action, readonly AccessKey[]>

/**
 * Returns the keys of a map that can apply to an action, the most specific first.
 *
 * ```ts
 * keysFor('RELATION_GET_MANY') // ['RELATION_GET_MANY', 'RELATION_GET', 'GET_MANY', 'GET', 'ALL', '*']
 * ```
 */
export const keysFor = (action: Action): readonly AccessKey[] => keys[action]

/**
 * Returns the most specific key of a map that applies to an action; undefined if the map has no rule for it.
 *
 * ```ts
 * decidingKey({ GET: 'viewer', ALL: true }, 'GET_ONE') // 'GET'
 * ```
 */
export const decidingKey = (
  map: { readonly [K in AccessKey]?: unknown },
  action: Action,
): AccessKey | undefined =>
  keysFor(action).find((key) => Object.hasOwn(map, key) && map[key] !== undefined)

const methods: Readonly<Record<Action, string>> = {
  GET_MANY: 'GET',
  GET_ONE: 'GET',
  POST: 'POST',
  PATCH: 'PATCH',
  PUT: 'PUT',
  DELETE: 'DELETE',
  RESTORE: 'PATCH',
  RELATION_GET_MANY: 'GET',
  RELATION_GET_ONE: 'GET',
  RELATION_POST: 'POST',
  RELATION_PATCH: 'PATCH',
  RELATION_PUT: 'PUT',
  RELATION_DELETE: 'DELETE',
}

/** Returns the HTTP method that `allowed_methods` must list for the action. */
export const methodOf = (action: Action): string => methods[action]
