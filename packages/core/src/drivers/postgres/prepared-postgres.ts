// preparedPg: a pool of `pg` that sends repeated statements as named prepared statements, so that PostgreSQL parses them once
// per connection.

import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { asksForArrays, withoutArrayMark } from '../../dialect/shared/values/array-rows.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { heldBegin } from './held-begin.ts'
import { type QueryClasses, queryClassesOf } from './prepared-text-rows.ts'
import { type NamedStatement, type NameOf, statementNames } from './statement-names.ts'
import {
  connectTimeout,
  type PgClientClass,
  withCancelTimeout,
  withConnectTimeout,
} from './time-limited-clients.ts'
import { isInTransaction } from './transaction-state.ts'

/** The part of a `pg` client that this file uses. */
export interface PgClient {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  query(...args: any[]): any
  release(destroy?: boolean): void
  on?(event: 'error' | 'end', listener: () => void): unknown
}

/** The `destroy` of `release`: closes the connection, instead of returning it to the pool. */
const destroying = true

/** The part of a `pg` pool that this file uses. */
export interface PgPool {
  readonly options?: object
  connect(): Promise<PgClient>
  end(): Promise<void>
  on?(event: 'error', listener: () => void): unknown
}

export interface PgOptions {
  /**
   * false sends statements without names, for poolers in transaction mode, which may run each transaction on another connection.
   * Default true.
   */
  readonly named?: boolean
  /** Maximum number of statements that have a name; the least recently used one is dropped first. Default 200. */
  readonly statements?: number
  /**
   * `statement_timeout` in milliseconds; set once for each connection, together with `jit = off`, since just-in-time
   * compilation does not stop at the limit. Default: the server's own settings.
   */
  readonly statementTimeout?: number
  /**
   * Sets up each new connection before its first statement, for example with `set role`. If it fails, or takes longer than
   * the pool allows for connecting, the connection is closed and the pool may open another one. If Kysely's own
   * `onCreateConnection` fails, the connection is never returned to the pool.
   */
  readonly setUp?: (client: PgClient) => Promise<unknown>
}

/**
 * Wraps a pool for Kysely's PostgresDialect. From its second execution on, a statement is a named prepared statement of its
 * connection. BEGIN is sent together with the first statement of its transaction. If a connection breaks, its statement fails
 * and the pool opens another connection; without the wrapper, an `error` event without a listener would end the process.
 * Connecting takes at most 5 s if the pool has no `connectionTimeoutMillis`. Results and errors are the same as without the wrapper.
 *
 * ```ts
 * const pool = new pg.Pool({ connectionString })
 * const db = new Kysely({ dialect: new PostgresDialect({ pool: preparedPg(pool) }) })
 * ```
 */
export function preparedPg(pool: PgPool, options: PgOptions = {}): PostgresPool {
  const { named = true, statements = 200 } = options
  const nameOf = named ? statementNames(statements) : unnamedAlways
  // A connection may keep statements whose names were dropped since; with twice as many as there are names, it is closed.
  const naming: Naming = { nameOf, most: statements * 2, schema: 0 }
  // The pool removes an idle connection that breaks, and emits its error.
  pool.on?.('error', ignored)
  const { Client } = pool as { Client?: PgClientClass }
  if (Client !== undefined) Object.assign(pool, { Client: withConnectTimeout(Client) })
  // Kysely identifies connections by their client object, so each client has one wrapper.
  const clients = new WeakMap<PgClient, PreparedClient>()
  const prepare = async (client: PgClient): Promise<PgClient> => {
    const prepared = preparedClient(client, naming)
    try {
      await withTimeLimit(setUp(client, options), connectionTimeoutOf(pool), tooLate)
    } catch (error) {
      prepared.release(destroying)
      throw error
    }
    clients.set(client, prepared)
    return prepared
  }
  const connected = (client: PgClient) => {
    const known = clients.get(client)
    if (known === undefined) return prepare(client)
    known.checkOut()
    return known
  }
  return {
    options: pool.options ?? {},
    // Kysely opens a client of this class to cancel a statement.
    ...(Client === undefined
      ? {}
      : { Client: withCancelTimeout(Client) as NonNullable<PostgresPool['Client']> }),
    connect: () => pool.connect().then(connected) as Promise<PostgresPoolClient>,
    end: () => pool.end(),
  }
}

const ignored = (): void => {}

const tooLate = (): Error =>
  Object.assign(new Error('The set-up of a connection gave no answer in time.'), {
    code: 'ETIMEDOUT',
  })

async function setUp(
  client: PgClient,
  { statementTimeout, setUp }: Pick<PgOptions, 'statementTimeout' | 'setUp'>,
): Promise<void> {
  if (statementTimeout !== undefined) {
    // Just-in-time compilation ignores the time limit, and takes seconds for a large plan. Some servers that speak the
    // protocol have no such setting.
    const noJit =
      "case when current_setting('jit', true) = 'on' then set_config('jit', 'off', false) end"
    const values = [String(statementTimeout)]
    await client.query(`select set_config('statement_timeout', $1, false), ${noJit}`, values)
  }
  await setUp?.(client)
}

function connectionTimeoutOf({ options }: PgPool): number {
  const { connectionTimeoutMillis } = (options ?? {}) as { connectionTimeoutMillis?: number }
  return connectionTimeoutMillis || connectTimeout
}

/** How a statement is sent. */
interface Sending {
  /** Absent for a statement that is not prepared. */
  readonly name?: string
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether the query returns each row as an array of unparsed protocol text. */
  readonly arrays: boolean
  /** The BEGIN that is sent before the statement, in the same group of messages; undefined if none was held back. */
  readonly begin?: string | undefined
}

/** Handles the error of a statement: resolves with the result of another attempt, or rejects. */
type Recover = (error: unknown) => Promise<unknown>

/** Names no statement. */
const unnamedAlways: NameOf = () => undefined

/** Options with which `pg` returns each row as an array of unparsed protocol text. */
const arrayRows = {
  rowMode: 'array',
  types: { getTypeParser: () => (text: string) => text },
} as const

/**
 * Sends a statement. `classes` is undefined for a driver whose queries cannot be derived from; `recover` gets the error of a failure.
 * Uses the driver's callback, because its promise keeps the rows of a result in memory until long after the next
 * result. Garbage collection then takes a third of the time of a query for a hundred rows.
 */
function send(
  client: PgClient,
  classes: QueryClasses | undefined,
  { name, text, values, arrays, begin }: Sending,
  recover: Recover,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (error: unknown, result?: unknown): void => {
      if (error) recover(error).then(resolve, reject)
      else resolve(result)
    }
    if (classes === undefined) {
      client.query({ name, text, values, ...(arrays ? arrayRows : undefined) }, settle)
    } else if (arrays) {
      client.query(new classes.TextRows(name, text, values, settle).after(begin))
    } else if (begin === undefined) {
      client.query({ name, text, values }, settle)
    } else {
      const query = new classes.Beginning({ name, text, values }, undefined, settle)
      client.query(query.after(begin))
    }
  })
}

/** How the statements of a pool are named, for all of its connections. */
interface Naming {
  /** Replaced by `unnamedAlways` when a pooler turns out to mix up the names. */
  nameOf: NameOf
  /** Maximum number of statements that one connection may have prepared. */
  readonly most: number
  /** How many changes of tables were noticed. It is part of the names, so that all statements get new names after a change. */
  schema: number
}

/** The client that Kysely receives. */
interface PreparedClient extends PgClient {
  /** The number of the server's process, which Kysely cancels. */
  readonly processID?: unknown
  /** Marks the client as checked out; called when the pool hands it out again. */
  checkOut(): void
}

function preparedClient(client: PgClient, naming: Naming): PreparedClient {
  /** Whether the pool has handed the client out. */
  let isOut = true
  /** Whether the server has said that it ends the connection. */
  let isEnding = false
  /** The names of the statements that were prepared on this connection. */
  const held = new Set<string>()
  const madeFor = naming.schema
  let inTransaction = false

  const classes = queryClassesOf(client)
  const transaction = heldBegin()

  const failed = (error: unknown): Promise<never> => {
    if (endsConnection(error)) isEnding = true
    return Promise.reject(error)
  }

  /** Sends a statement without a name. `whole` may begin with the mark that asks for rows as arrays. */
  const unnamed = (whole: string, values: readonly unknown[]): Promise<unknown> => {
    // `pg` sends a statement without values as a single Query message, which cannot be in one group with BEGIN.
    if (values.length === 0) sendBegin()
    const arrays = asksForArrays(whole)
    const text = arrays ? withoutArrayMark(whole) : whole
    const begin = transaction.take()
    return send(client, classes, { text, values, arrays, begin }, failed)
  }

  /** Sends the held BEGIN as a separate query. If it fails, closes the connection, so that the next statement does not run without it. */
  const sendBegin = (): void => {
    const begin = transaction.take()
    if (begin === undefined) return
    client.query({ text: begin }, (error: unknown) => {
      if (error) release(destroying)
    })
  }

  /**
   * Sends a statement under its name, and again without a name after one of two errors:
   *
   * - `isStale`: its tables have changed since it was prepared. Other connections have such statements too, so all
   *   statements get new names.
   * - `isUnknown`: the connection does not have the statements that were prepared on it, so names are not used any more.
   *
   * Outside a transaction the statement can be sent again, because PostgreSQL undoes a statement that ends with an error.
   * Inside one, the error has aborted the transaction, so it is thrown, and the whole transaction is retried by its owner.
   */
  const underName = (
    { name, text, arrays }: NamedStatement,
    values: readonly unknown[],
    whole: string,
  ): Promise<unknown> => {
    const { schema } = naming
    const current = schema === 0 ? name : `${name}_${schema}`
    held.add(current)
    const begin = transaction.take()
    return send(client, classes, { name: current, text, values, arrays, begin }, (error) => {
      if (isStale(error)) naming.schema = Math.max(naming.schema, schema + 1)
      else if (isUnknown(error)) naming.nameOf = unnamedAlways
      else return failed(error)
      return inTransaction ? Promise.reject(error) : unnamed(whole, values)
    })
  }

  const release = (destroy?: boolean): void => {
    // The `end` event has already released the connection.
    if (!isOut) return
    isOut = false
    // A BEGIN that was never sent began nothing.
    if (transaction.take() !== undefined) inTransaction = false
    // Statements stay prepared until their connection ends, so a connection with too many or outdated statements is closed.
    const isOld = held.size > naming.most || madeFor !== naming.schema
    client.release(destroy === true || isOld || isEnding)
  }
  // The pool listens to idle clients only, and an `error` event without a listener ends the process.
  client.on?.('error', ignored)
  // Releases a connection as soon as it has ended, so that the pool may open another one.
  client.on?.('end', () => release(destroying))

  return {
    get processID() {
      return (client as { processID?: unknown }).processID
    },
    query(text, values) {
      // `text` is a cursor, or SQL without values, which may contain several statements.
      if (typeof text !== 'string' || !Array.isArray(values)) {
        sendBegin()
        return client.query(text, values)
      }
      const named = naming.nameOf(text)
      if (named !== undefined) return underName(named, values, text)
      const was = inTransaction
      inTransaction = isInTransaction(text, was)
      // BEGIN, COMMIT or ROLLBACK; without `classes`, no query can send a held BEGIN.
      const isBoundary = classes !== undefined && inTransaction !== was
      const answer = isBoundary ? transaction.answerFor(text) : undefined
      if (answer !== undefined) return Promise.resolve(answer)
      return unnamed(text, values)
    },
    checkOut() {
      isOut = true
    },
    release,
  }
}

interface DatabaseError {
  readonly code?: unknown
  readonly routine?: unknown
}

/** Class 57P of SQLSTATEs: the server shuts down, or somebody has ended the session. The connection itself ends a little later. */
const endsConnection = (error: unknown): boolean => {
  const { code } = error as DatabaseError
  return typeof code === 'string' && code.startsWith('57P')
}

/** "cached plan must not change result type": a table has changed. Tested by code and routine, since the message may be translated. */
const isStale = (error: unknown): boolean => {
  const { code, routine } = error as DatabaseError
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/** The statement does not exist (26000), or its name is taken (42P05): a pooler gives one connection to several clients. */
const isUnknown = (error: unknown): boolean => {
  const { code } = error as DatabaseError
  return code === '26000' || code === '42P05'
}
