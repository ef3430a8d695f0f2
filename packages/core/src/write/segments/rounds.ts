// Rounds: the nodes of a list that others prevented from being removed, and that are tried again after the others: a DELETE of books 1 and
// 2, of which book 2 refers to book 1, removes book 2 in the first round and book 1 in the second.

import type { WriteNode } from '../nodes/write-node.ts'

/** Each round has the nodes that the one before has refused; a round that removes none of its nodes is the last. */
export class Rounds {
  /** How many nodes this round has. */
  #size: number
  /** The nodes of this round that were refused, and why the last of them was. */
  #failed: WriteNode[] = []
  #refusal: unknown

  /** `size`: how many nodes the first round has. */
  constructor(size: number) {
    this.#size = size
  }

  /** Makes a node wait for the next round; `refusal` is the error that it has met. */
  add(node: WriteNode, refusal: unknown): void {
    this.#failed.push(node)
    this.#refusal = refusal
  }

  /** Whether nodes wait for another round. */
  get hasNext(): boolean {
    return this.#failed.length > 0
  }

  /** The nodes of the next round. Throws the last refusal if all nodes of the last round were refused. */
  next(): readonly WriteNode[] {
    const nodes = this.#failed
    if (nodes.length === this.#size) throw this.#refusal
    this.#size = nodes.length
    this.#failed = []
    return nodes
  }
}
