// Nested lists: the objects of a to-many relation inside the records of a body, such as `{ "name": "Ann", "books": [{ … }, { … }] }`, with
// the record that they belong to.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { ResolvedRelation } from '../../model/registry/resource.ts'
import type { NestedNode, Values } from '../nodes/node.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import type { WriteContext } from '../store/write-context.ts'

/**
 * Writes nested records, as the writer does for a level. Functions that the writer calls take it as an argument, because an import would be
 * a cycle. Returns the known values of each record, at least its key, in the same order.
 */
export type WriteNested = (
  context: WriteContext,
  nodes: readonly WriteNode[],
) => Promise<readonly Values[]>

/** The nested objects that one record has in one relation. */
export interface NestedList {
  readonly parent: WriteNode
  readonly nodes: readonly NestedNode[]
  /** What happens to the children of a stored parent that the list does not name; absent if the list has none of a stored parent. */
  readonly others?: 'keep' | 'remove' | undefined
}

/** The foreign key of children to their parent, from the parent's values: `{ author_id: 7 }`. */
export function keyOfParent(pairs: ResolvedRelation['pairs'], parent: Values | undefined): Values {
  const key: Record<string, JsonValue> = {}
  for (const { from, to } of pairs) key[to.name] = parent?.[from.name] ?? null
  return key
}
