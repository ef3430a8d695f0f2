// withoutPlugins: the host's Kysely instance without its plugins, made once for each instance, because making it copies the executor.

import type { AnyDatabase } from './any-database.ts'

const known = new WeakMap<AnyDatabase, AnyDatabase>()

/** Returns the same connection without plugins, which would change the statements of the service. */
export function withoutPlugins(db: AnyDatabase): AnyDatabase {
  const before = known.get(db)
  if (before !== undefined) return before
  const plain = db.withoutPlugins()
  known.set(db, plain)
  return plain
}
