// The check of a role rule, as role maps and the rights of columns take it.

import { didYouMean } from '../naming/suggest.ts'
import { type Check, listOf, text } from './checks.ts'

const someRoles: Check = (value) =>
  Array.isArray(value) && value.length === 0 ? 'expected a role' : listOf(text)(value)

const members = ['roles', 'any_of']

/** Reports a value that is no role, no list of roles, no `{ roles, any_of }` and not `true`. */
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
