// Subclasses of the `pg` client, for the pools of `preparedPg`: one with a time limit for connecting, and one for cancelling statements.

/** The part of the class of a `pg` client that this file uses. */
export type PgClientClass = new (config?: object) => object

/** Time limit for connecting, in milliseconds; also the default of `openDatabase` of http-node. */
export const connectTimeout = 5_000

/** Time limit for cancelling a statement, which is one short query, in milliseconds. */
const cancelTimeout = 5_000

/**
 * Derives a class with a time limit for connecting, unless the pool has one. Without a limit, a server that does not respond
 * occupies connections of the pool. Clients have an error listener from the beginning: a server may end a connection in the same
 * packet that says it is ready, before the pool has handed the client out, and an error without a listener ends the process.
 */
export const withConnectTimeout = (Client: PgClientClass): PgClientClass =>
  class extends Client {
    constructor(config: object = {}) {
      super(withDefaults(config, { connectionTimeoutMillis: connectTimeout }))
      ;(this as Listening).on?.('error', () => {})
    }
  }

/** Derives the class of the client that Kysely opens to cancel a statement: with a time limit, and a listener for errors. */
export const withCancelTimeout = (Client: PgClientClass): PgClientClass =>
  class extends Client {
    constructor(config: object = {}) {
      super(
        withDefaults(config, {
          connectionTimeoutMillis: cancelTimeout,
          query_timeout: cancelTimeout,
        }),
      )
      ;(this as Listening).on?.('error', () => {})
    }
  }

interface Listening {
  on?(event: 'error', listener: () => void): unknown
}

/** Returns a copy of `config` with defaults. Copies property descriptors, because the pool makes the password non-enumerable. */
function withDefaults(config: object, defaults: Readonly<Record<string, number>>): object {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(config))
  for (const [name, value] of Object.entries(defaults)) {
    const known = copy as Record<string, unknown>
    known[name] ||= value
  }
  return copy
}
