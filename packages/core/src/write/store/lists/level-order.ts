// LevelOrder: keeps hooks from sending statements while a list with nested records is written level by level.

import { RepeatNeeded } from '../savepoint.ts'
import type { WriteContext } from '../write-context.ts'

/**
 * A list is written level by level: first the to-one parents of all records, then the records, then the children of all records. A
 * hook that reads the database would not find the children of earlier records. If a hook sends a statement, this class therefore throws
 * `RepeatNeeded`: the transaction is repeated, and writes the list record by record.
 */
export class LevelOrder {
  #isInterrupted = false

  /** Call it before the hooks of records. Until `afterHooks`, a statement of a hook throws. */
  beforeHooks({ beforeHookStatements }: WriteContext): void {
    if (beforeHookStatements !== undefined) beforeHookStatements.work = this.#interrupt
  }

  /** Call it after the hooks of records. Throws if one of them has tried to send a statement. */
  afterHooks({ beforeHookStatements }: WriteContext): void {
    if (beforeHookStatements !== undefined) beforeHookStatements.work = undefined
    this.refuse()
  }

  /** Throws if a hook has tried to send a statement, even if the hook has caught the error. */
  refuse(): void {
    if (this.#isInterrupted) throw new RepeatNeeded()
  }

  readonly #interrupt = async (): Promise<void> => {
    this.#isInterrupted = true
    throw new RepeatNeeded()
  }
}
