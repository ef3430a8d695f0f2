// How large an error may be: texts of the client are quoted in part and problems are listed up to a number, so that no refusal of the service exceeds 16 KiB (contract §12).

import type { ErrorBody } from './errors.ts'
import type { JsonValue } from './json/json-value.ts'

/** Characters of a client's text inside a sentence. */
const longestExcerpt = 100

/** Characters of a path in a body, and of `at`. */
export const longestPath = 200

/** Characters of a sentence. Each takes at most six bytes in JSON, as `\u0001` does. */
const longestReason = 1500

/** Characters of one message about a field; longer ones come from validators of the host. */
const longestMessage = 500

/** Problems of one body that are listed. */
export const mostProblems = 100

/** Bytes of JSON that the listed problems take together; the rest of 16 KiB is left to the envelope and the headers. */
const mostProblemBytes = 12_288

/**
 * Enough of a text to recognise it in an error.
 *
 * ```ts
 * excerpt('title') // 'title'
 * excerpt('a'.repeat(500)) // 100 times "a", then "…"
 * ```
 */
export function excerpt(text: string, length: number = longestExcerpt): string {
  if (text.length <= length) return text
  // A cut through a surrogate pair would leave half a character in the answer.
  const end = isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length
  return `${text.slice(0, end)}…`
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** The members of an error, cut where they are longer than any sentence of the service has to be. */
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
 * Problems by path as the `reason` of an error. What exceeds the bounds is counted, under the empty path, which is that
 * of the whole body: `{ "items[0].sku": ["Expected a string."], "": ["and 400 more problems"] }`.
 *
 * `more`: problems that were found beside these.
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

/** Bytes of a text in JSON, with the signs around it. */
const bytesOf = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length + 3
