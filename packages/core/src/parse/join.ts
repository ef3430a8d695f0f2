// Tokens of `join=`, kept exactly as written: whether they count at all, and what they name, is decided in plan.

import type { JoinNode } from './ast.ts'
import { splitItems } from './comma-list.ts'
import type { Cursor } from './cursor.ts'
import { spanOf } from './query-string.ts'

/**
 * join = [ token *( "," token ) ]
 *
 * Nothing is refused here, because a join that is switched off must be ignored whatever it says. An empty token among
 * others is kept, so that plan can answer `Invalid join model: `.
 */
export function readJoins(cursor: Cursor): JoinNode[] {
  const { pair } = cursor
  const items = splitItems(cursor)
  const only = items.length === 1 ? items[0] : undefined
  if (only !== undefined && only.start === only.end) return []
  return items.map(({ start, end }) => {
    const text = pair.text.slice(start, end)
    return { path: text.split('.'), text, span: spanOf(pair, start, end) }
  })
}
