/**
 * The catalogue of doors: every place of a request that clients fill. Each list of requests (security, growth, http, runtimes) asks through
 * each door, or says why it does not. Words, headers and methods are taken from the tables that define them; other places are entries here.
 */
import type { AuthEndpoint } from '../../packages/core/src/http/endpoints/auth/endpoints.ts'
import {
  type AggregateFunction,
  aggregateFunctions,
  filterOperators,
} from '../../packages/core/src/model/query-words/operators.ts'
import {
  type ListParameter,
  listParameters,
  type SingleParameter,
  singleParameters,
} from '../../packages/core/src/model/query-words/parameter-names.ts'
import { type RequestHeader, requestHeaders } from '../../packages/core/src/model/request.ts'
import type { Route } from '../../packages/core/src/model/route.ts'
import type { MethodName } from '../../packages/core/src/model/settings/config.ts'
import { groupKinds } from '../../packages/core/src/query/parse/terms/group-kind.ts'
import { relationFilterKinds } from '../../packages/core/src/query/parse/terms/relation-filter-term.ts'
import { relationOptions } from '../../packages/core/src/query/parse/terms/relation-option.ts'

/** A request of a list. */
export interface Asked {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
}

/** A request in parts: `query` is that of the URL, or the body of a QUERY; `body` is text. */
interface Parts {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: readonly string[]
  readonly body: string
}

type Recogniser = (parts: Parts) => boolean

const inQuery =
  (pattern: RegExp): Recogniser =>
  ({ query }) =>
    pattern.test(query)
const inBody =
  (pattern: RegExp): Recogniser =>
  ({ body }) =>
    pattern.test(body)
const atPath =
  (pattern: RegExp, methods = /./): Recogniser =>
  ({ path, method }) =>
    pattern.test(path) && methods.test(method)

/** An entry for each word of a table. */
const entries = <Word extends string, Name extends string>(
  words: readonly Word[],
  name: (word: Word) => Name,
  of: (word: Word) => Recogniser,
): Readonly<Record<Name, Recogniser>> =>
  Object.fromEntries(words.map((word) => [name(word), of(word)])) as Readonly<
    Record<Name, Recogniser>
  >

type Method = MethodName | 'HEAD' | 'OPTIONS' | 'QUERY'
/** The compiler requires an entry for each method that models may allow. */
const methods: Readonly<Record<Method, true>> = {
  GET: true,
  HEAD: true,
  OPTIONS: true,
  QUERY: true,
  POST: true,
  PATCH: true,
  PUT: true,
  DELETE: true,
}

/** The compiler requires an entry for each kind of route. */
const routes: Readonly<Record<Route['kind'], Recogniser>> = {
  collection: atPath(/^\/api\/\w+$/),
  item: atPath(/^\/api\/\w+\/[^/]+$/),
  related: atPath(/^\/api\/\w+\/[^/]+\/(?!restore$)\w+$/),
  restore: atPath(/^\/api\/\w+\/[^/]+\/restore$/),
}

/** The compiler requires an entry for each endpoint of authentication. */
const authentication: Readonly<Record<AuthEndpoint, Recogniser>> = {
  login: atPath(/^\/auth\/login/),
  refresh: atPath(/^\/auth\/refresh/),
  logout: atPath(/^\/auth\/logout/),
  me: atPath(/^\/auth\/me/),
  keys: atPath(/^\/auth\/keys$/),
  key: atPath(/^\/auth\/keys\/[^/]+$/),
}

const filter = new RegExp(`(?:^|[&,[(])[\\w.]+__(?:${Object.keys(filterOperators).join('|')})=`)

/** Forms of the query string that no table names. */
const forms = {
  'a filter': inQuery(filter),
  'a calendar part': inQuery(/groupby=[^&]*\b(?:year|month|day)\(/),
  'a label': inQuery(/(?:^|&)[\w.]+\|\w+__/),
  'a cursor that names its row': ({ query }) => cursorsIn(query).some((parts) => parts.includes(0)),
  'a condition of a relation': inQuery(/(?:^|&)(?!(?:and|or|not)\[)[\w.]+\[/),
  'an aggregate of related records': inQuery(/\b(?:count|sum|avg|min|max)\(\w/),
  // In each list of requests, a model declares one with such a name.
  'a declared aggregate': inQuery(/\b(?:book|child)_count__/),
  'all fields': inQuery(/(?:^|[&.])fields=(?:[^&]*,)?\*/),
  'all fields but some': inQuery(/(?:^|[&.])fields=(?:[^&]*,)?-/),
} as const satisfies Readonly<Record<string, Recogniser>>

/** Paths without a table, and forms of bodies. */
const places = {
  'a batch': atPath(/^\/api\/batch$/, /POST/),
  'a path that is not published': atPath(/^\/(?!api|auth|docs|health|openapi)\w+/),
  'the index': atPath(/^\/api$/),
  'the document': atPath(/^\/openapi\.json$/),
  'the documentation': atPath(/^\/docs$/),
  health: atPath(/^\/health$/),
  readiness: atPath(/^\/health\/ready$/),
  'a list of records': inBody(/^\s*\[\s*\{/),
  'a nested object': inBody(/"[a-z]\w*":\s*\{/),
  'a nested list': inBody(/"[a-z]\w*":\s*\[\s*\{/),
  'a body that is no JSON': ({ body }) => body !== '' && !isJson(body),
} as const satisfies Readonly<Record<string, Recogniser>>

/** A door of the query string, which servers and runtimes pass on as text. */
export type QueryDoor =
  | `the parameter ${SingleParameter | ListParameter}`
  | `the option ${(typeof relationOptions)[number]} of a relation`
  | `${(typeof groupKinds)[number]}[…]`
  | `${(typeof relationFilterKinds)[number]}(…)`
  | `the function ${AggregateFunction}`
  | keyof typeof forms

/** Any other door. */
export type OtherDoor =
  | `the method ${Method}`
  | `the header ${RequestHeader}`
  | `the route ${Route['kind']}`
  | `the endpoint ${AuthEndpoint}`
  | keyof typeof places

const inQueries: Readonly<Record<QueryDoor, Recogniser>> = {
  ...entries(
    [...singleParameters, ...listParameters],
    (name) => `the parameter ${name}` as const,
    (name) => inQuery(new RegExp(`(?:^|&)${name}=`)),
  ),
  ...entries(
    relationOptions,
    (option) => `the option ${option} of a relation` as const,
    (option) => inQuery(new RegExp(`(?:^|&)[\\w.]+\\.${option}=`)),
  ),
  ...entries(
    groupKinds,
    (kind) => `${kind}[…]` as const,
    (kind) => inQuery(new RegExp(`(?:^|[&,[])${kind}(?:\\[|%5B)`)),
  ),
  ...entries(
    relationFilterKinds,
    (kind) => `${kind}(…)` as const,
    (kind) => inQuery(new RegExp(`(?:^|[&,[])${kind}\\(`)),
  ),
  ...entries(
    aggregateFunctions,
    (name) => `the function ${name}` as const,
    (name) => inQuery(new RegExp(`__${name}\\b`)),
  ),
  ...forms,
}

const elsewhere: Readonly<Record<OtherDoor, Recogniser>> = {
  ...entries(
    Object.keys(methods) as Method[],
    (method) => `the method ${method}` as const,
    (name) =>
      ({ method }) =>
        method === name,
  ),
  ...entries(
    requestHeaders,
    (name) => `the header ${name}` as const,
    (name) =>
      ({ headers }) =>
        headers.includes(name),
  ),
  ...entries(
    Object.keys(routes) as Route['kind'][],
    (kind) => `the route ${kind}` as const,
    (kind) => routes[kind],
  ),
  ...entries(
    Object.keys(authentication) as AuthEndpoint[],
    (name) => `the endpoint ${name}` as const,
    (name) => authentication[name],
  ),
  ...places,
}

/** The doors of query strings through which none of the requests asks. */
export const queryDoorsUnaskedBy = (requests: readonly Asked[]): readonly string[] =>
  unasked(inQueries, requests)

/** The other doors through which none of the requests asks. */
export const otherDoorsUnaskedBy = (requests: readonly Asked[]): readonly string[] =>
  unasked(elsewhere, requests)

function unasked(
  doors: Readonly<Record<string, Recogniser>>,
  requests: readonly Asked[],
): readonly string[] {
  const parts = requests.map(partsOf)
  return Object.keys(doors).filter((name) => !parts.some((one) => doors[name]?.(one)))
}

function partsOf({ method = 'GET', url, headers = {}, body }: Asked): Parts {
  const [path = '', ...rest] = url.split('?')
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const text =
    body instanceof Uint8Array
      ? new TextDecoder().decode(body)
      : typeof body === 'string'
        ? body
        : body === undefined
          ? ''
          : JSON.stringify(body)
  const isForm = `${headers['content-type'] ?? ''}`.startsWith('application/x-www-form-urlencoded')
  const query = isForm && text !== '' ? text : rest.join('?')
  return { method, path, query, headers: names, body: isForm ? '' : text }
}

/** The parts of each cursor of a query string. */
const cursorsIn = (query: string): readonly (readonly unknown[])[] =>
  [...query.matchAll(/(?:^|&)(?:after|before)=([\w-]+)/g)].flatMap(([, cursor = '']) => {
    const text = Buffer.from(cursor, 'base64url').toString()
    return isJson(text) ? [[JSON.parse(text)].flat()] : []
  })

/** The cursor of an order by one column, whose value is read from the row with this key. */
export const cursorNaming = (order: string, key: string): string =>
  Buffer.from(JSON.stringify([order, 0, key])).toString('base64url')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
