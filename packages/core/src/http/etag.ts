// ETag of one record: `"<row>.<representation>"`; what If-Match and If-None-Match compare with it (contract §8).

import type { JsonValue } from '../json/json-value.ts'
import { stringify } from '../json/stringify.ts'
import type { Result } from './envelope.ts'
import { type ApiRequest, header } from './request.ts'

/**
 * A hash of 64 bits as 16 hexadecimal digits.
 *
 * Two multiplicative 32-bit lanes over the UTF-16 units, mixed at the end: fast, synchronous, without any dependency. It
 * tells changes apart; it is no protection against somebody who wants two records to have one tag, who could only fool
 * himself.
 */
export const hashOf = (value: JsonValue): string => hashOfText(stringify(value))

/** As `hashOf`, of a value that is JSON text already. */
export function hashOfText(text: string): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return hexadecimal(b) + hexadecimal(a)
}

/** Two digits of each byte; `toString(16)` of a whole lane takes six times as long. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hexadecimal(lane: number): string {
  const [high, low] = [lane >>> 16, lane & 0xffff]
  return `${digits[high >>> 8]}${digits[high & 255]}${digits[low >>> 8]}${digits[low & 255]}`
}

/** The tag of an answer: the row's part does not depend on the projection, the other one does. */
export const entityTag = (rowTag: string, { text, value }: Content): string =>
  `"${rowTag}.${text === undefined ? hashOf(value) : hashOfText(text)}"`

type Content = Pick<Result, 'text' | 'value'>

/** The tags of a header; a proxy that compressed the answer may have marked them weak. */
const tagsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:W\/)?("[^"]*")/g)].map(([, tag = '']) => tag)

/** Whether `If-None-Match` names this very answer: 304. */
export function isKnown(request: ApiRequest, tag: string): boolean {
  const condition = header(request, 'if-none-match')
  if (condition === undefined) return false
  return condition.trim() === '*' || tagsOf(condition).includes(tag)
}

/** What `If-Match` asks of a row's part; undefined where there is no such header. */
export function ifMatch(request: ApiRequest): ((rowTag: string) => boolean) | undefined {
  const condition = header(request, 'if-match')
  if (condition === undefined) return undefined
  if (condition.trim() === '*') return () => true
  const rows = tagsOf(condition).map((tag) => tag.slice(1).split('.', 1)[0])
  return (rowTag) => rows.includes(rowTag)
}

/** The answer with its ETag, where it is one record; 304 and no body where a reader knows it already. */
export function withTag(request: ApiRequest, result: Result): Result {
  const { rowTag, empty } = result
  if (rowTag === undefined || empty === true) return result
  const tag = entityTag(rowTag, result)
  const headers = { ...result.headers, etag: tag }
  const reads = /^(get|head)$/i.test(request.method)
  return reads && isKnown(request, tag)
    ? { ...result, status: 304, value: null, empty: true, headers }
    : { ...result, headers }
}
