/** Makes a dialect that reports the log positions that a test chooses, and may have other limits of its server. */
import { detectDialect } from '@model-api/core/internals'
import type { Kysely } from 'kysely'

type InternalDialect = ReturnType<typeof detectDialect>
type Server = NonNullable<InternalDialect['server']>

export type Replication = NonNullable<Server['replication']>

export function withReplication(
  // biome-ignore lint/suspicious/noExplicitAny: any database
  db: Kysely<any>,
  replication: Replication,
  limits: Pick<Server, 'maxValues'> = {},
): InternalDialect {
  const replicated = (known: InternalDialect): InternalDialect => ({
    ...known,
    server: { ...known.server, ...limits, replication },
  })
  const { connect, ...known } = detectDialect(db, undefined)
  return {
    ...replicated(known),
    connect: async (...given) => replicated((await connect?.(...given)) ?? known),
  }
}
