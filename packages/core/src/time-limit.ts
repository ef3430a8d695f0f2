// Time limits of promises: work that may never settle is waited for so long.

/** Settles as `work` does, or rejects after `ms` milliseconds with what `late` makes; `work` itself goes on. */
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
