// Reads the replication position of a primary: it covers everything committed so far. A write returns it to the client, whose later reads
// use only replicas that have reached it (`http/endpoints/reads/database/write-position.ts`).

import { sql } from '../../lib/sql/fragment.ts'
import type { Lease } from '../leases/lease.ts'

/** The current position; undefined if the server has none. */
export async function currentPosition(lease: Lease): Promise<string | undefined> {
  const replication = lease.dialect.server?.replication
  if (replication === undefined) return undefined
  const [row] = await lease.rows(sql`select ${replication.position} as ${sql.id('answer')}`)
  return typeof row?.answer === 'string' ? row.answer : undefined
}
