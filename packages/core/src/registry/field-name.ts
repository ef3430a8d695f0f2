// The names that fields and relations may have, so that every one can be written in a query (contract §1).

import { operatorSuffix } from '../config/query-names.ts'

const orderSuffixes: ReadonlySet<string> = new Set(['nullsfirst', 'nullslast'])

const groupWords: ReadonlySet<string> = new Set(['or', 'and', 'not', 'exists', 'missing'])

/** What is wrong with the name of a column, computed column or relation; undefined when nothing is. */
export function badFieldName(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return 'a name has letters, digits and _, and does not begin with a digit.'
  }
  // The one name that an object cannot hold as a plain member.
  if (name === '__proto__') return 'nothing can have this name.'
  const suffix = operatorSuffix(name)
  if (suffix !== undefined) {
    return `a name cannot end in "__${suffix}", which a query reads as an operator.`
  }
  if (orderSuffixes.has(name)) {
    return 'nothing can have this name, which a query reads as the place of NULLs.'
  }
  return undefined
}

/** What is wrong with the name of a relation beyond that. */
export const badRelationName = (name: string): string | undefined =>
  groupWords.has(name)
    ? 'a relation cannot have this name, which a query reads as a group.'
    : undefined
