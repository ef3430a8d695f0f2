// HookConnection: the instance that all hooks of one transaction receive as `args.db`, and what the write does before each of their
// statements. A write makes one when its transaction begins, a batch one for all its writes.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import { beforeStatements } from '../statements/kysely-methods.ts'
import { type NestedRequests, nestedOf, openNested } from './nested-requests.ts'

/**
 * What a write does before each statement that a hook sends through `args.db`: it stores the records whose hooks were called before, so that
 * the statement sees them, and forgets look-ups that the statement may outdate.
 */
export interface BeforeHookStatements {
  /** Undefined if there is nothing to store or to forget. */
  work: (() => Promise<void>) | undefined
  /** Whether the write has ended. */
  isOver: boolean
}

export interface HookConnection {
  readonly db: AnyDatabase
  /**
   * What to do before a statement of a hook; set by the write that is running, undefined before the first. In a batch, one write after the
   * other sets it.
   */
  statements: BeforeHookStatements | undefined
  /** The requests that hooks make on it. */
  readonly nested: NestedRequests
  /** How many statements hooks have sent, or tried to send: only if none, a write may repeat its work without calling them again. */
  sentStatements: number
}

/**
 * Makes the connection of the hooks of a transaction. `trail`: the requests inside which they run, such as `['create of books']`. The
 * `db` of the result is another instance than `transaction`, whose own statements need no work before.
 */
export function hookConnection(transaction: AnyDatabase, trail: readonly string[]): HookConnection {
  const db = beforeStatements(transaction, () => {
    hooks.sentStatements += 1
    return workBefore(hooks.statements)
  })
  const hooks: HookConnection = {
    db,
    nested: openNested(db, trail, nestedOf(transaction)),
    statements: undefined,
    sentStatements: 0,
  }
  return hooks
}

/**
 * Does the write's work before a statement of a hook. If that fails, the statement fails too, so that a hook that waits for it can end. If
 * the write has ended meanwhile, no hook waits: the statement never settles, because nobody would handle its rejection, which ends a
 * process.
 */
async function workBefore(statements: BeforeHookStatements | undefined): Promise<void> {
  try {
    await statements?.work?.()
  } catch (error) {
    // Gives the write time to end, which sets `isOver`.
    await yieldToEventLoop()
    if (statements?.isOver !== true) throw error
    await new Promise<never>(() => {})
  }
}
