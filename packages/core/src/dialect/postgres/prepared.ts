// preparedPg: a pool of `pg` whose clients send the statements they know under a name, so that PostgreSQL plans them once.

import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { withTimeLimit } from '../../time-limit.ts'
import { asksForArrays, withoutMark } from '../shared/array-rows.ts'
import { isInTransaction } from '../shared/transaction-state.ts'
import {
  connectTimeout,
  forQuestions,
  type PgClientClass,
  withConnectTimeout,
} from './prepared-clients.ts'
import { type TextRowsClass, textRowsOf } from './prepared-text-rows.ts'
import { type Named, type NameOf, statementNames } from './statement-names.ts'

/** What is used of a client of `pg`. */
export interface PgClient {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  query(...args: any[]): any
  release(destroy?: boolean): void
  on?(event: 'error' | 'end', listener: () => void): unknown
}

/** What is used of a pool of `pg`. */
export interface PgPool {
  readonly options?: object
  connect(): Promise<PgClient>
  end(): Promise<void>
  on?(event: 'error', listener: () => void): unknown
}

export interface PgOptions {
  /** false sends every statement as Kysely does: for poolers that give each transaction another connection. Default true. */
  readonly named?: boolean
  /** Most statements with a name. Default 200. */
  readonly statements?: number
  /**
   * Milliseconds after which the server gives a statement up; set once for each connection, together with `jit = off`, since
   * just-in-time compilation does not stop at the limit. Default: the server's own settings.
   */
  readonly statementTimeout?: number
  /**
   * Sets up each new connection before its first statement, such as by `set role`. Where it fails, or gives no answer
   * within the time that the pool allows for connecting, the connection is closed and its
   * place in the pool is free again. After a failure in Kysely's own `onCreateConnection` the place stays taken.
   */
  readonly setUp?: (client: PgClient) => Promise<unknown>
}

/**
 * Wraps a pool for Kysely's PostgresDialect. A text that comes again becomes a named statement of its connection, whose
 * plan is kept there. A connection that breaks, idle or in use, fails its statement and is replaced; without a listener
 * its error would end the process. Connecting takes 5 s at most where the pool has no `connectionTimeoutMillis`. Nothing
 * else changes, errors included.
 *
 * ```ts
 * const pool = new pg.Pool({ connectionString })
 * const db = new Kysely({ dialect: new PostgresDialect({ pool: preparedPg(pool) }) })
 * ```
 */
export function preparedPg(pool: PgPool, options: PgOptions = {}): PostgresPool {
  const { named = true, statements = 200 } = options
  const nameOf = named ? statementNames(statements) : none
  const naming: Naming = { nameOf, most: statements * 2, schema: 0 }
  // The pool removes an idle connection that breaks, and tells of it.
  pool.on?.('error', ignored)
  const { Client } = pool as { Client?: PgClientClass }
  if (Client !== undefined) Object.assign(pool, { Client: withConnectTimeout(Client) })
  // Kysely knows its connections by their clients, so each client has one wrapper.
  const clients = new WeakMap<PgClient, PreparedClient>()
  const prepare = async (client: PgClient): Promise<PgClient> => {
    const prepared = preparedClient(client, naming)
    try {
      await withTimeLimit(setUp(client, options), connectionTimeoutOf(pool), tooLate)
    } catch (error) {
      prepared.release(true)
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
    // What Kysely opens to cancel a statement.
    ...(Client === undefined
      ? {}
      : { Client: forQuestions(Client) as NonNullable<PostgresPool['Client']> }),
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
    // Compiling a plan to machine code pays no heed to the time limit, and takes seconds where a plan is long.
    // Not every server that speaks the protocol has it.
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
  readonly name?: string
  readonly text: string
  readonly values: readonly unknown[]
  /** Its rows are to be arrays of the protocol's texts. */
  readonly arrays: boolean
}

/** May answer after an error. */
type Recover = (error: unknown) => Promise<unknown>

const none: NameOf = () => undefined

/** Rows as arrays of the protocol's texts, where the driver has to be told. */
const arrayRows = {
  rowMode: 'array',
  types: { getTypeParser: () => (text: string) => text },
} as const

/**
 * Asks with a callback: the driver's own promise keeps the rows of one answer alive until long after the next, which
 * costs a third of the time of a hundred rows.
 */
function sent(
  client: PgClient,
  TextRows: TextRowsClass | undefined,
  { name, text, values, arrays }: Sending,
  recover: Recover = failed,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (error: unknown, result?: unknown): void => {
      if (error) recover(error).then(resolve, reject)
      else resolve(result)
    }
    if (!arrays) client.query({ name, text, values }, settle)
    else if (TextRows !== undefined) client.query(new TextRows(name, text, values, settle))
    else client.query({ name, text, values, ...arrayRows }, settle)
  })
}

const failed: Recover = (error) => Promise.reject(error)

interface Naming {
  nameOf: NameOf
  /** Statements that one connection may hold. */
  readonly most: number
  /** Counts how often tables were found to have changed; statements have other names from then on. */
  schema: number
}

/** A client as Kysely gets it. */
interface PreparedClient extends PgClient {
  readonly processID?: unknown
  /** Somebody uses it now, and will release it. */
  checkOut(): void
}

function preparedClient(client: PgClient, naming: Naming): PreparedClient {
  let isOut = true
  const held = new Set<string>()
  const madeFor = naming.schema
  let inTransaction = false

  const TextRows = textRowsOf(client)

  const unnamed = (whole: string, values: readonly unknown[]): Promise<unknown> => {
    const arrays = asksForArrays(whole)
    const text = arrays ? withoutMark(whole) : whole
    return sent(client, TextRows, { text, values, arrays })
  }

  /**
   * Sends a statement under its name, or without one after an error that says that it was not executed:
   *
   * - its tables have changed since it was prepared (`isStale`). Every connection has such statements, so all are
   *   prepared anew under other names.
   * - the connection has other statements than those that it prepared (`isUnknown`). Names are of no use then.
   *
   * Outside a transaction it is sent again: PostgreSQL has undone whatever a statement did that ended with an error.
   * Inside one the transaction is lost with it, so the error is thrown; whoever began the transaction begins it again.
   */
  const underName = (
    { name, text, arrays }: Named,
    values: readonly unknown[],
    whole: string,
  ): Promise<unknown> => {
    const { schema } = naming
    const current = schema === 0 ? name : `${name}_${schema}`
    held.add(current)
    return sent(client, TextRows, { name: current, text, values, arrays }, (error) => {
      if (isStale(error)) naming.schema = Math.max(naming.schema, schema + 1)
      else if (isUnknown(error)) naming.nameOf = none
      else return Promise.reject(error)
      return inTransaction ? Promise.reject(error) : unnamed(whole, values)
    })
  }

  const release = (destroy?: boolean): void => {
    // A connection that has ended was released already.
    if (!isOut) return
    isOut = false
    // A statement stays prepared as long as its connection lives, so one that has too many, or old ones, is not used again.
    const isOld = held.size > naming.most || madeFor !== naming.schema
    client.release(destroy === true || isOld)
  }
  // The pool listens to idle clients alone, and an error that nobody listens to ends the process.
  client.on?.('error', ignored)
  // Its place in the pool is free at once, also where whoever has it never releases it.
  client.on?.('end', () => release(true))

  return {
    get processID() {
      return (client as { processID?: unknown }).processID
    },
    query(text, values) {
      // A cursor, or a text without values, which may hold several statements.
      if (typeof text !== 'string' || !Array.isArray(values)) return client.query(text, values)
      const named = naming.nameOf(text)
      if (named !== undefined) return underName(named, values, text)
      inTransaction = isInTransaction(text, inTransaction)
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

/** "cached plan must not change result type": the table has changed since; the message may be in any language. */
const isStale = (error: unknown): boolean => {
  const { code, routine } = error as DatabaseError
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/** The connection has another's statements or lost its own: a pooler stands between that passes connections on. */
const isUnknown = (error: unknown): boolean => {
  const { code } = error as DatabaseError
  return code === '26000' || code === '42P05'
}
