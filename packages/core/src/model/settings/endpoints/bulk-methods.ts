// The methods that may write many records at once (API_ALLOW_BULK).

import type { BulkMethod } from '../config.ts'
import { settingNames } from '../setting-names.ts'

export const bulkMethods: readonly BulkMethod[] = ['POST', 'PATCH', 'DELETE']

/** The methods that a value of API_ALLOW_BULK allows. */
export function bulkMethodsOf(value: boolean | readonly BulkMethod[]): ReadonlySet<BulkMethod> {
  if (typeof value !== 'boolean') return new Set(value)
  return new Set(value ? bulkMethods : [])
}

/** Says in error messages what the setting has: `API_ALLOW_BULK is false`, `API_ALLOW_BULK is ["POST"]`. */
export const shownBulkSetting = (allowed: ReadonlySet<BulkMethod>): string =>
  `${settingNames.allowBulk} is ${allowed.size === 0 ? 'false' : JSON.stringify([...allowed])}`
