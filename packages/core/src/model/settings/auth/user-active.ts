// UserCondition: which users are active (API_USER_ACTIVE), and the check of the form of that setting.

import { type Check, shownValue } from '../setting-checks.ts'

/** The values that the fields of an active user have, or the name of a method of the user model that returns true for one. */
export type UserCondition = string | Readonly<Record<string, string | number | boolean | null>>

/** Accepts a `UserCondition`. */
export const userCondition: Check = (value) => {
  if (typeof value === 'string' && value !== '') return undefined
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject && Object.keys(value).length > 0) return undefined
  return `expected the values of fields such as { active: true }, or the name of a method of the user model, got ${shownValue(value)}.`
}
