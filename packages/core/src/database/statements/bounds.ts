// Bounds: the deadline of a statement, and the client whose disconnect cancels it. Each lease has its bounds: `requestBounds` or
// `boundsFromNow` make them, `timeLeft` reads them.

/** The client that waits for the response. */
export interface RequestClient {
  /** Aborted when the client disconnects. Read only if a statement runs for more than 100 ms. */
  readonly signal?: AbortSignal | undefined
}

/** The time limits of a statement. */
export interface Bounds {
  /** Milliseconds that a statement may take. The wait for its connection may take as long again. */
  readonly deadline: number
  /** Milliseconds after which the server itself ends a read, if it has such a limit; absent if only `deadline` applies. */
  readonly serverLimit?: number | undefined
  /** Absent if the statement goes on after a disconnect, because others need it or no client waits for it. */
  readonly client?: RequestClient | undefined
  /** The time by which all statements must have ended, on the clock of `performance.now()`; absent if only `deadline` applies. */
  readonly until?: number | undefined
}

/** The bounds of a request under the statement timeout in milliseconds, API_STATEMENT_TIMEOUT. */
export const requestBounds = (
  statementTimeout: number,
  client?: RequestClient,
  until?: number,
): Bounds => ({
  deadline: deadlineOf(statementTimeout),
  serverLimit: statementTimeout,
  client,
  until,
})

/** Bounds under which all statements and waits together end within the deadline, which begins with this call. */
export const boundsFromNow = (bounds: Bounds): Bounds => ({
  ...bounds,
  until: performance.now() + bounds.deadline,
})

/** Milliseconds that the next statement may take. */
export const timeLeft = ({ deadline, until }: Bounds): number =>
  until === undefined ? deadline : Math.max(Math.min(deadline, until - performance.now()), 0)

/**
 * The deadline in the process for a statement timeout of the server: one second longer, so that the server ends a slow
 * statement itself and its connection remains usable. After that second, the server is assumed not to respond.
 */
export const deadlineOf = (statementTimeout: number): number => statementTimeout + 1_000
