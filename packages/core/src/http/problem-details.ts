// Problem details (RFC 9457): the form in which a client can ask for errors, with `Accept: application/problem+json`.

import type { JsonValue } from '../lib/json/json-value.ts'

/** The media type of problem details. */
export const problemMediaType = 'application/problem+json'

/** The members of problem details that do not come from the error. */
export interface ProblemContext {
  readonly status: number
  readonly requestId: string
}

type JsonObject = { readonly [key: string]: JsonValue }

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Converts the error of an envelope to problem details; undefined if a final callback has removed `errors` from the body.
 *
 * `{ "errors": { "error": "Not Found", "reason": "There is no such record.", "code": "record_not_found" }, … }` →
 * `{ "type": "about:blank", "title": "Not Found", "status": 404, "detail": "There is no such record.", "instance": "urn:uuid:…", "code": "record_not_found" }`
 */
export function problemDetails(
  envelope: JsonValue,
  { status, requestId }: ProblemContext,
): JsonValue | undefined {
  const errors = isObject(envelope) ? envelope.errors : undefined
  if (!isObject(errors)) return undefined
  const { error, reason, code, at, problems } = errors
  const problem: Record<string, JsonValue> = {
    type: 'about:blank',
    title: typeof error === 'string' ? error : `Status ${status}`,
    status,
  }
  const detail = detailOf(reason)
  if (detail !== undefined) problem.detail = detail
  problem.instance = instanceOf(requestId)
  if (code !== undefined) problem.code = code
  if (at !== undefined) problem.at = at
  // The problems have the messages of a reason by path. Another reason is one of the host.
  if (problems !== undefined) problem.problems = problems
  else if (reason !== undefined && typeof reason !== 'string') problem.reason = reason
  return problem
}

/** Returns the reason as one sentence: the first problem if there are several. */
function detailOf(reason: JsonValue | undefined): string | undefined {
  if (typeof reason === 'string') return reason
  const [first] = isObject(reason) ? Object.entries(reason) : []
  if (first === undefined) return undefined
  const [path, messages] = first
  const message = Array.isArray(messages) ? messages[0] : messages
  if (typeof message !== 'string') return undefined
  return path === '' ? message : `${path}: ${message}`
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the request id as a URI reference. An id that the client chose need not be a UUID. */
const instanceOf = (requestId: string): string =>
  uuid.test(requestId) ? `urn:uuid:${requestId}` : `#${requestId}`
