// The methods that may write many records at once (API_ALLOW_BULK), such as a POST of a list.

import type { BulkMethod } from '../config.ts'

export const bulkMethods: readonly BulkMethod[] = ['POST', 'PATCH', 'DELETE']

/** The methods that a value of API_ALLOW_BULK allows. */
export function bulkMethodsOf(value: boolean | readonly BulkMethod[]): ReadonlySet<BulkMethod> {
  if (typeof value !== 'boolean') return new Set(value)
  return new Set(value ? bulkMethods : [])
}
