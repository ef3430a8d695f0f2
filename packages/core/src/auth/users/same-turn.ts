// sameTurn: combines look-ups that several requests make in the same turn of the event loop, such as those of
// their users, so that one statement can answer them all.

import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** Maximum number of look-ups that are combined. */
const most = 64

interface Waiting<Q, A> {
  readonly question: Q
  readonly resolve: (answer: A | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Calls a function once the I/O events of this turn of the event loop are handled; undefined on runtimes without `setImmediate`. */
const { setImmediate: afterTurn } = globalThis as {
  readonly setImmediate?: (call: () => void) => unknown
}

/**
 * Returns a function that makes one look-up. At the end of a turn, `answer` is called with the questions of all look-ups of that
 * turn; if it fails, each of them fails. The result is undefined if the turn has only one look-up, and on runtimes without
 * `setImmediate`: the caller must then find the answer itself.
 */
export function sameTurn<Q, A>(
  answer: (questions: readonly Q[]) => Promise<readonly (A | undefined)[]>,
): (question: Q) => MaybePromise<A | undefined> {
  let waiting: Waiting<Q, A>[] = []
  const answerAll = async (asked: readonly Waiting<Q, A>[]): Promise<void> => {
    try {
      const answers = asked.length > 1 ? await answer(asked.map(({ question }) => question)) : []
      for (const [i, { resolve }] of asked.entries()) resolve(answers[i])
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
  const endTurn = (): void => {
    const asked = waiting
    waiting = []
    for (let i = 0; i < asked.length; i += most) void answerAll(asked.slice(i, i + most))
  }
  return (question) =>
    afterTurn &&
    new Promise((resolve, reject) => {
      if (waiting.length === 0) afterTurn(endTurn)
      waiting.push({ question, resolve, reject })
    })
}
