// preparedMysql: a pool of `mysql2` whose connections execute the statements they know, so that MariaDB parses them once.

import type { MysqlPool, MysqlPoolConnection } from 'kysely'
import { asksForArrays, withoutMark } from './array-rows.ts'
import { recent } from './recent.ts'
import { type Recurring, recurringStatements } from './recurring-statements.ts'

/** What is used of a connection of `mysql2`. */
export interface MysqlClient {
  readonly config: object
  readonly threadId: number | null
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
 * sent as such.
 */
function ask(client: MysqlClient, preparing: Preparing): void {
  if (!readsAsEver(client)) {
    preparing.may = 'no'
    return
  }
  preparing.may = 'asked'
  // A fraction is no limit.
  const statement: Prepared = { sql: 'select version() limit ?', rowsAsArray: true }
  prepare(client, statement, 1)
  execute(client, statement, [1], (error, rows) => {
    client.unprepare(statement)
    if ((error as DriverError | null)?.fatal === true) preparing.may = 'not asked'
    else preparing.may = !error && /mariadb/i.test(String(rows)) ? 'yes' : 'no'
  })
}

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
  failed: () => void = () => {},
): void {
  client.prepare(statement, (error: unknown, known?: DriverStatement) => {
    if (error || known === undefined) failed()
    else known.parameters = Array.from({ length: parameters }, () => wholeNumber)
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
  const held = recent<Prepared>(Math.min(preparing.most, maxPreparedStatements), (statement) =>
    client.unprepare(statement),
  )

  const asText = (whole: string, values: readonly unknown[], callback: Callback) =>
    asksForArrays(whole)
      ? client.query({ sql: withoutMark(whole), rowsAsArray: true }, values, callback)
      : client.query(whole, values, callback)

  const heldOf = ({ text, arrays }: Recurring, whole: string, parameters: number): Prepared => {
    const before = held.get(whole)
    if (before !== undefined) return before
    const statement: Prepared = { sql: text, rowsAsArray: arrays }
    held.set(whole, statement)
    // The driver does one thing after the other: this is done when the statement is executed.
    prepare(client, statement, parameters, () => held.delete(whole))
    return statement
  }

  const connection = {
    config: client.config,
    get threadId() {
      return client.threadId
    },
    connect: (callback?: (error: unknown) => void) => client.connect(callback),
    destroy: () => client.destroy(),
    release: () => client.release(),
    query(text: string, values: unknown, callback?: Callback) {
      if (callback === undefined) return client.query(text, values)
      if (typeof text !== 'string' || !Array.isArray(values)) {
        return client.query(text, values, callback)
      }
      const recurring = preparing.recurring(text)
      if (recurring === undefined || preparing.may !== 'yes' || !values.every(isPlain)) {
        return asText(text, values, callback)
      }
      const statement = heldOf(recurring, text, values.length)
      return execute(client, statement, values, (error, result) => {
        if (!isRefused(error)) return callback(error, result)
        if (!isOutOfDate(error)) preparing.may = 'no'
        // It has done nothing, so it can be sent again.
        asText(text, values, callback)
      })
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
}

/** Too many statements; one that cannot be prepared; one that another server has, where a pooler passes connections on. */
const refusals: ReadonlySet<unknown> = new Set([1461, 1295, 1243, 1615])

const isRefused = (error: unknown): boolean =>
  refusals.has((error as DriverError | null | undefined)?.errno)

/** The tables of a statement changed too often while the server prepared it anew. */
const isOutOfDate = (error: unknown): boolean => (error as DriverError).errno === 1615
