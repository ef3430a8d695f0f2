// Runs one compiled statement and turns errors of the driver into API errors.

import type { CompiledQuery, QueryResult } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { asArrays } from '../../dialect/shared/values/array-rows.ts'
import { tooManyValues, valueOutOfRange } from '../../errors.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { compileStatement } from '../../lib/sql/statement.ts'
import type { RawRow } from '../cell.ts'
import type { SharedCounts } from '../shared-counts.ts'
import { asUnavailable } from '../transactions/unavailable.ts'
import { executeBounded } from './bounded-statement.ts'
import { type Client, deadlineOf } from './bounds.ts'
import { onCheckedSession } from './check-session.ts'
import { lockedBy, retryWhileLocked } from './lock-retry.ts'
import type { Sendable } from './sendable.ts'

/** A row by the aliases of its values. */
export type NamedRow = Readonly<Record<string, unknown>>

/** Measures the time that a request spends in the database. */
export interface DatabaseTiming {
  /** Runs `work` and counts its time; overlapping statements are counted once. */
  database<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work` inside `database` without counting its time: the code between the statements of a transaction. */
  ownWork<T>(work: () => Promise<T>): Promise<T>
}

/** What running a statement needs: the database of this request, its dialect and the limits. */
export interface Connection {
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  /** Milliseconds that a statement may take; absent in a transaction, whose connection bounds its statements. */
  readonly statementTimeout?: number
  /** The client that waits for the response. */
  readonly client?: Client | undefined
  /** Counts shared with other requests; absent in a transaction, which may see other rows. */
  readonly counts?: SharedCounts | undefined
  /** Measures the time of the database; undefined if that is off. */
  readonly timing?: DatabaseTiming | undefined
}

/** Runs a read. Throws 503 if the database is unavailable or too slow, 400 if a value or sum is out of range. */
export async function run(
  connection: Connection,
  statement: Sendable,
): Promise<readonly NamedRow[]> {
  return (await send(connection, compiledOf(connection, statement, false))) as readonly NamedRow[]
}

/** `run`, with rows as arrays if the driver supports it. */
export function runRows(connection: Connection, statement: Sendable): Promise<readonly RawRow[]> {
  return send(connection, compiledOf(connection, statement, true))
}

/** The statement that the driver receives; a cached statement is returned as it is. `rows`: whether the driver may return arrays. */
function compiledOf(connection: Connection, statement: Sendable, rows: boolean): CompiledQuery {
  if ('printed' in statement) return statement.printed
  const { db, dialect } = connection
  const compiled = compileStatement(db, statement, dialect.shortcuts?.textStyle)
  const { query, queryId, sql, parameters } = compiled
  const isRead = sql.startsWith('select ') && !sql.endsWith(' update')
  const text = isRead
    ? sqlForDriver(connection, sql, rows)
    : rows
      ? sqlForArrays(dialect, sql)
      : sql
  // Only these four properties, so that V8 sees the same object shape as for cached statements.
  return { query, queryId, sql: text, parameters }
}

async function send(connection: Connection, compiled: CompiledQuery): Promise<readonly RawRow[]> {
  const { parameters } = compiled
  const most = connection.dialect.server?.maxValues
  if (most !== undefined && parameters.length > most) throw tooManyValues(parameters.length, most)
  try {
    const { rows } = await execute(connection, compiled)
    return rows as readonly RawRow[]
  } catch (error) {
    const { dialect } = connection
    if (dialect.classify(error).kind === 'value') {
      throw Object.assign(valueOutOfRange(), { cause: error })
    }
    throw asUnavailable(dialect, error) ?? error
  }
}

/** Executes a statement within its bounds; counts its duration as time of the database. */
export function execute<R>(
  connection: Connection,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> {
  const { timing } = connection
  if (timing === undefined) return executeWithin(connection, compiled)
  return timing.database(() => executeWithin(connection, compiled))
}

function executeWithin<R>(
  { db, dialect, statementTimeout, client }: Connection,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> {
  // In a transaction, its connection bounds the statements.
  if (statementTimeout === undefined) return executeChecked(db, dialect, compiled)
  const bounds = { deadline: deadlineOf(statementTimeout), client }
  if (dialect.capabilities.blocksEventLoop) {
    return retryWhileLocked(() => db.executeQuery(compiled), lockedBy(dialect), bounds)
  }
  return executeBounded(db, dialect, bounds, compiled)
}

/** Executes a statement on a connection whose settings are right. */
function executeChecked<R>(
  db: AnyDatabase,
  dialect: InternalDialect,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> {
  return db.getExecutor().provideConnection((connection) => {
    const send = (check: CompiledQuery) => connection.executeQuery(check)
    return onCheckedSession(db, dialect, connection, send, () =>
      connection.executeQuery<R>(compiled),
    )
  })
}

/**
 * The SQL of a read as it is sent: with the server's time limit, and if `rows`, with the mark that asks for rows as arrays. Writes
 * need no time limit of the server, because their transaction has a deadline.
 */
export function sqlForDriver(
  { dialect, statementTimeout }: Pick<Connection, 'dialect' | 'statementTimeout'>,
  text: string,
  rows: boolean,
): string {
  const limited =
    statementTimeout === undefined
      ? text
      : (dialect.server?.timeLimited?.(text, statementTimeout) ?? text)
  return rows ? sqlForArrays(dialect, limited) : limited
}

/** Adds the mark that asks for rows as arrays, if the driver supports them. */
export const sqlForArrays = ({ shortcuts }: InternalDialect, text: string): string =>
  shortcuts?.arrayRows === true ? asArrays(text) : text
