// Level: the nodes of one list, divided into segments, which are written one after the other. `writeLevel` in `../writer.ts` takes the
// segments; the steps end them earlier (`endBefore`) if a node depends on an earlier one. A list without such nodes is one segment.

import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { NodeOptions, WriteNode } from '../nodes/write-node.ts'
import type { Removals } from '../removal/removals.ts'
import type { LinksOfRemoved } from '../removal/removed-links.ts'
import { Rounds } from './rounds.ts'
import { SegmentSize } from './segment-size.ts'

/** How a list is divided. */
interface LevelOptions {
  /** Whether each segment has one node, because the order of the list matters. */
  readonly isOrdered?: boolean
  /** How many nodes the first segment has. */
  readonly size?: 1 | 'all'
  /** What the removals of a list and of its dependents share; given if the records are removed. */
  readonly removals?: Removals | undefined
}

/** The nodes of one list: those of a body, or all that one relation nests in the records of a segment. */
export class Level {
  readonly nodes: readonly WriteNode[]
  readonly options: NodeOptions
  readonly resource: Resource
  /** Whether each segment has one node. */
  readonly isOrdered: boolean
  /** Whether the caller may look up the records that nested objects name; undefined until `requireRights` has found out. */
  mayFind: boolean | undefined
  /** Whether records that foreign keys of the nodes refer to were looked up. */
  hasReferences = false
  /** Whether a new record may have another key than its object, so that any later object may name it. */
  keysMayChange = false
  /** Given if the records are removed. */
  readonly removals: Removals | undefined
  /** The links of the records that are removed. */
  links: LinksOfRemoved = []
  /** What `visibleTo` returns, by relation. */
  readonly #visible = new Map<ResolvedRelation, Set<string>>()
  readonly #sizes: SegmentSize
  readonly #rounds: Rounds
  /** The nodes that are left of the list, or of the last round; those from the index `#at` on are in no segment yet. */
  #waiting: readonly WriteNode[]
  #at = 0
  /** How often `startSmall` was called. */
  #interruptions = 0
  /** How many segments were taken. */
  #segments = 0
  #staysAtOne = false

  constructor(
    nodes: readonly WriteNode[],
    { isOrdered = false, size = 'all', removals }: LevelOptions = {},
  ) {
    const [first] = nodes
    if (first === undefined) throw new Error('A level has at least one node.')
    this.nodes = nodes
    this.options = first.options
    this.resource = first.options.resource
    this.isOrdered = isOrdered
    this.removals = removals
    this.#waiting = nodes
    this.#sizes = new SegmentSize(size)
    this.#rounds = new Rounds(nodes.length)
  }

  /** Whether nodes are left that no segment has taken. */
  get hasNext(): boolean {
    return this.#at < this.#waiting.length || this.#rounds.hasNext
  }

  /** The nodes that no segment has taken. */
  get waiting(): readonly WriteNode[] {
    return this.#waiting.slice(this.#at)
  }

  /** Takes the next segment. Throws a refusal if no record of the last round could be removed. */
  next(): Segment {
    if (this.#at === this.#waiting.length) this.putBack(this.#rounds.next())
    const size = this.#sizes.take(this.#interruptions)
    const first = this.#at
    this.#at = Math.min(first + size, this.#waiting.length)
    this.#segments += 1
    return new Segment(this, this.#waiting.slice(first, this.#at), size, this.#segments === 1)
  }

  /** Makes a node wait until the others were written; `refusal` is thrown if they are refused, too. */
  tryLater(node: WriteNode, refusal: unknown): void {
    this.#rounds.add(node, refusal)
  }

  /** The next segments have one node, then two, four, eight and so on, and know nothing of what was looked up before. */
  startSmall(): void {
    this.#interruptions += 1
    this.#visible.clear()
  }

  /** The keys, as `keyText`, of the records that the caller may see, as far as they were looked up for foreign keys of a relation. */
  visibleTo(relation: ResolvedRelation): Set<string> {
    const known = this.#visible.get(relation) ?? new Set<string>()
    this.#visible.set(relation, known)
    return known
  }

  /** From now on, each segment has one node. */
  stayAtOne(): void {
    this.#staysAtOne = true
    this.limit(1)
  }

  /** Whether `stayAtOne` was called. */
  get staysAtOne(): boolean {
    return this.#staysAtOne
  }

  /** From now on, no segment has more nodes. */
  limit(most: number): void {
    this.#sizes.limit(most)
  }

  /** Makes nodes of a segment wait for the next one. */
  putBack(nodes: readonly WriteNode[]): void {
    this.#waiting = [...nodes, ...this.waiting]
    this.#at = 0
  }
}

/** Nodes that make each step of a write together. */
export class Segment {
  readonly level: Level
  /** Whether it is the first segment of its level. */
  readonly isFirst: boolean
  /** How many nodes it could have; the list may have fewer left, and steps may end it earlier. */
  readonly size: number
  /** The index of the node whose hooks are called. */
  at = 0
  #nodes: readonly WriteNode[]
  /** How many of the nodes `takeToNest` has returned. */
  #nested = 0

  constructor(level: Level, nodes: readonly WriteNode[], size: number, isFirst: boolean) {
    this.level = level
    this.#nodes = nodes
    this.size = size
    this.isFirst = isFirst
  }

  /** The nodes that are left in it, in the order of the list. */
  get nodes(): readonly WriteNode[] {
    return this.#nodes
  }

  /** Whether stored records were looked up for the nodes: those that they name, or those that their foreign keys refer to. */
  get isLookedUp(): boolean {
    return (
      this.level.hasReferences ||
      this.#nodes.some(({ key, isResolved }) => key !== undefined || isResolved)
    )
  }

  /** The nodes before `end` whose nested records must still be written; returns each node once. */
  takeToNest(end: number): readonly WriteNode[] {
    const nodes = this.#nodes.slice(this.#nested, end)
    this.#nested = Math.max(this.#nested, end)
    return nodes
  }

  /** Ends the segment before the node at `index`. */
  endBefore(index: number): void {
    if (index >= this.#nodes.length) return
    this.level.putBack(this.#nodes.slice(index))
    this.#nodes = this.#nodes.slice(0, index)
  }

  /** Ends the segment after the node whose hooks are called. */
  endAfterCurrent(): void {
    this.endBefore(this.at + 1)
  }

  /** Leaves out nodes of which nothing is to be written. */
  keep(isKept: (node: WriteNode) => boolean): void {
    this.#nodes = this.#nodes.filter(isKept)
  }

  /** Makes some of the nodes wait for the next segment. */
  postpone(later: ReadonlySet<WriteNode>): void {
    if (later.size === 0) return
    this.level.putBack([...later])
    this.#nodes = this.#nodes.filter((node) => !later.has(node))
  }
}
