// preparedMysql: a pool of `mysql2` that executes repeated statements as prepared statements, so that MariaDB parses them once
// per connection.

import type { MysqlPool, MysqlPoolConnection } from 'kysely'
import {
  type Recurring,
  recurringStatements,
} from '../../dialect/shared/session/recurring-statements.ts'
import { isInTransaction } from '../../dialect/shared/session/transaction-state.ts'
import { asksForArrays, withoutArrayMark } from '../../dialect/shared/values/array-rows.ts'
import { lruMap } from '../../lib/lru-map.ts'

/** The part of a `mysql2` connection that this file uses. */
export interface MysqlClient {
  readonly config: object
  readonly threadId: number | null
  readonly stream?: { destroy(): unknown }
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  query(...args: any[]): any
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  prepare(...args: any[]): any
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  execute(...args: any[]): any
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  unprepare(...args: any[]): any
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  connect(...args: any[]): any
  destroy(): void
  release(): void
  on?(event: 'error', listener: () => void): unknown
}

/** The part of a `mysql2` pool, in its form with callbacks, that this file uses. */
export interface MysqlClientPool {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  getConnection(callback: (error: any, connection: any) => void): void
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  end(callback: (error: any) => void): void
}

export interface MysqlOptions {
  /** false sends every statement as text; rows are still read as arrays. Default true. */
  readonly prepared?: boolean
  /** Maximum number of prepared statements of a connection; the least recently used one is closed first. Default 200. */
  readonly statements?: number
}

/**
 * Wraps a pool of `mysql2` for Kysely's MysqlDialect. On MariaDB, reads of model-api and writes without RETURNING are
 * prepared statements from their second execution on; on MySQL all statements are sent as text. Rows of model-api are read
 * as arrays. Results and errors are the same as without the wrapper. Throws for a pool with `multipleStatements`, by which one
 * statement that a program of yours puts together from text could become several.
 *
 * ```ts
 * const pool = mysql.createPool({ uri })
 * const db = new Kysely({ dialect: new MysqlDialect({ pool: preparedMysql(pool) }) })
 * ```
 */
export function preparedMysql(pool: MysqlClientPool, options: MysqlOptions = {}): MysqlPool {
  const { prepared = true, statements = 200 } = options
  refuseMultipleStatements(pool)
  const preparing: Preparing = {
    recurring: recurringStatements(statements, isWorthPreparing, (statement) => statement),
    most: statements,
    may: prepared && statements > 0 && !resetsConnections(pool) ? 'not asked' : 'no',
  }
  // Kysely and the check of session settings identify connections by these objects, so each has one wrapper.
  const wrapped = new WeakMap<MysqlClient, MysqlPoolConnection>()
  const wrap = (client: MysqlClient): MysqlPoolConnection => {
    // The pool removes its listener after the first error of a connection; a second error without one would end the process.
    client.on?.('error', () => {})
    const made = preparedConnection(client, preparing)
    wrapped.set(client, made)
    return made
  }
  return {
    getConnection: (callback) =>
      pool.getConnection((error, client) => {
        if (error) return callback(error, client)
        if (preparing.may === 'not asked') ask(client, preparing)
        callback(null, wrapped.get(client) ?? wrap(client))
      }),
    end: (callback) => pool.end(callback),
  }
}

/** The state that the connections of a pool share. */
interface Preparing {
  readonly recurring: (text: string) => Recurring | undefined
  /** Maximum number of prepared statements of one connection. */
  readonly most: number
  /** Whether prepared statements give the same results as text on this server; `asked`: the answer has not arrived. */
  may: 'not asked' | 'asked' | 'yes' | 'no'
}

/**
 * Whether a statement may be prepared. The service's own statements may: they select each value in a form that is the same in the
 * protocols of text and of prepared statements. Of other statements, only writes that return no rows may be prepared; a write with
 * the word `returning` anywhere in its text is sent as text.
 */
const isWorthPreparing = ({ text, arrays }: Recurring): boolean =>
  arrays || (write.test(text) && !/\breturning\b/i.test(text))

const write = /^(?:insert|update|delete|replace) /i

/** Whether connections lose their prepared statements and settings when they return to the pool. */
const resetsConnections = (pool: object): boolean =>
  (pool as { config?: { resetOnRelease?: unknown } }).config?.resetOnRelease === true

/** The flag of MySQL's protocol by which a connection accepts several statements in one text. */
const multipleStatements = 1 << 16

/** Throws for a pool whose connections accept several statements in one text, by the option, the URL or `flags`. */
function refuseMultipleStatements(pool: object): void {
  const { config } = pool as {
    config?: { connectionConfig?: { multipleStatements?: unknown; clientFlags?: number } }
  }
  const { multipleStatements: option, clientFlags = 0 } = config?.connectionConfig ?? {}
  if (!option && (clientFlags & multipleStatements) === 0) return
  throw new Error(
    'The pool of mysql2 has multipleStatements, which makes an injection into SQL of your own far worse. Create it without: model-api sends one statement at a time.',
  )
}

/** The options by which `mysql2` identifies a prepared statement. */
interface Prepared {
  readonly sql: string
  readonly rowsAsArray: boolean
}

type Callback = (error: unknown, result: unknown) => void

/**
 * Finds out whether the server is MariaDB, and whether the driver sends whole numbers as integers. Both commands are
 * queued on a new connection before its first statement, so they run outside any transaction, and an error has no effect
 * on one.
 */
function ask(client: MysqlClient, preparing: Preparing): void {
  if (!settingsApplyToPrepared(client)) {
    preparing.may = 'no'
    return
  }
  preparing.may = 'asked'
  // LIMIT accepts integers only, so it fails if the driver sends a double.
  const statement: Prepared = { sql: 'select version() limit ?', rowsAsArray: true }
  // Only gives the parameter its type; `execute` reports an error of preparing too.
  prepare(client, statement, 1, () => {})
  execute(client, statement, [1], (error, rows) => {
    client.unprepare(statement)
    if (error !== null && isTemporary(error as DriverError)) preparing.may = 'not asked'
    else preparing.may = !error && /mariadb/i.test(String(rows)) ? 'yes' : 'no'
  })
}

/** Whether to ask again on the next connection, because the connection was lost or a Galera node is not ready yet. */
const isTemporary = ({ fatal, message }: DriverError): boolean =>
  fatal === true || /wsrep/i.test(String(message))

/** Whether the driver's settings have the same effect on prepared statements; `typeCast` and `queryFormat` do not. */
function settingsApplyToPrepared({ config }: MysqlClient): boolean {
  const { typeCast, queryFormat } = config as { typeCast?: unknown; queryFormat?: unknown }
  return typeCast !== false && typeof typeCast !== 'function' && typeof queryFormat !== 'function'
}

/** The driver's prepared statement. The driver sends values with the types in `parameters`. */
interface DriverStatement {
  parameters: readonly object[]
}

/** The parameter type BIGINT: the driver then sends integers as integers, and not as doubles. */
const wholeNumber = { columnType: 8, flags: 0 }

function prepare(
  client: MysqlClient,
  statement: Prepared,
  parameters: number,
  done: (error: unknown) => void,
): void {
  client.prepare(statement, (error: unknown, known?: DriverStatement) => {
    if (!error && known !== undefined) {
      known.parameters = Array.from({ length: parameters }, () => wholeNumber)
    }
    done(error)
  })
}

function execute(
  client: MysqlClient,
  { sql, rowsAsArray }: Prepared,
  values: readonly unknown[],
  callback: Callback,
): void {
  client.execute({ sql, rowsAsArray, values }, callback)
}

function preparedConnection(client: MysqlClient, preparing: Preparing): MysqlPoolConnection {
  const { maxPreparedStatements = preparing.most } = client.config as {
    maxPreparedStatements?: number
  }
  let inTransaction = false
  /** The statements that are prepared on this connection, by their text with the mark for arrays. */
  const held = lruMap<Prepared>(Math.min(preparing.most, maxPreparedStatements), (statement) =>
    client.unprepare(statement),
  )

  const asText = (whole: string, values: readonly unknown[], callback: Callback) =>
    asksForArrays(whole)
      ? client.query({ sql: withoutArrayMark(whole), rowsAsArray: true }, values, callback)
      : client.query(whole, values, callback)

  /** Wraps the callback of a prepared statement: if the server refused the statement without executing it, sends it as text. */
  const orAsText =
    (text: string, values: readonly unknown[], callback: Callback): Callback =>
    (error, result) => {
      const refusal = refusalIn(error)
      if (refusal === undefined) return callback(error, result)
      if (refusal !== 'this statement') preparing.may = 'no'
      if (refusal === 'unknown' && inTransaction) return callback(error, result)
      asText(text, values, callback)
    }

  /** The statements that wait until the statement being prepared is sent; undefined if none is being prepared. */
  let waiting: (() => void)[] | undefined
  const inOrder = (send: () => void): void => {
    if (waiting === undefined) send()
    else waiting.push(send)
  }

  /**
   * Prepares a statement and then executes it. Other statements wait until then: a ROLLBACK that overtook the statement
   * would leave it outside the transaction.
   */
  const prepareAndExecute = (
    statement: Prepared,
    text: string,
    values: readonly unknown[],
    callback: Callback,
  ): void => {
    const queued: (() => void)[] = []
    waiting = queued
    prepare(client, statement, values.length, (error) => {
      waiting = undefined
      if (error) callback(error, undefined)
      else {
        held.set(text, statement)
        execute(client, statement, values, callback)
      }
      // One of them may be prepared in turn; those after it then wait again.
      for (const send of queued) inOrder(send)
    })
  }

  const send = (text: string, values: readonly unknown[], callback: Callback): void => {
    const recurring = preparing.recurring(text)
    if (recurring === undefined || preparing.may !== 'yes' || !values.every(isPlain)) {
      inTransaction = isInTransaction(text, inTransaction)
      asText(text, values, callback)
      return
    }
    const done = orAsText(text, values, callback)
    const known = held.get(text)
    if (known !== undefined) {
      execute(client, known, values, done)
      return
    }
    const statement: Prepared = { sql: recurring.text, rowsAsArray: recurring.arrays }
    prepareAndExecute(statement, text, values, done)
  }

  const connection = {
    config: client.config,
    get threadId() {
      return client.threadId
    },
    connect: (callback?: (error: unknown) => void) => client.connect(callback),
    destroy() {
      client.destroy()
      // `client.destroy` only half-closes the socket, and waits for a server that may never respond.
      client.stream?.destroy()
    },
    release: () => client.release(),
    query(text: string, values: unknown, callback?: Callback) {
      // Without a callback, Kysely streams the rows.
      if (callback === undefined) return client.query(text, values)
      if (typeof text !== 'string' || !Array.isArray(values)) {
        return client.query(text, values, callback)
      }
      inOrder(() => send(text, values, callback))
    },
  }
  return connection as MysqlPoolConnection
}

/** Whether the server reads the value in the same way from SQL text and as a parameter of a prepared statement. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || value === null || Number.isSafeInteger(value)

interface DriverError {
  readonly errno?: unknown
  readonly fatal?: unknown
  readonly message?: unknown
}

/** What the server refuses: all prepared statements, only this statement, or a statement that it does not know. */
type Refusal = 'all statements' | 'this statement' | 'unknown'

/**
 * Errors of preparing rather than of the statement itself. Only after these is a statement sent again as text, because the
 * server has certainly executed nothing:
 *
 * - 1295, 1461 (not supported; too many statements) and 1390 (more than 65,535 values) are errors of PREPARE, which
 *   executes nothing and leaves the transaction as it was.
 * - 1615 is an error of EXECUTE: the definitions of the tables changed each time the server prepared the statement again.
 *   The server notices that when it opens the tables, before the first row.
 * - 1243 is an error of EXECUTE: the server does not have the statement, so a proxy has switched the connection to another
 *   server. Outside a transaction the text can be sent there. Inside one, the transaction may remain on the first server,
 *   so the error is thrown, and the whole transaction is retried by its owner.
 *
 * All other errors are thrown, those of PREPARE included. If the commit of another Galera node aborts a transaction, the
 * node reports it (1213) once, to the next command of any kind; a statement sent again after that would run outside the
 * transaction and be committed by itself.
 */
const refusals: ReadonlyMap<unknown, Refusal> = new Map<unknown, Refusal>([
  [1295, 'all statements'],
  [1461, 'all statements'],
  [1390, 'this statement'],
  [1615, 'this statement'],
  [1243, 'unknown'],
])

const refusalIn = (error: unknown): Refusal | undefined =>
  refusals.get((error as DriverError | null | undefined)?.errno)
