// Rounds: the nodes of a list that others prevented from being removed, and that are tried again after the others.

import type { WriteNode } from '../nodes/write-node.ts'

export class Rounds {
  #size: number
  #failed: WriteNode[] = []
  #refusal: unknown

  /** `size`: how many nodes the first round has. */
  constructor(size: number) {
    this.#size = size
  }

  /** Makes a node wait for the next round. */
  add(node: WriteNode, refusal: unknown): void {
    this.#failed.push(node)
    this.#refusal = refusal
  }

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
