// The envelope: the one JSON shape of every answer, and the switches that take members away (specification, contract §2).

import type { DumpSettings } from '../config/settings.ts'
import type { ErrorBody } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import { quoted } from '../json/quoted.ts'
import { stringify } from '../json/stringify.ts'

/** Every response body, unless API_DUMP_* switches take members away. */
export interface Envelope<T = JsonValue> {
  /** `YYYY-MM-DDTHH:MM:SS.sss+00:00` */
  readonly datetime: string
  readonly api_version: string
  readonly status_code: number
  /** Milliseconds from the request's arrival. */
  readonly response_ms: number
  /** Matching records of a list; 1 for one object and writes; 0 for failures. */
  readonly total_count: number
  readonly next_url: string | null
  readonly previous_url: string | null
  readonly errors: ErrorBody | null
  readonly value: T | null
  readonly request_id?: string
}

/** What an endpoint answers, before it is enveloped. */
export interface Result {
  readonly status: number
  readonly value: JsonValue
  /** The JSON text of the value, where it was written as text at once; `value` is null then. */
  readonly text?: string
  /** Undefined when the count was not asked for: the member is omitted. */
  readonly total: number | undefined
  readonly next?: string | null
  readonly previous?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** The visible columns of the one record as text; the first part of its ETag is made of it. */
  readonly record?: string
  /** True where `text` begins with `record`. */
  readonly recordLeads?: boolean
  /** True for answers that never have a body: 204. */
  readonly empty?: boolean
  /** Whether the return callback has been called, and the ETag is there. */
  readonly finished?: boolean
  /** The finished body, where the final callback has made it already; sent instead of the envelope around `value`. */
  readonly body?: JsonValue
}

/** Who answers, when, and how long it took. */
export interface Stamp {
  readonly version: string
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly elapsed: number
}

/** The body of a success: the envelope, or the bare value when nothing but `value` would remain. */
export function successBody(result: Result, stamp: Stamp, dump: DumpSettings): JsonValue {
  if (!dump.envelope) return result.value
  const body: Record<string, JsonValue> = opening(result.status, stamp, dump)
  if (dump.totalCount && result.total !== undefined) body.total_count = result.total
  const next = result.next ?? null
  const previous = result.previous ?? null
  if (next !== null || dump.nullNextUrl) body.next_url = next
  if (previous !== null || dump.nullPreviousUrl) body.previous_url = previous
  if (dump.nullErrors) body.errors = null
  if (dump.requestId) body.request_id = stamp.requestId
  if (Object.keys(body).length === 0) return result.value
  body.value = result.value
  return body
}

/** The text of `successBody`; the value is the last member. */
export function successText(result: Result, stamp: Stamp, dump: DumpSettings): string {
  const { text } = result
  if (text === undefined) return stringify(successBody(result, stamp, dump))
  const members = dump.envelope ? membersText(result, stamp, dump) : ''
  return members === '' ? text : `{${members}"value":${text}}`
}

/** The members before the value as JSON, each with a comma behind it. */
function membersText(
  { status, total, next, previous }: Result,
  stamp: Stamp,
  dump: DumpSettings,
): string {
  let text = ''
  if (dump.datetime) text += `"datetime":"${datetimeOf(stamp.now)}",`
  if (dump.version) text += versionText(stamp.version)
  if (dump.statusCode) text += `"status_code":${status},`
  if (dump.responseMs) text += `"response_ms":${millisecondsText(stamp)},`
  if (dump.totalCount && total !== undefined) text += `"total_count":${total},`
  if (next != null) text += `"next_url":${quoted(next)},`
  else if (dump.nullNextUrl) text += '"next_url":null,'
  if (previous != null) text += `"previous_url":${quoted(previous)},`
  else if (dump.nullPreviousUrl) text += '"previous_url":null,'
  if (dump.nullErrors) text += '"errors":null,'
  if (dump.requestId) text += `"request_id":${quoted(stamp.requestId)},`
  return text
}

/** The body of a failure; it keeps the envelope whatever the switches say of successes. */
export function failureBody(
  status: number,
  errors: ErrorBody,
  stamp: Stamp,
  dump: DumpSettings,
): JsonValue {
  const body: Record<string, JsonValue> = opening(status, stamp, dump)
  if (dump.totalCount) body.total_count = 0
  if (dump.nullNextUrl) body.next_url = null
  if (dump.nullPreviousUrl) body.previous_url = null
  body.errors = errors as unknown as JsonValue
  if (dump.requestId) body.request_id = stamp.requestId
  body.value = null
  return body
}

function opening(status: number, stamp: Stamp, dump: DumpSettings): Record<string, JsonValue> {
  const body: Record<string, JsonValue> = {}
  if (dump.datetime) body.datetime = datetimeOf(stamp.now)
  if (dump.version) body.api_version = stamp.version
  if (dump.statusCode) body.status_code = status
  if (dump.responseMs) body.response_ms = millisecondsOf(stamp)
  return body
}

const millisecondsOf = ({ elapsed }: Stamp): number => Math.round(elapsed * 1000) / 1000

/** What stands behind the point, by the number of thousandths. */
const fractions = Array.from({ length: 1000 }, (_, i) => String(i / 1000).slice(1))

/** `JSON.stringify(millisecondsOf(stamp))`; to write a fraction out takes several times as long as to look it up. */
function millisecondsText(stamp: Stamp): string {
  const thousandths = Math.round(stamp.elapsed * 1000)
  if (!(thousandths >= 0 && thousandths < 1e9)) return JSON.stringify(millisecondsOf(stamp))
  const whole = Math.trunc(thousandths / 1000)
  return `${whole}${fractions[thousandths - whole * 1000]}`
}

let versioned = { version: '', text: '' }

/** Answers of one API share it. */
function versionText(version: string): string {
  if (version !== versioned.version || versioned.text === '') {
    versioned = { version, text: `"api_version":${quoted(version)},` }
  }
  return versioned.text
}

let written = { second: Number.NaN, text: '' }

/** Answers of one second share all of it but the last three digits. */
function datetimeOf(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== written.second) {
    written = { second, text: new Date(second * 1000).toISOString().slice(0, -4) }
  }
  const digits = String(1000 + (Math.floor(now) - second * 1000)).slice(1)
  return `${written.text}${digits}+00:00`
}

/** Count and links as headers, where the body is the bare value (API_DUMP_ENVELOPE false). */
export function bareHeaders(result: Result): Readonly<Record<string, string>> {
  const links = [
    ...(result.next ? [`<${result.next}>; rel="next"`] : []),
    ...(result.previous ? [`<${result.previous}>; rel="prev"`] : []),
  ]
  return {
    ...(result.total === undefined ? {} : { 'x-total-count': String(result.total) }),
    ...(links.length === 0 ? {} : { link: links.join(', ') }),
  }
}
