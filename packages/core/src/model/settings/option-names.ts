// Checks the names of the options of `createApi`: a misspelt `config` would start an API without its settings.

import { didYouMean } from '../../lib/naming/suggest.ts'
import type { Problems } from './setting-problems.ts'

/** Adds a problem for each option that is not among `names`. */
export function checkOptionNames(
  options: object,
  names: Readonly<Record<string, true>>,
  problems: Problems,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue
    problems.add(name, `unknown option.${didYouMean(name, Object.keys(names))}`)
  }
}
