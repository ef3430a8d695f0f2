// createApi: checks the configuration and builds, once, everything that serves requests: the `Runtime`, around which `Api` is a thin object.

import type { Kysely } from 'kysely'
import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { checksOf } from './access/authorize.ts'
import { callerRegistries } from './access/column-rights.ts'
import type { HostFunctions } from './access/hooks/host-functions.ts'
import { observersOf } from './access/hooks/observers.ts'
import { guardConnection } from './access/hooks/second-connection.ts'
import { sqlValues } from './access/hooks/sql-values.ts'
import { buildPolicies } from './access/policies/policy.ts'
import { reachOf } from './access/reach.ts'
import { missingRolesHint } from './access/roles/missing-roles-hint.ts'
import { anonymous } from './access/roles/roles.ts'
import { createSignIn } from './auth/create-sign-in.ts'
import { type ApiKeys, createKeyFunctions } from './auth/keys/key-functions.ts'
import { type RateLimitScope, rateLimitScope } from './auth/limits/rate-limit-scope.ts'
import { type PublicKeys, publicKeys } from './auth/tokens/public-keys.ts'
import { createRevocation, type RefreshTokens } from './auth/tokens/revocation.ts'
import type { SchemaDifference } from './catalogue/check/describe-difference.ts'
import { createSchemaCheck } from './catalogue/check/schema-check.ts'
import type { Client } from './client/create-client.ts'
import { clientFor, clientsInHooks } from './client-in-process.ts'
import { requestBounds } from './database/statements/bounds.ts'
import { detectDialect } from './dialect/detect.ts'
import type { Dialect } from './dialect/dialect.ts'
import { answer, handle } from './handle.ts'
import type { Runtime } from './http/call/call.ts'
import { connectOnce } from './http/call/connect.ts'
import { causeOf, connectReplicas, createConnections } from './http/call/create-connections.ts'
import { type FetchOptions, type Serving, serveFetch } from './http/call/fetch.ts'
import { checkedReplicas } from './http/call/replica-options.ts'
import { givenInstance, sessions } from './http/call/session.ts'
import { admissionOf } from './http/endpoints/routing/admit.ts'
import { authenticateHost, type HostRule } from './http/endpoints/routing/host-route.ts'
import { isOwned } from './http/endpoints/routing/own-endpoint.ts'
import { allowedMethods } from './http/endpoints/routing/route-method.ts'
import { unpublishedHint } from './http/endpoints/routing/unpublished-hint.ts'
import { type AccessExplanation, explainAccess } from './http/endpoints/service/explain-access.ts'
import { describeExposure } from './http/endpoints/service/exposure.ts'
import type { ApiResponse, TextResponse } from './http/response.ts'
import { buildRouteTable } from './http/route-table.ts'
import type { Clock } from './lib/clock.ts'
import { environment } from './lib/environment.ts'
import type { JsonValue } from './lib/json/json-value.ts'
import type { AnyDatabase } from './lib/sql/any-database.ts'
import type { DatabaseOfCall, OnDatabase } from './lib/sql/on-database.ts'
import type { CheckedModels } from './model/check-models.ts'
import type { AnyModel } from './model/define-model.ts'
import { hookCaller } from './model/hooks/call-hook.ts'
import type { Refusal } from './model/refusal-report.ts'
import { startUpWarnings } from './model/registry/checks/start-up-warnings.ts'
import { dialectTables } from './model/registry/dialect-tables.ts'
import { resolveRegistry } from './model/registry/registry.ts'
import type { Registry } from './model/registry/resource.ts'
import { type ApiRequest, withLowerCaseNames } from './model/request.ts'
import type { HookTables, HookUser, UserOf } from './model/settings/access/hook-types.ts'
import type { SqlValues } from './model/settings/access/sql-value-types.ts'
import type { ApiConfig } from './model/settings/config.ts'
import { checkOptionNames } from './model/settings/option-names.ts'
import { collectProblems, throwProblems } from './model/settings/setting-problems.ts'
import { checkErrorCodes } from './openapi/check-error-codes.ts'
import type { Endpoints } from './openapi/document.ts'
import { createDocumentation } from './openapi/endpoint/documentation.ts'
import { authorityCache } from './query/cache/authority-bound.ts'
import { createReadCache } from './query/cache/read-cache.ts'
import { resolveDeclared } from './query/plan/aggregates/resolve-declared.ts'
import { resolveExclusions } from './query/plan/plan-exclusion.ts'

/** The options of `createApi`. */
export interface ApiOptions<
  Models extends readonly AnyModel[] = readonly AnyModel[],
  UserModel extends AnyModel = AnyModel,
  CustomUser = HookUser,
  KeyUser = HookUser,
  DB = HookTables,
> {
  /** The application's Kysely instance, which the API never closes. Its tables type `args.db` of the hooks in `config`. */
  // `Kysely<any>` keeps `Parameters<typeof createApi>`, which does not infer DB, open for any instance.
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  readonly db: Kysely<DB> | Kysely<any>
  /**
   * Kysely instances of read replicas of `db`, one server each, that GET and HEAD use in turn. Replicas lag; see
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
   * not in the list is a compile error.
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
  /** Database schema of all models without one of their own; default: none. */
  readonly schema?: string
  /** The name of the dialect or a Dialect object, if it cannot be detected from `db`. */
  readonly dialect?: string | Dialect
  /** Environment variables; default `process.env` if it exists. Only `ACCESS_SECRET_KEY`, `REFRESH_SECRET_KEY` and `NODE_ENV` are read. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * The clock of managed columns, soft delete, tokens, rate limits and response times. Default: the clock of the system.
   *
   * ```ts
   * createApi({ db, models, clock: { now: () => Date.parse('2026-01-02'), elapsed: () => 0 } })
   * ```
   */
  readonly clock?: Clock
  /** Called for every unexpected error and every 5xx; default: `console.error`. */
  readonly onError?: (error: unknown, request: ApiRequest) => void
  /** Called for probable mistakes in the configuration, and outages of replicas and stores; default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  /**
   * Called for every 401, 403 and 429, without credentials, query or body: for a security log. Default: none.
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
export interface Api<Given extends ApiModels = ApiModels> extends SqlValues {
  /** Never set: it only holds the type for TypeScript. */
  readonly '~given'?: Given
  /**
   * Serves a request; never rejects. With a `user`, the request is that user's, or with null nobody's, whatever its credentials are:
   * for a route of the host that answers as somebody.
   *
   * ```ts
   * const { status, body } = await api.handle({ method: 'GET', url: '/api/books/1', headers: {} })
   * // 200, { datetime: '…', api_version: '1.0.0', status_code: 200, …, value: { id: 1, title: 'Emma', … } }
   * ```
   */
  handle<T = JsonValue>(request: ApiRequest): Promise<ApiResponse<T>>
  /**
   * Returns the typed client of `@model-api/core/client` for this process. Its requests pass through the same stages as those over
   * HTTP, with the user given: policies, rights, validation and hooks. They count against no rate limit.
   *
   * ```ts
   * const books = await api.as(user).books.list({ where: { price: { gt: '20' } } }).unwrap()
   * await db.transaction().execute(async (trx) => {
   *   await api.as(user, { db: trx }).books.update(1, { price: '21.00' }).unwrap()
   * })
   * ```
   *
   * @param user The user, an object as a strategy would return it; null for nobody; `true` for a user without a record. `'system'`
   * is restricted by no role, right of a column or policy; validation remains. Users of requests are never strings, so that none is the
   * system by its name: a strategy that returns 'system' is refused.
   * @param options.db The connection of its requests, for example a transaction of the host. A write that fails in a transaction changes
   * nothing, and the transaction goes on. Default: as for any request; reads use `replicas` as GET does.
   */
  as<A extends Pick<Api, '~given'>>(
    this: A,
    user: object | true | null | 'system',
    options?: OnDatabase,
  ): Client<A>
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
   * rejects if nothing fills a required read-only column, so that every POST to the model fails, or if responses cut digits of a key
   * or of a column of a relation, so that URLs and embeds miss records; other requests are served.
   */
  readonly ready: Promise<void>
  readonly registry: Registry
  /**
   * Where requests are counted: `none` without rate limits, `process` in the memory of this process, `store` in
   * API_RATE_LIMIT_STORE. Only a store is shared by several processes.
   */
  readonly rateLimits: RateLimitScope
  /**
   * Authenticates a request to a route of the host with the API's strategies; rejects with an ApiError. Returns null for an anonymous request
   * that `rule` allows, and for a credential that names no user.
   *
   * ```ts
   * const user = await api.authenticate(request, { roles: ['admin'] })
   * ```
   */
  authenticate(request: ApiRequest, rule?: HostRule): Promise<HookUser | null>
  readonly refreshTokens: RefreshTokens
  readonly apiKeys: ApiKeys
  /**
   * Returns the public keys of access tokens as a JSON Web Key Set (RFC 7517), for other services that verify them; empty if secrets
   * sign. The current key comes first, then those of ACCESS_PREVIOUS_KEYS.
   *
   * ```ts
   * app.get('/.well-known/jwks.json', async (req, res) => res.json(await api.publicKeys()))
   * // {"keys":[{"kty":"RSA","n":"0vx7…","e":"AQAB","use":"sig","alg":"RS256","kid":"NzbLs…"}]}
   * ```
   */
  publicKeys(): Promise<PublicKeys>
  /**
   * Returns the OpenAPI 3.1 document of this API, as it is served.
   *
   * ```ts
   * writeFileSync('openapi.json', JSON.stringify(await api.openapi(), null, 2))
   * ```
   */
  openapi(): Promise<OpenAPIObject>
  /**
   * Explains which rules allow or refuse a request of a user (null: anonymous; `'system'`: the system of `as`), stage by stage, without serving it. It judges the
   * method, the path, and the query of a read with all that it joins, filters by, counts and embeds; the body and rights of columns are
   * checked only when a request is served.
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
   * Returns a warning with the foreign keys by which aggregates of related records read whole tables, because no index begins with
   * them; undefined if there are none. Compares the same models as `schemaDifferences`, and rejects if the schema cannot be read.
   *
   * ```ts
   * const warning = await api.schemaAdvice()
   * // '…\n- Site.visits: no index of visits begins with (site_id). Add one: create index visits_site_id on visits (site_id).'
   * ```
   */
  schemaAdvice(): Promise<string | undefined>
  /**
   * Makes `<API_HEALTH_ROUTE>/ready` respond with 503 while requests are still served, so that a load balancer stops sending
   * requests before the process ends. `createServer` calls it when it closes.
   */
  drain(): void
  /** Ends the API. It holds no resources of its own at present, so this does nothing; the application closes its own database. */
  close(): Promise<void>
}

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
  resolveDeclared(registry.resources, problems)
  resolveExclusions(registry.resources, problems)
  const { report, reportAlone, warn, refused } = observersOf(options)
  const callHook = hookCaller(settings.hookTimeout)
  const { watch, callHookOn, isInsideHook } = guardConnection(db, callHook)
  const { replicas: given, dialect: named, schema } = options
  const { readYourWrites, statementTimeout } = settings
  const replicas = checkedReplicas(
    { replicas: given, schema, dialect: detected, named, readYourWrites },
    problems,
  )
  const getter = config.API_SESSION_GETTER
  const { session, knownSession } = sessions(db, getter, schema, { callHook, watch })
  const warnings: string[] = []
  checkErrorCodes(
    [settings, ...registry.resources.map((one) => one.settings)].flatMap((one) => one.errorCodes),
    problems,
  )
  const policies = buildPolicies(registry, problems, (message) => warnings.push(message))
  throwProblems(problems)
  warnings.push(...startUpWarnings(registry, config, options.models?.length ?? 0))
  for (const warning of warnings) warn(warning)
  const tables = dialectTables(registry)
  const clock = options.clock ?? systemClock
  const elapsed = () => clock.elapsed()
  const connect = (one: AnyDatabase, advise: (message: string) => void) =>
    connectOnce({
      db: one,
      detected,
      tables,
      warn: advise,
      // An instance of the session getter may be bound to a connection.
      isPool: (on) => on === one || (getter === undefined && !on.isTransaction),
      report: reportAlone,
      bounds: requestBounds(statementTimeout),
    })
  const connected = connect(db, warn)
  const schemaCheck = createSchemaCheck({
    db,
    registry,
    dialect: connected,
    warn,
    report: reportAlone,
    elapsed,
  })
  const host: HostFunctions = { callHook, callHookOn, report, refused, warn }
  const database = createConnections({
    root: db,
    schema,
    session,
    knownSession,
    connected,
    schemaGate: schemaCheck,
    replicas,
    // Advice about settings of the server is given for the primary alone.
    connectReplica: (one) => connect(one, () => {}),
    writes: registry.resources.some(({ settings: { methods } }) => [...methods].some(isWrite)),
    warn,
    elapsed,
  })
  const values = sqlValues({ registry, dialect: () => database.dialect() })
  const signIn = createSignIn({
    settings,
    users: registry.users,
    clock,
    host,
    database,
    isInsideHook,
  })
  const endpoints = { ...describedEndpoints, hasSessions: getter !== undefined }
  const runtime: Runtime = {
    settings,
    registry,
    clock,
    routing: {
      table: buildRouteTable(registry, settings.prefix, settings.endpointCase),
      hintUnpublished: unpublishedHint(registry, settings.prefix, warn),
    },
    host,
    database,
    access: {
      callerRegistries: callerRegistries(registry),
      policies,
      anonymousReach: reachOf(anonymous),
      hintMissingRoles: missingRolesHint(registry, warn),
      clientInHook: clientsInHooks(() => runtime),
      sqlValues: values,
    },
    signIn,
    caches: { reads: createReadCache(cachedPlans), echoes: authorityCache(cachedPlans) },
    documentation: createDocumentation(registry, settings, endpoints),
  }
  /** The runtime of a request that its host gives a user. */
  const runtimeOf = ({ user }: ApiRequest): Runtime =>
    user === undefined || settings.auth.strategies.length === 0
      ? runtime
      : { ...runtime, signIn: { ...signIn, given: { user } } }
  const databaseOf: DatabaseOfCall = (what, { db: own } = {}) =>
    own === undefined ? db : givenInstance(what, own, schema, watch)
  const owns = (url: string): boolean => isOwned(settings, runtime.routing.table, url)
  const serving: Serving = {
    answer: (request, refused) => answer(runtime, request, refused),
    owns,
    bodyLimit: settings.bodyLimit,
  }
  return {
    answer: (request) => answer(runtimeOf(request), request),
    handle: <T>(request: ApiRequest) =>
      handle(runtimeOf(request), withLowerCaseNames(request)) as Promise<ApiResponse<T>>,
    as(user, { db: own } = {}) {
      if (!isSender(user)) throw new TypeError(notSender(user))
      const on = own === undefined ? undefined : givenInstance('api.as', own, schema, watch)
      return clientFor(runtime, user, on)
    },
    fetch: (request, options) => serveFetch(serving, request, options),
    refuse: (request, error) => handle(runtime, request, { error }),
    bodyLimit: settings.bodyLimit,
    prefix: settings.prefix,
    owns,
    authenticate: (request, rule) => authenticateHost(runtime, withLowerCaseNames(request), rule),
    refreshTokens: createRevocation(signIn.refreshStore, databaseOf, signIn.auth.users, clock),
    publicKeys: () => publicKeys(settings.auth.jwt),
    apiKeys: createKeyFunctions(signIn.auth.keys, databaseOf, signIn.auth.users),
    get ready() {
      const ready = Promise.all([
        connected(),
        schemaCheck.finished(),
        signIn.auth.ready?.(),
        connectReplicas(database, settings, warn),
      ]).then(
        () => undefined,
        (error: unknown) => Promise.reject(causeOf(error)),
      )
      // Code that copies the API object reads this property without awaiting it. Without a handler, its rejection would end the process.
      ready.catch(() => {})
      return ready
    },
    registry,
    ...values,
    rateLimits: rateLimitScope(settings, registry),
    openapi: () => runtime.documentation.built(),
    explainAccess: (user, request) => explainAccess(runtime, user, request),
    schemaDifferences: () =>
      schemaCheck.differences().catch((error: unknown) => Promise.reject(causeOf(error))),
    schemaAdvice: () =>
      schemaCheck.advice().catch((error: unknown) => Promise.reject(causeOf(error))),
    exposure: (roles) => describeExposure(runtime, roles),
    drain: () => database.readiness.drain(),
    close: async () => {},
  }
}

/** Whether a value may be the user of `as`. A user cannot be a string, as one called "system" would be the system. */
const isSender = (user: unknown): boolean =>
  typeof user === 'object' || user === true || user === 'system'

const notSender = (user: unknown): string =>
  `api.as: expected an object of a user, null for nobody, true for a user without a record, or 'system'; got ${user === undefined ? 'undefined' : `a ${typeof user}`}.`

const isWrite = (method: string): boolean => method !== 'GET'

/** Capacity of the caches of prepared reads and of echo plans (LRU). */
const cachedPlans = 300

/** Methods and protection of the endpoints, for the OpenAPI document. */
const describedEndpoints: Omit<Endpoints, 'hasSessions'> = {
  methods: allowedMethods,
  // The document has the strategies of an admission, but neither its key ('') nor its limits ([]).
  protection: (route, method) => admissionOf(checksOf(route, method), '', []),
}
