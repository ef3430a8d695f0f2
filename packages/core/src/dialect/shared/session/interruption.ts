// Interruption: how a running statement is cancelled, which differs between drivers. `database/statements/watched-statement.ts` does so
// when the client disconnects, and at the deadline. Types only.

import type { CompiledQuery, DatabaseConnection } from 'kysely'
import type { AnyDatabase } from '../../../lib/sql/any-database.ts'

/** A running statement. */
export interface Interrupted {
  /** The Kysely instance that the connection belongs to. */
  readonly db: AnyDatabase
  readonly connection: DatabaseConnection
  readonly sql: string
  /** Whether the pool is one of `preparedPg`. */
  readonly isWrapped: boolean
  /** The error of every statement that is sent on the connection after it was closed. */
  readonly error: Error
  /** Answers all further statements on the connection by `answer` instead of sending them. */
  readonly answerBy: (answer: () => Promise<never>) => void
  /** Makes an instance without plugins whose only connection is this one. */
  readonly instance: () => AnyDatabase
  /** Sends a statement over another connection, within a time limit. */
  readonly send: (statement: CompiledQuery) => Promise<readonly unknown[]>
}

export interface Interruption {
  /**
   * Asks the server to end the statement, without waiting for the end. Resolves to true if that closed the connection, which can
   * then be released; to false if the statement will fail by itself or cannot be cancelled.
   */
  cancel(interrupted: Interrupted): Promise<boolean>
  /** Closes the connection without asking the server, and so frees its place in the pool; resolves to false if that is impossible. */
  close(interrupted: Interrupted): Promise<boolean>
}
