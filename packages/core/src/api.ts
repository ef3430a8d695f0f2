// createApi: checks the configuration and builds everything that serves requests.

import type { Kysely } from 'kysely'
import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'
import { checksOf } from './access/authorize.ts'
import { callerRegistries } from './access/column-rights.ts'
import type { HostFunctions } from './access/hooks/host-functions.ts'
import { observer } from './access/hooks/observers.ts'
import { guardConnection } from './access/hooks/second-connection.ts'
import { buildPolicies } from './access/policies/policy.ts'
import { reachOf } from './access/reach.ts'
import { missingRolesHint } from './access/roles/missing-roles-hint.ts'
import { anonymous } from './access/roles/roles.ts'
import { createAuth } from './auth/create-auth.ts'
import { createLimiter } from './auth/limits/limiter.ts'
import { type RateLimitScope, rateLimitScope } from './auth/limits/rate-limit-scope.ts'
import { createRevocation, type RefreshTokens } from './auth/tokens/revocation.ts'
import type { OpenDatabase, OpenedDatabase } from './auth/users/look-up-user.ts'
import type { ReadUserFromReplica } from './auth/users/users.ts'
import type { SchemaDifference } from './catalogue/check/describe-difference.ts'
import { createSchemaCheck } from './catalogue/check/schema-check.ts'
import { Lease } from './database/leases/lease.ts'
import { createRefreshTokenStore } from './database/own-tables/refresh-tokens.ts'
import { createReadiness } from './database/readiness.ts'
import { currentPosition } from './database/replicas/position.ts'
import { createReplicas } from './database/replicas/replicas.ts'
import { createSharedCounts } from './database/shared-counts.ts'
import { requestBounds } from './database/statements/bounds.ts'
import { detectDialect } from './dialect/detect.ts'
import type { Dialect } from './dialect/dialect.ts'
import type { InternalDialect } from './dialect/internal-dialect.ts'
import { ApiError } from './errors.ts'
import { answer, handle } from './handle.ts'
import type { Runtime } from './http/call/call.ts'
import { connectOnce } from './http/call/connect.ts'
import type { AnyDocument, OpenApiVersion } from './http/call/documents.ts'
import { type FetchOptions, type Serving, serveFetch } from './http/call/fetch.ts'
import { checkedReplicas } from './http/call/replica-options.ts'
import { sessions } from './http/call/session.ts'
import { authEndpointAt } from './http/endpoints/auth/auth-route.ts'
import { isRead, readFromReplica } from './http/endpoints/reads/read-source.ts'
import { admissionOf } from './http/endpoints/routing/admit.ts'
import { docsPartAt } from './http/endpoints/routing/docs-part.ts'
import { authenticateHost, type HostRule } from './http/endpoints/routing/host-route.ts'
import { allowedMethods } from './http/endpoints/routing/route-method.ts'
import { unpublishedHint } from './http/endpoints/routing/unpublished-hint.ts'
import { type AccessExplanation, explainAccess } from './http/endpoints/service/explain-access.ts'
import { describeExposure } from './http/endpoints/service/exposure.ts'
import { healthPartAt } from './http/endpoints/service/health.ts'
import type { ApiResponse, TextResponse } from './http/response.ts'
import { buildRouteTable, isServed, splitUrl } from './http/route-table.ts'
import type { Clock } from './lib/clock.ts'
import type { JsonValue } from './lib/json/json-value.ts'
import { andThen, type MaybePromise } from './lib/maybe-promise.ts'
import type { AnyDatabase } from './lib/sql/any-database.ts'
import { withoutPlugins } from './lib/sql/without-plugins.ts'
import type { CheckedModels } from './model/check-models.ts'
import type { AnyModel } from './model/define-model.ts'
import type { DialectTable } from './model/dialect-column.ts'
import { hookCaller } from './model/hooks/call-hook.ts'
import type { Refusal } from './model/refusal-report.ts'
import { ifMatchWarnings } from './model/registry/checks/if-match-warnings.ts'
import { keylessWarnings } from './model/registry/checks/keyless-warning.ts'
import { resolveRegistry } from './model/registry/registry.ts'
import type { Registry } from './model/registry/resource.ts'
import { credentialWarnings } from './model/registry/secret-columns.ts'
import { type ApiRequest, withLowerCaseNames } from './model/request.ts'
import type { HookTables, HookUser, UserOf } from './model/settings/access/hook-types.ts'
import { rolesWithoutAuthentication } from './model/settings/auth/roles-without-authentication.ts'
import type { ApiConfig } from './model/settings/config.ts'
import { checkOptionNames } from './model/settings/option-names.ts'
import { shown } from './model/settings/setting-checks.ts'
import { settingNames } from './model/settings/setting-names.ts'
import { collectProblems, throwProblems } from './model/settings/setting-problems.ts'
import { afterCallback } from './openapi/after-callback.ts'
import { checkErrorCodes } from './openapi/check-error-codes.ts'
import { documentSteps, type Endpoints } from './openapi/document.ts'
import { createDocumentation, openApiVersions } from './openapi/endpoint/documentation.ts'
import { queryStringSteps } from './openapi/parameters/query-string-form.ts'
import { authorityCache } from './query/cache/authority-bound.ts'
import { createReadCache } from './query/cache/read-cache.ts'
import { noScopes } from './query/compile/scopes.ts'

/** The options of `createApi`. */
export interface ApiOptions<
  Models extends readonly AnyModel[] = readonly AnyModel[],
  UserModel extends AnyModel = AnyModel,
  CustomUser = HookUser,
  KeyUser = HookUser,
  DB = HookTables,
> {
  /** The application's Kysely instance, of any dialect; the API never closes it. Its tables type `args.db` of the hooks in `config`. */
  // `Kysely<any>` keeps `Parameters<typeof createApi>`, which does not infer DB, open for any instance.
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  readonly db: Kysely<DB> | Kysely<any>
  /**
   * Kysely instances of read replicas of `db`, one server each, that GET and HEAD use in turn; everything else uses `db`, users and `args.db`
   * of hooks too. An unavailable replica is skipped until a check succeeds; if none is available, reads use `db`. Replicas lag; see
   * `API_READ_YOUR_WRITES`. The API never closes them. Default: none.
   *
   * ```ts
   * createApi({ db: primary, replicas: [replica], models, config: { API_READ_YOUR_WRITES: 'cookie' } })
   * ```
   */
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  readonly replicas?: readonly Kysely<any>[]
  /**
   * The models; those with `meta` are published. Not needed if API_BASE_MODEL registers them. A relation to a model that is
   * not in the list, or by a field that does not exist, is a compile error.
   */
  readonly models?: CheckedModels<Models> & Models
  /** `API_*` keys; see ApiConfig. */
  readonly config?: ApiConfig<
    UserModel,
    CustomUser,
    KeyUser,
    UserOf<UserModel, CustomUser, KeyUser>,
    // `& {}` changes no type, but leaves it to `db` to infer DB: a callback may be declared with some of the tables.
    DB & {}
  >
  /** Database schema that qualifies the tables of all models without a schema of their own; default: none. */
  readonly schema?: string
  /** The name of the dialect or a Dialect object, if it cannot be detected from `db`. */
  readonly dialect?: string | Dialect
  /** Environment variables; default `process.env` if it exists. Only `ACCESS_SECRET_KEY`, `REFRESH_SECRET_KEY` and `NODE_ENV` are read. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * The clock of managed columns, `'now'` of soft delete, tokens, rate limits and response times; tests stop it. Default: the clock of
   * the system.
   *
   * ```ts
   * createApi({ db, models, clock: { now: () => Date.parse('2026-01-02'), elapsed: () => 0 } })
   * ```
   */
  readonly clock?: Clock
  /** Called for every unexpected error and every 5xx; default: `console.error`. */
  readonly onError?: (error: unknown, request: ApiRequest) => void
  /** Called for probable mistakes in the configuration and for outages of replicas and stores; default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  /**
   * Called for every 401, 403 and 429, with the request id but without credentials, query or body: for a security log.
   * Default: none.
   *
   * ```ts
   * createApi({ db, models, onRefusal: (refusal) => logger.warn(refusal) })
   * // { status: 401, code: 'invalid_credentials', requestId: '…', method: 'POST', path: '/auth/login', address: '203.0.113.9' }
   * ```
   */
  readonly onRefusal?: (refusal: Refusal) => void
}

/** The name of every option; TypeScript reports a missing one. */
const optionNames: Readonly<Record<keyof ApiOptions, true>> = {
  db: true,
  replicas: true,
  models: true,
  config: true,
  schema: true,
  dialect: true,
  env: true,
  clock: true,
  onError: true,
  onWarning: true,
  onRefusal: true,
}

/** The options of an API from which a typed client takes its types. */
export interface ApiModels {
  readonly models?: readonly AnyModel[]
}

/**
 * Infers the type `Given` of the options, while unknown options remain compile errors. After another compile error in the options,
 * TypeScript infers no `Given`, and its default keeps the models.
 *
 * Keeps the type of the whole options object, which TypeScript instantiates once. It would instantiate every member of a list of
 * models wherever a generic type names the list, which takes quadratic time for a client of many models.
 */
type Captured<Given> = [Given] extends [never] ? Given : unknown

/**
 * A configured API. `Given` is the type of the options it was made with, from which a typed client takes the models:
 * `Api<{ models: typeof models }>`.
 */
export interface Api<Given extends ApiModels = ApiModels> {
  /** Never set: it only holds the type for TypeScript. */
  readonly '~given'?: Given
  /**
   * Serves a request; never rejects.
   *
   * ```ts
   * const { status, body } = await api.handle({ method: 'GET', url: '/api/books/1', headers: {} })
   * // 200, { datetime: '…', api_version: '1.0.0', status_code: 200, …, value: { id: 1, title: 'Emma', … } }
   * ```
   */
  handle<T = JsonValue>(request: ApiRequest): Promise<ApiResponse<T>>
  /**
   * Serves a request as `handle` does, with the body as text. Adapters call it, because rows are then serialised without objects
   * in between. Never rejects.
   *
   * ```ts
   * const { status, headers, text } = await api.answer({ method: 'GET', url: '/api/books/1', headers: {} })
   * // 200, { 'content-type': 'application/json; charset=utf-8', … }, '{"datetime":"…","value":{"id":1,"title":"Emma",…}}'
   * ```
   */
  answer(request: ApiRequest): Promise<TextResponse>
  /**
   * Serves a web `Request`, for Bun, Deno, workers and the frameworks that have such requests; rejects only where
   * `options.fallback` does.
   *
   * ```ts
   * Deno.serve((request, { remoteAddr }) => api.fetch(request, { ip: remoteAddr.hostname }))
   * ```
   */
  fetch<Other = never>(request: Request, options?: FetchOptions<Other>): Promise<Response | Other>
  /**
   * Responds, in the API's envelope, to a request that middleware or a body parser of the host refused before `handle`; an
   * error that is no ApiError is reported and gives 500. Adapters call it; never rejects.
   *
   * ```ts
   * await api.refuse(request, apiError(403, 'Forbidden', 'Not from this network.'))
   * ```
   */
  refuse(request: ApiRequest, error: unknown): Promise<ApiResponse>
  /** Largest body in bytes (API_BODY_LIMIT); adapters read no more than that. */
  readonly bodyLimit: number
  /** The prefix of the resource endpoints (API_PREFIX). Adapters keep it in the URL if a host removes it as that of a mount. */
  readonly prefix: string
  /**
   * Whether the API serves a URL: any path under API_PREFIX, unless the host serves it itself (meta
   * `register_canonical_routes: false`), and outside of API_PREFIX exactly the endpoints for authentication, documentation and
   * health. Adapters pass other requests on, such as `/auth/other`.
   */
  owns(url: string): boolean
  /**
   * Resolves when the start-up queries have succeeded. While they fail, requests get 503, and each request tries them again. Also
   * rejects if nothing fills a required read-only column, so that every POST to the model fails; other requests are served.
   */
  readonly ready: Promise<void>
  readonly registry: Registry
  /**
   * Where requests are counted: `none` without rate limits, `process` in the memory of this process, `store` in
   * API_RATE_LIMIT_STORE. Only a store is shared by several processes.
   */
  readonly rateLimits: RateLimitScope
  /**
   * Authenticates a request to a route of the host with the API's strategies; rejects with an ApiError.
   *
   * ```ts
   * const user = await api.authenticate(request, { roles: ['admin'] })
   * ```
   */
  authenticate(request: ApiRequest, rule?: HostRule): Promise<HookUser | null>
  readonly refreshTokens: RefreshTokens
  /**
   * Returns the OpenAPI 3.1 document of this API, as it is served.
   *
   * ```ts
   * writeFileSync('openapi.json', JSON.stringify(api.openapi(), null, 2))
   * ```
   */
  openapi(options?: { readonly version?: '3.1' }): OpenAPIObject
  /**
   * Returns the document in the form of OpenAPI 3.2, as `/openapi.json?openapi=3.2` returns it: the query of an operation is one
   * parameter, and lists have QUERY.
   *
   * ```ts
   * api.openapi({ version: '3.2' }).paths?.['/api/books']?.query?.operationId // 'queryBooks'
   * ```
   */
  openapi(options: { readonly version: '3.2' }): oas32.OpenAPIObject
  /**
   * Explains which rules allow or refuse a request of a user (null: anonymous), stage by stage, without serving it. It judges the method
   * and the path; joins, filters and fields of the query, the body and rights of columns are checked only when a request is served.
   *
   * ```ts
   * const { allowed, steps } = await api.explainAccess(user, { method: 'DELETE', url: '/api/books/1' })
   * // steps[2]: { stage: 'authorize', decision: 'refuses', at: 'config.API_ROLE_MAP.DELETE', because: 'it takes admin; …' }
   * ```
   */
  explainAccess(
    user: unknown,
    request: Pick<ApiRequest, 'method' | 'url'>,
  ): Promise<AccessExplanation>
  /**
   * Lists what anonymous callers, users without roles, and users of each role can reach, as text to commit and compare.
   * Default: every role that a rule names.
   *
   * ```ts
   * writeFileSync('exposure.txt', api.exposure(['admin', 'editor', 'viewer']))
   * ```
   */
  exposure(roles?: readonly string[]): string
  /**
   * Compares the models with the tables of the database, whatever `API_SCHEMA_CHECK` says; models with `schema_check: 'off'` in meta
   * are left out. Rejects if the schema cannot be read.
   *
   * ```ts
   * const [difference] = await api.schemaDifferences()
   * // { kind: 'missing column', model: 'Book', table: 'books', column: 'isbn', declared: 'declared with the column isbn',
   * //   found: 'the table has no such column', remedy: "Add the column, or name another one with column: '…'.", message: '…' }
   * ```
   */
  schemaDifferences(): Promise<readonly SchemaDifference[]>
  /**
   * Makes `<API_HEALTH_ROUTE>/ready` respond with 503 while requests are still served, so that a load balancer stops sending
   * requests before the process ends. `createServer` calls it when it closes.
   */
  drain(): void
  /** Ends the API. It holds no resources of its own at present, so this does nothing; the application closes its own database. */
  close(): Promise<void>
}

/** Returns the cause of an ApiError, which responses do not show but `ready` reports; any other error unchanged. */
const causeOf = (error: unknown): unknown =>
  error instanceof ApiError ? (error.cause ?? error) : error

const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }

/**
 * Builds an API from models and a Kysely instance, without connecting. Configuration mistakes throw one Error
 * that lists all of them with paths and suggestions.
 *
 * ```ts
 * const api = createApi({ db, models: [Author, Book], config: { API_TITLE: 'Library', API_ALLOW_JOIN: true } })
 * const response = await api.handle({ method: 'GET', url: '/api/authors?name__ilike=woolf', headers: {} })
 * ```
 */
export function createApi<
  const Models extends readonly AnyModel[] = readonly AnyModel[],
  UserModel extends AnyModel = AnyModel,
  CustomUser = unknown,
  KeyUser = unknown,
  DB = HookTables,
  Given extends ApiModels = { readonly models: Models },
>(options: ApiOptions<Models, UserModel, CustomUser, KeyUser, DB> & Captured<Given>): Api<Given> {
  // Without options, `detectDialect` throws that `db` is missing.
  const { db } = options ?? {}
  const detected = detectDialect(db, options?.dialect)
  const config = (options.config ?? {}) as unknown as ApiConfig
  const problems = collectProblems()
  checkOptionNames(options, optionNames, problems)
  const { registry, settings } = resolveRegistry(
    {
      models: options.models ?? [],
      config,
      dialect: detected,
      env: options.env ?? environment(),
      schema: options.schema,
    },
    problems,
  )
  const { report, reportAlone, warn, refused } = observersOf(options)
  const callHook = hookCaller(settings.hookTimeout)
  const { watch, callHookOn, isInsideHook } = guardConnection(db, callHook)
  const { replicas: given, dialect: named, schema } = options
  const { openApiCallback, readYourWrites, statementTimeout } = settings
  const replicaDbs = checkedReplicas(
    { replicas: given, schema, dialect: detected, named, readYourWrites },
    problems,
  )
  const getter = config.API_SESSION_GETTER
  const { session, knownSession } = sessions(db, getter, schema, {
    callHook,
    watch,
  })
  const warnings: string[] = []
  checkErrorCodes(
    [settings, ...registry.resources.map((one) => one.settings)].flatMap((one) => one.errorCodes),
    problems,
  )
  const policies = buildPolicies(registry, problems, (message) => warnings.push(message))
  throwProblems(problems)
  warnings.push(...startUpWarnings(registry, config, options.models?.length ?? 0))
  for (const warning of warnings) warn(warning)
  const tables = tablesOf(registry)
  const clock = options.clock ?? systemClock
  const elapsed = () => clock.elapsed()
  const bounds = requestBounds(statementTimeout)
  const connectTo = (one: AnyDatabase, advise: (message: string) => void) =>
    connectOnce({
      db: one,
      detected,
      tables,
      warn: advise,
      // An instance of the session getter may be bound to a connection.
      isPool: (on) => on === one || (getter === undefined && !on.isTransaction),
      report: reportAlone,
      bounds,
    })
  const connected = connectTo(db, warn)
  const schemaCheck = createSchemaCheck({
    db,
    registry,
    dialect: connected,
    warn,
    report: reportAlone,
    elapsed,
  })
  const dialect = (on: AnyDatabase = db): MaybePromise<InternalDialect> => {
    const known = connected(on)
    if (schemaCheck.isSettled()) return known
    return andThen(known, (one) => andThen(schemaCheck.admit(on, one), () => one))
  }
  const newCounts = () => createSharedCounts(elapsed)
  const replicas =
    replicaDbs.length === 0
      ? undefined
      : createReplicas({
          dbs: replicaDbs,
          connect: (one) => connectTo(one, () => {}),
          newCounts,
          elapsed,
          onUnavailable: (index, cause) => warn(replicaAway(index, causeOf(cause))),
        })
  const opened = (
    request: ApiRequest,
    on: Pick<Lease, 'db' | 'dialect'>,
    isShared: boolean,
  ): OpenedDatabase => ({
    target: { db: on.db, dialect: on.dialect, scopes: noScopes },
    lease: new Lease({
      db: on.db,
      dialect: on.dialect,
      bounds: requestBounds(statementTimeout, request),
    }),
    isShared,
  })
  const openForUser: OpenDatabase = (request) =>
    andThen(session(request), (given) => {
      const own = withoutPlugins(given)
      return andThen(dialect(own), (known) => {
        const isShared = given === db && !given.isTransaction && !isInsideHook()
        return opened(request, { db: own, dialect: known }, isShared)
      })
    })
  const readUserFromReplica: ReadUserFromReplica = async (request, read) =>
    isRead(request.method)
      ? readFromReplica({ request, runtime }, (replica) => read(opened(request, replica, true)))
      : undefined
  const endpoints = {
    ...describedEndpoints,
    hasSessions: config.API_SESSION_GETTER !== undefined,
  }
  const runtime: Runtime = {
    settings,
    registry,
    callerRegistries: callerRegistries(registry),
    hintUnpublished: unpublishedHint(registry, settings.prefix, warn),
    hintMissingRoles: missingRolesHint(registry, warn),
    routes: buildRouteTable(registry, settings.prefix, settings.endpointCase),
    schema,
    anonymousReach: reachOf(anonymous),
    policies,
    clock,
    dialect,
    session,
    knownSession,
    callHook,
    callHookOn,
    report,
    refused,
    warn,
    root: db,
    readiness: createReadiness({
      db,
      dialect: () => dialect(),
      writes: registry.resources.some(({ settings: { methods } }) => [...methods].some(isWrite)),
      elapsed,
    }),
    replicas,
    counts: newCounts(),
    reads: createReadCache(cachedPlans),
    echoes: authorityCache(cachedPlans),
    auth: createAuth({
      settings,
      users: registry.users,
      clock,
      open: openForUser,
      readUserFromReplica: settings.usersFromReplicas ? readUserFromReplica : undefined,
      report,
      callHook,
    }),
    refreshStore: createRefreshTokenStore({ root: db, schema, dialect, bounds }),
    documentation: createDocumentation({
      '3.1': afterCallback(openApiCallback, () => documentSteps(registry, settings, endpoints)),
      '3.2': afterCallback(openApiCallback, () => queryStringSteps(registry, settings, endpoints)),
    }),
    limiter: createLimiter({ store: settings.rateStore, clock, warn }),
  }
  function openapi(options?: { readonly version?: '3.1' }): OpenAPIObject
  function openapi(options: { readonly version: '3.2' }): oas32.OpenAPIObject
  function openapi(options: { readonly version?: OpenApiVersion } = {}): AnyDocument {
    return runtime.documentation.document(versionOf(options))
  }
  const owns = (url: string): boolean => isOwned(runtime, url)
  const serving: Serving = {
    answer: (request, refused) => answer(runtime, request, refused),
    owns,
    bodyLimit: settings.bodyLimit,
  }
  return {
    answer: (request) => answer(runtime, request),
    handle: <T>(request: ApiRequest) =>
      handle(runtime, withLowerCaseNames(request)) as Promise<ApiResponse<T>>,
    fetch: (request, options) => serveFetch(serving, request, options),
    refuse: (request, error) => handle(runtime, request, { error }),
    bodyLimit: settings.bodyLimit,
    prefix: settings.prefix,
    owns,
    authenticate: (request, rule) => authenticateHost(runtime, withLowerCaseNames(request), rule),
    refreshTokens: createRevocation(runtime.refreshStore, db, runtime.auth.users, clock),
    get ready() {
      const ready = Promise.all([
        connected(),
        schemaCheck.finished(),
        runtime.auth.ready?.(),
        checkReplicas(runtime),
        // A mistake in the callback is found by calling it.
        ...(openApiCallback === undefined
          ? []
          : openApiVersions.map((one) => runtime.documentation.built(one))),
      ]).then(
        () => undefined,
        (error: unknown) => Promise.reject(causeOf(error)),
      )
      // Code that copies the API object reads this property without awaiting it; an unhandled rejection must not end the process
      // then.
      ready.catch(() => {})
      return ready
    },
    registry,
    rateLimits: rateLimitScope(settings, registry),
    openapi,
    explainAccess: (user, request) => explainAccess(runtime, user, request),
    schemaDifferences: () =>
      schemaCheck.differences().catch((error: unknown) => Promise.reject(causeOf(error))),
    exposure: (roles) => describeExposure(runtime, roles),
    drain: () => runtime.readiness.drain(),
    close: async () => {},
  }
}

interface Observers {
  readonly report: HostFunctions['report']
  /** Reports a failure that belongs to no request. */
  readonly reportAlone: (error: unknown) => void
  readonly warn: HostFunctions['warn']
  readonly refused: HostFunctions['refused']
}

/** Wraps the functions of the host that receive events; their own failures are reported. */
function observersOf({
  onError,
  onWarning,
  onRefusal,
}: Pick<ApiOptions, 'onError' | 'onWarning' | 'onRefusal'>): Observers {
  const report = observer(onError ?? ((error: unknown) => console.error(error)), (error) =>
    console.error(new Error('onError failed.', { cause: error })),
  )
  const reportAlone = (error: unknown): void => report(error, noRequest)
  const reportFailed = (name: string) => (error: unknown) =>
    reportAlone(new Error(`${name} failed.`, { cause: error }))
  return {
    report,
    reportAlone,
    warn: observer(
      onWarning ?? ((message: string) => console.warn(message)),
      reportFailed('onWarning'),
    ),
    refused: observer(onRefusal ?? (() => {}), reportFailed('onRefusal')),
  }
}

/** Returns the warnings about models; `models` is the number of models in the options. */
const startUpWarnings = (
  registry: Registry,
  config: ApiConfig,
  models: number,
): readonly string[] => [
  ...rolesWithoutAuthentication(registry.resources, config),
  ...credentialWarnings(registry),
  ...keylessWarnings(registry),
  ...ifMatchWarnings(registry),
  ...(registry.resources.length === 0 ? [nothingPublished(models)] : []),
]

/** Connects the replicas, and warns if the primary does not report the position that reads of own writes need. */
async function checkReplicas({
  replicas,
  settings: { readYourWrites, statementTimeout },
  root,
  dialect,
  warn,
}: Runtime): Promise<void> {
  if (replicas === undefined) return
  await replicas.checked()
  if (readYourWrites === 'off') return
  const db = withoutPlugins(root)
  const primary = new Lease({
    db,
    dialect: await dialect(),
    bounds: requestBounds(statementTimeout),
  })
  if ((await currentPosition(primary)) === undefined) warn(noPositions(primary.dialect))
}

/** Returns the version that the options of `openapi` name. */
function versionOf({
  version = '3.1',
  ...others
}: {
  readonly version?: OpenApiVersion
}): OpenApiVersion {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new Error(`api.openapi: unknown option "${unknown}". Expected { version: '3.2' }.`)
  }
  if (!openApiVersions.includes(version)) {
    throw new Error(
      `api.openapi: there is no version ${shown(version)}. Expected '${openApiVersions.join("' or '")}'.`,
    )
  }
  return version
}

function isOwned({ routes, settings: { auth, docs, healthRoute } }: Runtime, url: string): boolean {
  const { path } = splitUrl(url)
  return (
    isServed(routes, path) ||
    authEndpointAt(auth.routes, path) !== undefined ||
    docsPartAt(docs, path) !== undefined ||
    healthPartAt(healthRoute, path) !== undefined
  )
}

/** Returns the warning about an API without endpoints. */
const nothingPublished = (models: number): string =>
  models === 0
    ? 'No model is published: createApi({ models }) lists none.'
    : 'No model is published: a model needs "meta", for example meta: {}, to get an endpoint.'

const isWrite = (method: string): boolean => method !== 'GET'

const noPositions = (dialect: InternalDialect): string =>
  `The primary does not report its log position, which requires ${dialect.server?.replication?.needs}. Until then ` +
  `${settingNames.readYourWrites} sends requests with a position to the primary.`

/** Returns the warning about an unavailable replica. */
const replicaAway = (index: number, cause: unknown): string =>
  `replicas[${index}] is unavailable and skipped until it is back: ${cause instanceof Error ? cause.message : String(cause)}`

/** Capacity of the caches of prepared reads and of echo plans (LRU). */
const cachedPlans = 300

/** Methods and protection of the endpoints, for the OpenAPI document. */
const describedEndpoints: Omit<Endpoints, 'hasSessions'> = {
  methods: allowedMethods,
  protection: (route, method) => admissionOf(checksOf(route, method), '', []),
}

/** Placeholder for `onError` if a failure belongs to no request. */
const noRequest: ApiRequest = { method: '', url: '' }

/** Returns `process.env`; undefined on runtimes without it. */
function environment(): Readonly<Record<string, string | undefined>> | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env
}

/** Returns the tables that the API reads: those of the resources and of the user model. */
function tablesOf({ resources, users }: Registry): readonly DialectTable[] {
  const all = [...new Set([...resources, ...(users === undefined ? [] : [users])])]
  const tables = all.map(({ schema, table, allColumns, searchIndex }) => ({
    table,
    ...(searchIndex === undefined ? {} : { search: searchIndex }),
    columns: [...allColumns.values()],
    ...(schema === undefined ? {} : { schema }),
  }))
  const relations = all.flatMap(({ allRelations }) => [...allRelations.values()])
  const junctions = relations.flatMap(({ through }) => {
    if (through === undefined || through.resource !== undefined) return []
    const { schema, table, from, to } = through
    const columns = [...from, ...to].map(({ held }) => held)
    return [{ table, columns, ...(schema === undefined ? {} : { schema }) }]
  })
  return [...tables, ...junctions]
}
