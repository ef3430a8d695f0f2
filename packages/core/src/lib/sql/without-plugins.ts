// withoutPlugins: the host's Kysely instance without its plugins, made once for each instance, because making it copies the executor.

import type { AnyDatabase } from './any-database.ts'

const known = new WeakMap<AnyDatabase, AnyDatabase>()

/** Returns the same connection without plugins, which would change the statements of the service. */
export function withoutPlugins(own: AnyDatabase): AnyDatabase {
  const before = known.get(own)
  if (before !== undefined) return before
  const db = own.withoutPlugins()
  known.set(own, db)
  return db
}
