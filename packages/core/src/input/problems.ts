// The problems of a body: collected up to a number, then answered together with the path of each (contract §8).

import { excerpt, longestPath, mostProblems } from '../error-size.ts'
import { validationFailed } from '../errors.ts'

/** What is wrong with a value; a function where the sentence takes time to find and may not be listed. */
export type Message = string | (() => string)

export interface InputProblems {
  /** Beyond the problems that are listed they are only counted, so that many cost no more than few. */
  add(path: string, message: Message): void
  readonly any: boolean
  /** Those that are listed, by path. */
  readonly found: ReadonlyMap<string, readonly string[]>
  /** How many were found beside these. */
  readonly more: number
  /** Throws the 400 that lists all of them, if there are any. */
  refuse(): void
}

/** A list that begins with what was found before, or empty. */
export function inputProblems(before?: InputProblems): InputProblems {
  const found = new Map<string, string[]>()
  let listed = 0
  let more = before?.more ?? 0
  for (const [path, messages] of before?.found ?? []) {
    found.set(path, [...messages])
    listed += messages.length
  }
  return {
    found,
    add(path, message) {
      if (listed >= mostProblems) {
        more += 1
        return
      }
      // Paths are put together of keys as long as the client likes.
      const key = excerpt(path, longestPath)
      const text = typeof message === 'string' ? message : message()
      const messages = found.get(key)
      if (messages?.includes(text)) return
      if (messages === undefined) found.set(key, [text])
      else messages.push(text)
      listed += 1
    },
    get any() {
      return found.size > 0
    },
    get more() {
      return more
    },
    refuse() {
      if (found.size > 0) throw validationFailed(found, more)
    },
  }
}
