// Checks the settings of a connection once, before the first statement of the service on it: some settings change what statements
// mean, or make values of clients SQL.

import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import { sessionSettingsOf } from '../../dialect/detect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import {
  type SessionSettings,
  settingsProblems,
  settingsStatement,
} from '../../dialect/shared/session/session-settings.ts'
import { notReady } from '../../errors.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'

/** Connections whose settings were read and are right. A driver has one object for as long as the connection is open. */
const checked = new WeakSet<DatabaseConnection>()

/** Whether statements may be sent on the connection without `checkSession`. */
export const isChecked = (connection: DatabaseConnection): boolean => checked.has(connection)

/**
 * Reads the settings of the connection by `send`, and throws 503 if one of them is wrong; its cause says which, and what to add to
 * the pool. The next use of such a connection reads them again.
 */
export async function checkSession(
  db: AnyDatabase,
  dialect: InternalDialect,
  connection: DatabaseConnection,
  send: (statement: CompiledQuery) => Promise<QueryResult<unknown>>,
): Promise<void> {
  const settings = sessionSettingsOf(db, dialect)
  if (settings !== undefined) await read(settings, send)
  checked.add(connection)
}

async function read(
  settings: SessionSettings,
  send: (statement: CompiledQuery) => Promise<QueryResult<unknown>>,
): Promise<void> {
  const { rows } = await send(CompiledQuery.raw(settingsStatement(settings)))
  const problems = settingsProblems(settings, (rows[0] ?? {}) as Readonly<Record<string, unknown>>)
  if (problems.length === 0) return
  const reason = `The API sends no statement on a connection with these settings: ${problems.join('. ')}.`
  throw Object.assign(notReady(), { cause: new Error(reason) })
}
