// Size limits of errors: quotes of the client's text and lists of problems are cut, so that no error response exceeds 16 KiB.

import type { ErrorBody } from './error-body.ts'
import type { JsonValue } from './json/json-value.ts'

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
const mostProblemBytes = 12_288

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

/** Cuts every member of an error to its maximum length. */
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
 * Formats problems by path as the `reason` of an error. Problems beyond the limits are counted under the empty path, the path of
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
