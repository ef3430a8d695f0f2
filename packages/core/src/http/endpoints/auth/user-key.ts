// The primary key of the current user, taken from the user object of the host or of an authentication strategy.

import type { Resource } from '../../../model/registry/resource.ts'
import { keyValue } from '../../../query/plan/conditions/value.ts'
import type { Value } from '../../../query/plan/plan.ts'

/**
 * Returns the primary key in a user object, or undefined if a key column is missing. The host's user object may hold the key
 * in any scalar type: `{ id: '7' }`, `{ id: 7n }`.
 */
export function userKey({ primaryKey }: Resource, user: unknown): readonly Value[] | undefined {
  if (user === null || typeof user !== 'object') return undefined
  const record = user as Readonly<Record<string, unknown>>
  const key = primaryKey.map((column) => {
    const value = record[column.name]
    return isScalar(value) ? keyValue(column, String(value)) : undefined
  })
  return key.every((value) => value !== undefined) ? (key as readonly Value[]) : undefined
}

const isScalar = (value: unknown): value is string | number | bigint | boolean =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
