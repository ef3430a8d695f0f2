// Every error the service can send, one function each, in the order of the pipeline; stages throw them, only `handle` catches.

import { bounded, excerpt, listed, longestPath } from './error-size.ts'
import type { JsonValue } from './json/json-value.ts'

/** What an error answer carries beside its status (contract §10): the `errors` object of the envelope. */
export interface ErrorBody {
  /** Short name: the HTTP phrase unless the specification gives another text. */
  readonly error: string
  /** What was wrong, what was expected, and a suggestion where there is one. */
  readonly reason?: JsonValue
  /** Stable identifier such as `unknown_column`; never reused for another failure. */
  readonly code?: string
  /** The client's own text that caused the failure, at most 200 characters of it. */
  readonly at?: string
}

/** The one class of the library: an answer other than success, thrown by the stage that refuses the request. */
export class ApiError extends Error {
  readonly status: number
  readonly body: ErrorBody
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: ErrorBody, headers: Readonly<Record<string, string>> = {}) {
    super(typeof body.reason === 'string' ? body.reason : body.error)
    this.name = 'ApiError'
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/**
 * Makes the answer a hook gives when it refuses a request (contract §11).
 *
 * `status` is the HTTP status, from 400 to 599, `error` the short name, `reason` the explanation the client reads. It is
 * sent as it is, whatever its length: only the errors of the service itself are bounded.
 *
 * ```ts
 * throw apiError(409, 'Conflict', 'The book is on loan.')
 * // 409 { "errors": { "error": "Conflict", "reason": "The book is on loan." }, "value": null, … }
 * ```
 */
export function apiError(status: number, error: string, reason?: JsonValue): ApiError {
  if (!(Number.isInteger(status) && status >= 400 && status <= 599)) {
    throw new RangeError(`apiError: expected a status from 400 to 599, got ${status}.`)
  }
  return new ApiError(status, reason === undefined ? { error } : { error, reason })
}

/** An error of the service itself: its size is bounded whatever it quotes of the request. */
const refusal = (
  status: number,
  body: ErrorBody,
  headers?: Readonly<Record<string, string>>,
): ApiError => new ApiError(status, bounded(body), headers)

/** A text of the client, in quotes. */
const quoted = (text: string): string => `"${excerpt(text)}"`

const badRequest = (code: string, reason: string, at?: string): ApiError =>
  refusal(400, { error: 'Bad Request', reason, code, ...(at === undefined ? {} : { at }) })

// ---------------------------------------------------------------- route: 404, 405, 414

/** No endpoint has this path; `similar` is one of ours that differs in case, plural or slashes alone. */
export const unknownPath = (path: string, similar?: string): ApiError =>
  refusal(404, {
    error: 'Not Found',
    reason: `No endpoint answers at ${excerpt(path, longestPath)}.${similar === undefined ? '' : ` Did you mean "${similar}"?`}`,
    code: 'unknown_path',
  })

/** The endpoint exists, the method does not (contract §3); `Allow` lists what does. */
export const methodNotAllowed = (method: string, allowed: readonly string[]): ApiError =>
  refusal(
    405,
    {
      error: 'Method Not Allowed',
      reason: `${excerpt(method)} is not allowed here. Allowed: ${allowed.join(', ')}.`,
      code: 'method_not_allowed',
    },
    { allow: allowed.join(', ') },
  )

/** The URL is longer than API_MAX_URL_LENGTH. */
export const urlTooLong = (length: number, setting: string, limit: number): ApiError =>
  refusal(414, {
    error: 'URI Too Long',
    reason: `The URL has ${length} characters; ${setting} allows ${limit}.`,
    code: 'url_too_long',
  })

// ---------------------------------------------------------------- limit: 429

/** A rate limit is used up; the headers say when it is free again. */
export const tooManyRequests = (
  limit: string,
  headers: Readonly<Record<string, string>>,
): ApiError =>
  refusal(
    429,
    {
      error: 'Too Many Requests',
      reason: `The limit of ${limit} is used up. Try again in ${headers['retry-after']} s.`,
      code: 'too_many_requests',
    },
    headers,
  )

/** What must be loaded or looked up before the first request could not be; why is in the log. */
export const notReady = (): ApiError =>
  refusal(
    503,
    { error: 'Service Unavailable', reason: 'The service is not ready yet.', code: 'not_ready' },
    { 'retry-after': '5' },
  )

/** The health route of a service that cannot take requests at the moment. */
export const notReadyFor = (reason: string): ApiError =>
  refusal(
    503,
    { error: 'Service Unavailable', reason: `Not ready: ${reason}.`, code: 'unready' },
    { 'retry-after': '1', 'cache-control': 'no-store' },
  )

/** More password checks are waiting than can be answered soon. */
export const tooBusy = (): ApiError =>
  refusal(
    503,
    {
      error: 'Service Unavailable',
      reason: 'Too many sign-ins are being checked at the moment. Try again shortly.',
      code: 'too_busy',
    },
    { 'retry-after': '1' },
  )

// ---------------------------------------------------------------- authenticate: 401, 403

const unauthorized = (code: string, reason: string, challenge: string): ApiError =>
  refusal(401, { error: 'Unauthorized', reason, code }, { 'www-authenticate': challenge })

/** The specification's text for a request without any credential. */
export const authorizationMissing = (challenge: string): ApiError =>
  unauthorized('authorization_missing', 'Authorization header missing', challenge)

/** A credential that is not one, or not that of a user: all give the same bytes (contract §9). */
export const invalidCredentials = (challenge: string): ApiError =>
  unauthorized('invalid_credentials', 'Invalid credentials', challenge)

/** The specification's text for an access token whose time is over. */
export const tokenHasExpired = (): ApiError =>
  unauthorized(
    'token_expired',
    'Token has expired',
    'Bearer error="invalid_token", error_description="Token has expired"',
  )

/** The specification's text for a refresh token that is malformed, forged, or meant for somebody else. */
export const invalidToken = (): ApiError =>
  unauthorized('invalid_token', 'Invalid token', 'Bearer error="invalid_token"')

/** The specification's text for a refresh token that the store calls unknown, revoked or expired. */
export const invalidRefreshToken = (): ApiError =>
  refusal(403, {
    error: 'Forbidden',
    reason: 'Invalid or expired refresh token',
    code: 'invalid_refresh_token',
  })

/** A change by a cookie that does not prove where it comes from: cookies accompany requests of other sites too. */
export const crossSiteRequest = (): ApiError =>
  refusal(403, {
    error: 'Forbidden',
    reason:
      'A request that is authenticated by a cookie and changes something must come from the same origin (Sec-Fetch-Site or Origin header).',
    code: 'cross_site_request',
  })

/** A password longer than 72 bytes, of which bcrypt would ignore the rest. */
export const passwordTooLong = (bytes: number): ApiError =>
  badRequest('password_too_long', `A password may have 72 bytes at most; this one has ${bytes}.`)

// ---------------------------------------------------------------- authorize, scope: 403

/** A role is missing, or a policy refuses: one answer, so that it does not tell which (specification: Access policies). */
export const forbidden = (): ApiError =>
  refusal(403, {
    error: 'Forbidden',
    reason: 'This is not allowed for the current user.',
    code: 'forbidden',
  })

// ---------------------------------------------------------------- parse: 400, the text is not the query language

/** A `%` without two hexadecimal digits, or bytes that are not UTF-8; `at` is what is around it. */
export const malformedEncoding = (text: string, at: string = text): ApiError =>
  badRequest(
    'malformed_encoding',
    `${quoted(text)} is not valid percent-encoded UTF-8. A literal % is written %25.`,
    at,
  )

/** Text that no column can hold: a NUL character, half of a surrogate pair. */
export const forbiddenCharacter = (what: string, at: string): ApiError =>
  badRequest(
    'forbidden_character',
    `The text contains ${what}, which cannot be stored or compared.`,
    at,
  )

/** Brackets, quotes or names that do not follow the grammar (contract §4). */
export const malformedQuery = (reason: string, at: string): ApiError =>
  badRequest('malformed_query', reason, at)

/** `__operator` that is neither an operator nor an aggregate function. */
export const unknownOperator = (operator: string, hint: string, at: string): ApiError =>
  badRequest('unknown_operator', `Unknown operator ${quoted(operator)}.${hint}`, at)

/** A function of an aggregate or of `groupby` that does not exist. */
export const unknownFunction = (name: string, hint: string, at: string): ApiError =>
  badRequest('unknown_function', `Unknown function ${quoted(name)}.${hint}`, at)

/** A parameter that is not one of the query language nor of API_ADDITIONAL_QUERY_PARAMS. */
export const unknownParameter = (name: string, hint: string, at: string): ApiError =>
  badRequest('unknown_parameter', `Unknown parameter ${quoted(name)}.${hint}`, at)

/** A single-valued parameter given twice. */
export const repeatedParameter = (name: string, at: string): ApiError =>
  badRequest('repeated_parameter', `${quoted(name)} may be given only once.`, at)

/** One of the request limits of contract §2; the answer names the setting. */
export const limitExceeded = (
  setting: string,
  limit: number,
  what: string,
  at?: string,
): ApiError => badRequest('limit_exceeded', `${what}; ${setting} allows ${limit}.`, at)

// ---------------------------------------------------------------- plan: 400, the names and values do not fit the model

/** Hidden, unjoined, unpublished and unknown fields all give this answer (contract §4). */
export const unknownColumn = (column: string, owner: string, hint: string, at: string): ApiError =>
  badRequest('unknown_column', `Unknown column ${quoted(column)} on ${owner}.${hint}`, at)

/** A relation that does not exist, is not published, or fits several names. */
export const unknownPathSegment = (segment: string, hint: string, at: string): ApiError =>
  badRequest('unknown_relation', `${quoted(segment)} is not a relation here.${hint}`, at)

/** A path segment that fits several relations; they are listed. */
export const ambiguousPath = (
  segment: string,
  candidates: readonly string[],
  at: string,
): ApiError =>
  badRequest(
    'ambiguous_relation',
    `${quoted(segment)} fits several relations: ${candidates.join(', ')}. Use one of these keys.`,
    at,
  )

/** The specification's own text for a join token that names no relation of the base model. */
export const invalidJoinModel = (token: string, hint = ''): ApiError =>
  refusal(400, {
    error: `Invalid join model: ${excerpt(token)}`,
    reason: `${quoted(token)} is not a relation of this resource.${hint}`,
    code: 'invalid_join_model',
    at: token,
  })

/** A join to a resource that the caller may not list (contract §5). */
export const forbiddenJoin = (token: string): ApiError =>
  refusal(403, {
    error: 'Forbidden',
    reason: `${quoted(token)} may not be joined.`,
    code: 'forbidden_join',
    at: token,
  })

/** `join_type` outside inner, left, outer, right. */
export const invalidJoinType = (text: string, hint: string): ApiError =>
  badRequest(
    'invalid_join_type',
    `${quoted(text)} is not a join type. Expected inner, left, outer or right.${hint}`,
    text,
  )

/** A value that does not convert to the column's type. */
export const invalidValue = (text: string, field: string, expected: string, at: string): ApiError =>
  badRequest(
    'invalid_value',
    `${quoted(text)} is not a value of ${excerpt(field)}: expected ${expected}.`,
    at,
  )

/** An operator or function that makes no sense for the column's type. */
export const operatorNotForType = (
  operator: string,
  field: string,
  type: string,
  allowed: string,
  at: string,
): ApiError =>
  badRequest(
    'operator_not_for_type',
    `"${operator}" cannot be used on ${excerpt(field)}, which is of type ${type}.${allowed}`,
    at,
  )

/** A parameter whose value is not one of the accepted ones. */
export const invalidParameter = (
  name: string,
  text: string,
  expected: string,
  hint = '',
): ApiError =>
  badRequest(
    'invalid_parameter',
    `${quoted(text)} is not a value of "${name}": expected ${expected}.${hint}`,
    `${name}=${text}`,
  )

/** A feature that configuration switched off; never ignored silently. */
export const featureDisabled = (what: string, setting: string, at: string): ApiError =>
  badRequest('feature_disabled', `${what} is not enabled here (${setting}).`, at)

/** A parameter that has no meaning on this endpoint. */
export const notHere = (what: string, where: string, at: string): ApiError =>
  badRequest('not_here', `${quoted(what)} cannot be used ${where}.`, at)

/** A header that should carry the position of a write and does not. */
export const invalidPosition = (text: string): ApiError =>
  badRequest(
    'invalid_position',
    `X-Write-Position: expected what a write was answered with, got ${quoted(text)}.`,
    text,
  )

/** Two parts of the query that exclude each other. */
export const conflictingParameters = (reason: string, at: string): ApiError =>
  badRequest('conflicting_parameters', reason, at)

/** A part of the query language that this version refuses; the reason says what to use instead. */
export const unsupportedQuery = (reason: string, at: string): ApiError =>
  badRequest('unsupported_query', reason, at)

// ---------------------------------------------------------------- execute: 404, 503

/** No row has this key, or the caller may not see it: the two give the same bytes. */
export const recordNotFound = (): ApiError =>
  refusal(404, { error: 'Not Found', reason: 'No such record.', code: 'record_not_found' })

/** An embed would read more rows than the request may (contract §5); nothing is cut silently. */
export const tooManyEmbeddedRows = (setting: string, limit: number, relation: string): ApiError =>
  badRequest(
    'too_many_embedded_rows',
    `Embedding "${relation}" would read more than ${limit} related rows (${setting}). Narrow it with ${relation}.limit=… or ${relation}[…], or ask for fewer rows with limit=….`,
    relation,
  )

/** A sum that overflows, or a stored value the query's arithmetic cannot hold. */
export const valueOutOfRange = (): ApiError =>
  badRequest('value_out_of_range', 'A value of this query leaves the range the database can hold.')

/** The database is away, overloaded or too slow (contract §12). */
export const databaseUnavailable = (): ApiError =>
  refusal(
    503,
    {
      error: 'Service Unavailable',
      reason: 'The database did not answer in time. Try again shortly.',
      code: 'database_unavailable',
    },
    { 'retry-after': '1' },
  )

/** The database did not confirm a write at its end: it may be stored or not (contract §12). */
export const outcomeUnknown = (): ApiError =>
  refusal(
    503,
    {
      error: 'Service Unavailable',
      reason:
        'The database did not confirm this write, which may be stored or not. Send it again with the same Idempotency-Key, or read first.',
      code: 'outcome_unknown',
    },
    { 'retry-after': '1' },
  )

/** The client closed its connection while the database was at work; nobody reads this answer. */
export const clientGone = (): ApiError =>
  refusal(499, {
    error: 'Client Closed Request',
    reason: 'The client closed the connection before it was answered.',
    code: 'client_closed_request',
  })

/** Anything we did not foresee: the request id and nothing else (contract §10). */
export const internalError = (requestId: string): ApiError =>
  refusal(500, {
    error: 'Internal Server Error',
    reason: `Request ${requestId}`,
    code: 'internal_error',
  })

// ---------------------------------------------------------------- input: 400, 413, 415

/** The body of a write is of another kind than JSON. */
export const unsupportedMediaType = (type: string | undefined): ApiError =>
  refusal(415, {
    error: 'Unsupported Media Type',
    reason: `The body is ${type === undefined ? 'of no stated type' : `of type ${quoted(type)}`}; expected application/json.`,
    code: 'unsupported_media_type',
  })

/** The body is compressed: what it holds cannot be limited before it is unpacked. */
export const encodedBody = (encoding: string): ApiError =>
  refusal(415, {
    error: 'Unsupported Media Type',
    reason: `The body is sent as ${quoted(encoding)}. Send it without Content-Encoding.`,
    code: 'unsupported_encoding',
  })

/** The body is larger than API_BODY_LIMIT. */
export const bodyTooLarge = (setting: string, limit: number): ApiError =>
  refusal(413, {
    error: 'Content Too Large',
    reason: `The body is larger than ${limit} bytes (${setting}).`,
    code: 'body_too_large',
  })

/** A body whose sender went away, or said another length than it sent. */
export const incompleteBody = (): ApiError =>
  badRequest('incomplete_body', 'The body ended before it was complete.')

/** A write without a body. */
export const emptyBody = (): ApiError =>
  badRequest('empty_body', 'A body is needed: a JSON object with the fields to write.')

/** A body that is no JSON, or JSON that no record can have; the reason says where. */
export const malformedJson = (what: string, at?: number, around = ''): ApiError => {
  const place = at === undefined ? '' : `, at character ${at}`
  const found = around === '' ? '' : `: ${around}`
  return badRequest('malformed_json', `The body ${what}${place}${found}.`)
}

/** A body of the wrong kind as a whole. */
export const wrongBody = (expected: string): ApiError =>
  badRequest('wrong_body', `The body must be ${expected}.`)

/** Everything that is wrong with a body: path → messages (contract §8). */
export const validationFailed = (
  problems: Iterable<readonly [path: string, messages: readonly string[]]>,
  /** How many were found beside these. */
  more: number = 0,
): ApiError =>
  refusal(400, {
    error: 'Validation failed',
    reason: listed(problems, more),
    code: 'validation_failed',
  })

// ---------------------------------------------------------------- write: 400, 409, 412, 422

/** `path` → message where the place is known, else the message alone. */
const refusedBy = (
  status: 409 | 422,
  code: string,
  paths: readonly string[],
  message: string,
): ApiError =>
  refusal(status, {
    error: status === 409 ? 'Conflict' : 'Unprocessable Content',
    reason: paths.length === 0 ? message : listed(paths.map((path) => [path, [message]])),
    code,
  })

/** Another record has these values; which fields, where that can be found. */
export const uniqueViolation = (paths: readonly string[]): ApiError =>
  refusedBy(409, 'unique_violation', paths, 'Another record has this value.')

/** A foreign key or link leads to no record, or to none the caller may see: one answer (contract §8). */
export const missingReference = (paths: readonly string[]): ApiError =>
  refusedBy(422, 'missing_reference', paths, 'No such record.')

/** The database does not accept NULL there. */
export const notNullViolation = (paths: readonly string[]): ApiError =>
  refusedBy(422, 'not_null_violation', paths, 'A value is needed here.')

/** A rule of the database that the model does not know. */
export const checkViolation = (): ApiError =>
  refusedBy(422, 'check_violation', [], 'A value breaks a rule of the database.')

/** A value that the column of the database cannot hold. */
export const valueNotStorable = (paths: readonly string[]): ApiError =>
  refusedBy(422, 'value_not_storable', paths, 'The value is too long or out of range.')

/** Other records refer to the one that is to be removed. */
export const referredTo = (names: readonly string[]): ApiError =>
  refusal(409, {
    error: 'Conflict',
    reason:
      names.length === 0
        ? 'Other records refer to this one.'
        : `Other records refer to this one: ${names.join(', ')}.`,
    code: 'referred_to',
  })

/** Restore of a record that is not deleted. */
export const notDeleted = (): ApiError =>
  refusal(409, {
    error: 'Conflict',
    reason: 'This record is not deleted.',
    code: 'not_deleted',
  })

/** The record is no longer the one that `If-Match` names. */
export const preconditionFailed = (): ApiError =>
  refusal(412, {
    error: 'Precondition Failed',
    reason: 'The record has changed since it was read. Read it again.',
    code: 'precondition_failed',
  })

/** A condition on one record, sent with a request for many. */
export const preconditionOnMany = (): ApiError =>
  badRequest('precondition_on_many', 'If-Match names one record; send it to that record.')

/** PATCH and DELETE on a collection without any condition. */
export const filterNeeded = (method: string): ApiError =>
  badRequest(
    'filter_needed',
    `${method} on a collection needs at least one filter, so that nobody changes everything by mistake.`,
  )

/** More records than the client allows, or than one request may write. */
export const tooManyRecords = (name: string, limit: number, at?: string): ApiError =>
  badRequest('too_many_records', `This concerns more than ${limit} records (${name}).`, at)

/** Columns that no unique key of the model consists of. */
export const notUniqueColumns = (text: string, keys: readonly string[]): ApiError =>
  badRequest(
    'not_unique_columns',
    `${quoted(text)} is not a unique key of this resource. Unique keys: ${keys.join('; ')}.`,
    `on_conflict=${text}`,
  )

/** An `Idempotency-Key` that another request is using at this moment. */
export const requestInProgress = (): ApiError =>
  refusal(
    409,
    {
      error: 'Conflict',
      reason: 'A request with this Idempotency-Key is being served.',
      code: 'request_in_progress',
    },
    { 'retry-after': '1' },
  )

/** An `Idempotency-Key` that came with another request before. */
export const idempotencyKeyReused = (): ApiError =>
  refusal(422, {
    error: 'Unprocessable Content',
    reason: 'This Idempotency-Key was sent with another request.',
    code: 'idempotency_key_reused',
  })

/** An `Idempotency-Key` of a user that nothing tells from others: no primary key of the user model, or nothing at all. */
export const userWithoutKey = (): ApiError =>
  badRequest(
    'user_without_key',
    'An Idempotency-Key belongs to one user, and what is known of this one does not tell it from others.',
  )

/** An `Idempotency-Key` of another form. */
export const badIdempotencyKey = (expected: string): ApiError =>
  badRequest('bad_idempotency_key', `Idempotency-Key must be ${expected}.`)
