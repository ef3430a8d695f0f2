// Observers: functions of the host that receive events such as errors; their own failures never affect a response.

/** Wraps an observer so that it never throws: its errors and rejections go to `failed`, and its promise is not awaited. */
export function observer<Args extends readonly unknown[]>(
  observe: (...args: Args) => unknown,
  failed: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      const answer = observe(...args)
      // A custom thenable may not have catch().
      if (answer instanceof Object && 'then' in answer) Promise.resolve(answer).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
