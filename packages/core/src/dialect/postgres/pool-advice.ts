// Advice for a pool of `pg` without preparedPg: who listens when one of its connections breaks.

import type { DatabaseConnection } from 'kysely'

/**
 * A client of `pg` that breaks while it is checked out emits `error`, and Node ends a process in which nobody listens to it.
 * Kysely keeps its clients to itself, so whether somebody listens cannot be found out.
 */
export const listenerAdvice = (connection: DatabaseConnection): readonly string[] =>
  // Other drivers bring connections of their own, without such events.
  connection.constructor.name === 'PostgresConnection' ? [advice] : []

const advice =
  'A connection of pg that breaks while it is in use ends the process, unless somebody listens to its errors. Wrap the pool, ' +
  'preparedPg(pool) from @model-api/core/prepared, which listens; or add two lines where it is made: ' +
  "pool.on('error', () => {}) and pool.on('connect', (client) => client.on('error', () => {})). " +
  'These lines cannot be seen from here; with them, ignore this warning.'
