// Requirements (API_AUTH_REQUIREMENTS): whether a permission on a resource needs authentication.

import type { Resource } from '../model/registry/resource.ts'
import { decidingKey, type Permission } from './action.ts'

/**
 * Whether the permission needs authentication. The most specific key of API_AUTH_REQUIREMENTS decides; without such a key, true
 * if any strategy protects the resource.
 *
 * ```ts
 * needsAuthentication(books, 'GET_MANY') // false with { GET: false }, true without a key that says otherwise
 * ```
 */
export function needsAuthentication(resource: Resource, permission: Permission): boolean {
  const { strategies, requirements } = resource.settings
  if (strategies.length === 0) return false
  const key = decidingKey(requirements, permission)
  return key === undefined || requirements[key] !== false
}
