// NewRow and ChangedRow: what the statements of a write store.

import type { Values } from '../../nodes/node.ts'

/** A record to insert, and its path in the body. A class, as `WriteNode` says. */
export class NewRow {
  readonly values: Values
  readonly path: string
  /** `filled` of `Refusal`. */
  readonly filled: Values | undefined

  constructor(values: Values, path: string, filled: Values | undefined) {
    this.values = values
    this.path = path
    this.filled = filled
  }
}

/** A stored record, the values to write into it, and its path in the body. A class, as `WriteNode` says. */
export class ChangedRow {
  readonly stored: Values
  readonly written: Values
  readonly path: string
  /** The values that the body requests, including those that equal the stored ones. */
  readonly requested: Values
  /** `filled` of `Refusal`. */
  readonly filled: Values | undefined

  constructor(stored: Values, written: Values, path: string, requested: Values, filled?: Values) {
    this.stored = stored
    this.written = written
    this.path = path
    this.requested = requested
    this.filled = filled
  }
}
