// A query for `pg` that sends the BEGIN of its transaction with itself: one round trip less for each transaction.

/** The part of the connection of a `pg` client to which queries write their messages. */
export interface DriverConnection {
  parse(message: { readonly text: string }): void
  bind(): void
  execute(): void
  describe(...message: readonly unknown[]): void
  /** Names of statements whose Parse has been sent, but not answered. */
  readonly submittedNamedStatements?: Record<string, string>
}

/** The driver's `Query`, as far as it is used; the client passes it each message of the server. */
export interface DriverQuery {
  name?: string | undefined
  callback: (error: unknown, answer?: unknown) => void
  prepare(connection: DriverConnection): void
  handleCommandComplete(message: { readonly text: string }, connection: DriverConnection): void
  handleError(error: unknown, connection: DriverConnection): void
}

export type DriverQueryClass = new (
  query: unknown,
  values: readonly unknown[] | undefined,
  callback: DriverQuery['callback'],
) => DriverQuery

/** A query that may begin the transaction. */
export interface BeginningQuery extends DriverQuery {
  /** Sends this BEGIN before the statement; only for statements with a name or values. */
  after(begin: string | undefined): this
  /** Whether the message completes the BEGIN. */
  completesBegin(): boolean
}

export type BeginningQueryClass = new (
  ...args: ConstructorParameters<DriverQueryClass>
) => BeginningQuery

/**
 * The class of such queries. BEGIN and the statement are one group of messages: after an error in BEGIN, the server skips all
 * up to the end of the group, so the statement never runs outside of its transaction.
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
      connection.parse({ text: this.#begin })
      connection.bind()
      connection.execute()
      super.prepare(connection)
      // The client takes the answer to the first Parse for that of the name.
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
      // The server has skipped the Parse of the statement.
      if (this.completesBegin() && this.name !== undefined)
        delete connection.submittedNamedStatements?.[this.name]
      super.handleError(error, connection)
    }
  }
}

/** A transaction of a connection. Its BEGIN is held back until its first statement. */
export interface HeldBegin {
  /** The answer to a statement that need not be sent: BEGIN, and COMMIT or ROLLBACK of a transaction without statements. */
  answerFor(text: string): object | undefined
  /** The BEGIN to send with the next statement; it is held no more. */
  take(): string | undefined
}

export function heldBegin(): HeldBegin {
  let held: string | undefined
  return {
    answerFor(text) {
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
