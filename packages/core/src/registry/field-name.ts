// The names that fields and relations may have, so that every one can be written in a query (contract §1).

import { aggregateFunctions, filterOperators, operatorAliases } from '../parse/operators.ts'

const suffixes: ReadonlySet<string> = new Set([
  ...Object.keys(filterOperators),
  ...Object.keys(operatorAliases),
  ...aggregateFunctions,
])

const orderSuffixes: ReadonlySet<string> = new Set(['nullsfirst', 'nullslast'])

const groupWords: ReadonlySet<string> = new Set(['or', 'and', 'not', 'exists', 'missing'])

/** What is wrong with the name of a column, computed column or relation; undefined when nothing is. */
export function badFieldName(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return 'a field name has letters, digits and _, and does not begin with a digit; give the database name in "column".'
  }
  // The one name that an object cannot hold as a plain member.
  if (name === '__proto__')
    return 'a field cannot have this name; give the database name in "column".'
  const suffix = name.slice(name.lastIndexOf('__') + 2)
  if (name.includes('__') && suffixes.has(suffix)) {
    return `a field name cannot end in "__${suffix}", which a query reads as an operator; give the database name in "column".`
  }
  if (orderSuffixes.has(name)) {
    return `a field cannot be called "${name}", which a query reads as a place of nulls; give the database name in "column".`
  }
  return undefined
}

/** What is wrong with the name of a relation beyond that. */
export const badRelationName = (name: string): string | undefined =>
  groupWords.has(name)
    ? `a relation cannot be called "${name}", which a query reads as a group.`
    : undefined
