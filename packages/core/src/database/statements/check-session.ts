// Checks the settings of a connection before the first statement of the service on it, and again at each use if the pool may take them
// back: some settings change what statements mean, or make values of clients SQL.

import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import { sessionSettingsOf } from '../../dialect/detect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import {
  type SessionSettings,
  settingsProblems,
  settingsStatement,
  wrongSettings,
} from '../../dialect/shared/session/session-settings.ts'
import { notReady } from '../../errors.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'

/** Connections whose settings were read and are right. A driver has one object for as long as the connection is open. */
const checked = new WeakSet<DatabaseConnection>()

/** The pools whose connections keep their settings between uses, by Kysely's adapter: an instance and its transactions share one. */
const lasting = new WeakSet<object>()

const poolOf = (db: AnyDatabase): object => db.getExecutor().adapter

/** Says that the connections of the pool keep their settings, so that each is checked only once. */
export const settingsLast = (db: AnyDatabase): unknown => lasting.add(poolOf(db))

/** Whether it is unknown that the connections of a pool keep their settings, which a driver may take back at each release. */
export function mayLoseSettings(db: AnyDatabase, dialect: InternalDialect): boolean {
  return sessionSettingsOf(db, dialect)?.mark !== undefined && !lasting.has(poolOf(db))
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
  if (settings !== undefined) await read(settings, send)
  checked.add(connection)
  try {
    return await work()
  } finally {
    if (mayLoseSettings(db, dialect)) checked.delete(connection)
  }
}

async function read(
  settings: SessionSettings,
  send: (statement: CompiledQuery) => Promise<QueryResult<unknown>>,
): Promise<void> {
  const { rows } = await send(CompiledQuery.raw(settingsStatement(settings)))
  const { refused } = settingsProblems(settings, rows[0])
  if (refused.length === 0) return
  throw Object.assign(notReady(), { cause: wrongSettings(refused) })
}
