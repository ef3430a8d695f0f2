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
}

/**
 * A second more than the server has: it ends what is merely slow by itself, and its connection stays. Beyond that, nobody may
 * be there to answer.
 */
export const deadlineOf = (statementTimeout: number): number => statementTimeout + 1_000
