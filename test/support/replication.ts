/** Makes a dialect that reports the log positions that a test chooses. */
import { detectDialect } from '@model-api/core/internals'
import type { Kysely } from 'kysely'

type InternalDialect = ReturnType<typeof detectDialect>

export type Replication = NonNullable<NonNullable<InternalDialect['server']>['replication']>

// biome-ignore lint/suspicious/noExplicitAny: any database
export function withReplication(db: Kysely<any>, replication: Replication): InternalDialect {
  const replicated = (known: InternalDialect): InternalDialect => ({
    ...known,
    server: { ...known.server, replication },
  })
  const { connect, ...known } = detectDialect(db, undefined)
  return {
    ...replicated(known),
    connect: async (...given) => replicated((await connect?.(...given)) ?? known),
  }
}
