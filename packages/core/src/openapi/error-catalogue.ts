// The error catalogue: every error of `errors.ts` with sample values, and the occasions on which it can occur. The error responses in the
// OpenAPI document and docs/reference/errors.md are made of it.

import * as errors from '../errors.ts'
import { maxBulkNames, settingNames } from '../model/settings/setting-names.ts'
import { missingField } from '../problems.ts'

/**
 * A reason why an operation can respond with certain errors. Each operation lists its own occasions, and the document then lists the
 * errors of the catalogue that have one of them.
 */
export type Occasion =
  /** Every operation. */
  | 'always'
  /** Requests are counted against a rate limit. */
  | 'limited'
  /** A credential is read. */
  | 'protected'
  /** A write whose access token may come from a cookie. */
  | 'cookie'
  /** A password or an API key is compared with its hash. */
  | 'password'
  /** A refresh token is exchanged. */
  | 'refresh'
  /** The refresh token may come from a cookie. */
  | 'refreshCookie'
  /** Roles or a policy may refuse the caller. */
  | 'restricted'
  /** The query string is parsed: conditions, fields, orders and options. */
  | 'query'
  /** The query string has no parameters, except those of API_ADDITIONAL_QUERY_PARAMS. */
  | 'parameters'
  /** An API key is made. */
  | 'newKey'
  /** Login, refresh, logout or API keys. */
  | 'signIn'
  /** Conditions choose the records: a list, or a write of all records that match. */
  | 'list'
  /** A read that accepts the position of an earlier write (`X-Write-Position`). */
  | 'position'
  /** The query may name relations in `join`. */
  | 'join'
  /** The query may name a resource that the caller may not list. */
  | 'otherResource'
  /** The path contains the key of a record. */
  | 'record'
  /** The path contains a relation that does not exist for callers without a right. */
  | 'relationRight'
  /** Statements are sent to the database. */
  | 'database'
  /** A JSON body is read. */
  | 'body'
  /** Records are created, changed or restored. */
  | 'written'
  /** Records are created or changed. */
  | 'stored'
  /** Records are deleted. */
  | 'removed'
  /** A deletion may delete or change records that refer to the deleted ones. */
  | 'cascade'
  /** Records are written, and those of a model must not overlap. */
  | 'exclusive'
  /** A deleted record is restored. */
  | 'restored'
  /** A write of one record that accepts `If-Match` and `If-None-Match`. */
  | 'precondition'
  /** A write of all records that match a filter. */
  | 'bulk'
  /** A creation that accepts `on_conflict`. */
  | 'upsert'
  /** A creation, or a batch, that accepts `Idempotency-Key`. */
  | 'idempotent'
  /** The health route that tells whether requests can be served. */
  | 'health'
  /** A batch of operations. */
  | 'batch'
  /** No operation of the document: unknown paths, methods that are not served, and what the host's own code refuses. */
  | 'elsewhere'

/** A sample of an error, and the occasions on which the error can occur. */
export interface Entry {
  readonly error: errors.ApiError
  readonly on: readonly Occasion[]
}

const entry = (error: errors.ApiError, ...on: Occasion[]): Entry => ({ error, on })

const challenge = 'Bearer'

/** The samples, in the order of `errors.ts`. A test checks that none is missing. */
export const catalogue: readonly Entry[] = [
  entry(errors.unknownPath('/api/Books/', '/api/books'), 'relationRight', 'elsewhere'),
  entry(errors.endpointDisabled('/api/batch', settingNames.allowBatch), 'elsewhere'),
  entry(errors.noRecordUrls('/api/sales/7', '/api/sales'), 'elsewhere'),
  entry(errors.methodNotAllowed('DELETE', ['GET', 'HEAD', 'OPTIONS']), 'elsewhere'),
  entry(errors.urlTooLong(9000, settingNames.maxUrlLength, 8192), 'always'),

  entry(errors.tooManyRequests('10 per minute', { 'retry-after': '30' }), 'limited'),
  entry(errors.notReady(), 'protected', 'database'),
  entry(errors.notReadyFor('draining'), 'health'),
  entry(errors.tooBusy(), 'password'),

  entry(errors.authorizationMissing(challenge), 'protected'),
  entry(errors.invalidCredentials(challenge), 'protected'),
  entry(errors.tokenHasExpired(), 'protected'),
  entry(errors.tokenNotYetValid(), 'protected', 'refresh'),
  entry(errors.issuerUnreachable('https://id.example.com'), 'protected'),
  entry(errors.invalidToken(), 'protected', 'refresh'),
  entry(errors.invalidRefreshToken(), 'refresh'),
  entry(errors.crossSiteRequest(), 'cookie', 'refreshCookie'),
  entry(errors.passwordTooLong(80), 'password'),
  entry(errors.tooManyApiKeys(100), 'newKey'),

  entry(errors.forbidden(), 'restricted', 'otherResource'),
  entry(errors.forbiddenFilters('DELETE'), 'bulk'),

  entry(errors.malformedEncoding('%zz'), 'always'),
  entry(errors.forbiddenCharacter('a NUL character', 'title__eq=%00'), 'query', 'parameters'),
  entry(errors.malformedQuery('Expected "]" at the end.', 'or[price__ge=30'), 'query'),
  entry(errors.unknownOperator('gee', ' Did you mean "ge"?', 'price__gee=30'), 'query'),
  entry(errors.unknownFunction('summ', ' Did you mean "sum"?', 'price__summ=1'), 'query'),
  entry(errors.unknownParameter('pge', ' Did you mean "page"?', 'pge=2'), 'query', 'parameters'),
  entry(errors.repeatedParameter('page', 'page=2'), 'query'),
  entry(
    errors.limitExceeded(settingNames.maxConditions, 100, 'The query has too many conditions'),
    'query',
    'body',
  ),

  entry(
    errors.unknownColumn('titel', 'books', ' Did you mean "title"?', 'titel__eq=Emma'),
    'query',
  ),
  entry(errors.unknownPathSegment('autor', ' Did you mean "author"?', 'autor.name__eq=x'), 'query'),
  entry(errors.ambiguousPath('people', ['author', 'editor'], 'people.name__eq=x'), 'join'),
  entry(errors.invalidJoinModel('autor', ' Did you mean "author"?'), 'join'),
  entry(errors.tooManyAlternatives(32, 96, 'join'), 'list'),
  entry(errors.forbiddenJoin('author'), 'otherResource'),
  entry(errors.invalidJoinType('lft', ' Did you mean "left"?'), 'join'),
  entry(errors.invalidValue('cheap', 'price', 'a decimal number', 'price__ge=cheap'), 'list'),
  entry(errors.operatorNotForType('like', 'price', 'decimal', '', 'price__like=3'), 'list'),
  entry(errors.invalidParameter('limit', '0', 'a whole number from 1 to 100'), 'query'),
  entry(errors.cursorExpired('after'), 'list'),
  entry(errors.featureDisabled('Grouping', settingNames.allowGroupby, 'groupby=title'), 'query'),
  entry(errors.searchNotOffered('authors', 'search=whale'), 'list'),
  entry(errors.notHere('page', 'on a single object', 'page=2'), 'query'),
  entry(errors.invalidPosition('yesterday'), 'position'),
  entry(errors.conflictingParameters('"page" excludes "after".', 'page=2'), 'query'),
  entry(errors.unsupportedQuery('This cannot be ordered by.', 'order_by=books.title'), 'query'),

  entry(errors.recordNotFound(), 'record'),
  entry(errors.tooManyEmbeddedRows(settingNames.maxEmbeddedRows, 10000, 'books'), 'query'),
  entry(errors.tooManyCombinations(200000, 'join'), 'list'),
  entry(errors.valueOutOfRange(), 'list'),
  entry(errors.tooManyValues(70000, 65535), 'list'),
  entry(errors.statementTooLong(16777216), 'body', 'bulk'),
  entry(errors.databaseUnavailable(), 'database'),
  entry(errors.databaseConflict(), 'database'),
  entry(errors.outcomeUnknown(), 'written', 'removed', 'refresh'),
  entry(errors.transactionsUnsupported(), 'elsewhere'),
  entry(errors.clientGone(), 'elsewhere'),
  entry(errors.internalError('6f9619ff-8b86-4d01-b42d-00c04fc964ff'), 'always'),

  entry(errors.unsupportedMediaType('text/plain'), 'body'),
  entry(errors.missingMediaType('application/x-www-form-urlencoded'), 'elsewhere'),
  entry(errors.parsedQueryBody(), 'elsewhere'),
  entry(errors.unsupportedOverride('PATCH'), 'elsewhere'),
  entry(errors.bodyTooLarge(settingNames.bodyLimit, 1048576), 'body', 'bulk'),
  entry(errors.encodedBody('gzip'), 'body', 'bulk'),
  entry(errors.incompleteBody(), 'body'),
  entry(errors.emptyBody(), 'body'),
  entry(errors.malformedJson('is not JSON', 12, '{"title": ,'), 'body'),
  entry(errors.wrongBody('one object'), 'body', 'bulk'),
  entry(errors.validationFailed([{ path: 'title', ...missingField }]), 'body'),
  entry(errors.notInBatch('/auth/login'), 'batch'),
  entry(errors.preconditionOnBatch('If-Match'), 'batch'),
  entry(errors.referencesSeenEarly(), 'batch'),
  entry(errors.unresolvedReference('a.id', 'is no member of the value it answered'), 'batch'),
  entry(errors.referencesTooLarge(settingNames.bodyLimit, 1048576), 'batch'),
  entry(errors.batchTimedOut(settingNames.batchTimeout, 30000), 'batch'),

  entry(errors.uniqueViolation([['title']]), 'written', 'restored'),
  entry(errors.overlapping([{ path: 'starts_at', rule: 'one visit at a time' }]), 'exclusive'),
  entry(errors.missingReference(['author_id']), 'written', 'restored', 'exclusive'),
  entry(errors.notNullViolation(['title']), 'written'),
  entry(errors.checkViolation(), 'written', 'restored'),
  entry(errors.refusedByDatabase(), 'written', 'restored', 'removed'),
  entry(errors.valueNotStorable(['title']), 'written'),
  entry(errors.referredTo(['reviews']), 'stored', 'removed'),
  entry(errors.notDeleted(), 'restored'),
  entry(errors.preconditionFailed(), 'precondition'),
  entry(errors.invalidEntityTag('If-Match', 'abc'), 'precondition'),
  entry(errors.preconditionOnMany('If-Match'), 'bulk', 'idempotent'),
  entry(errors.filterNeeded('DELETE'), 'bulk'),
  entry(
    errors.tooManyRecords({ endpoint: 'books', sent: 1200 }, maxBulkNames, 1000),
    'body',
    'bulk',
    'cascade',
  ),
  entry(
    errors.notUniqueColumns({ text: 'title', resource: 'books', parameter: 'on_conflict' }, ['id']),
    'upsert',
  ),
  entry(errors.requestInProgress(), 'idempotent'),
  entry(errors.idempotencyKeyReused(), 'idempotent'),
  entry(errors.userWithoutKey(), 'idempotent'),
  entry(errors.idempotencyKeyNotHere('PATCH'), 'precondition', 'bulk', 'signIn'),
  entry(errors.badIdempotencyKey('1 to 255 characters'), 'idempotent'),
]

/** The codes of all errors of the service. */
export const serviceCodes: ReadonlySet<string> = new Set(
  catalogue.flatMap(({ error }) => error.body.code ?? []),
)
