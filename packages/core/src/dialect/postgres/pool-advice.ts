// listenerAdvice: warns about a pool of `pg` without preparedPg, whose broken connections can end the process. Sent to `onWarning` once.

import type { DatabaseConnection } from 'kysely'

/**
 * A client of `pg` that breaks while it is checked out emits `error`, and Node ends the process if there is no listener.
 * Kysely does not expose its clients, so the service cannot check for listeners.
 */
export const listenerAdvice = (connection: DatabaseConnection): readonly string[] =>
  // Connections of other drivers have no such events.
  connection.constructor.name === 'PostgresConnection' ? [advice] : []

const advice =
  'A connection of pg that breaks while it is in use ends the process, unless somebody listens to its errors. Wrap the pool, ' +
  'preparedPg(pool) from @model-api/core/drivers, which listens; or add two lines where it is made: ' +
  "pool.on('error', () => {}) and pool.on('connect', (client) => client.on('error', () => {})). " +
  'These lines cannot be seen from here; with them, ignore this warning.'
