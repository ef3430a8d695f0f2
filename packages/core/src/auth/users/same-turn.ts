// sameTurn: combines the look-ups that concurrent requests make in the same turn of the event loop, so that one statement can answer them all.
// `sharedLookUp` gives it the look-ups of users by primary key and by API key hash; nothing here is special to users.

import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** Maximum number of look-ups that are combined. */
const most = 64

/** A look-up that waits for the end of the turn. */
interface Waiting<Q, A> {
  readonly question: Q
  readonly resolve: (answer: A | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Calls a function when this turn of the event loop has handled its I/O events; undefined on runtimes without `setImmediate`. */
const { setImmediate: afterTurn } = globalThis as {
  readonly setImmediate?: (call: () => void) => unknown
}

/**
 * Returns a function that makes one look-up: question → answer. At the end of a turn, `answer` is called with the questions of all look-ups
 * of that turn, and returns their answers in this order; if it fails, each look-up fails. A look-up gives undefined if `answer` has found
 * nothing, if it is the only one of its turn, and on runtimes without `setImmediate`: the caller must then find the answer itself.
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
