// How statements of PostgreSQL are called off: by Kysely's connections of `pg`; those of other drivers are waited for.

import type { CompiledQuery, ControlConnectionProvider, DatabaseConnection } from 'kysely'
import type { Interrupted, Interruption } from '../shared/interruption.ts'

export const postgresInterruption: Interruption = {
  async cancel(interrupted) {
    // The connection over which Kysely cancels has a listener and a time limit only where preparedPg makes it.
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
 * Kysely closes a connection of `pg`, instead of giving it back, after a ROLLBACK that failed. So one is made to fail:
 * nothing is sent, since the connection answers for itself by then.
 */
async function close({ db, connection, error }: Interrupted): Promise<boolean> {
  // Kysely 0.28 never closes one; other drivers have connections without this member.
  if (typeof connection.killSession !== 'function') return false
  if (db.isTransaction) {
    answerBy(connection, () => Promise.reject(error))
    return true
  }
  const own = db.withoutPlugins()
  own.getExecutor().provideConnection = (use) => use(connection)
  const answers = [Promise.resolve({ rows: [] })]
  answerBy(connection, () => answers.pop() ?? Promise.reject(error))
  await own
    .transaction()
    .execute(() => Promise.reject(error))
    .catch(() => {})
  return true
}

/** Kysely itself replaces this method of a connection, to log. */
function answerBy(connection: DatabaseConnection, answer: () => Promise<{ rows: never[] }>): void {
  connection.executeQuery = answer
}
