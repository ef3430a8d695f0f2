/** The connections of the service on the server: ends them, or leaves none for the service. */
import { sql } from 'kysely'
import mysql from 'mysql2'
import type { AnyKysely } from '../support/faults.ts'
import { mysqlConnections } from '../support/mysql-connections.ts'
import type { Setup } from './setups.ts'

/** Ends every connection of the service. */
export async function endConnections({ name }: Setup, db: AnyKysely): Promise<void> {
  if (name === 'postgres') {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`.execute(
      db,
    )
    return
  }
  for (const { id, user } of await mysqlConnections(db)) {
    if (user !== 'app') continue
    // Some end by themselves in the meantime.
    await sql`kill ${sql.lit(id)}`.execute(db).catch(() => {})
  }
}

/** Ends the connections of the service, and prevents new ones until the returned function is called. */
export async function takeConnections(setup: Setup): Promise<() => Promise<void>> {
  const { name, targets } = setup
  const [target = ''] = targets
  const db = setup.admin()
  if (name === 'postgres') {
    await sql`alter role app connection limit 0`.execute(db)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`.execute(
      db,
    )
    return async () => {
      await sql`alter role app connection limit -1`.execute(db)
      await db.destroy()
    }
  }
  // The server reserves one more for an administrator.
  await sql`set global max_connections = 10`.execute(db)
  await endConnections(setup, db)
  const taken = Array.from({ length: 10 }, () => mysql.createConnection({ uri: target }))
  for (const connection of taken) connection.on('error', () => {})
  return async () => {
    await sql`set global max_connections = 151`.execute(db)
    for (const connection of taken) connection.destroy()
    await db.destroy()
  }
}
