// Bounds a wait: the driver's own promise where it settles in time, a failure with the code of a socket's time-out otherwise.

/** Rejects after so many milliseconds; what `work` does later is ignored. */
export function inTime<T>(work: Promise<T>, milliseconds: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new Error(`${what} gave no answer within ${milliseconds} ms.`)
      reject(Object.assign(error, { code: 'ETIMEDOUT' }))
    }, milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
