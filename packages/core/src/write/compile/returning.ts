// Compiles the RETURNING clause of an output list and its readers; cached by the list.

import { compileSelection, type Selection } from '../../compile/selection.ts'
import type { Target } from '../../compile/target.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { Output } from '../../plan/plan.ts'
import { type Fragment, sql } from '../../sql/fragment.ts'
import { printed } from '../../sql/print.ts'

export interface Returning {
  /** ` returning …`, or empty. */
  readonly clause: Fragment
  readonly readers: Selection['readers']
}

const emptyReturning: Returning = { clause: sql``, readers: [] }

interface CachedReturning extends Returning {
  readonly dialect: InternalDialect
}

const cache = new WeakMap<readonly Output[], CachedReturning>()

/** Returns the columns of the written row in the same form as a SELECT. */
export function returning(target: Target, output: readonly Output[]): Returning {
  if (output.length === 0) return emptyReturning
  const { dialect } = target
  const cached = cache.get(output)
  if (cached?.dialect === dialect) return cached
  const { expressions, readers } = compileSelection(target, output, false)
  const clause = printedOnce(sql` returning ${sql.join(expressions)}`, dialect)
  const compiled = { clause, readers, dialect }
  cache.set(output, compiled)
  return compiled
}

/** The clause as a single string, if the service can print it and it has no parameters. */
function printedOnce(clause: Fragment, { shortcuts }: InternalDialect): Fragment {
  const textStyle = shortcuts?.textStyle
  const text = textStyle && printed(clause, textStyle)
  return text === undefined || text.parameters.length > 0 ? clause : sql([text.text])
}
