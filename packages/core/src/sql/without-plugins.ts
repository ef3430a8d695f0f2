// withoutPlugins: an instance of the host without its plugins, made once for each; making one copies its executor.

import type { AnyDatabase } from './any-database.ts'

const known = new WeakMap<AnyDatabase, AnyDatabase>()

/** The same connection without plugins: the statements of the service are complete as they are. */
export function withoutPlugins(own: AnyDatabase): AnyDatabase {
  const before = known.get(own)
  if (before !== undefined) return before
  const db = own.withoutPlugins()
  known.set(own, db)
  return db
}
