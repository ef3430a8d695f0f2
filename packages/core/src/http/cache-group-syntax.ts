// The syntax of cache groups (RFC 9875): the names of groups, and the field value of `Cache-Groups` and `Cache-Group-Invalidation`.

import { hashOfText } from '../lib/text-hash.ts'

/** The group of every read; a write that may change anything invalidates it. */
export const everyRead = '*'

/** The group of a response that depends on more than the resources that its groups name; every write invalidates it. */
export const unnamedDependencies = '*other'

/** Maximum number of groups that a response names: every cache supports at least 32 (RFC 9875 §2). */
export const mostGroups = 32

/**
 * Group names that can be sent unchanged: every cache supports at least 32 characters, and all other characters need escapes or are
 * not allowed.
 */
const plainName = /^[A-Za-z0-9/._~-]{1,32}$/

/** Returns the group of a resource: the name of its endpoint, or the hash of a name that is long or has other characters. */
export const groupOf = ({ endpoint }: { readonly endpoint: string }): string =>
  plainName.test(endpoint) ? endpoint : hashOfText(endpoint)

/** Formats a list of strings (RFC 9651): `books` and `authors` → `"books", "authors"`. */
export const groupsField = (groups: Iterable<string>): string =>
  [...groups].map((group) => `"${group}"`).join(', ')

/** Returns the groups in a field value that `groupsField` has written. */
export const groupsIn = (field: string): readonly string[] =>
  [...field.matchAll(/"([^"]*)"/g)].map(([, group = '']) => group)
