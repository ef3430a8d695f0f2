// preparedMysql: a pool of `mysql2` whose connections execute the statements they know, so that MariaDB parses them once.

import type { MysqlPool, MysqlPoolConnection } from 'kysely'
import { lruMap } from '../../lru-map.ts'
import { asksForArrays, withoutMark } from '../shared/array-rows.ts'
import { type Recurring, recurringStatements } from '../shared/recurring-statements.ts'
import { isInTransaction } from '../shared/transaction-state.ts'

/** What is used of a connection of `mysql2`. */
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

/** What is used of a pool of `mysql2`, the one that answers by callback. */
export interface MysqlClientPool {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  getConnection(callback: (error: any, connection: any) => void): void
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  end(callback: (error: any) => void): void
}

export interface MysqlOptions {
  /** false sends every statement as text, as Kysely does. Rows come as arrays nevertheless. Default true. */
  readonly prepared?: boolean
  /** Most statements that a connection keeps prepared. Default 200. */
  readonly statements?: number
}

/**
 * Wraps a pool of `mysql2` for Kysely's MysqlDialect. On MariaDB, a statement of model-api, or a write without
 * RETURNING, that comes again is executed as a prepared statement of its connection; MySQL gets texts. Reads of model-api come as arrays. Nothing else
 * changes, errors included.
 *
 * ```ts
 * const pool = mysql.createPool({ uri })
 * const db = new Kysely({ dialect: new MysqlDialect({ pool: preparedMysql(pool) }) })
 * ```
 */
export function preparedMysql(pool: MysqlClientPool, options: MysqlOptions = {}): MysqlPool {
  const { prepared = true, statements = 200 } = options
  const preparing: Preparing = {
    recurring: recurringStatements(statements, worthPreparing),
    most: statements,
    may: prepared && statements > 0 && keepsStatements(pool) ? 'not asked' : 'no',
  }
  // Kysely knows its connections by these objects, so each has one wrapper.
  const wrapped = new WeakMap<MysqlClient, MysqlPoolConnection>()
  const wrap = (client: MysqlClient): MysqlPoolConnection => {
    // The pool listens to the first error of a connection; another one would end the process.
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

/** What the connections of a pool know of each other's statements. */
interface Preparing {
  readonly recurring: (text: string) => Recurring | undefined
  /** Statements that one connection may hold. */
  readonly most: number
  /** Whether the server takes prepared statements in a way that changes no answer. */
  may: 'not asked' | 'asked' | 'yes' | 'no'
}

/**
 * Statements of ours say which form each value should have, rows of others might get another one than as text. So of
 * those it is the writes that answer with numbers alone; a text in which the word stands otherwise is none.
 */
const worthPreparing = (statement: Recurring): Recurring | undefined =>
  statement.arrays || (write.test(statement.text) && !/\breturning\b/i.test(statement.text))
    ? statement
    : undefined

const write = /^(?:insert|update|delete|replace) /i

/** A pool may be told to reset its connections after each use, which loses their statements. */
const keepsStatements = (pool: object): boolean =>
  (pool as { config?: { resetOnRelease?: unknown } }).config?.resetOnRelease !== true

/** How `mysql2` finds a statement again. */
interface Prepared {
  readonly sql: string
  readonly rowsAsArray: boolean
}

type Callback = (error: unknown, result: unknown) => void

/**
 * Finds out on a first connection, before its first statement: whether this is MariaDB, and whether whole numbers are
 * sent as such. Both commands are queued before the statement that the connection is wanted for, so they run outside
 * any transaction; an error of the first one loses nothing.
 */
function ask(client: MysqlClient, preparing: Preparing): void {
  if (!readsAsEver(client)) {
    preparing.may = 'no'
    return
  }
  preparing.may = 'asked'
  // A fraction is no limit.
  const statement: Prepared = { sql: 'select version() limit ?', rowsAsArray: true }
  prepare(client, statement, 1, () => {})
  execute(client, statement, [1], (error, rows) => {
    client.unprepare(statement)
    if (error !== null && isPassing(error as DriverError)) preparing.may = 'not asked'
    else preparing.may = !error && /mariadb/i.test(String(rows)) ? 'yes' : 'no'
  })
}

/** A lost connection, or a Galera node that does not serve at the moment: the next connection may be told more. */
const isPassing = ({ fatal, message }: DriverError): boolean =>
  fatal === true || /wsrep/i.test(String(message))

/** Settings that concern texts and what comes back of them have no equal among prepared statements. */
function readsAsEver({ config }: MysqlClient): boolean {
  const { typeCast, queryFormat } = config as { typeCast?: unknown; queryFormat?: unknown }
  return typeCast !== false && typeof typeCast !== 'function' && typeof queryFormat !== 'function'
}

/** What the driver knows of a prepared statement; the types of its parameters are only those that it was told. */
interface DriverStatement {
  parameters: readonly object[]
}

/** A whole number that fits is sent as one, where a parameter is said to be one; otherwise it would be a double. */
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
  const held = lruMap<Prepared>(Math.min(preparing.most, maxPreparedStatements), (statement) =>
    client.unprepare(statement),
  )

  const asText = (whole: string, values: readonly unknown[], callback: Callback) =>
    asksForArrays(whole)
      ? client.query({ sql: withoutMark(whole), rowsAsArray: true }, values, callback)
      : client.query(whole, values, callback)

  /** The callback of a statement that was prepared, which may be sent as text instead. */
  const orAsText =
    (text: string, values: readonly unknown[], callback: Callback): Callback =>
    (error, result) => {
      const refusal = refusalIn(error)
      if (refusal === undefined) return callback(error, result)
      if (refusal !== 'this statement') preparing.may = 'no'
      if (refusal === 'unknown' && inTransaction) return callback(error, result)
      asText(text, values, callback)
    }

  /** What was asked for while a statement is being prepared; undefined while none is. */
  let waiting: (() => void)[] | undefined
  const inOrder = (send: () => void): void => {
    if (waiting === undefined) send()
    else waiting.push(send)
  }

  /**
   * Prepares a statement and executes it when that has succeeded. Whatever is asked for meanwhile is sent afterwards:
   * a ROLLBACK that overtook the statement would leave it outside the transaction.
   */
  const prepareAndExecute = (
    statement: Prepared,
    text: string,
    values: readonly unknown[],
    callback: Callback,
  ): void => {
    const line: (() => void)[] = []
    waiting = line
    prepare(client, statement, values.length, (error) => {
      waiting = undefined
      if (error) callback(error, undefined)
      else {
        held.set(text, statement)
        execute(client, statement, values, callback)
      }
      for (const send of line) inOrder(send)
    })
  }

  const send = (text: string, values: readonly unknown[], callback: Callback): void => {
    const recurring = preparing.recurring(text)
    if (recurring === undefined || preparing.may !== 'yes' || !values.every(isPlain)) {
      inTransaction = isInTransaction(text, inTransaction)
      asText(text, values, callback)
      return
    }
    const settle = orAsText(text, values, callback)
    const known = held.get(text)
    if (known !== undefined) {
      execute(client, known, values, settle)
      return
    }
    const statement: Prepared = { sql: recurring.text, rowsAsArray: recurring.arrays }
    prepareAndExecute(statement, text, values, settle)
  }

  const connection = {
    config: client.config,
    get threadId() {
      return client.threadId
    },
    connect: (callback?: (error: unknown) => void) => client.connect(callback),
    destroy() {
      client.destroy()
      // The driver ends its side alone, and waits for a server that may never answer.
      client.stream?.destroy()
    },
    release: () => client.release(),
    query(text: string, values: unknown, callback?: Callback) {
      if (callback === undefined) return client.query(text, values)
      if (typeof text !== 'string' || !Array.isArray(values)) {
        return client.query(text, values, callback)
      }
      inOrder(() => send(text, values, callback))
    },
  }
  return connection as MysqlPoolConnection
}

/** Values that are the same sent as text and as a value of the protocol. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || value === null || Number.isSafeInteger(value)

interface DriverError {
  readonly errno?: unknown
  readonly fatal?: unknown
  readonly message?: unknown
}

/** Who a refusal concerns: statements of this server, this statement alone, or one that this server does not have. */
type Refusal = 'all statements' | 'this statement' | 'unknown'

/**
 * Errors that say that a statement was not prepared, or is not there, and nothing of the statement itself. Only these
 * let it be sent again as text, and for each it is certain that the server has executed nothing:
 *
 * - 1295 and 1461 (not supported; too many statements) and 1390 (more than 65,535 values) answer PREPARE, which
 *   executes nothing and leaves the transaction as it was.
 * - 1615 answers EXECUTE: the definitions of its tables changed again each time the server prepared it anew. The server
 *   finds that out when it opens the tables, before the first row.
 * - 1243 answers EXECUTE: this server has no such statement, so there is another server behind the connection than
 *   before. Outside a transaction the text may go there. Inside one, the transaction may have stayed with the former
 *   server: there the error is the statement's own, and whoever began the transaction begins it again.
 *
 * Every other error belongs to the statement and is thrown, that of PREPARE as well. A Galera node tells that another
 * node's commit has aborted a transaction (1213) once, to the next command, whatever that is; a statement that was
 * sent again after that would run and be committed by itself.
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
