// Time limits for promises that may never settle.

/** Settles like `work`, or rejects with the error of `late` after `ms` milliseconds; `work` itself is not stopped. */
export function withTimeLimit<T>(
  work: PromiseLike<T>,
  ms: number,
  late: () => unknown,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
