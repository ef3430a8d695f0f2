// The problems of a body: collected, then answered together with the path of each (contract §8).

import { validationFailed } from '../errors.ts'

export interface InputProblems {
  add(path: string, message: string): void
  readonly any: boolean
  readonly found: ReadonlyMap<string, readonly string[]>
  /** Throws the 400 that lists all of them, if there are any. */
  refuse(): void
}

/** A list that begins with what was found before, or empty. */
export function inputProblems(before?: InputProblems): InputProblems {
  const found = new Map<string, string[]>()
  for (const [path, messages] of before?.found ?? []) found.set(path, [...messages])
  return {
    found,
    add(path, message) {
      const messages = found.get(path)
      if (messages === undefined) found.set(path, [message])
      else if (!messages.includes(message)) messages.push(message)
    },
    get any() {
      return found.size > 0
    },
    refuse() {
      if (found.size > 0) throw validationFailed(found)
    },
  }
}
