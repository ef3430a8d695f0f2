// Interruption: how a statement under way is called off, which differs between drivers. Types only.

import type { CompiledQuery, DatabaseConnection } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'

/** A statement under way. */
export interface Interrupted {
  /** The instance that its connection belongs to. */
  readonly db: AnyDatabase
  readonly connection: DatabaseConnection
  readonly sql: string
  /** Whether a wrapper of `@model-api/core/prepared` stands around the pool. */
  readonly isWrapped: boolean
  /** What every later statement of the connection fails with, once it is closed. */
  readonly error: Error
  /** Sends a statement over another connection, within a time limit. */
  readonly send: (statement: CompiledQuery) => Promise<readonly unknown[]>
}

export interface Interruption {
  /**
   * Asks the server to end the statement, and does not wait until it has. True: the connection is closed for that, and can be
   * released. False: the statement fails by itself soon, or not at all.
   */
  cancel(interrupted: Interrupted): Promise<boolean>
  /** Closes the connection without the server, so that its place in the pool is free once it is released; false: it cannot be done. */
  close(interrupted: Interrupted): Promise<boolean>
}
