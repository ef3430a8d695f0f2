// Every error of the service, one function each, in the order of the pipeline; stages throw them, `handle` catches them. The comment of each
// is printed in docs/reference/errors.md; `openapi/error-catalogue.ts` says when it can occur. Before them: `ApiError` itself,
// the `apiError` of hosts, and changing the body of an error.

import type { ErrorBody } from './lib/error-body.ts'
import { boundedError, excerpt, listedProblems, longestPath } from './lib/error-size.ts'
import type { JsonValue } from './lib/json/json-value.ts'
import { operationAt } from './lib/operation-at.ts'
import { isMessagesByPath } from './lib/problems/messages-by-path.ts'
import type { CodedProblem, FieldProblem, ProblemCode } from './lib/problems/problem-codes.ts'
import {
  brokenRule,
  forbiddenRecord,
  noReferredRecord,
  noSuchRecord,
  overlapOf,
  referringRecords,
  refusedByHost,
  refusedByTrigger,
  takenCombination,
  takenValue,
  tooLongOrOutOfRange,
  valueNeeded,
} from './problems.ts'

/** An error response; a stage or a hook throws it to refuse the request. */
export class ApiError extends Error {
  readonly status: number
  readonly body: ErrorBody
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: ErrorBody, headers: Readonly<Record<string, string>> = {}) {
    super(typeof body.reason === 'string' ? body.reason : body.error)
    this.name = 'ApiError'
    this.status = status
    this.body = body
    this.headers = lowerCased(headers)
  }
}

/** Lower-cases header names: the stages write lower case, but a host may write `Vary`. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** What an `apiError` may have besides its status, name and reason. */
export interface ApiErrorOptions {
  readonly code?: string | undefined
  /** The operation of a batch that is refused: `change.at` in a callback before COMMIT. Null outside of a batch. */
  readonly at?: string | null | undefined
}

/**
 * Creates the error that a hook throws to refuse a request.
 *
 * `status` is the HTTP status from 400 to 599, `error` a short name, `reason` the explanation for the client, `code` an identifier
 * by which programs tell this refusal from others, or an object with `code` and `at`: the operation of a batch that is refused, `at` of a
 * `Change`. They are sent unchanged, except for the fields of a `reason` such as
 * `{ title: ['…'] }` if the hook is about a record of a list or a nested one: they get its path, `[3].title`. Each message of such a
 * `reason` is also one of the `problems`, with the code `refused`. Only the errors of the service itself have a maximum size. Throws a RangeError for another status, and for a code that is not 1 to 100 letters, digits, `_`, `-` and `.`. Choose a code
 * that no error of the service has, for example with a prefix of your own. API_ERROR_CODES declares it for
 * the OpenAPI document.
 *
 * ```ts
 * throw apiError(409, 'Conflict', 'The book is on loan.', 'library.on_loan')
 * // 409 { "errors": { "error": "Conflict", "reason": "The book is on loan.", "code": "library.on_loan" }, "value": null, … }
 * ```
 */
export function apiError(
  status: number,
  error: string,
  reason?: JsonValue,
  codeOrOptions?: string | ApiErrorOptions,
): ApiError {
  const isOptions = typeof codeOrOptions === 'object' && codeOrOptions !== null
  const { code, at = null } = isOptions ? codeOrOptions : { code: codeOrOptions }
  if (!(Number.isInteger(status) && status >= 400 && status <= 599)) {
    throw new RangeError(`apiError: expected a status from 400 to 599, got ${status}.`)
  }
  if (code !== undefined && !isCode(code)) {
    throw new RangeError(
      `apiError: expected a code of 1 to 100 letters, digits, _, - and ., got ${JSON.stringify(code)}.`,
    )
  }
  const refused = new ApiError(status, {
    error,
    ...(reason === undefined ? {} : { reason }),
    ...(code === undefined ? {} : { code }),
    ...(at === null ? {} : { at }),
    ...problemsIn(reason),
  })
  ofHost.add(refused)
  return refused
}

const ofHost = new WeakSet<ApiError>()

/** The problems of a host's reason that has messages by path. */
function problemsIn(reason: JsonValue | undefined): Pick<ErrorBody, 'problems'> {
  if (!isMessagesByPath(reason)) return {}
  const problems = Object.entries(reason).flatMap(([path, messages]) =>
    messages.map((message) => ({ path, ...refusedByHost(message) })),
  )
  return { problems }
}

/** Whether a hook has made the error, which may have a code of the service. */
export function isOfHost(error: ApiError): boolean {
  return ofHost.has(error)
}

/** Whether a code of the host can stand in the type of problem details, which is a URL. */
const isCode = (code: unknown): boolean => typeof code === 'string' && /^[\w.-]{1,100}$/.test(code)

/** Returns a host's error with another reason. */
export function withReason(error: ApiError, reason: JsonValue): ApiError {
  const { status, body, headers, cause, stack } = error
  const changed = new ApiError(status, { ...body, reason, ...problemsIn(reason) }, headers)
  ofHost.add(changed)
  return Object.assign(changed, { cause, stack })
}

/** Returns an error with another body, such as a copy of its own. */
export function withBody({ status, headers }: ApiError, body: ErrorBody): ApiError {
  return new ApiError(status, body, headers)
}

/** Adds to an ApiError which operation of a batch it belongs to; returns any other error unchanged. */
export function atOperation(error: unknown, index: number): unknown {
  if (!(error instanceof ApiError)) return error
  const { status, body, headers, cause } = error
  const placed = new ApiError(status, { ...body, at: operationAt(index) }, headers)
  return Object.assign(placed, { cause })
}

/** Creates an error of the service itself, cut to a maximum size. */
const refusal = (
  status: number,
  body: ErrorBody,
  headers?: Readonly<Record<string, string>>,
): ApiError => new ApiError(status, boundedError(body), headers)

/** Quotes text of the client, cut to a maximum length. */
const quoted = (text: string): string => `"${excerpt(text)}"`

const badRequest = (code: string, reason: string, at?: string): ApiError =>
  refusal(400, { error: 'Bad Request', reason, code, ...(at === undefined ? {} : { at }) })

const denied = (code: string, reason: string, at?: string): ApiError =>
  refusal(403, { error: 'Forbidden', reason, code, ...(at === undefined ? {} : { at }) })

const notFound = (code: string, reason: string): ApiError =>
  refusal(404, { error: 'Not Found', reason, code })

const conflict = (
  code: string,
  reason: string,
  headers?: Readonly<Record<string, string>>,
): ApiError => refusal(409, { error: 'Conflict', reason, code }, headers)

const phraseOfRefusal = {
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Content',
} as const

/** Creates an error with one problem at these paths, or of the whole request if none is known. */
const refusedWith = (
  status: keyof typeof phraseOfRefusal,
  code: ProblemCode,
  of: CodedProblem,
  paths: readonly string[],
): ApiError =>
  refusedFor(
    status,
    code,
    of,
    paths.map((path) => ({ path, ...of })),
  )

/** Creates an error of these problems, or with the message of `whole` if there are none. */
const refusedFor = (
  status: keyof typeof phraseOfRefusal,
  code: ProblemCode,
  whole: CodedProblem,
  problems: readonly FieldProblem[],
): ApiError =>
  refusal(status, {
    error: phraseOfRefusal[status],
    code,
    ...(problems.length === 0 ? { reason: whole.message } : listedProblems(problems)),
  })

const tooLarge = (code: string, reason: string): ApiError =>
  refusal(413, { error: 'Content Too Large', reason, code })

const unavailable = (
  code: string,
  reason: string,
  headers: Readonly<Record<string, string>> = { 'retry-after': '1' },
): ApiError => refusal(503, { error: 'Service Unavailable', reason, code }, headers)

// ---------------------------------------------------------------- route: 404, 405, 414

/** No endpoint has this path. */
export const unknownPath = (path: string, similar?: string): ApiError =>
  notFound(
    'unknown_path',
    `No endpoint answers at ${excerpt(path, longestPath)}.${similar === undefined ? '' : ` Did you mean "${similar}"?`}`,
  )

/** A path that is served only with another setting. */
export const endpointDisabled = (
  path: string,
  setting: string,
  why = 'it is not enabled here',
): ApiError =>
  notFound(
    'endpoint_disabled',
    `No endpoint answers at ${excerpt(path, longestPath)}: ${why} (${setting}).`,
  )

/** The path of a record or relation below a list whose rows have no key. */
export const noRecordUrls = (path: string, list: string): ApiError =>
  notFound(
    'no_record_urls',
    `No endpoint answers at ${excerpt(path, longestPath)}: the rows of ${list} have no key, so there is only the list.`,
  )

/** Another method than `Allow` lists. */
export const methodNotAllowed = (
  method: string,
  allowed: readonly string[],
  hint: string = '',
): ApiError =>
  refusal(
    405,
    {
      error: 'Method Not Allowed',
      reason: `${excerpt(method)} is not allowed here. Allowed: ${allowed.join(', ')}.${hint}`,
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

/** A rate limit is exceeded; the headers say when it is reset. */
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

/** A start-up query failed, or a connection has unsafe settings; see the log. */
export const notReady = (): ApiError =>
  unavailable('not_ready', 'The service is not ready yet.', { 'retry-after': '5' })

/** The health route while requests cannot be served. */
export const notReadyFor = (reason: string): ApiError =>
  unavailable('unready', `Not ready: ${reason}.`, {
    'retry-after': '1',
    'cache-control': 'no-store',
  })

/** Too many password checks are waiting. */
export const tooBusy = (): ApiError =>
  unavailable('too_busy', 'Too many sign-ins are being checked at the moment. Try again shortly.')

// ---------------------------------------------------------------- authenticate: 401, 403

const unauthorized = (code: string, reason: string, challenge: string): ApiError =>
  refusal(401, { error: 'Unauthorized', reason, code }, { 'www-authenticate': challenge })

/** A request without credentials. */
export const authorizationMissing = (
  challenge: string,
  place: 'header' | 'host' | { readonly cookie: string } = 'header',
): ApiError =>
  unauthorized(
    'authorization_missing',
    place === 'header'
      ? 'Authorization header missing'
      : place === 'host'
        ? 'Sign in first'
        : `Sign in first: the cookie ${quoted(place.cookie)} is missing`,
    challenge,
  )

/** A malformed or wrong credential. */
export const invalidCredentials = (challenge: string): ApiError =>
  unauthorized('invalid_credentials', 'Invalid credentials', challenge)

/** An expired access token. */
export const tokenHasExpired = (): ApiError =>
  unauthorized(
    'token_expired',
    'Token has expired',
    'Bearer error="invalid_token", error_description="Token has expired"',
  )

/** A token that was issued, or begins to be valid, later than now. */
export const tokenNotYetValid = (): ApiError =>
  unauthorized(
    'token_not_yet_valid',
    'Token is not valid yet',
    'Bearer error="invalid_token", error_description="Token is not valid yet"',
  )

/** The public keys of an issuer cannot be read. */
export const issuerUnreachable = (issuer: string): ApiError =>
  unavailable('issuer_unreachable', `The keys of ${quoted(issuer)} cannot be read at the moment.`, {
    'retry-after': '10',
  })

/** A refresh token that is malformed, forged, or of another service. */
export const invalidToken = (): ApiError =>
  unauthorized('invalid_token', 'Invalid token', 'Bearer error="invalid_token"')

/** A refresh token that is unknown, revoked or expired. */
export const invalidRefreshToken = (): ApiError =>
  denied('invalid_refresh_token', 'Invalid or expired refresh token')

/** A write authenticated by a cookie, from another origin. */
export const crossSiteRequest = (): ApiError =>
  denied(
    'cross_site_request',
    'A request that is authenticated by a cookie and changes something must come from the same origin (Sec-Fetch-Site or Origin header).',
  )

/** A password longer than 72 bytes. */
export const passwordTooLong = (bytes: number): ApiError =>
  badRequest('password_too_long', `A password may have 72 bytes at most; this one has ${bytes}.`)

/** A user who has 100 API keys makes another one. */
export const tooManyApiKeys = (most: number): ApiError =>
  conflict(
    'too_many_api_keys',
    `A user has at most ${most} API keys. Delete one that is not needed.`,
  )

// ---------------------------------------------------------------- authorize, scope: 403

/** A role is missing or a policy refuses; for a list or nested records, by path. */
export const forbidden = (path: string = ''): ApiError =>
  refusedWith(403, 'forbidden', forbiddenRecord, path === '' ? [] : [path])

/** PATCH or DELETE by filters, from a caller who may not list the resource. */
export const forbiddenFilters = (method: string): ApiError =>
  denied(
    'forbidden_filters',
    `${method} with filters needs the right to list these records. Name them by their keys.`,
  )

// ---------------------------------------------------------------- parse: 400, the text is not the query language

/** A `%` without two hexadecimal digits, or bytes that are not UTF-8. */
export const malformedEncoding = (text: string, at: string = text): ApiError =>
  badRequest(
    'malformed_encoding',
    `${quoted(text)} is not valid percent-encoded UTF-8. A literal % is written %25.`,
    at,
  )

/** Text that no column can store: NUL or a lone surrogate. */
export const forbiddenCharacter = (what: string, at: string): ApiError =>
  badRequest(
    'forbidden_character',
    `The text contains ${what}, which cannot be stored or compared.`,
    at,
  )

/** Brackets, quotes or names that do not follow the grammar. */
export const malformedQuery = (reason: string, at: string): ApiError =>
  badRequest('malformed_query', reason, at)

/** `__operator` that is neither an operator nor an aggregate function. */
export const unknownOperator = (operator: string, hint: string, at: string): ApiError =>
  badRequest('unknown_operator', `Unknown operator ${quoted(operator)}.${hint}`, at)

/** An unknown function of an aggregate or of `groupby`. */
export const unknownFunction = (name: string, hint: string, at: string): ApiError =>
  badRequest('unknown_function', `Unknown function ${quoted(name)}.${hint}`, at)

/** A parameter neither of the query language nor of API_ADDITIONAL_QUERY_PARAMS. */
export const unknownParameter = (name: string, hint: string, at: string): ApiError =>
  badRequest('unknown_parameter', `Unknown parameter ${quoted(name)}.${hint}`, at)

/** A single-valued parameter given twice. */
export const repeatedParameter = (name: string, at: string): ApiError =>
  badRequest('repeated_parameter', `${quoted(name)} may be given only once.`, at)

/** The request exceeds a limit; the reason names the setting. */
export const limitExceeded = (
  setting: string,
  limit: number,
  what: string,
  at?: string,
): ApiError => badRequest('limit_exceeded', `${what}; ${setting} allows ${limit}.`, at)

// ---------------------------------------------------------------- plan: 400, the names and values do not fit the model

/** An unknown, hidden or unjoined field. */
export const unknownColumn = (column: string, owner: string, hint: string, at: string): ApiError =>
  badRequest('unknown_column', `Unknown column ${quoted(column)} on ${owner}.${hint}`, at)

/** A filter or an option names an unknown relation. */
export const unknownPathSegment = (segment: string, hint: string, at: string): ApiError =>
  badRequest('unknown_relation', `${quoted(segment)} is not a relation here.${hint}`, at)

/** A path segment that matches several relations. */
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

/** A join token that names no relation of the base model. */
export const invalidJoinModel = (token: string, hint: string): ApiError =>
  refusal(400, {
    error: `Invalid join model: ${excerpt(token)}`,
    reason: `${quoted(token)} is not a relation of this resource.${hint}`,
    code: 'invalid_join_model',
    at: token,
  })

/** Conditions on several joins, combined with "or", that multiply out to too many alternatives. */
export const tooManyAlternatives = (most: number, lookUps: number, at: string): ApiError =>
  badRequest(
    'too_many_alternatives',
    `The conditions on joined rows multiply out to more than ${most} alternatives, or ${lookUps} look-ups of related rows in them, because several "or" (or "not") name more than one relation. Write conditions that need not hold for the same joined row as relation filters, which need no join, or combine fewer relations.`,
    at,
  )

/** A join to a resource that the caller may not list. */
export const forbiddenJoin = (token: string): ApiError =>
  denied('forbidden_join', `${quoted(token)} may not be joined.`, token)

/** A `join_type` other than inner, left, outer, right. */
export const invalidJoinType = (text: string, hint: string): ApiError =>
  badRequest(
    'invalid_join_type',
    `${quoted(text)} is not a join type. Expected inner, left, outer or right.${hint}`,
    text,
  )

/** A value that cannot be converted to the column's type. */
export const invalidValue = (
  text: string,
  field: string,
  expected: string,
  at: string,
  hint = '',
): ApiError =>
  badRequest(
    'invalid_value',
    `${quoted(text)} is not a value of ${excerpt(field)}: expected ${expected}.${hint}`,
    at,
  )

/** An operator or function that the column's type does not support. */
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

/** A parameter with a value that it does not accept. */
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

/** A cursor names a row that the caller can no longer read. */
export const cursorExpired = (name: string): ApiError =>
  badRequest(
    'cursor_expired',
    `The row that the cursor in "${name}" names is not there any more. Begin with the first page, without "${name}".`,
    name,
  )

/** A feature that the configuration disables. */
export const featureDisabled = (what: string, setting: string, at: string): ApiError =>
  badRequest('feature_disabled', `${what} is not enabled here (${setting}).`, at)

/** `search` where the caller may read no declared column. */
export const searchNotOffered = (endpoint: string, at: string): ApiError =>
  badRequest(
    'search_not_offered',
    `${quoted(endpoint)} cannot be searched, because its model declares no columns for it (search: ['…']). Use a filter, such as <column>__ilike=….`,
    at,
  )

/** A parameter that this endpoint does not support. */
export const notHere = (what: string, where: string, at: string, hint = ''): ApiError =>
  badRequest('not_here', `${quoted(what)} cannot be used ${where}.${hint}`, at)

/** An X-Write-Position header that is not the position of a write. */
export const invalidPosition = (text: string): ApiError =>
  badRequest(
    'invalid_position',
    `X-Write-Position: expected the value that a write returned, got ${quoted(text)}.`,
    text,
  )

/** Two parts of the query that exclude each other. */
export const conflictingParameters = (reason: string, at: string): ApiError =>
  badRequest('conflicting_parameters', reason, at)

/** An unsupported query; the reason says what to use instead. */
export const unsupportedQuery = (reason: string, at: string): ApiError =>
  badRequest('unsupported_query', reason, at)

// ---------------------------------------------------------------- execute: 404, 503

/** No record has this key, or the caller may not see it; for a list, by path. */
export const recordNotFound = (path: string = ''): ApiError =>
  refusedWith(404, 'record_not_found', noSuchRecord, path === '' ? [] : [path])

/** An embed would exceed API_MAX_EMBEDDED_ROWS. */
export const tooManyEmbeddedRows = (setting: string, limit: number, relation: string): ApiError =>
  badRequest(
    'too_many_embedded_rows',
    `Embedding "${relation}" would read more than ${limit} related rows (${setting}). Narrow it with ${relation}.limit=… or ${relation}[…], or ask for fewer rows with limit=….`,
    relation,
  )

/** On SQLite, too many combinations of rows of several to-many joins. */
export const tooManyCombinations = (most: number, at: string): ApiError =>
  badRequest(
    'too_many_combinations',
    `The rows of the joined relations have more than ${most} combinations. Join fewer relations to "many", or narrow the list by conditions on its own columns.`,
    at,
  )

/** An expression without a result, such as an overflowing sum (SQLite: null); a row too long to be sorted. */
export const valueOutOfRange = (): ApiError =>
  badRequest('value_out_of_range', 'A value of this query leaves the range the database can hold.')

/** All lists of a query together have more values than a statement takes. */
export const tooManyValues = (values: number, most: number): ApiError =>
  badRequest(
    'too_many_values',
    `This query has ${values} values in all, and the database takes ${most}. Send shorter lists, or fewer of them.`,
  )

/** A statement of the request is longer than the database takes. */
export const statementTooLong = (most: number): ApiError =>
  tooLarge(
    'statement_too_long',
    `This request needs a statement of more than ${most} bytes, the most that the database takes. Send shorter values, or fewer of them.`,
  )

/** The database is unreachable, overloaded or too slow. */
export const databaseUnavailable = (): ApiError =>
  unavailable('database_unavailable', 'The database did not answer in time. Try again shortly.')

/** A deadlock, a serialisation failure or a lock that was not released, after a repetition. */
export const databaseConflict = (): ApiError =>
  unavailable(
    'database_conflict',
    'A conflict with concurrent requests, such as a deadlock, ended this one. Try again shortly.',
  )

/** A batch exceeded its time limit and was rolled back. */
export const batchTimedOut = (setting: string, milliseconds: number): ApiError =>
  unavailable(
    'batch_timed_out',
    `The batch took longer than ${milliseconds} ms (${setting}). Nothing is stored. Try again shortly, or send fewer operations at once.`,
  )

/** The database did not confirm a commit: the write may or may not be stored. */
export const outcomeUnknown = (): ApiError =>
  unavailable(
    'outcome_unknown',
    'The database did not confirm this write, which may be stored or not. Send it again with the same Idempotency-Key, or read first.',
  )

/** The driver has no transactions, and the request needs one. */
export const transactionsUnsupported = (): ApiError =>
  refusal(501, {
    error: 'Not Implemented',
    reason:
      'This request needs a transaction, which the driver of this database does not have. Without one a request can write one record by itself: no list, nested record, cascade, If-Match or Idempotency-Key, nothing that a callback or a policy has to see first, and no removal of a record that others may refer to.',
    code: 'transactions_unsupported',
  })

/** The client closed its connection. */
export const clientGone = (): ApiError =>
  refusal(499, {
    error: 'Client Closed Request',
    reason: 'The client closed the connection before it was answered.',
    code: 'client_closed_request',
  })

/** An unexpected error; the log has the details. */
export const internalError = (requestId: string): ApiError =>
  refusal(500, {
    error: 'Internal Server Error',
    reason: `Request ${requestId}`,
    code: 'internal_error',
  })

// ---------------------------------------------------------------- input: 400, 413, 415

/** The body of a write is not JSON. */
export const unsupportedMediaType = (
  type: string | undefined,
  expected: string = 'application/json',
  headers?: Readonly<Record<string, string>>,
): ApiError =>
  refusal(
    415,
    {
      error: 'Unsupported Media Type',
      reason: `The body is ${type === undefined ? 'of no stated type' : `of type ${quoted(type)}`}; expected ${expected}.`,
      code: 'unsupported_media_type',
    },
    headers,
  )

/** QUERY without a Content-Type. */
export const missingMediaType = (expected: string): ApiError =>
  badRequest('missing_media_type', `QUERY needs the header Content-Type: ${expected}.`)

/** QUERY whose body the host has parsed. */
export const parsedQueryBody = (): ApiError =>
  badRequest(
    'parsed_query_body',
    'The body of QUERY was parsed before it reached the API. Its text is needed: let no body parser of the host read forms on these paths.',
  )

/** X-HTTP-Method-Override with another method than QUERY. */
export const unsupportedOverride = (method: string): ApiError =>
  badRequest(
    'unsupported_method_override',
    `X-HTTP-Method-Override: ${quoted(method)} is not supported; expected QUERY.`,
    method,
  )

/** The body is compressed. */
export const encodedBody = (encoding: string): ApiError =>
  refusal(415, {
    error: 'Unsupported Media Type',
    reason: `The body is sent as ${quoted(encoding)}. Send it without Content-Encoding.`,
    code: 'unsupported_encoding',
  })

/** The body is larger than API_BODY_LIMIT. */
export const bodyTooLarge = (setting: string, limit: number): ApiError =>
  tooLarge('body_too_large', `The body is larger than ${limit} bytes (${setting}).`)

/** References of a batch repeat values that are too large in total. */
export const referencesTooLarge = (setting: string, limit: number): ApiError =>
  tooLarge(
    'references_too_large',
    `References put values of more than ${limit} characters (${setting}) into the bodies and URLs of this batch.`,
  )

/** The connection ended too early, or Content-Length was wrong. */
export const incompleteBody = (): ApiError =>
  badRequest('incomplete_body', 'The body ended before it was complete.')

/**
 * A body that a parser of the host could not read. `api.refuse` responds with `error`, or with the error that the API itself has for
 * this path, method or text; it never serves the request, because the parser's error has skipped middleware that may refuse it.
 */
export class UnreadBody extends ApiError {
  /** The body, if the parser passed it on. */
  readonly text: string | undefined

  constructor({ status, body, headers }: ApiError, text: string | undefined) {
    super(status, body, headers)
    this.text = text
  }
}

export const unreadBody = (error: ApiError, text?: string): ApiError => new UnreadBody(error, text)

/** A write without a body. */
export const emptyBody = (): ApiError =>
  badRequest('empty_body', 'A body is needed: a JSON object with the fields to write.')

/** A body that is not JSON or exceeds a structural limit. */
export const malformedJson = (what: string, at?: number, around = ''): ApiError => {
  const place = at === undefined ? '' : `, at character ${at}`
  const found = around === '' ? '' : `: ${around}`
  return badRequest('malformed_json', `The body ${what}${place}${found}.`)
}

/** A body that is not of the expected JSON type. */
export const wrongBody = (expected: string): ApiError =>
  badRequest('wrong_body', `The body must be ${expected}.`)

/** All problems of a body. */
export const validationFailed = (
  problems: Iterable<FieldProblem>,
  /** The number of further problems. */
  more: number = 0,
): ApiError =>
  refusal(400, {
    error: 'Validation failed',
    code: 'validation_failed',
    ...listedProblems(problems, more),
  })

/** An operation of a batch that is sign-in, documentation, health, or a batch. */
export const notInBatch = (path: string): ApiError =>
  badRequest(
    'not_in_batch',
    `${excerpt(path, longestPath)} cannot be part of a batch, which takes requests to records, relations and lists.`,
  )

/** A reference of a batch that a setup callback or custom authentication would see. */
export const referencesSeenEarly = (): ApiError =>
  badRequest(
    'references_not_allowed',
    'References are not available on this endpoint: its setup callback or its custom authentication sees a request before the batch runs, when references have no values yet. Write values instead of references, or send the request by itself after those whose values it needs.',
  )

/** A reference of a batch that cannot be replaced by a value. */
export const unresolvedReference = (reference: string, why: string): ApiError =>
  badRequest('unresolved_reference', `The reference ${quoted(reference)} ${why}.`)

// ---------------------------------------------------------------- write: 400, 409, 412, 422

/** Another record has these values. */
export const uniqueViolation = (keys: readonly (readonly string[])[]): ApiError => {
  const problems = keys.flatMap((paths) =>
    paths.map((path) => ({ path, ...(paths.length > 1 ? takenCombination : takenValue) })),
  )
  return refusedFor(409, 'unique_violation', takenValue, problems)
}

/** A record that overlaps another one, and the name of the rule that it breaks. */
export interface Overlap {
  readonly path: string
  readonly rule: string
}

/** Another record overlaps this one, which a rule of the model (`exclude`) does not allow. */
export const overlapping = (found: readonly Overlap[]): ApiError => {
  // Records of a change by filters have the same path.
  const different = new Map(found.map((one) => [`${one.path} ${one.rule}`, one]))
  const problems = [...different.values()].map(({ path, rule }) => ({ path, ...overlapOf(rule) }))
  return refusedFor(409, 'overlap', overlapOf(found[0]?.rule ?? ''), problems)
}

/** A foreign key or link to a record that does not exist or is hidden. */
export const missingReference = (paths: readonly string[]): ApiError =>
  refusedWith(422, 'missing_reference', noReferredRecord, paths)

/** A value is missing that the database requires. */
export const notNullViolation = (paths: readonly string[]): ApiError =>
  refusedWith(422, 'not_null_violation', valueNeeded, paths)

/** A value violates a CHECK constraint or a domain of the database. */
export const checkViolation = (paths: readonly string[] = [], rule?: string): ApiError =>
  refusedWith(422, 'check_violation', brokenRule(rule), paths)

/** A trigger refused the write. */
export const refusedByDatabase = (paths: readonly string[] = []): ApiError =>
  refusedWith(422, 'refused_by_database', refusedByTrigger, paths)

/** A value that the database column cannot store. */
export const valueNotStorable = (paths: readonly string[]): ApiError =>
  refusedWith(422, 'value_not_storable', tooLongOrOutOfRange, paths)

/** Other records refer to the record to delete, perhaps deleted ones. */
export const referredTo = (
  names: readonly string[],
  deletedCount: ReadonlySet<string> = new Set(),
  path: string = '',
): ApiError => {
  const shown = names.map((name) =>
    deletedCount.has(name) ? `${name} (deleted ones count)` : name,
  )
  return refusedWith(409, 'referred_to', referringRecords(names, shown), path === '' ? [] : [path])
}

/** Restore of a record that is not deleted. */
export const notDeleted = (): ApiError => conflict('not_deleted', 'This record is not deleted.')

/** The stored record is not that of `If-Match`, or is that of `If-None-Match`. */
export const preconditionFailed = (): ApiError =>
  refusal(412, {
    error: 'Precondition Failed',
    reason: 'If-Match or If-None-Match does not hold for the stored record. Read it again.',
    code: 'precondition_failed',
  })

/** If-Match or If-None-Match is neither `*` nor a list of entity tags. */
export const invalidEntityTag = (header: 'If-Match' | 'If-None-Match', text: string): ApiError =>
  badRequest(
    'invalid_entity_tag',
    `${header}: expected * or the value of an ETag header with its quotes, such as "0123456789abcdef.0123456789abcdef", got ${text === '' ? 'an empty value' : excerpt(text)}.`,
    text,
  )

/** If-Match or If-None-Match where the path is not that of one record. */
export const preconditionOnMany = (header: 'If-Match' | 'If-None-Match'): ApiError =>
  badRequest('precondition_on_many', `${header} names one record; send it to that record.`)

/** If-Match or If-None-Match on the request of a batch. */
export const preconditionOnBatch = (header: 'If-Match' | 'If-None-Match'): ApiError =>
  badRequest(
    'precondition_on_batch',
    `${header} names one record, and a batch has none of its own: set it among the headers of an operation.`,
  )

/** PATCH or DELETE on a collection without a filter. */
export const filterNeeded = (method: string): ApiError =>
  badRequest(
    'filter_needed',
    `${method} on a collection needs at least one filter, so that nobody changes everything by mistake.`,
  )

/** More records than `max_affected` or API_MAX_BULK allows. */
export const tooManyRecords = (
  { endpoint, sent, below }: TooMany,
  name: string,
  limit: number,
  at?: string,
  why = '',
): ApiError => {
  const concerned = `This concerns more than ${limit} records`
  const reason =
    below !== undefined
      ? `${concerned}, with those of ${endpoint} (${name} of ${below}).`
      : sent !== undefined
        ? `The list has ${sent} records of ${endpoint}; ${name} allows ${limit}.`
        : `${concerned} of ${endpoint} (${name}).`
  return badRequest('too_many_records', `${reason}${why}`, at)
}

interface TooMany {
  readonly endpoint: string
  /** The length of the list that was sent. */
  readonly sent?: number
  /** In a cascade, the resource in the URL, whose limit counts the records of all models together. */
  readonly below?: string
}

/** `on_conflict` columns that are no unique key which the client can send. */
export const notUniqueColumns = (
  { text, resource, parameter }: Record<'text' | 'resource' | 'parameter', string>,
  keys: readonly string[],
  why = `is not a unique key of ${resource}`,
): ApiError =>
  badRequest(
    'not_unique_columns',
    `${quoted(text)} ${why}. Unique keys: ${keys.join('; ')}.`,
    `${parameter}=${text}`,
  )

/** An `Idempotency-Key` that a running request uses. */
export const requestInProgress = (): ApiError =>
  conflict('request_in_progress', 'A request with this Idempotency-Key is being served.', {
    'retry-after': '1',
  })

/** An `Idempotency-Key` that was used with a different request. */
export const idempotencyKeyReused = (): ApiError =>
  refusal(422, {
    error: 'Unprocessable Content',
    reason: 'This Idempotency-Key was sent with another request.',
    code: 'idempotency_key_reused',
  })

/** An `Idempotency-Key` of a user without identity. */
export const userWithoutKey = (): ApiError =>
  badRequest(
    'user_without_key',
    'An Idempotency-Key belongs to one user, and this user has nothing that identifies it, such as a primary key.',
  )

/** An `Idempotency-Key` elsewhere than on POST of a collection and batches. */
export const idempotencyKeyNotHere = (request: string): ApiError =>
  badRequest(
    'idempotency_key_not_here',
    `Idempotency-Key works on POST of a collection and on batches only; ${request} runs each time it is sent. Leave the key out.`,
  )

/** A malformed `Idempotency-Key`. */
export const badIdempotencyKey = (expected: string): ApiError =>
  badRequest('bad_idempotency_key', `Idempotency-Key must be ${expected}.`)
