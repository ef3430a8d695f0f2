// RemovalContext: what the functions of `removal/` need of the segment whose records are removed; `segments/call-hooks.ts` makes it. Types
// only.

import type { WriteNode } from '../nodes/write-node.ts'
import type { WriteContext } from '../store/write-context.ts'
import type { Removals } from './removals.ts'
import type { LinksOfRemoved } from './removed-links.ts'

export interface RemovalContext {
  readonly context: WriteContext
  readonly removals: Removals
  /** The links of the record, and maybe those of others. */
  readonly links: LinksOfRemoved
  /** Adds a node to those that are stored next. */
  readonly add: (node: WriteNode) => void
  /** Stores the nodes that were added. */
  readonly flush: () => Promise<void>
  /** Calls the hooks of dependents, which are a level of their own. `links` are theirs. */
  readonly remove: (dependents: readonly WriteNode[], links: LinksOfRemoved) => Promise<void>
  /** Called when what was looked up of the next records may be wrong, so that they are looked up again. */
  readonly forgetLookUps: () => void
}
