// expressionParam: a stored value that the dialect encodes as a part of SQL, such as `cast(? as json)`, where the SQL depends on the value.
// Statements of writes use it for each value of a record, so that they can be stored.

import { type Fragment, isFragment, isPart, sql } from './fragment.ts'
import type { Param } from './param.ts'

/**
 * Returns the SQL of an encoded value, which is a plain value or a fragment. The text of the fragment is a decision; the values in it are
 * parameters.
 */
export function expressionParam(encoded: Param<unknown>): Param<unknown> | Fragment {
  const texts = encoded.decide(textsOf)
  if (texts === '') return encoded
  const strings = JSON.parse(texts) as readonly string[]
  return sql(strings, ...encoded.map(valuesOf).items(strings.length - 1))
}

/** The texts between the values of a fragment, as JSON; empty for a plain value. */
function textsOf(encoded: unknown): string {
  if (!isPart(encoded)) return ''
  return JSON.stringify(flat(encoded).strings)
}

const valuesOf = (encoded: unknown): readonly unknown[] => flat(encoded).values

/** A fragment without fragments in it: `cast(? as json)` has the texts `cast(` and ` as json)`, and one value. */
interface Flat {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
}

/** The texts and values of a fragment with those of the fragments in it. */
function flat(encoded: unknown): Flat {
  if (!isFragment(encoded))
    throw new Error('the SQL of a stored value has a name or a query of Kysely')
  const strings = [encoded.strings[0] ?? '']
  const values: unknown[] = []
  for (const [i, value] of encoded.values.entries()) {
    const after = encoded.strings[i + 1] ?? ''
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
