// The check of a role rule, such as `'editor'` or `['editor', 'auditor']`, in a role map or a column's `read` and `write`.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import { type Check, listOf, text } from '../setting-checks.ts'

/** Accepts a list of at least one role. */
const someRoles: Check = (value) =>
  Array.isArray(value) && value.length === 0 ? 'expected a role' : listOf(text)(value)

const members = ['roles', 'any_of']

/** Accepts a role, a list of roles, `{ roles, any_of }` and `true`. */
export const roleRule: Check = (value) => {
  if (value === true || text(value) === undefined || someRoles(value) === undefined) {
    return undefined
  }
  const { roles, any_of: anyOf = false, ...others } = Object(value)
  const [unknown] = Array.isArray(value) || typeof value === 'string' ? [] : Object.keys(others)
  if (unknown === undefined && someRoles(roles) === undefined && typeof anyOf === 'boolean') {
    return undefined
  }
  const hint = unknown === undefined ? '' : didYouMean(unknown, members)
  return `expected a role, a list of at least one role, { roles: [...], any_of: true }, or true (authentication only).${hint}`
}
