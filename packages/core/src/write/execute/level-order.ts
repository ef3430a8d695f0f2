// LevelOrder: stops the writing of a list level by level as soon as a hook sends a statement.

import type { WriteContext } from './context.ts'
import { SavepointNeeded } from './savepoint.ts'

/**
 * A list that is written level by level: the to-one parents of all records, then the records, then the children of all of them. A
 * hook that reads the database would miss the children of earlier records; the transaction is then repeated, record by record.
 */
export class LevelOrder {
  #isInterrupted = false

  /** Must be called before hooks of records, which then cannot send statements. */
  beforeHooks({ beforeHookStatements }: WriteContext): void {
    if (beforeHookStatements !== undefined) beforeHookStatements.work = this.#interrupt
  }

  /** Must be called after hooks of records. Throws if one of them has tried to send a statement. */
  afterHooks({ beforeHookStatements }: WriteContext): void {
    if (beforeHookStatements !== undefined) beforeHookStatements.work = undefined
    this.refuse()
  }

  /** Throws if a hook has tried to send a statement, even if it has caught the error. */
  refuse(): void {
    if (this.#isInterrupted) throw new SavepointNeeded()
  }

  readonly #interrupt = async (): Promise<void> => {
    this.#isInterrupted = true
    throw new SavepointNeeded()
  }
}
