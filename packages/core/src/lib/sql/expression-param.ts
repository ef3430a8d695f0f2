// expressionParam: a value that is bound as a part of SQL, such as `cast(? as json)`, where the SQL depends on the value.

import { type Fragment, isFragment, isPart, sql } from './fragment.ts'
import type { Param } from './param.ts'

/** Returns the SQL of a value or fragment. The text of the fragment is a decision; the values in it are parameters. */
export function expressionParam(made: Param<unknown>): Param<unknown> | Fragment {
  const texts = made.decide(textsOf)
  if (texts === '') return made
  const strings = JSON.parse(texts) as readonly string[]
  return sql(strings, ...made.map(valuesOf).items(strings.length - 1))
}

/** The texts between the values of a fragment, as JSON; empty for a plain value. */
function textsOf(made: unknown): string {
  if (!isPart(made)) return ''
  return JSON.stringify(flat(made).strings)
}

const valuesOf = (made: unknown): readonly unknown[] => flat(made).values

interface Flat {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
}

/** The texts and values of a fragment with those of the fragments in it. */
function flat(made: unknown): Flat {
  if (!isFragment(made))
    throw new Error('the SQL of a stored value has a name or a query of Kysely')
  const strings = [made.strings[0] ?? '']
  const values: unknown[] = []
  for (const [i, value] of made.values.entries()) {
    const after = made.strings[i + 1] ?? ''
    if (isPart(value)) {
      const inner = flat(value)
      strings[strings.length - 1] += inner.strings[0] ?? ''
      strings.push(...inner.strings.slice(1))
      values.push(...inner.values)
      strings[strings.length - 1] += after
    } else {
      values.push(value)
      strings.push(after)
    }
  }
  return { strings, values }
}
