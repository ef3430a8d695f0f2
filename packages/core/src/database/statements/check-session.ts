// Checks the settings of a connection before the first statement of the service on it, and again at each use if the pool may take them
// back: some settings change what statements mean, or let a value of a client be read as SQL (in MySQL, a `sql_mode` that changes how
// backslashes are escaped).

import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import { sessionSettingsOf } from '../../dialect/detect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import {
  longestStatement,
  type SessionSettings,
  settingsProblems,
  settingsStatement,
  wrongSettings,
} from '../../dialect/shared/session/session-settings.ts'
import { notReady, statementTooLong } from '../../errors.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'

/**
 * Connections whose settings were read and are right, with the most bytes of a statement; undefined if statements may have any length. A
 * driver has one object for as long as the connection is open.
 */
const checked = new WeakMap<DatabaseConnection, number | undefined>()

/** The pools whose connections keep their settings between uses, by Kysely's adapter: an instance and its transactions share one. */
const lasting = new WeakSet<object>()

const poolOf = (db: AnyDatabase): object => db.getExecutor().adapter

/** Says that the connections of the pool keep their settings, so that each is checked only once. */
export const settingsLast = (db: AnyDatabase): unknown => lasting.add(poolOf(db))

/** Whether the driver may reset the sessions of the pool's connections at each release; false as soon as `settingsLast` says no. */
export function mayLoseSettings(db: AnyDatabase, dialect: InternalDialect): boolean {
  return sessionSettingsOf(db, dialect)?.resetProbe !== undefined && !lasting.has(poolOf(db))
}

/**
 * Calls `work`, which sends statements on the connection; before, reads its settings by `send` unless they are known. Throws 503 if one
 * of them is wrong; its cause says which, and what to add to the pool. The next use of such a connection reads them again.
 */
export function onCheckedSession<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  connection: DatabaseConnection,
  send: (statement: CompiledQuery) => Promise<QueryResult<unknown>>,
  work: () => Promise<T>,
): Promise<T> {
  return checked.has(connection) ? work() : checkAndWork(db, dialect, connection, send, work)
}

async function checkAndWork<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  connection: DatabaseConnection,
  send: (statement: CompiledQuery) => Promise<QueryResult<unknown>>,
  work: () => Promise<T>,
): Promise<T> {
  const settings = sessionSettingsOf(db, dialect)
  checked.set(connection, settings === undefined ? undefined : await readSettings(settings, send))
  try {
    return await work()
  } finally {
    if (mayLoseSettings(db, dialect)) checked.delete(connection)
  }
}

/** Reads the settings of a session, and throws if one is wrong; returns the most bytes of a statement, if there is such a limit. */
async function readSettings(
  settings: SessionSettings,
  send: (statement: CompiledQuery) => Promise<QueryResult<unknown>>,
): Promise<number | undefined> {
  const { rows } = await send(CompiledQuery.raw(settingsStatement(settings)))
  const { refused } = settingsProblems(settings, rows[0])
  if (refused.length === 0) return longestStatement(settings, rows[0])
  throw Object.assign(notReady(), { cause: wrongSettings(refused) })
}

/**
 * The error for a statement that is longer than the server takes on this connection, whose settings are checked; undefined for other
 * statements. The server would close the connection, often before its error has arrived.
 */
export function refusedAsTooLong(
  db: AnyDatabase,
  dialect: InternalDialect,
  connection: DatabaseConnection,
  statement: CompiledQuery,
): Error | undefined {
  const most = checked.get(connection)
  if (most === undefined) return undefined
  const limit = sessionSettingsOf(db, dialect)?.statementLimit
  return limit?.isTooLong(statement, most) === true ? statementTooLong(most) : undefined
}
