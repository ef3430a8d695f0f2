// createApi: checks the configuration, builds registry, routes and dialect once, and answers requests with them.

import type { Kysely } from 'kysely'
import { buildPolicies } from './access/policy.ts'
import type { Clock, Runtime } from './call.ts'
import type { AnyDatabase } from './compile/target.ts'
import type { ApiConfig } from './config/config.ts'
import { collectProblems, throwProblems } from './config/problems.ts'
import { detectDialect } from './dialect/detect.ts'
import type { Dialect, DialectTable } from './dialect/dialect.ts'
import { databaseUnavailable } from './errors.ts'
import { type FetchOptions, serveFetch } from './fetch.ts'
import { handle } from './handle.ts'
import type { ApiRequest } from './http/request.ts'
import type { ApiResponse } from './http/response.ts'
import { buildRouteTable, isOurs, splitUrl } from './http/route-table.ts'
import type { JsonValue } from './json/json-value.ts'
import type { AnyModel } from './model/define-model.ts'
import { buildRegistry } from './registry/registry.ts'
import type { Registry } from './registry/resource.ts'

/** What `createApi` takes. */
export interface ApiOptions {
  /** The user's own Kysely instance, of any dialect; never closed by us. */
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  readonly db: Kysely<any>
  /** Models to publish: those with `meta`. May be absent where API_BASE_MODEL registers them. */
  readonly models?: readonly AnyModel[]
  /** `API_*` keys; see ApiConfig. */
  readonly config?: ApiConfig
  /** Database schema that qualifies every table; default: none. */
  readonly schema?: string
  /** Name of the dialect or a Dialect object, where it cannot be detected from `db`. */
  readonly dialect?: string | Dialect
  /** Environment; default `process.env` where there is one. Only secrets named by the specification are read. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  /** Told of every unforeseen error and every 5xx; default: `console.error`. */
  readonly onError?: (error: unknown, request: ApiRequest) => void
  /** Told of what may be meant otherwise; default: `console.warn`. */
  readonly onWarning?: (message: string) => void
}

/** A configured API. */
export interface Api {
  /**
   * Answers one request; never rejects.
   *
   * ```ts
   * const { status, body } = await api.handle({ method: 'GET', url: '/api/books/1', headers: {} })
   * // 200, { datetime: '…', api_version: '1.0.0', status_code: 200, …, value: { id: 1, title: 'Emma', … } }
   * ```
   */
  handle<T = JsonValue>(request: ApiRequest): Promise<ApiResponse<T>>
  /**
   * Answers a web `Request`, for runtimes that speak it: Bun, Deno, workers; never rejects.
   *
   * ```ts
   * Deno.serve((request, { remoteAddr }) => api.fetch(request, { ip: remoteAddr.hostname }))
   * ```
   */
  fetch(request: Request, options?: FetchOptions): Promise<Response>
  /**
   * Answers a request that was refused before it came to `handle`, by middleware of the host or a parser, in the API's own
   * envelope; an error that is no ApiError is reported and answered with 500. Adapters call it; never rejects.
   *
   * ```ts
   * await api.refuse(request, apiError(403, 'Forbidden', 'Not from this network.'))
   * ```
   */
  refuse(request: ApiRequest, error: unknown): Promise<ApiResponse>
  /** Largest body in bytes (API_BODY_LIMIT); adapters stop reading beyond it. */
  readonly bodyLimit: number
  /**
   * Whether a URL is answered here: it lies under our prefixes and is not left to the host (meta:
   * `register_canonical_routes: false`). Adapters let others pass.
   */
  owns(url: string): boolean
  /** Settles when everything that had to be looked up is known; a rejection answers 503 until it succeeds. */
  readonly ready: Promise<void>
  readonly registry: Registry
  /** Ends what the API itself started; the user's database stays open. */
  close(): Promise<void>
}

const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }

/**
 * Builds an API from models and a Kysely instance (contract §1). It does not connect; configuration mistakes throw
 * one Error that lists all of them with their paths and suggestions.
 *
 * ```ts
 * const api = createApi({ db, models: [Author, Book], config: { API_TITLE: 'Library', API_ALLOW_JOIN: true } })
 * const response = await api.handle({ method: 'GET', url: '/api/authors?name__ilike=woolf', headers: {} })
 * ```
 */
export function createApi(options: ApiOptions): Api {
  const { db } = options
  const config = options.config ?? {}
  refuseSchemaPlugin(options)
  const detected = detectDialect(db, options.dialect)
  const sessionGetter = config.API_SESSION_GETTER
  const { registry, settings } = buildRegistry({
    models: options.models ?? [],
    config,
    dialect: detected,
  })
  const problems = collectProblems()
  const warn = options.onWarning ?? ((message: string) => console.warn(message))
  const policies = buildPolicies(registry, problems, warn)
  throwProblems(problems)
  const dialect = connectOnce(detected, db, tablesOf(registry, options.schema))
  const runtime: Runtime = {
    settings,
    registry,
    routes: buildRouteTable(registry, settings.prefix, settings.endpointCase),
    schema: options.schema,
    policies,
    clock: options.clock ?? systemClock,
    dialect,
    session: async (request) =>
      (sessionGetter === undefined ? db : await sessionGetter(request)) as AnyDatabase,
    report: options.onError ?? ((error) => console.error(error)),
  }
  return {
    handle: <T>(request: ApiRequest) => handle(runtime, request) as Promise<ApiResponse<T>>,
    fetch: (request, options) => {
      const serving = {
        handle: (one: ApiRequest) => handle(runtime, one),
        bodyLimit: settings.bodyLimit,
      }
      return serveFetch(serving, request, options)
    },
    refuse: (request, error) => handle(runtime, request, { error }),
    bodyLimit: settings.bodyLimit,
    owns: (url) => isOurs(runtime.routes, splitUrl(url).path),
    get ready() {
      return dialect().then(() => undefined)
    },
    registry,
    close: async () => {},
  }
}

/** Looks up what the dialect must know, once; a failed attempt is repeated by the next request. */
function connectOnce(
  detected: Dialect,
  db: AnyDatabase,
  tables: readonly DialectTable[],
): () => Promise<Dialect> {
  let known: Promise<Dialect> | undefined
  return () => {
    known ??= Promise.resolve(detected.connect?.(db.withoutPlugins(), tables) ?? detected).catch(
      (error: unknown) => {
        known = undefined
        throw Object.assign(databaseUnavailable(), { cause: error })
      },
    )
    return known
  }
}

const tablesOf = ({ resources }: Registry, schema: string | undefined): readonly DialectTable[] =>
  resources.map(({ table, allColumns }) => ({
    table,
    columns: [...allColumns.values()],
    ...(schema === undefined ? {} : { schema }),
  }))

/** A schema plugin would qualify tables behind our back; statements run without plugins, so the schema must be given. */
function refuseSchemaPlugin({ db, schema }: ApiOptions): void {
  const plugins = db.getExecutor().plugins
  const qualifies = plugins.some((plugin) => plugin.constructor.name === 'WithSchemaPlugin')
  if (qualifies && schema === undefined) {
    throw new Error(
      "createApi: `db` carries a schema plugin (withSchema). Pass the schema as an option: createApi({ db, schema: 'library', … }).",
    )
  }
}
