// InputProblems: the problems of a body, collected with their paths and reported in one error 400 (docs/guide/writing.md):
// `{ "path": "items[2].price", "message": "Expected a number." }`. Reading a body fills it, and so do the checks inside the transaction.

import { type ApiError, validationFailed } from '../../errors.ts'
import { excerpt, longestPath, mostProblems } from '../../lib/error-size.ts'
import type { CodedProblem, FieldProblem } from '../../lib/problems/problem-codes.ts'

export interface InputProblems {
  /** Adds a problem to the list; if the list is full, only counts it. A function makes a problem that takes time, if it is listed. */
  add(path: string, problem: CodedProblem | (() => CodedProblem)): void
  /** Adds all problems of another collector. */
  addAll(others: Pick<InputProblems, 'found' | 'more'>): void
  /** Whether there are problems. */
  readonly any: boolean
  /** The number of all problems. */
  readonly count: number
  /** The listed problems. */
  readonly found: readonly FieldProblem[]
  /** The number of problems beyond the listed ones. */
  readonly more: number
  /** Throws 400 with the problems, if there are any. */
  refuse(): void
  /** The error that `refuse` has thrown; undefined if it has thrown none. */
  readonly refusal: ApiError | undefined
}

/** Creates a collector, with the problems of `before` if given. */
export const inputProblems = (before?: InputProblems): InputProblems => new Problems(before)

/** A class, because V8 takes as long to create an object literal with getters as to read a small body. */
class Problems implements InputProblems {
  readonly found: FieldProblem[]
  more: number
  refusal: ApiError | undefined

  constructor(before: InputProblems | undefined) {
    this.more = before?.more ?? 0
    this.found = before === undefined ? [] : [...before.found]
  }

  get any(): boolean {
    return this.found.length > 0
  }

  get count(): number {
    return this.found.length + this.more
  }

  add(path: string, problem: CodedProblem | (() => CodedProblem)): void {
    if (this.found.length >= mostProblems) {
      this.more += 1
      return
    }
    // A path contains keys that the client chose, of any length.
    const key = excerpt(path, longestPath)
    const added = typeof problem === 'function' ? problem() : problem
    const isKnown = this.found.some(
      (other) => other.path === key && other.message === added.message,
    )
    if (!isKnown) this.found.push({ ...added, path: key })
  }

  addAll({ found, more }: Pick<InputProblems, 'found' | 'more'>): void {
    for (const problem of found) this.add(problem.path, problem)
    this.more += more
  }

  refuse(): void {
    if (this.found.length === 0) return
    this.refusal = validationFailed(this.found, this.more)
    throw this.refusal
  }
}
