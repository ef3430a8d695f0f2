// Size limits of errors: quotes of the client's text and lists of problems are cut, so that no error response exceeds 16 KiB.

import type { ErrorBody } from './error-body.ts'
import type { JsonValue } from './json/json-value.ts'

/** Characters of the client's text that a sentence quotes. */
const longestExcerpt = 100

/** Characters of a path in a body, and of `at`. */
export const longestPath = 200

/** Characters of a `reason`. Each takes at most six bytes in JSON, as in `\u0001`. */
const longestReason = 1500

/** Characters of a message about a field; only validators of the host give longer ones. */
const longestMessage = 500

/** Problems of a body that are listed. */
export const mostProblems = 100

/** Bytes of JSON for all listed problems; the rest of 16 KiB is for the envelope and the headers. */
const mostProblemBytes = 12_288

/**
 * The beginning of a text, for quoting it in an error.
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

/** An error with every member cut to its maximum length. */
export function bounded({ error, reason, code, at }: ErrorBody): ErrorBody {
  return {
    error: excerpt(error, longestPath),
    ...(reason === undefined
      ? {}
      : { reason: typeof reason === 'string' ? excerpt(reason, longestReason) : reason }),
    ...(code === undefined ? {} : { code }),
    ...(at === undefined ? {} : { at: excerpt(at, longestPath) }),
  }
}

/**
 * Problems by path as the `reason` of an error. Problems beyond the limits are counted under the empty path, the path of
 * the whole body: `{ "items[0].sku": ["Expected a string."], "": ["and 400 more problems"] }`.
 *
 * `more`: the number of further problems that were found.
 */
export function listed(
  problems: Iterable<readonly [path: string, messages: readonly string[]]>,
  more: number = 0,
): JsonValue {
  const reason = new Map<string, string[]>()
  let left = mostProblems
  let bytes = mostProblemBytes
  let unlisted = more
  for (const [path, messages] of problems) {
    const key = excerpt(path, longestPath)
    for (const message of messages) {
      const text = excerpt(message, longestMessage)
      const size = bytesOf(key) + bytesOf(text)
      if (left < 1 || size > bytes) {
        unlisted += 1
        continue
      }
      left -= 1
      bytes -= size
      reason.set(key, [...(reason.get(key) ?? []), text])
    }
  }
  if (unlisted > 0) {
    const one = unlisted === 1 ? 'problem' : 'problems'
    reason.set('', [...(reason.get('') ?? []), `and ${unlisted} more ${one}`])
  }
  return Object.fromEntries(reason)
}

/** Bytes of a string in JSON, including quotes and separator. */
const bytesOf = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length + 3
