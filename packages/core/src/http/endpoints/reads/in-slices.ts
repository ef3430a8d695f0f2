// inSlices: runs long computations, such as building the OpenAPI document, in slices, so that other requests are served in between.

import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts'

/** Number of steps in one slice; a step takes a few tenths of a millisecond. */
const sliceSteps = 25

/** Runs the steps and returns their result; yields to the event loop after each slice. */
export async function inSlices<T>(steps: Generator<unknown, T>): Promise<T> {
  for (;;) {
    for (let step = 0; step < sliceSteps; step++) {
      const { done, value } = steps.next()
      if (done) return value as T
    }
    await yieldToEventLoop()
  }
}
