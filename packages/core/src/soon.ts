// Soon: a value that is there already, or will be; what waits for nothing goes on at once.

export type Soon<T> = T | Promise<T>

/** Goes on with a value, at once where it is there: a promise costs as much as a small stage. */
export function whenThere<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
