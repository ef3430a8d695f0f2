// The problems of a body: collected with their paths, and reported in one error (docs/writing.md).

import { excerpt, longestPath, mostProblems } from '../error-size.ts'
import { validationFailed } from '../errors.ts'

/** The message of a problem; a function if it is expensive to compute, since only listed problems need it. */
export type Message = string | (() => string)

export interface InputProblems {
  /** Adds a problem; beyond the number that is listed, problems are only counted. */
  add(path: string, message: Message): void
  readonly any: boolean
  /** The listed problems, by path. */
  readonly found: ReadonlyMap<string, readonly string[]>
  /** The number of problems beyond the listed ones. */
  readonly more: number
  /** Throws 400 with the problems, if there are any. */
  refuse(): void
}

/** Creates a collector, with the problems of `before` if given. */
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
      // Keys of the client can make a path arbitrarily long.
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
