// Classes of clients for `pg`: one that does not wait for its connection without end, and one for a short question.

/** A class of clients of `pg`, as far as it is used. */
export type PgClientClass = new (config?: object) => object

/** As long as `openDatabase` takes. */
export const connectTimeout = 5_000

/** Long enough to ask a server to end a statement. */
const questionTimeout = 5_000

/**
 * The class, with a time limit for connecting if the pool has none: otherwise a silent server keeps places of the pool. Its
 * clients listen to errors from the beginning: a server may end a connection in the same packet that says it is ready,
 * before the pool has handed the client out, and an error without a listener ends the process.
 */
export const withConnectTimeout = (Client: PgClientClass): PgClientClass =>
  class extends Client {
    constructor(config: object = {}) {
      super(setIn(config, { connectionTimeoutMillis: connectTimeout }))
      ;(this as Listening).on?.('error', () => {})
    }
  }

/** The class, for what Kysely opens to cancel a statement: it has a time limit, and does not end the process when it breaks. */
export const forQuestions = (Client: PgClientClass): PgClientClass =>
  class extends Client {
    constructor(config: object = {}) {
      super(
        setIn(config, { connectionTimeoutMillis: questionTimeout, query_timeout: questionTimeout }),
      )
      ;(this as Listening).on?.('error', () => {})
    }
  }

interface Listening {
  on?(event: 'error', listener: () => void): unknown
}

/** A copy with these where they are not set; the pool hides its password from enumeration. */
function setIn(config: object, defaults: Readonly<Record<string, number>>): object {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(config))
  for (const [name, value] of Object.entries(defaults)) {
    const known = copy as Record<string, unknown>
    known[name] ||= value
  }
  return copy
}
