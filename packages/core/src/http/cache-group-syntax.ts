// The syntax of cache groups (RFC 9875): the names of groups, and the field value of `Cache-Groups` and `Cache-Group-Invalidation`.

import { hashOfText } from './text-hash.ts'

/** The group of every read; a write that may change anything invalidates it. */
export const everyRead = '*'

/** The group of reads that depend on more than the groups that they name; every write invalidates it. */
export const unnamedDependencies = '*other'

/** Caches support at least 32 groups of a response (RFC 9875 §2). */
export const mostGroups = 32

/** Caches support at least 32 characters of a group. Other characters would need escapes, or cannot be escaped. */
const plainName = /^[A-Za-z0-9/._~-]{1,32}$/

/** The group of a resource: the name of its endpoint, or a hash of a long one. */
export const groupOf = ({ endpoint }: { readonly endpoint: string }): string =>
  plainName.test(endpoint) ? endpoint : hashOfText(endpoint)

/** `books` and `authors` → `"books", "authors"`, a list of strings (RFC 9651). */
export const groupsField = (groups: Iterable<string>): string =>
  [...groups].map((group) => `"${group}"`).join(', ')

/** The groups in a field value that `groupsField` has written. */
export const groupsIn = (field: string): readonly string[] =>
  [...field.matchAll(/"([^"]*)"/g)].map(([, group = '']) => group)
