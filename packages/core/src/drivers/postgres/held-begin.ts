// A query for `pg` that sends BEGIN together with the first statement of the transaction, which saves a round trip per transaction.
// `prepared-postgres.ts` holds Kysely's BEGIN back (HeldBegin) and gives it to the next query (BeginningQuery).

/** The part of the connection of a `pg` client to which queries write their messages. */
export interface DriverConnection {
  parse(message: { readonly text: string }): void
  bind(): void
  execute(): void
  describe(...message: readonly unknown[]): void
  /** Names of statements whose Parse message has been sent but not answered. */
  readonly submittedNamedStatements?: Record<string, string>
}

/** The part of the driver's `Query` that this file uses. The client passes the server's messages to it. */
export interface DriverQuery {
  name?: string | undefined
  callback: (error: unknown, answer?: unknown) => void
  prepare(connection: DriverConnection): void
  handleCommandComplete(message: { readonly text: string }, connection: DriverConnection): void
  handleError(error: unknown, connection: DriverConnection): void
}

/** The class `Query` of `pg`. */
export type DriverQueryClass = new (
  query: unknown,
  values: readonly unknown[] | undefined,
  callback: DriverQuery['callback'],
) => DriverQuery

/** A query that can send BEGIN before its statement. */
export interface BeginningQuery extends DriverQuery {
  /** Makes the query send `begin`, if it is defined, before its statement, which must have a name or values. */
  after(begin: string | undefined): this
  /** Whether the server's current message is the answer to BEGIN; true at most once. */
  completesBegin(): boolean
}

/** The class that `beginningQueryClass` derives. */
export type BeginningQueryClass = new (
  ...args: ConstructorParameters<DriverQueryClass>
) => BeginningQuery

/**
 * Derives the class of these queries from the driver's. BEGIN and the statement are one group of messages: after an error in
 * BEGIN, the server skips the rest of the group, so the statement never runs outside of its transaction.
 */
export function beginningQueryClass(Query: DriverQueryClass): BeginningQueryClass {
  return class BeginningQuery extends Query {
    #begin: string | undefined
    #name: string | undefined

    after(begin: string | undefined): this {
      this.#begin = begin
      return this
    }

    override prepare(connection: DriverConnection): void {
      if (this.#begin === undefined) {
        super.prepare(connection)
        return
      }
      // The messages Parse, Bind and Execute of the protocol.
      connection.parse({ text: this.#begin })
      connection.bind()
      connection.execute()
      super.prepare(connection)
      // While the query has a name, the client takes the answer to the Parse of BEGIN for the answer to the Parse of that name.
      this.#name = this.name
      this.name = undefined
    }

    completesBegin(): boolean {
      if (this.#begin === undefined) return false
      this.#begin = undefined
      this.name = this.#name
      return true
    }

    override handleCommandComplete(
      message: { readonly text: string },
      connection: DriverConnection,
    ): void {
      if (!this.completesBegin()) super.handleCommandComplete(message, connection)
    }

    override handleError(error: unknown, connection: DriverConnection): void {
      // After an error in BEGIN, the server skips the Parse of the statement, so the name does not exist.
      if (this.completesBegin() && this.name !== undefined)
        delete connection.submittedNamedStatements?.[this.name]
      super.handleError(error, connection)
    }
  }
}

/** The BEGIN of a connection's transaction, which is held back until the first statement of the transaction. */
export interface HeldBegin {
  /**
   * Answers a statement that need not be sent: BEGIN, and COMMIT or ROLLBACK of a transaction without statements. Undefined for a
   * statement that must be sent.
   */
  answerFor(text: string): object | undefined
  /** Returns the held BEGIN, to send it with the next statement, and forgets it; undefined if none is held. */
  take(): string | undefined
}

/** Makes the state of a connection, in which no BEGIN is held. */
export function heldBegin(): HeldBegin {
  let held: string | undefined
  return {
    answerFor(text) {
      // Only one BEGIN is held; a second one is sent.
      if (/^(?:begin|start transaction)\b[^;]*$/i.test(text) && held === undefined) {
        held = text
        return answerTo('BEGIN')
      }
      const [end] = held === undefined ? [] : (/^(?:commit|rollback)$/i.exec(text) ?? [])
      if (end === undefined) return undefined
      held = undefined
      return answerTo(end.toUpperCase())
    },
    take() {
      const begin = held
      held = undefined
      return begin
    },
  }
}

const answerTo = (command: string) => ({ command, rowCount: null, rows: [] })
