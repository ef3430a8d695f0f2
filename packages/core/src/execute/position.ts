// The position of a primary: everything that it had committed when it was asked.

import { sql } from '../sql/fragment.ts'
import { type Connection, run } from './run.ts'

/** The position, or undefined where the server keeps none. */
export async function positionOf(connection: Connection): Promise<string | undefined> {
  const replication = connection.dialect.server?.replication
  if (replication === undefined) return undefined
  const [row] = await run(connection, sql`select ${replication.position} as ${sql.id('answer')}`)
  return typeof row?.answer === 'string' ? row.answer : undefined
}
