// Reads the replication position of a primary: it covers everything committed so far.

import { sql } from '../../lib/sql/fragment.ts'
import { type Connection, run } from '../statements/run.ts'

/** The current position; undefined if the server has none. */
export async function currentPosition(connection: Connection): Promise<string | undefined> {
  const replication = connection.dialect.server?.replication
  if (replication === undefined) return undefined
  const [row] = await run(connection, sql`select ${replication.position} as ${sql.id('answer')}`)
  return typeof row?.answer === 'string' ? row.answer : undefined
}
