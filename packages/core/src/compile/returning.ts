// The RETURNING clause of a plan's output, and its readers: compiled once for an output that comes again.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { Output } from '../plan/plan.ts'
import { type Fragment, sql } from '../sql/fragment.ts'
import { printed } from '../sql/print.ts'
import { compileSelection, type Selection } from './selection.ts'
import type { Target } from './target.ts'

export interface Returning {
  /** ` returning …`, or nothing. */
  readonly clause: Fragment
  readonly readers: Selection['readers']
}

const nothing: Returning = { clause: sql``, readers: [] }

interface Known extends Returning {
  readonly dialect: InternalDialect
}

const known = new WeakMap<readonly Output[], Known>()

/** What gives these columns of the written row back, as a select of them would. */
export function returning(target: Target, output: readonly Output[]): Returning {
  if (output.length === 0) return nothing
  const { dialect } = target
  const made = known.get(output)
  if (made?.dialect === dialect) return made
  const { expressions, readers } = compileSelection(target, output, false)
  const clause = printedOnce(sql` returning ${sql.join(expressions)}`, dialect)
  const fresh = { clause, readers, dialect }
  known.set(output, fresh)
  return fresh
}

/** The same clause as one text, where the dialect says how it is written and nothing in it is bound. */
function printedOnce(clause: Fragment, { shortcuts }: InternalDialect): Fragment {
  const textStyle = shortcuts?.textStyle
  const text = textStyle && printed(clause, textStyle)
  return text === undefined || text.parameters.length > 0 ? clause : sql([text.text])
}
