// Finds out whether the connections of a pool keep their settings between uses: `mysql2` takes them back at each release if the pool has
// `resetOnRelease`, which neither Kysely nor the connection shows.

import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { sessionSettingsOf } from '../../dialect/detect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Bounds } from '../statements/bounds.ts'
import { mayLoseSettings, settingsLast } from '../statements/check-session.ts'
import { onPoolConnection } from './send.ts'

/** Uses of the pool until a connection is expected to come again. */
const mostUses = 5

/**
 * Marks the session of a connection, and looks whether the mark is still there when the pool lends the connection again. Until a mark
 * was, the settings of each connection are read at each use. `db` must take its connections from a pool: one that is bound to a
 * connection never releases it.
 */
export async function lookUpLastingSettings(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
): Promise<void> {
  const mark = sessionSettingsOf(db, dialect)?.mark
  if (mark === undefined || !mayLoseSettings(db, dialect)) return
  const marked = new WeakSet<DatabaseConnection>()
  for (let use = 0; use < mostUses; use++) {
    const found = await onPoolConnection(db, dialect, bounds, async (connection, send) => {
      if (marked.has(connection)) {
        const { rows } = await send<{ mark: unknown }>(
          CompiledQuery.raw(`select ${mark.value} as mark`),
        )
        return rows[0]?.mark === null ? 'taken back' : 'kept'
      }
      await send(CompiledQuery.raw(mark.set))
      marked.add(connection)
      return undefined
    })
    if (found === 'kept') settingsLast(db)
    if (found !== undefined) return
  }
}
