// The envelope: the JSON object of every response, made of the `Result` of an endpoint and the `Stamp` of its request. API_DUMP_* settings omit
// members (docs/reference/configuration.md) or all of it (`bareHeaders`).

import type { ErrorBody } from '../lib/error-body.ts'
import type { JsonValue } from '../lib/json/json-value.ts'
import { quotedJson } from '../lib/json/quoted.ts'
import { stringify } from '../lib/json/stringify.ts'
import type { DumpSettings } from '../model/settings/settings.ts'

/** The body of every response; API_DUMP_* settings can omit members. */
export interface Envelope<T = JsonValue> {
  /** `YYYY-MM-DDTHH:MM:SS.sss+00:00` */
  readonly datetime: string
  readonly api_version: string
  readonly status_code: number
  /** Milliseconds from the request's arrival. */
  readonly response_ms: number
  /** Matching records of a list, written records of a write, 1 for one object, 0 for failures. */
  readonly total_count: number
  readonly next_url: string | null
  readonly previous_url: string | null
  readonly errors: ErrorBody | null
  readonly value: T | null
  readonly request_id?: string
}

/** The result of an endpoint, before it is put into the envelope. */
export interface Result {
  readonly status: number
  readonly value: JsonValue
  /** The value as JSON text, if it was serialised directly; `value` is then null. */
  readonly text?: string
  /** Undefined if the rows are not counted; the envelope then omits the member. */
  readonly total: number | undefined
  /** The URLs of the pages before and after this one of a list; null if there is none, absent if the value is no list. */
  readonly next?: string | null
  readonly previous?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** The values of `Set-Cookie`. */
  readonly cookies?: readonly string[]
  /** The visible columns of the record as text. The first part of the ETag is the hash of this text. */
  readonly record?: string
  /** The hash of that text, if a repeated response has it alone. */
  readonly recordHash?: string
  /** Whether `text` begins with `record`. */
  readonly recordLeads?: boolean
  /** The keys of the records that were written, in the order of the value; absent for a read. */
  readonly keys?: readonly (readonly (string | number | boolean | bigint | null)[])[]
  /** Whether the response has no body: 204, 304. */
  readonly empty?: boolean
  /** Whether the return callback has run and the ETag is set. */
  readonly finished?: boolean
  /** The body that the final callback returned, if it has already run; sent instead of an envelope around `value`. */
  readonly body?: JsonValue
}

/** Version, request id and time for the envelope. */
export interface Stamp {
  readonly version: string
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds since the request arrived. */
  readonly elapsed: number
}

/** Returns the body of a success: the envelope, or the bare value if the settings omit the envelope or all of its other members. */
export function successBody(result: Result, stamp: Stamp, dump: DumpSettings): JsonValue {
  if (!dump.envelope) return result.value
  const body: Record<string, JsonValue> = leadingMembers(result.status, stamp, dump)
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

/** Returns the value in a body that the final callback has returned in place of `sent`; the whole body if it has no envelope. */
export function valueInBody(body: JsonValue, sent: JsonValue, { value }: Result): JsonValue {
  const isEnvelope = sent !== value && typeof body === 'object' && body !== null
  return isEnvelope && Object.hasOwn(body, 'value')
    ? (body as { readonly value: JsonValue }).value
    : body
}

/** Returns `successBody` as JSON text, with the value as the last member. */
export function successText(result: Result, stamp: Stamp, dump: DumpSettings): string {
  const { text } = result
  if (text === undefined) return stringify(successBody(result, stamp, dump))
  const members = dump.envelope ? membersText(result, stamp, dump) : ''
  return members === '' ? text : `{${members}"value":${text}}`
}

/** Returns the members before the value as JSON text, each followed by a comma. */
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
  if (next != null) text += `"next_url":${quotedJson(next)},`
  else if (dump.nullNextUrl) text += '"next_url":null,'
  if (previous != null) text += `"previous_url":${quotedJson(previous)},`
  else if (dump.nullPreviousUrl) text += '"previous_url":null,'
  if (dump.nullErrors) text += '"errors":null,'
  if (dump.requestId) text += `"request_id":${quotedJson(stamp.requestId)},`
  return text
}

/** Returns the body of an error; it always has the envelope, even with API_DUMP_ENVELOPE false. */
export function failureBody(
  status: number,
  errors: ErrorBody,
  stamp: Stamp,
  dump: DumpSettings,
): JsonValue {
  const body: Record<string, JsonValue> = leadingMembers(status, stamp, dump)
  if (dump.totalCount) body.total_count = 0
  if (dump.nullNextUrl) body.next_url = null
  if (dump.nullPreviousUrl) body.previous_url = null
  body.errors = errors as unknown as JsonValue
  if (dump.requestId) body.request_id = stamp.requestId
  body.value = null
  return body
}

/** Returns the members that success and error have in common, without those that the settings omit. */
function leadingMembers(
  status: number,
  stamp: Stamp,
  dump: DumpSettings,
): Record<string, JsonValue> {
  const body: Record<string, JsonValue> = {}
  if (dump.datetime) body.datetime = datetimeOf(stamp.now)
  if (dump.version) body.api_version = stamp.version
  if (dump.statusCode) body.status_code = status
  if (dump.responseMs) body.response_ms = millisecondsOf(stamp)
  return body
}

const millisecondsOf = ({ elapsed }: Stamp): number => Math.round(elapsed * 1000) / 1000

/** The decimal fraction of each number of thousandths: `.25` for 250. */
const fractions = Array.from({ length: 1000 }, (_, i) => String(i / 1000).slice(1))

/** Returns `JSON.stringify(millisecondsOf(stamp))`, but looks the fraction up, which is several times faster than formatting it. */
function millisecondsText(stamp: Stamp): string {
  const thousandths = Math.round(stamp.elapsed * 1000)
  if (!(thousandths >= 0 && thousandths < 1e9)) return JSON.stringify(millisecondsOf(stamp))
  const whole = Math.trunc(thousandths / 1000)
  return `${whole}${fractions[thousandths - whole * 1000]}`
}

let versioned = { version: '', text: '' }

/** Returns the member `api_version`. The last one is cached, because all responses of an API have the same version. */
function versionText(version: string): string {
  if (version !== versioned.version || versioned.text === '') {
    versioned = { version, text: `"api_version":${quotedJson(version)},` }
  }
  return versioned.text
}

let written = { second: Number.NaN, text: '' }

/** Formats a time. The text up to the seconds is cached for the current second; only the milliseconds differ. */
function datetimeOf(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== written.second) {
    written = { second, text: new Date(second * 1000).toISOString().slice(0, -4) }
  }
  const digits = String(1000 + (Math.floor(now) - second * 1000)).slice(1)
  return `${written.text}${digits}+00:00`
}

/** Returns the count and the page links as headers, for bodies without an envelope (API_DUMP_ENVELOPE false). */
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
