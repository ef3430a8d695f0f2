// Names reserved by the query language: fields and the host's own query parameters cannot have them.

import { aggregateFunctions, filterOperators, operatorAliases } from './operators.ts'
import { listParameters, singleParameters } from './parameter-names.ts'

const suffixes: ReadonlySet<string> = new Set([
  ...Object.keys(filterOperators),
  ...Object.keys(operatorAliases),
  ...aggregateFunctions,
])

const parameters: ReadonlySet<string> = new Set([...singleParameters, ...listParameters])

/** Returns the operator or function at the end of a name: `price__ge` → `ge`; undefined if it ends with none. */
export function operatorSuffix(name: string): string | undefined {
  const underscores = name.lastIndexOf('__')
  const suffix = name.slice(underscores + 2)
  return underscores !== -1 && suffixes.has(suffix) ? suffix : undefined
}

/** Whether a name is a parameter of the query language. */
export const isParameter = (name: string): boolean => parameters.has(name)
