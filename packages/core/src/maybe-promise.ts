// MaybePromise: a value, or a promise of it, so that code with nothing to wait for continues synchronously.

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
