// lastSteps: what follows the hooks of a segment: it stores records, and writes what is nested in them. The writer makes them when all
// hooks of the segment were called, and `callHooks` earlier if a hook sends a statement, which must see the records before its own.

import type { WriteNested } from '../links/nested-lists.ts'
import { writeChildren } from '../links/nested-records.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import { lookAhead } from '../removal/look-ahead.ts'
import type { Removals } from '../removal/removals.ts'
import type { LinksOfRemoved } from '../removal/removed-links.ts'
import { removeRows } from '../store/rows/remove-rows.ts'
import type { ReturnedRows } from '../store/rows/returned-rows.ts'
import { storeNodes } from '../store/store-nodes.ts'
import type { WriteContext } from '../store/write-context.ts'
import { callHooks, type LastSteps } from './call-hooks.ts'
import { Level, type Segment } from './level.ts'
import { WriteQueue } from './write-queue.ts'

/** Makes these steps. `returned` collects the rows that the statements return; undefined if the response needs none of them. */
export function lastSteps(
  context: WriteContext,
  segment: Segment,
  returned: ReturnedRows | undefined,
  writeNested: WriteNested,
): LastSteps {
  const { resource, removals } = segment.level
  const storeAll = (nodes: readonly WriteNode[]): Promise<void> =>
    removals === undefined
      ? storeNodes(context, resource, nodes, returned)
      : removeRows(context, nodes)
  const queue = new WriteQueue()
  /** The nodes whose hooks were called, and that are stored next. */
  let waiting: WriteNode[] = []
  const last: LastSteps = {
    open: [],
    add: (node) => void waiting.push(node),
    store() {
      const nodes = waiting
      waiting = []
      if (nodes.length > 0) queue.add(() => storeAll(nodes))
      return queue.done()
    },
    remove: (dependents, links) => removeDependents(context, removals, dependents, links, last),
    // Not in the queue: before a statement that a policy of a nested record sends, the writer waits for all work in the queue.
    async nest(end) {
      const nodes = segment.takeToNest(end)
      if (nodes.length === 0) return
      try {
        await writeChildren(context, resource, nodes, writeNested)
      } catch (error) {
        queue.fail(error)
        throw error
      }
      // The statement of a hook may change rows that were returned earlier.
      if (end < segment.nodes.length) returned?.rows.splice(0)
    },
    refuse: () => queue.refuse(),
  }
  return last
}

/** Removes the dependents of a record by the same steps; its segment stores them. Their rights were checked when they were found. */
async function removeDependents(
  context: WriteContext,
  removals: Removals | undefined,
  nodes: readonly WriteNode[],
  links: LinksOfRemoved,
  last: LastSteps,
): Promise<void> {
  const [first] = nodes
  const { open, store } = last
  if (first === undefined || removals === undefined) return
  const size = removals.knows(first) ? 'all' : 1
  const level = new Level(nodes, { size, removals })
  level.links = links
  if (open.some((segment) => segment.level.staysAtOne)) level.stayAtOne()
  while (level.hasNext) {
    const segment = level.next()
    await lookAhead(context, segment, open, store)
    await callHooks(context, segment, last)
  }
}
