// Sends one compiled statement and turns what the driver throws into the answer it deserves.

import type { CompiledQuery, QueryResult } from 'kysely'
import type { RawRow } from '../compile/cell.ts'
import type { Reader } from '../compile/selection.ts'
import type { Sendable } from '../compile/sendable.ts'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { asArrays } from '../dialect/shared/array-rows.ts'
import { valueOutOfRange } from '../errors.ts'
import type { Timing } from '../http/server-timing.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { compileStatement } from '../sql/statement.ts'
import { executeBounded } from './bounded-statement.ts'
import { type Client, deadlineOf } from './bounds.ts'
import { lockedBy, retryWhileLocked } from './lock-retry.ts'
import type { SharedCounts } from './shared-counts.ts'
import { unavailableBecause } from './unavailable.ts'

/** A row by the aliases of its values. */
export type NamedRow = Readonly<Record<string, unknown>>

/** What a statement needs to be sent: the connection of this request and the dialect that reads its failures. */
export interface Connection {
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  /** Milliseconds that a statement may take; absent in a transaction, which is bounded as a whole. */
  readonly statementTimeout?: number
  /** Who waits for the answer. */
  readonly client?: Client | undefined
  /** Counts that may be shared; absent where the connection sees what others do not. */
  readonly counts?: SharedCounts | undefined
  /** The stopwatch of the request, where it is timed. */
  readonly timing?: Timing | undefined
}

/** Runs a read; 503 when the database is away or too slow, 400 when a sum or value left its range. */
export async function run(
  connection: Connection,
  statement: Sendable,
): Promise<readonly NamedRow[]> {
  return (await send(connection, readyOf(connection, statement))) as readonly NamedRow[]
}

/** As `run`; rows come as arrays where the driver can. */
export function runRows(connection: Connection, statement: Sendable): Promise<readonly RawRow[]> {
  const ready = readyOf(connection, statement)
  if ('printed' in statement) return send(connection, ready)
  return send(connection, { ...ready, sql: arrayText(connection.dialect, ready.sql) })
}

function readyOf(connection: Connection, statement: Sendable): CompiledQuery {
  if ('printed' in statement) return statement.printed
  const { db, dialect } = connection
  return limited(connection, compileStatement(db, statement, dialect.shortcuts?.textStyle))
}

async function send(connection: Connection, compiled: CompiledQuery): Promise<readonly RawRow[]> {
  try {
    const { rows } = await execute(connection, compiled)
    return rows as readonly RawRow[]
  } catch (error) {
    const { dialect } = connection
    if (dialect.classify(error).kind === 'value') {
      throw Object.assign(valueOutOfRange(), { cause: error })
    }
    throw unavailableBecause(dialect, error) ?? error
  }
}

/** Executes a statement within its bounds; what it takes is the database's time. */
export function execute<R>(
  connection: Connection,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> {
  const { timing } = connection
  if (timing === undefined) return bounded(connection, compiled)
  return timing.database(() => bounded(connection, compiled))
}

function bounded<R>(
  { db, dialect, statementTimeout, client }: Connection,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> {
  // A transaction of ours bounds all that is sent on its connection.
  if (statementTimeout === undefined) return db.executeQuery(compiled)
  const bounds = { deadline: deadlineOf(statementTimeout), client }
  if (dialect.capabilities.blocksEventLoop) {
    return retryWhileLocked(() => db.executeQuery(compiled), lockedBy(dialect), bounds)
  }
  return executeBounded(db, dialect, bounds, compiled)
}

/** The text of a read as the driver takes it; `rows`: they are asked for as arrays where the driver can. */
export function finishedText(
  { dialect, statementTimeout }: Pick<Connection, 'dialect' | 'statementTimeout'>,
  text: string,
  rows: boolean,
): string {
  const bounded =
    statementTimeout === undefined
      ? text
      : (dialect.server?.timeLimited?.(text, statementTimeout) ?? text)
  return rows ? arrayText(dialect, bounded) : bounded
}

/** The text of a statement whose rows are asked for as arrays where the driver can. */
export const arrayText = ({ shortcuts }: InternalDialect, text: string): string =>
  shortcuts?.arrayRows === true ? asArrays(text) : text

/** Reads only: a write that is given up halfway is the transaction's business. */
function limited(
  { dialect, statementTimeout }: Connection,
  compiled: CompiledQuery,
): CompiledQuery {
  const isRead = compiled.sql.startsWith('select ') && !compiled.sql.endsWith(' for update')
  const timeLimited = dialect.server?.timeLimited
  if (statementTimeout === undefined || timeLimited === undefined || !isRead) return compiled
  return { ...compiled, sql: timeLimited(compiled.sql, statementTimeout) }
}

/** Decodes one row of `run`. */
export function load(
  readers: readonly Reader[],
  raw: NamedRow,
): { readonly values: Readonly<Record<string, JsonValue>> } {
  const values: Record<string, JsonValue> = {}
  for (const { key, alias, decode } of readers) {
    const value = raw[alias]
    values[key] = value === null || value === undefined ? null : decode(value)
  }
  return { values }
}
