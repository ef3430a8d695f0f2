// guardedMysql: a pool of `mysql2` whose closed connections do not keep their sockets, and that sends one statement at a time.

import type { MysqlPool, MysqlPoolConnection } from 'kysely'

/**
 * Guards a pool of `mysql2` for Kysely's MysqlDialect. A connection that is destroyed, because a deadline has passed or its server does
 * not respond, closes its socket at once; `mysql2` closes only its own end, and then waits for the server. Throws for a pool with
 * `multipleStatements`, by which one statement that a program of yours puts together from text could become several.
 *
 * ```ts
 * const pool = mysql.createPool({ uri })
 * const db = new Kysely({ dialect: new MysqlDialect({ pool: guardedMysql(pool) }) })
 * ```
 */
export function guardedMysql(pool: MysqlPool): MysqlPool {
  refuseMultipleStatements(pool)
  // A connection is guarded when the pool hands it out for the first time.
  const guarded = new WeakSet<MysqlPoolConnection>()
  return {
    getConnection: (callback) =>
      pool.getConnection((error, connection) => {
        if (!error && !guarded.has(connection)) {
          guarded.add(connection)
          closeSocketAtOnce(connection)
        }
        callback(error, connection)
      }),
    end: (callback) => pool.end(callback),
  }
}

/** The part of a `mysql2` connection that this file uses. */
interface Client {
  readonly stream?: { destroy(): unknown }
  destroy(): void
}

function closeSocketAtOnce(connection: MysqlPoolConnection): void {
  const client = connection as unknown as Client
  const destroyGently = client.destroy.bind(client)
  const destroy = (): void => {
    destroyGently()
    client.stream?.destroy()
  }
  client.destroy = destroy
}

/** The flag of MySQL's protocol by which a connection accepts several statements in one text. */
const multipleStatements = 1 << 16

/** Throws for a pool whose connections accept several statements in one text, by the option, the URL or `flags`. */
function refuseMultipleStatements(pool: object): void {
  const { config } = pool as {
    config?: { connectionConfig?: { multipleStatements?: unknown; clientFlags?: number } }
  }
  const { multipleStatements: option, clientFlags = 0 } = config?.connectionConfig ?? {}
  if (!option && (clientFlags & multipleStatements) === 0) return
  throw new Error(
    'The pool of mysql2 has multipleStatements, which makes an injection into SQL of your own far worse. Create it without: model-api sends one statement at a time.',
  )
}
