// MaybePromise: a value, or a promise of it, so that code with nothing to wait for continues synchronously: with one value (andThen), with
// many at the same time (mapAll), or with one after the other (inTurn).

export type MaybePromise<T> = T | Promise<T>

/**
 * Calls `next` with the value: synchronously if the value is already there, otherwise when its promise resolves. A
 * promise costs about as much as a small stage of the pipeline.
 */
export function andThen<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * Calls `next` with every item in order, without waiting in between. Returns the results, or a promise of them if any result is a
 * promise.
 */
export function mapAll<T, R>(
  items: readonly T[],
  next: (item: T) => MaybePromise<R>,
): MaybePromise<readonly R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i++) {
    const result = next(items[i] as T)
    if (result instanceof Promise) {
      // An async function turns a thrown error into a rejection, so that the earlier promises are still awaited.
      const others = items.slice(i + 1).map(async (other) => next(other))
      return Promise.all([...results, result, ...others])
    }
    results.push(result)
  }
  return results
}

/** Calls `next` with one item after the other, waiting for each result; synchronously up to the first promise. */
export function inTurn<T>(
  items: readonly T[],
  next: (item: T) => MaybePromise<void>,
): MaybePromise<void> {
  for (let i = 0; i < items.length; i++) {
    const waiting = next(items[i] as T)
    if (waiting instanceof Promise) return waiting.then(() => inTurn(items.slice(i + 1), next))
  }
}
