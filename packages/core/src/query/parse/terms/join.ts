// Parses the names in `join=author,books.tags` as they are written; `query/plan/relations/joins.ts` finds the relations that they mean.

import type { JoinNode } from '../ast.ts'
import { spanOf } from '../query-string.ts'
import type { Cursor } from '../text-cursor.ts'
import { splitItems } from './comma-list.ts'

/**
 * join = [ token *( "," token ) ]
 *
 * Refuses nothing, because with API_ALLOW_JOIN false even an invalid `join` is ignored. Keeps an empty token, so that `plan`
 * throws `Invalid join model: `.
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
