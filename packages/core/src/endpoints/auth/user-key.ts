// The key of a user, as the host or a strategy tells it: what tells users of one model apart.

import type { Value } from '../../plan/plan.ts'
import { keyValue } from '../../plan/value.ts'
import type { Resource } from '../../registry/resource.ts'

/**
 * The key in a user's record, or undefined where a part of it is missing. Where the host brings the user, its key may be
 * spelt as the host likes: `{ id: '7' }`, `{ id: 7n }`.
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
