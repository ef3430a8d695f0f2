// Size limits of errors: quotes of the client's text and lists of problems are cut, so that no error response exceeds 16 KiB. `errors.ts`
// applies them to every error.

import type { ErrorBody } from './error-body.ts'
import { type FieldProblem, problem } from './problems/problem-codes.ts'

/** Longest quote of the client's text in a sentence, in characters. */
const longestExcerpt = 100

/** Longest path in a body, and longest `at`, in characters. */
export const longestPath = 200

/** Longest `reason`, in characters. Each takes at most six bytes in JSON, as in `\u0001`. */
const longestReason = 1500

/** Longest message about a field, in characters; only validators of the host give longer ones. */
const longestMessage = 500

/** Maximum number of problems of a body that an error lists. */
export const mostProblems = 100

/** Maximum bytes of JSON for all listed problems; the rest of the 16 KiB is for the envelope and the headers. */
const mostProblemBytes = 14_336

/** Maximum bytes of JSON for the params of a problem, such as the members of an enum. */
const mostParamBytes = 1000

/**
 * Cuts a text for quoting it in an error.
 *
 * ```ts
 * excerpt('title') // 'title'
 * excerpt('a'.repeat(500)) // 100 times "a", then "…"
 * ```
 */
export function excerpt(text: string, length: number = longestExcerpt): string {
  if (text.length <= length) return text
  // Do not cut a surrogate pair in half.
  const end = isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length
  return `${text.slice(0, end)}…`
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Cuts the members of an error to their maximum lengths; those that `listedProblems` has made are short enough. */
export function boundedError({ error, reason, code, at, problems }: ErrorBody): ErrorBody {
  return {
    error: excerpt(error, longestPath),
    ...(reason === undefined
      ? {}
      : { reason: typeof reason === 'string' ? excerpt(reason, longestReason) : reason }),
    ...(code === undefined ? {} : { code }),
    ...(at === undefined ? {} : { at: excerpt(at, longestPath) }),
    ...(problems === undefined ? {} : { problems }),
  }
}

/** The problems that an error lists. */
interface ListedProblems {
  /** The messages by path. */
  readonly reason: Readonly<Record<string, readonly string[]>>
  readonly problems: readonly FieldProblem[]
}

/**
 * Cuts a list of problems, and makes the `reason` of an error of it: the messages by path. Problems beyond the limits are counted under the
 * empty path, the path of the whole body: `{ "items[0].sku": ["Expected a string."], "": ["and 400 more problems"] }`.
 *
 * `more`: the number of further problems that were found.
 */
export function listedProblems(found: Iterable<FieldProblem>, more: number = 0): ListedProblems {
  const problems: FieldProblem[] = []
  let left = mostProblems
  let bytes = mostProblemBytes
  let unlisted = more
  for (const { path, code, params, message } of found) {
    const short = {
      path: excerpt(path, longestPath),
      code,
      params: boundedParams(params),
      message: excerpt(message, longestMessage),
    } as FieldProblem
    // The path and the message also stand in `reason`.
    const size = bytesOf(short) + bytesOf(short.path) + bytesOf(short.message)
    if (left < 1 || size > bytes) {
      unlisted += 1
      continue
    }
    left -= 1
    bytes -= size
    problems.push(short)
  }
  if (unlisted > 0) {
    const message = `and ${unlisted} more ${unlisted === 1 ? 'problem' : 'problems'}`
    problems.push({ path: '', ...problem('more_problems', { count: unlisted }, message) })
  }
  return { reason: messagesByPath(problems), problems }
}

/** Cuts the texts of params, and leaves out items of lists beyond the limit. */
function boundedParams(params: FieldProblem['params']): FieldProblem['params'] {
  let left = mostParamBytes
  const fits = (text: string): boolean => {
    left -= bytesOf(text)
    return left >= 0
  }
  const cut = (value: unknown): unknown => {
    if (typeof value === 'string') return excerpt(value)
    return Array.isArray(value) ? value.map((item) => excerpt(String(item))).filter(fits) : value
  }
  const names = Object.entries(params)
  if (names.length === 0) return params
  return Object.fromEntries(names.map(([name, value]) => [name, cut(value)]))
}

function messagesByPath(problems: readonly FieldProblem[]): ListedProblems['reason'] {
  const reason = new Map<string, string[]>()
  for (const { path, message } of problems) {
    const messages = reason.get(path)
    if (messages === undefined) reason.set(path, [message])
    else messages.push(message)
  }
  return Object.fromEntries(reason)
}

/** Bytes of a value in JSON, including a separator. */
const bytesOf = (value: object | string): number =>
  new TextEncoder().encode(JSON.stringify(value)).length + 1
