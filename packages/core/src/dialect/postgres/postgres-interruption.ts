// Cancels statements whose client has disconnected, or at their deadline, on PostgreSQL through Kysely's connections of `pg`; statements
// of other drivers run to their end.

import type { CompiledQuery, ControlConnectionProvider } from 'kysely'
import type { Interrupted, Interruption } from '../shared/session/interruption.ts'

/**
 * `cancel` asks the server on another connection to end the statement, if the pool is one of `preparedPg`; otherwise it closes the
 * connection.
 */
export const postgresInterruption: Interruption = {
  async cancel(interrupted) {
    // Kysely cancels over a new connection. That connection has an error listener and a time limit only if preparedPg makes it.
    if (!interrupted.isWrapped) return close(interrupted)
    cancelOnServer(interrupted).catch(() => {})
    return false
  },
  close,
}

async function cancelOnServer({ connection, send }: Interrupted): Promise<void> {
  const control: ControlConnectionProvider = (use) =>
    use({ executeQuery: async (query: CompiledQuery) => ({ rows: await send(query) }) } as never)
  await connection.collectSessionInfo?.()
  await connection.cancelQuery?.(control)
}

/**
 * Closes the connection by making a ROLLBACK fail: Kysely then closes a connection of `pg` instead of returning it to the pool. The
 * ROLLBACK is not sent.
 */
async function close({ db, connection, error, answerBy, instance }: Interrupted): Promise<boolean> {
  // Kysely 0.28 never closes connections; connections of other drivers lack this member.
  if (typeof connection.killSession !== 'function') return false
  if (db.isTransaction) {
    answerBy(() => Promise.reject(error))
    return true
  }
  // The first answer is that to BEGIN; all later statements, of which ROLLBACK is the first, get the error.
  const answers = [Promise.resolve({ rows: [] } as never)]
  answerBy(() => answers.pop() ?? Promise.reject(error))
  await instance()
    .transaction()
    .execute(() => Promise.reject(error))
    .catch(() => {})
  return true
}
