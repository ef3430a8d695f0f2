// Observers: functions of the host that are told of something; whatever they throw or reject with changes no answer.

/**
 * An observer that never throws. What goes wrong in it goes to `failed`; a promise that it returns is not waited for.
 */
export function observer<Told extends readonly unknown[]>(
  tell: (...told: Told) => unknown,
  failed: (error: unknown) => void,
): (...told: Told) => void {
  return (...told) => {
    try {
      const answer = tell(...told)
      // A host's own thenable may not have a catch().
      if (answer instanceof Object && 'then' in answer) Promise.resolve(answer).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
