// preparedPg: a pool of `pg` whose clients send the statements they know under a name, so that PostgreSQL plans them once.

import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { asksForArrays, withoutMark } from './array-rows.ts'
import { type TextRowsClass, textRowsOf } from './pg-text-rows.ts'
import { type Named, type NameOf, statementNames } from './statement-names.ts'
import { isInTransaction } from './transaction-state.ts'

/** What is used of a client of `pg`. */
export interface PgClient {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  query(...args: any[]): any
  release(destroy?: boolean): void
}

/** What is used of a pool of `pg`. */
export interface PgPool {
  readonly options?: object
  connect(): Promise<PgClient>
  end(): Promise<void>
}

export interface PgOptions {
  /** false sends every statement as Kysely does: for poolers that give each transaction another connection. Default true. */
  readonly named?: boolean
  /** Most statements with a name. Default 200. */
  readonly statements?: number
  /** Milliseconds after which the server gives a statement up; set once for each connection. Default: the server's own. */
  readonly statementTimeout?: number
}

/**
 * Wraps a pool for Kysely's PostgresDialect. A text that comes again becomes a named statement of its connection, whose
 * plan is kept there. Nothing else changes, errors included.
 *
 * ```ts
 * const pool = new pg.Pool({ connectionString })
 * const db = new Kysely({ dialect: new PostgresDialect({ pool: preparedPg(pool) }) })
 * ```
 */
export function preparedPg(pool: PgPool, options: PgOptions = {}): PostgresPool {
  const { named = true, statements = 200, statementTimeout } = options
  const naming: Naming = { nameOf: named ? statementNames(statements) : none, most: statements * 2 }
  // Kysely knows its connections by their clients, so each client has one wrapper.
  const clients = new WeakMap<PgClient, PgClient>()
  const prepare = async (client: PgClient): Promise<PgClient> => {
    try {
      if (statementTimeout !== undefined) {
        const values = [String(statementTimeout)]
        await client.query("select set_config('statement_timeout', $1, false)", values)
      }
    } catch (error) {
      client.release(true)
      throw error
    }
    const prepared = preparedClient(client, naming)
    clients.set(client, prepared)
    return prepared
  }
  const connected = (client: PgClient) => clients.get(client) ?? prepare(client)
  const { Client } = pool as { Client?: PostgresPool['Client'] }
  return {
    options: pool.options ?? {},
    // What Kysely opens to cancel a statement.
    ...(Client === undefined ? {} : { Client }),
    connect: () => pool.connect().then(connected) as Promise<PostgresPoolClient>,
    end: () => pool.end(),
  }
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
}

function preparedClient(client: PgClient, naming: Naming): PgClient & { processID?: unknown } {
  const held = new Set<string>()
  /** Statements whose result has another shape than when they were prepared. */
  const stale = new Set<string>()
  let inTransaction = false

  const TextRows = textRowsOf(client)

  const unnamed = (whole: string, values: readonly unknown[]): Promise<unknown> => {
    const arrays = asksForArrays(whole)
    const text = arrays ? withoutMark(whole) : whole
    return sent(client, TextRows, { text, values, arrays })
  }

  const underName = (
    { name, text, arrays }: Named,
    values: readonly unknown[],
    whole: string,
  ): Promise<unknown> => {
    held.add(name)
    return sent(client, TextRows, { name, text, values, arrays }, (error) => {
      if (isStale(error)) stale.add(name)
      else if (isUnknown(error)) naming.nameOf = none
      else return Promise.reject(error)
      // The statement has done nothing, so it can be sent again; but a transaction is lost with it.
      return inTransaction ? Promise.reject(error) : unnamed(whole, values)
    })
  }

  return {
    get processID() {
      return (client as { processID?: unknown }).processID
    },
    query(text, values) {
      // A cursor, or a text without values, which may hold several statements.
      if (typeof text !== 'string' || !Array.isArray(values)) return client.query(text, values)
      const named = naming.nameOf(text)
      if (named !== undefined && !stale.has(named.name)) return underName(named, values, text)
      inTransaction = isInTransaction(text, inTransaction)
      return unnamed(text, values)
    },
    release(destroy) {
      // A statement stays prepared as long as its connection lives, so one that has too many is not used again.
      client.release(destroy === true || stale.size > 0 || held.size > naming.most)
    },
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
