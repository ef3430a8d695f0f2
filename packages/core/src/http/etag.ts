// ETag of one record: `"<row>.<representation>"`; what If-Match and If-None-Match compare with it (contract §8).

import { stringify } from '../json/stringify.ts'
import type { Result } from './envelope.ts'
import { type ApiRequest, header } from './request.ts'
import { hashesOfText, hashOfText } from './text-hash.ts'

/**
 * The tag of an answer: the row's part does not depend on the projection, the other one does. Most texts begin with the
 * record as it is: what both parts have in common is read once.
 */
export function entityTag(record: string, { text, value, recordLeads }: Content): string {
  const whole = text ?? stringify(value)
  const [row, representation] =
    recordLeads === true
      ? hashesOfText(whole, record.length)
      : [hashOfText(record), hashOfText(whole)]
  return `"${row}.${representation}"`
}

type Content = Pick<Result, 'text' | 'value' | 'recordLeads'>

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
  const headers = result.headers === undefined ? { etag: tag } : { ...result.headers, etag: tag }
  const reads = /^(get|head)$/i.test(request.method)
  return reads && isKnown(request, tag)
    ? { ...result, status: 304, value: null, empty: true, headers }
    : { ...result, headers }
}
