// sameTurn: combines what several requests ask for in the same turn of the event loop.

import type { MaybePromise } from '../maybe-promise.ts'

/** The most questions that are answered together. */
const most = 64

interface Waiting<Q, A> {
  readonly question: Q
  readonly resolve: (answer: A | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Calls a function when the input of this turn of the event loop has been handled; undefined on runtimes without it. */
const { setImmediate: afterTurn } = globalThis as {
  readonly setImmediate?: (call: () => void) => unknown
}

/**
 * Returns a function that asks a question. `answer` gets the questions of one turn, and is called after the last of them was
 * asked; if it fails, all of them fail. The result is undefined if no other question was asked in the same turn, and on
 * runtimes that do not tell the end of a turn: the caller then looks for the answer itself.
 */
export function sameTurn<Q, A>(
  answer: (questions: readonly Q[]) => Promise<readonly (A | undefined)[]>,
): (question: Q) => MaybePromise<A | undefined> {
  let waiting: Waiting<Q, A>[] = []
  const settle = async (asked: readonly Waiting<Q, A>[]): Promise<void> => {
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
    for (let i = 0; i < asked.length; i += most) void settle(asked.slice(i, i + most))
  }
  return (question) =>
    afterTurn &&
    new Promise((resolve, reject) => {
      if (waiting.length === 0) afterTurn(endTurn)
      waiting.push({ question, resolve, reject })
    })
}
