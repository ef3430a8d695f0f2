// Bounds: how long the database may take over a statement, and whose going away calls it off. Types, and the one number.

/** Who waits for the answer. */
export interface Client {
  /** Aborted when the client goes away. Asked for only when a statement takes long. */
  readonly signal?: AbortSignal | undefined
}

export interface Bounds {
  /** Milliseconds that a statement may take, and as many that waiting for its connection may take. */
  readonly deadline: number
  readonly client?: Client | undefined
  /** When everything has to be over, in milliseconds of `performance.now()`: for work that may take no longer than one statement. */
  readonly until?: number
}

/** Bounds of work that may take no longer in all, whatever it waits for. */
export const boundsOfAll = (bounds: Bounds): Bounds => ({
  ...bounds,
  until: performance.now() + bounds.deadline,
})

/** Milliseconds that the next statement may take. */
export const timeLeft = ({ deadline, until }: Bounds): number =>
  until === undefined ? deadline : Math.max(Math.min(deadline, until - performance.now()), 0)

/**
 * A second more than the server has: it ends what is merely slow by itself, and its connection stays. Beyond that, nobody may
 * be there to answer.
 */
export const deadlineOf = (statementTimeout: number): number => statementTimeout + 1_000
