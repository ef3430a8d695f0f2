// yieldToEventLoop: lets the event loop serve other requests during long work.

/** Resolves after the timers and requests that are due now were served. */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 0))
