// Runs long computations in slices, so that other requests are served in between.

/** Number of steps in one slice; a step takes a few tenths of a millisecond. */
const sliceSteps = 25

/** The result of the steps; after each slice the event loop gets a turn. */
export async function inSlices<T>(steps: Generator<unknown, T>): Promise<T> {
  for (;;) {
    for (let step = 0; step < sliceSteps; step++) {
      const { done, value } = steps.next()
      if (done) return value as T
    }
    await turn()
  }
}

/** The result of the steps, all at once. */
export function atOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value as T
  }
}

/** Gives the event loop a turn. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
