// ETag of one record: `"<row>.<representation>"`; what If-Match and If-None-Match compare with it (contract §8).

import { stringify } from '../json/stringify.ts'
import type { Result } from './envelope.ts'
import { type ApiRequest, header } from './request.ts'

/** A hash of 64 bits as 16 hexadecimal digits. */
export function hashOfText(text: string): string {
  const hash = new Hash()
  hash.add(text, 0)
  return hash.digits()
}

/**
 * Two multiplicative 32-bit lanes over the UTF-16 units, mixed at the end: fast, synchronous, without any dependency. It
 * tells changes apart; it is no protection against somebody who wants two records to have one tag, who could only fool
 * himself.
 */
class Hash {
  private a = 0xdeadbeef
  private b = 0x41c6ce57

  add(text: string, from: number, to: number = text.length): void {
    let { a, b } = this
    for (let i = from; i < to; i++) {
      const unit = text.charCodeAt(i)
      a = Math.imul(a ^ unit, 2654435761)
      b = Math.imul(b ^ unit, 1597334677)
    }
    this.a = a
    this.b = b
  }

  /** Of what was added so far; more may follow. */
  digits(): string {
    const { a, b } = this
    const first = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
    const last =
      Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909)
    return hexadecimal(last) + hexadecimal(first)
  }
}

/** Two digits of each byte; `toString(16)` of a whole lane takes six times as long. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hexadecimal(lane: number): string {
  const [high, low] = [lane >>> 16, lane & 0xffff]
  return `${digits[high >>> 8]}${digits[high & 255]}${digits[low >>> 8]}${digits[low & 255]}`
}

/**
 * The tag of an answer: the row's part does not depend on the projection, the other one does. Most answers begin with the
 * record as it is: what both parts have in common is read once.
 */
export function entityTag(record: string, { text, value }: Content): string {
  const whole = text ?? stringify(value)
  const shared = whole.startsWith(record) ? record.length : 0
  const hash = new Hash()
  hash.add(whole, 0, shared)
  const row = shared === 0 ? hashOfText(record) : hash.digits()
  hash.add(whole, shared)
  return `"${row}.${hash.digits()}"`
}

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

/** What `If-Match` asks of a record as text; undefined where there is no such header. */
export function ifMatch(request: ApiRequest): ((record: string) => boolean) | undefined {
  const condition = header(request, 'if-match')
  if (condition === undefined) return undefined
  if (condition.trim() === '*') return () => true
  const rows = tagsOf(condition).map((tag) => tag.slice(1).split('.', 1)[0])
  return (record) => rows.includes(hashOfText(record))
}

/** The answer with its ETag, where it is one record; 304 and no body where a reader knows it already. */
export function withTag(request: ApiRequest, result: Result): Result {
  const { record, empty } = result
  if (record === undefined || empty === true) return result
  const tag = entityTag(record, result)
  const headers = { ...result.headers, etag: tag }
  const reads = /^(get|head)$/i.test(request.method)
  return reads && isKnown(request, tag)
    ? { ...result, status: 304, value: null, empty: true, headers }
    : { ...result, headers }
}
