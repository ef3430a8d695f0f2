// Lease: the database as a request may use it. All statements of the service are sent by a lease. `sqlForArrays` marks the SQL of
// stored writes (`write/fusion`), which leases of later requests send.

import { CompiledQuery, type QueryResult } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { asArrays } from '../../dialect/shared/values/array-rows.ts'
import { tooManyValues, valueOutOfRange } from '../../errors.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { compileStatement, type Statement } from '../../lib/sql/statement.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import type { RawRow } from '../cell.ts'
import type { SharedCounts } from '../shared-counts.ts'
import type { Bounds } from '../statements/bounds.ts'
import type { Sendable } from '../statements/sendable.ts'
import { asUnavailable } from '../statements/unavailable.ts'
import { onBoundedConnection } from './bounded-connection.ts'
import {
  deferredError,
  type Isolation,
  inTransaction,
  inTransactionIfSupported,
} from './in-transaction.ts'
import { send } from './send.ts'

/** A row by the aliases of its values, such as `{ total: 3 }`. */
export type NamedRow = Readonly<Record<string, unknown>>

export interface LeaseParts {
  /** A pool, one connection of it, or a transaction; without plugins, which would change the statements. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  readonly bounds: Bounds
  /** Whether `db` is a connection that already bounds all statements on it. Default false: the lease bounds each statement. */
  readonly isBounded?: boolean
  /** Counts shared with other requests; absent in a transaction, which may see other rows. */
  readonly counts?: SharedCounts | undefined
  /** The level of the savepoint that the work is inside of (`atFreeLevel`), which its own savepoints have in their names. Default 0: none. */
  readonly level?: number | undefined
}

/** Work with several statements: `lease` sends those of the service; `hostDb` is the same connection with the host's plugins, for hooks. */
export type Work<T> = (lease: Lease, hostDb: AnyDatabase) => Promise<T>

/** Opens a connection or a transaction, and runs work on it. */
type Opening<T> = (inside: (instance: AnyDatabase) => Promise<T>) => Promise<T>

/**
 * A database within the bounds of a request.
 *
 * - The lease of a pool takes a connection for each statement. Both the wait for it and the statement have a deadline, and end when the
 *   client disconnects. The settings of the connection are checked first. On SQLite, a statement is repeated while the file is locked.
 * - The lease of one connection, or of a transaction on it, is what `onOneConnection` and `inTransaction` give to their work. There, the
 *   connection bounds and repeats all statements on it, including those of hooks, and BEGIN and COMMIT, which Kysely sends.
 */
export class Lease {
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  readonly bounds: Bounds
  readonly isBounded: boolean
  readonly counts: SharedCounts | undefined
  readonly level: number

  constructor({ db, dialect, bounds, isBounded = false, counts, level = 0 }: LeaseParts) {
    this.db = db
    this.dialect = dialect
    this.bounds = bounds
    this.isBounded = isBounded
    this.counts = counts
    this.level = level
  }

  /** The same database for statements that others need too, so that the disconnect of this client cancels none of them. */
  withoutClient(): Lease {
    return new Lease({ ...this, bounds: { ...this.bounds, client: undefined } })
  }

  /** Runs a read. Throws 503 if the database is unavailable or too slow, 400 if a value or sum is out of range. */
  rows(statement: Sendable): Promise<readonly NamedRow[]> {
    return this.#read(statement, 'objects') as Promise<readonly NamedRow[]>
  }

  /** `rows`, with rows as arrays if the driver supports it. */
  rawRows(statement: Sendable): Promise<readonly RawRow[]> {
    return this.#read(statement, 'arrays if possible')
  }

  /** Sends a statement; rejects with the error of the driver. `rows`: whether the driver may return rows as arrays. */
  send<R = unknown>(statement: Sendable, rows = false): Promise<QueryResult<R>> {
    // `printed`: SQL of an earlier request, which is sent as it is.
    const compiled = 'printed' in statement ? statement.printed : this.#compiled(statement, rows)
    return this.#send(compiled) as Promise<QueryResult<R>>
  }

  /**
   * The SQL of a read as it is sent: with the server's settings for it, and if `rows`, with the mark that asks for rows as arrays. In a
   * transaction, which has a deadline, it needs no time limit of the server.
   */
  sqlOfRead(text: string, rows: boolean): string {
    const { dialect, bounds, isBounded } = this
    const limit = isBounded ? undefined : bounds.serverLimit
    const withSettings = dialect.server?.textOfRead?.(text, limit) ?? text
    return rows ? sqlForArrays(dialect, withSettings) : withSettings
  }

  /**
   * Runs `work` with the lease of one connection of the pool, or with this lease if it is one already. Throws 503 if no connection
   * becomes free. `hostDb` is the host's instance of this database.
   */
  async onOneConnection<T>(work: Work<T>, hostDb: AnyDatabase = this.db): Promise<T> {
    const { dialect, bounds } = this
    if (this.isBounded || hostDb.isTransaction) return work(this, hostDb)
    // SQLite has one connection anyway. A statement that waits for a lock must release the connection for other requests.
    if (dialect.capabilities.blocksEventLoop) return work(this, hostDb)
    // Errors of `work` stay as they are; only failures to connect become 503.
    let isConnected = false
    const reserve: Opening<T> = (inside) =>
      onBoundedConnection(hostDb, dialect, bounds, (instance) => {
        isConnected = true
        return inside(instance)
      })
    try {
      return await this.#within(reserve, work)
    } catch (error) {
      throw (!isConnected && asUnavailable(dialect, error)) || error
    }
  }

  /**
   * Runs `work` in a transaction (`in-transaction.ts`), or in that of the batch, whose lease this is. `hostDb` is the host's instance of
   * this database.
   */
  inTransaction<T>(work: Work<T>, hostDb: AnyDatabase, isolation?: Isolation): Promise<T> {
    return this.#begin(inTransaction, work, hostDb, isolation)
  }

  /** `inTransaction`, but without a transaction if the driver has none. */
  inTransactionIfSupported<T>(work: Work<T>, hostDb: AnyDatabase): Promise<T> {
    return this.#begin(inTransactionIfSupported, work, hostDb)
  }

  #begin<T>(
    begin: typeof inTransaction,
    work: Work<T>,
    hostDb: AnyDatabase,
    isolation?: Isolation,
  ): Promise<T> {
    const { dialect, bounds } = this
    if (this.isBounded && hostDb.isTransaction) return work(this, hostDb)
    return this.#within((inside) => begin(hostDb, dialect, bounds, inside, isolation), work)
  }

  /**
   * Checks the constraints that the database defers to COMMIT, and throws the error that COMMIT would; does nothing where the database
   * cannot check them before.
   */
  async checkDeferred(): Promise<void> {
    const { dialect } = this
    const check = dialect.server?.checkDeferred
    if (check === undefined) return
    try {
      await this.#send(CompiledQuery.raw(check))
    } catch (error) {
      throw deferredError(dialect, error)
    }
  }

  /** Runs `work` on the connection that `open` opens. */
  #within<T>(open: Opening<T>, work: Work<T>): Promise<T> {
    const { dialect, bounds, level } = this
    return open((instance) => {
      const db = withoutPlugins(instance)
      return work(new Lease({ db, dialect, bounds, isBounded: true, level }), instance)
    })
  }

  async #read(
    statement: Sendable,
    form: 'objects' | 'arrays if possible',
  ): Promise<readonly RawRow[]> {
    const { dialect } = this
    // SQL that was printed for an earlier request is sent as it is.
    const compiled =
      'printed' in statement
        ? statement.printed
        : this.#compiledRead(statement, form === 'arrays if possible')
    const { parameters } = compiled
    const most = dialect.server?.maxValues
    if (most !== undefined && parameters.length > most) throw tooManyValues(parameters.length, most)
    try {
      const result = await this.#send(compiled)
      return result.rows as readonly RawRow[]
    } catch (error) {
      if (dialect.classify(error).kind === 'value') {
        throw Object.assign(valueOutOfRange(), { cause: error })
      }
      throw asUnavailable(dialect, error) ?? error
    }
  }

  #compiledRead(statement: Statement, rows: boolean): CompiledQuery {
    const { db, dialect } = this
    const compiled = compileStatement(db, statement, dialect.shortcuts?.textStyle)
    const { query, queryId, sql, parameters } = compiled
    // Not `select … for update`, which belongs to a write.
    const isRead = sql.startsWith('select ') && !sql.endsWith(' update')
    const text = isRead ? this.sqlOfRead(sql, rows) : rows ? sqlForArrays(dialect, sql) : sql
    // Only these four properties, so that V8 sees the same object shape as for statements printed earlier.
    return { query, queryId, sql: text, parameters }
  }

  #compiled(statement: Statement, rows: boolean): CompiledQuery {
    const { db, dialect } = this
    const plain = compileStatement(db, statement, dialect.shortcuts?.textStyle)
    return rows ? { ...plain, sql: sqlForArrays(dialect, plain.sql) } : plain
  }

  #send(compiled: CompiledQuery): Promise<QueryResult<unknown>> {
    const { db, dialect, bounds } = this
    return send(db, dialect, this.isBounded ? undefined : bounds, compiled)
  }
}

/** Adds the mark that asks for rows as arrays, if the driver supports them. */
export const sqlForArrays = ({ shortcuts }: InternalDialect, text: string): string =>
  shortcuts?.arrayRows === true ? asArrays(text) : text
