// Cancels statements whose client has disconnected, or at their deadline, on MySQL and MariaDB through Kysely's connections of `mysql2`;
// statements of other drivers run to their end.

import { CompiledQuery, type ControlConnectionProvider } from 'kysely'
import type { Interrupted, Interruption } from '../shared/session/interruption.ts'

/** Both functions close the connection; `cancel` also ends the statement on the server, by a KILL on another connection. */
export const mysqlInterruption: Interruption = {
  async cancel(interrupted) {
    const kill = await closeConnection(interrupted)
    if (kill === 'not closed') return false
    if (kill !== undefined) killOnServer(interrupted, kill).catch(() => {})
    return true
  },
  close: async (interrupted) => (await closeConnection(interrupted)) !== 'not closed',
}

/**
 * Closes the connection and returns the KILL statement that Kysely makes for it; undefined if Kysely sends the KILL itself, on a control
 * connection of the host. Otherwise Kysely must not send the KILL: in a pool of one connection, the KILL would wait for the connection
 * that it is to end.
 */
async function closeConnection({
  connection,
  error,
  answerBy,
}: Interrupted): Promise<CompiledQuery | 'not closed' | undefined> {
  // Kysely 0.28 and other drivers.
  if (typeof connection.killSession !== 'function') return 'not closed'
  let kill: CompiledQuery | undefined
  const keep: ControlConnectionProvider = (use) =>
    use({
      executeQuery: async (query: CompiledQuery) => {
        kill = query
        return { rows: [] }
      },
    } as never)
  // Sends nothing: the driver got the connection's number when it connected.
  await connection.collectSessionInfo?.()
  // Not awaited: if the host configured a control connection, Kysely ignores `keep` and sends the KILL itself, without a time limit.
  connection.killSession(keep).catch(() => {})
  answerBy(() => Promise.reject(error))
  return kill
}

/** Sends the KILL only if that connection runs this statement: several servers behind one address may use the same connection numbers. */
async function killOnServer({ sql, send }: Interrupted, kill: CompiledQuery): Promise<void> {
  const [id] = /\d+$/.exec(kill.sql) ?? []
  const found = CompiledQuery.raw(
    'select 1 from information_schema.processlist where id = ? and left(info, char_length(?)) = ?',
    [Number(id), beginOf(sql), beginOf(sql)],
  )
  if ((await send(found)).length > 0) await send(kill)
}

/** The text before the first placeholder, since the server may show a value in its place. */
const beginOf = (sql: string): string => sql.split('?', 1)[0] as string
