/** A dialect whose server tells positions of the test's own making. */
import type { Dialect } from '@model-api/core'
import { detectDialect } from '@model-api/core/internals'
import type { Kysely } from 'kysely'

export type Replication = NonNullable<Dialect['replication']>

// biome-ignore lint/suspicious/noExplicitAny: any database
export function withReplication(db: Kysely<any>, replication: Replication): Dialect {
  const known = detectDialect(db, undefined)
  const connect: Dialect['connect'] = async (...given) => ({
    ...((await known.connect?.(...given)) ?? known),
    replication,
  })
  return { ...known, replication, connect }
}
