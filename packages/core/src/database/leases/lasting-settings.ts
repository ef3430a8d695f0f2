// Finds out whether the connections of a pool keep their session settings between uses. With the option `resetOnRelease`, `mysql2`
// resets the session at each release, and neither Kysely nor the connection tells whether the pool has that option. Runs once, when the
// API first connects (`http/call/connect.ts`).

import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { sessionSettingsOf } from '../../dialect/detect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Bounds } from '../statements/bounds.ts'
import { mayLoseSettings, settingsLast } from '../statements/check-session.ts'
import { onPoolConnection } from './send.ts'

/** How often a connection is taken from the pool; a pool with more idle connections may never give the same one twice. */
const mostUses = 5

/**
 * Sets a variable in the session of a connection, and reads it when the pool lends the connection again. If it is still set, sessions
 * are not reset, and `settingsLast` is told; until then the settings of each connection are read at each use. `db` must take its
 * connections from a pool: one that is bound to a connection never releases it.
 */
export async function lookUpLastingSettings(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
): Promise<void> {
  const probe = sessionSettingsOf(db, dialect)?.resetProbe
  if (probe === undefined || !mayLoseSettings(db, dialect)) return
  const probed = new WeakSet<DatabaseConnection>()
  for (let use = 0; use < mostUses; use++) {
    const found = await onPoolConnection(db, dialect, bounds, async (connection, send) => {
      if (probed.has(connection)) {
        const { rows } = await send<{ probe: unknown }>(
          CompiledQuery.raw(`select ${probe.value} as probe`),
        )
        return rows[0]?.probe === null ? 'reset' : 'kept'
      }
      await send(CompiledQuery.raw(probe.set))
      probed.add(connection)
      return undefined
    })
    if (found === 'kept') settingsLast(db)
    if (found !== undefined) return
  }
}
