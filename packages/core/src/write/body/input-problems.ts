// The problems of a body: collected with their paths, and reported in one error (docs/guide/writing.md).

import { type ApiError, validationFailed } from '../../errors.ts'
import { excerpt, longestPath, mostProblems } from '../../lib/error-size.ts'

/** The message of a problem; a function if it is expensive to compute, since only listed problems need it. */
export type Message = string | (() => string)

export interface InputProblems {
  /** Adds a problem to the list; if the list is full, only counts the problem. */
  add(path: string, message: Message): void
  /** Adds all problems of another collector. */
  addAll(others: Pick<InputProblems, 'found' | 'more'>): void
  readonly any: boolean
  /** The number of all problems. */
  readonly count: number
  /** The listed problems, by path. */
  readonly found: ReadonlyMap<string, readonly string[]>
  /** The number of problems beyond the listed ones. */
  readonly more: number
  /** Throws 400 with the problems, if there are any. */
  refuse(): void
  /** The error that `refuse` has thrown. */
  readonly refusal: ApiError | undefined
}

/** Creates a collector, with the problems of `before` if given. */
export const inputProblems = (before?: InputProblems): InputProblems => new Problems(before)

/** A class, because V8 takes as long to create an object literal with getters as to read a small body. */
class Problems implements InputProblems {
  readonly found = new Map<string, string[]>()
  more: number
  refusal: ApiError | undefined
  #listed = 0

  constructor(before: InputProblems | undefined) {
    this.more = before?.more ?? 0
    for (const [path, messages] of before?.found ?? []) {
      this.found.set(path, [...messages])
      this.#listed += messages.length
    }
  }

  get any(): boolean {
    return this.found.size > 0
  }

  get count(): number {
    return this.#listed + this.more
  }

  add(path: string, message: Message): void {
    if (this.#listed >= mostProblems) {
      this.more += 1
      return
    }
    // A path contains keys that the client chose, of any length.
    const key = excerpt(path, longestPath)
    const text = typeof message === 'string' ? message : message()
    const messages = this.found.get(key)
    if (messages?.includes(text)) return
    if (messages === undefined) this.found.set(key, [text])
    else messages.push(text)
    this.#listed += 1
  }

  addAll({ found, more }: Pick<InputProblems, 'found' | 'more'>): void {
    for (const [path, messages] of found) for (const message of messages) this.add(path, message)
    this.more += more
  }

  refuse(): void {
    if (this.found.size === 0) return
    this.refusal = validationFailed(this.found, this.more)
    throw this.refusal
  }
}
