// turn: lets the event loop serve other requests during long work.

/** Yields to the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
