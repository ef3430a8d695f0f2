// The valid names of fields and relations: those that a query can express. The checks of models report others; introspection avoids them.

import { operatorSuffix } from '../query-words/query-names.ts'

const orderSuffixes: ReadonlySet<string> = new Set(['nullsfirst', 'nullslast'])

const groupWords: ReadonlySet<string> = new Set(['or', 'and', 'not', 'exists', 'missing'])

/** Returns the problem with the name of a column, computed column or relation; undefined if it is valid. */
export function badFieldName(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return 'a name has letters, digits and _, and does not begin with a digit.'
  }
  // An assignment to `__proto__` sets the prototype instead of a member.
  if (name === '__proto__') return 'nothing can have this name.'
  const suffix = operatorSuffix(name)
  if (suffix !== undefined) {
    return `a name cannot end in "__${suffix}", which a query reads as an operator.`
  }
  if (orderSuffixes.has(name)) {
    return 'nothing can have this name, which a query reads as the position of NULLs.'
  }
  return undefined
}

/** Returns the problem with a name that relations may have but columns may not; undefined if there is none. */
export const badColumnName = (name: string): string | undefined =>
  name in Object.prototype || name === 'prototype'
    ? `a column cannot have this name, because every JavaScript object has such a member: name it otherwise, with column: '${name}' for its name in the database.`
    : undefined

/** Returns the problem with a name that columns may have but relations may not; undefined if there is none. */
export const badRelationName = (name: string): string | undefined =>
  groupWords.has(name)
    ? 'a relation cannot have this name, which a query reads as a group.'
    : undefined
