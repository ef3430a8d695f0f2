// What the statements of a write store: new rows, changed ones, and those that are removed. The hooks of a node make its row
// (`WriteNode.row`).

import type { Dependent } from '../../../model/registry/relations/dependents.ts'
import type { Value } from '../../../query/plan/plan.ts'
import type { Values } from '../../nodes/node.ts'

/** A record to insert, and its path in the body. A class, as `WriteNode` says. */
export class NewRow {
  readonly values: Values
  readonly path: string
  /** The foreign keys among the values that nested objects or the record around this one have set; for the error of a refusal. */
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
  /** The foreign keys that nested objects or the record around this one have set; for the error of a refusal. */
  readonly filled: Values | undefined

  constructor(stored: Values, written: Values, path: string, requested: Values, filled?: Values) {
    this.stored = stored
    this.written = written
    this.path = path
    this.requested = requested
    this.filled = filled
  }
}

/** A stored record to remove. A class, as `WriteNode` says. */
export class RemovedRow {
  readonly stored: Values
  /** The values that mark the record as deleted; null to delete its row. */
  readonly mark: Values | null
  /** Records are removed after those with a smaller height: a record that refers to another one is lower. */
  readonly height: number

  constructor(stored: Values, mark: Values | null, height: number) {
    this.stored = stored
    this.mark = mark
    this.height = height
  }
}

/** The links of a record in a junction table without a model, to delete before the record. */
export class RemovedLinks {
  /** The junction table. */
  readonly dependent: Dependent
  /** The key of the record, in the columns of the junction table. */
  readonly key: readonly Value[]

  constructor(dependent: Dependent, key: readonly Value[]) {
    this.dependent = dependent
    this.key = key
  }
}
