// The ETags of a record, `"<row>.<representation>"`, and of a list, `W/"<page>"`, and the conditions If-Match and If-None-Match
// (docs/guide/writing.md).

import { invalidEntityTag } from '../errors.ts'
import { stringify } from '../lib/json/stringify.ts'
import { hashesOfText, hashOfText } from '../lib/text-hash.ts'
import { type ApiRequest, header } from '../model/request.ts'
import type { Result } from './envelope.ts'

/**
 * Returns the ETag of a response: a hash of the record's visible columns, and a hash of the body's value, which depends on
 * `fields` and embeds. If the text of the value begins with that of the record, the common part is hashed once. `record` is undefined if
 * only `recordHash` is known, as for a repeated response.
 */
export function entityTag(
  record: string | undefined,
  { text, value, recordHash, recordLeads }: TaggedContent,
): string {
  const whole = text ?? stringify(value)
  if (record === undefined) return `"${recordHash}.${hashOfText(whole)}"`
  const [row, representation] =
    recordLeads === true
      ? hashesOfText(whole, record.length)
      : [hashOfText(record), hashOfText(whole)]
  return `"${row}.${representation}"`
}

type TaggedContent = Pick<Result, 'text' | 'value' | 'recordHash' | 'recordLeads'>

/** Returns the ETags in a header, `W/"a", "b"` → `"a"`, `"b"`: a proxy that compresses a response may have marked its ETag as weak (`W/`). */
const tagsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:W\/)?("[^"]*")/g)].map(([, tag = '']) => tag)

/** Whether `If-None-Match` lists this ETag, so that the response is 304. */
export function matchesIfNoneMatch(request: ApiRequest, tag: string): boolean {
  const condition = header(request, 'if-none-match')
  if (condition === undefined) return false
  return condition.trim() === '*' || tagsOf(condition).includes(tag)
}

/** Tests the text of a stored record; the text is undefined if the caller may not read the record. */
type RecordCondition = (record: string | undefined) => boolean

/** `If-Match` and `If-None-Match` of a write. */
interface WriteCondition {
  /** Whether `holdsFor` needs the text of the record: not for `*`. */
  readonly needsRecord: boolean
  readonly holdsFor: RecordCondition
}

/** `*`, or a list of entity tags in the form of RFC 9110, in which items may be empty. */
const entityTags =
  /^[ \t]*(?:\*[ \t]*|(?:(?:W\/)?"[^"]*"[ \t]*)?(?:,[ \t]*(?:(?:W\/)?"[^"]*"[ \t]*)?)*)$/

/** Returns a condition of a write. Throws 400 if it is no list of entity tags: without quotes, it would match no record. */
function conditionOf(request: ApiRequest, name: 'If-Match' | 'If-None-Match'): string | undefined {
  const text = header(request, name === 'If-Match' ? 'if-match' : 'if-none-match')
  if (text === undefined || (entityTags.test(text) && /[*"]/.test(text))) return text
  throw invalidEntityTag(name, text)
}

/**
 * Returns the test of `If-Match` and `If-None-Match` for a record that is written; undefined without these headers. Throws 400 for a
 * malformed one.
 */
export function writeCondition(request: ApiRequest): WriteCondition | undefined {
  const match = conditionOf(request, 'If-Match')
  const noneMatch = conditionOf(request, 'If-None-Match')
  if (match === undefined && noneMatch === undefined) return undefined
  const matches = match === undefined ? () => true : listsRow(match)
  const excludes = noneMatch === undefined ? () => false : listsRow(noneMatch)
  const namesVersion = match !== undefined && match.trim() !== '*'
  return {
    needsRecord: namesVersion || (noneMatch !== undefined && noneMatch.trim() !== '*'),
    holdsFor: (record) => matches(record) && !excludes(record),
  }
}

/** Returns a test for whether a header lists the ETag of a record. Only the first part of ETags counts, the hash of the record. */
function listsRow(condition: string): RecordCondition {
  if (condition.trim() === '*') return () => true
  const rows = tagsOf(condition).map((tag) => tag.slice(1).split('.', 1)[0])
  return (record) => record !== undefined && rows.includes(hashOfText(record))
}

/**
 * Returns the ETag of a list without `W/`: a hash of the page, its total and its links. It is sent as a weak ETag, because the envelope
 * of an unchanged page contains the current time.
 */
function listTag({ text, value, total, next, previous }: Result): string {
  const page = text ?? stringify(value)
  return `"${hashOfText(`${total ?? ''}\n${next ?? ''}\n${previous ?? ''}\n${page}`)}"`
}

/** The facts of a request that ETags and conditions depend on. */
export interface Conditional {
  readonly request: ApiRequest
  /** GET for a QUERY. */
  readonly method: string
  /** Whether lists have an ETag. */
  readonly tagsLists: boolean
}

/** Adds the ETag to the result of one record or a list. Returns a 304 if the request reads and names the ETag in `If-None-Match`. */
export function withTag({ request, method, tagsLists }: Conditional, result: Result): Result {
  const { record, recordHash, empty, status } = result
  if (empty === true) return result
  const reads = method === 'GET' || method === 'HEAD'
  const isOne = (record ?? recordHash) !== undefined
  const isList = !isOne && reads && tagsLists && status === 200
  if (!isOne && !isList) return result
  const tag = isOne ? entityTag(record, result) : listTag(result)
  const etag = isList ? `W/${tag}` : tag
  const headers = result.headers === undefined ? { etag } : { ...result.headers, etag }
  return reads && matchesIfNoneMatch(request, tag)
    ? { ...result, status: 304, value: null, empty: true, headers }
    : { ...result, headers }
}
