/**
 * The doors of the growth tests: every place of a request that contains text, taken from the tables that define these places,
 * each with every shape of text.
 */
import type { Api, ApiConfig, ApiRequest, ColumnType } from '@model-api/core'
import type { AuthEndpoint } from '../../packages/core/src/http/endpoints/auth/endpoints.ts'
import {
  aggregateFunctions,
  type FilterOperator,
  filterOperators,
  operatorAliases,
} from '../../packages/core/src/model/query-words/operators.ts'
import {
  listParameters,
  singleParameters,
} from '../../packages/core/src/model/query-words/parameter-names.ts'
import { requestHeaders } from '../../packages/core/src/model/request.ts'
import type { Route } from '../../packages/core/src/model/route.ts'
import type { StrategyName } from '../../packages/core/src/model/settings/access/access-types.ts'
import type { MethodName } from '../../packages/core/src/model/settings/config.ts'
import type { SerializationType } from '../../packages/core/src/model/settings/settings.ts'
import { isOrdered } from '../../packages/core/src/model/type-rules.ts'
import { validatorNames } from '../../packages/core/src/model/validator-names.ts'
import { dateParts } from '../../packages/core/src/query/parse/terms/group-by.ts'
import { groupKinds } from '../../packages/core/src/query/parse/terms/group-kind.ts'
import { relationFilterKinds } from '../../packages/core/src/query/parse/terms/relation-filter-term.ts'
import { relationOptions } from '../../packages/core/src/query/parse/terms/relation-option.ts'
import { cursorNaming } from '../support/doors.ts'
import {
  digits,
  escapes,
  fewDigits,
  inPath,
  inQuery,
  jsonValues,
  manyKeys,
  type Shape,
  type Shapes,
  texts,
} from './shapes.ts'
import {
  columnOf,
  columnTypes,
  fieldOf,
  keyTypes,
  newDay,
  storedDay,
  userWithKeys,
} from './world.ts'

/** A place of a request, with one shape of text. */
export interface Door {
  readonly name: string
  /** The smallest size to measure. Default: `smallestText`, a number of characters. */
  readonly n?: number
  /** The expected status, if another one would mean that the tested code was not reached. */
  readonly status?: number
  readonly request: (size: number) => ApiRequest
}

/** Puts a text at a place of a request. */
type Place = (text: string) => ApiRequest

function doors(place: string, shapes: Shapes, at: Place): Door[] {
  return Object.entries(shapes).map(([shape, of]) => ({
    name: `${place}: ${shape}`,
    request: (n) => at(of(n)),
  }))
}

const get = (url: string): ApiRequest => ({ method: 'GET', url, headers: {} })

const query = (body: string): ApiRequest => ({
  method: 'QUERY',
  url: '/api/things',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})

const list = (query: string): ApiRequest => get(`/api/things?${query}`)

// ---------------------------------------------------------------- the query string

const operators = [...Object.keys(filterOperators), ...Object.keys(operatorAliases)]

const takesList = (operator: string): boolean =>
  filterOperators[(operatorAliases[operator] ?? operator) as FilterOperator].takes === 'list'

/** Every operator on every column type with digits; every operator, and every type, with all other texts. */
function filters(): Door[] {
  return operators.flatMap((operator) =>
    columnTypes.flatMap((type) => {
      const shapes = operator === 'eq' || type === 'string' ? texts : fewDigits
      const key = `${fieldOf(type)}__${operator}`
      const value = (text: string): string =>
        takesList(operator) ? `(${inQuery(text)})` : inQuery(text)
      return doors(key, shapes, (text) => list(`${key}=${value(text)}`))
    }),
  )
}

/** A value among other conditions, in every construct that contains filters. */
function nestedValues(): Door[] {
  const shapes = { ...texts, ...escapes }
  const raw = (text: string): string => (text.includes('%') ? text : inQuery(text))
  const places: Readonly<Record<string, (text: string) => string>> = {
    'a quoted value': (text) => `a_string__eq="${raw(text)}"`,
    'a value as it is': (text) => `a_string__eq=${raw(text)}`,
    'a quoted item': (text) => `a_string__in=("${raw(text)}","b")`,
    'an item of a list with an escaped opener': (text) => `a_string__in=%28${raw(text)}%29`,
    ...Object.fromEntries(
      groupKinds.map((kind) => [
        `a value in ${kind}[…]`,
        (text: string) => `${kind}[a_string__eq=${raw(text)},id__eq=1]`,
      ]),
    ),
    ...Object.fromEntries(
      relationFilterKinds.map((kind) => [
        `a value in ${kind}(…)`,
        (text: string) => `${kind}(children.a_string__eq=${raw(text)})`,
      ]),
    ),
    'a value in the condition of a relation': (text) =>
      `dump=json&children[a_string__eq=${raw(text)}]`,
    'a value in the condition of an aggregate': (text) =>
      `fields=count(children[a_string__eq=${raw(text)}])`,
    'a value compared with an aggregate': (text) => `max(children.a_string)__ge=${raw(text)}`,
    'a value compared with a declared aggregate': (text) => `child_text__ge=${raw(text)}`,
    'a value of having': (text) => `groupby=a_string&id|n__count=1&n__gt=${raw(text)}`,
  }
  return Object.entries(places).flatMap(([name, query]) =>
    doors(name, shapes, (text) => list(query(text))),
  )
}

/** Names: of parameters, fields, operators, functions, relations, labels. */
function names(): Door[] {
  const places: Readonly<Record<string, (text: string) => string>> = {
    'the name of a parameter': (text) => `${text}=1`,
    'a name alone': (text) => text,
    'a field': (text) => `${text}__eq=1`,
    'an operator of a declared aggregate': (text) => `child_count__${text}=1`,
    'a label of a declared aggregate': (text) => `fields=child_count|${text}`,
    'a field of a relation': (text) => `join=children&children.${text}__eq=1`,
    'the path of a field': (text) => `join=children&${text}.id__eq=1`,
    'an operator': (text) => `id__${text}=1`,
    'a label': (text) => `id|${text}__count=1`,
    'the label of a group': (text) => `groupby=a_string|${text}`,
    'a function of groupby': (text) => `groupby=${text}(a_date)`,
    'the name before a bracket': (text) => `${text}[id__eq=1]`,
    'the name before a parenthesis': (text) => `${text}(children)`,
    'a field that is left out': (text) => `fields=*,-${text}`,
    'a column of distinct_on': (text) => `distinct_on=${text}&order_by=a_string`,
    'the label of an aggregate of related records': (text) => `fields=count(children)|${text}`,
    'the path of an aggregate in a condition of exists(…)': (text) =>
      `exists(children.count(${text})__ge=1)`,
    ...Object.fromEntries(
      aggregateFunctions.map((name) => [
        `the field of ${name}`,
        (text: string) => `aggregate=${text}__${name}`,
      ]),
    ),
    ...Object.fromEntries(
      dateParts.map((part) => [
        `the field of ${part}()`,
        (text: string) => `groupby=${part}(${text})`,
      ]),
    ),
    ...Object.fromEntries(
      groupKinds.map((kind) => [
        `a field in ${kind}[…]`,
        (text: string) => `${kind}[${text}__eq=1]`,
      ]),
    ),
    ...Object.fromEntries(
      relationFilterKinds.flatMap((kind) => [
        [`the path of ${kind}(…)`, (text: string) => `${kind}(${text})`],
        [`a field in ${kind}(…)`, (text: string) => `${kind}(children.${text}__eq=1)`],
      ]),
    ),
    ...Object.fromEntries(
      relationOptions.flatMap((option) => [
        [`the relation of .${option}`, (text: string) => `dump=json&${text}.${option}=id`],
        [`the value of .${option}`, (text: string) => `dump=json&children.${option}=${text}`],
      ]),
    ),
    ...Object.fromEntries(
      aggregateFunctions.flatMap((name) => [
        [`the path of ${name}(…)`, (text: string) => `fields=${name}(${text})`],
        [`the path of ${name}(…) in an order`, (text: string) => `order_by=-${name}(${text})`],
        [`the path of ${name}(…) in a filter`, (text: string) => `${name}(${text})__ge=1`],
        [
          `a field in ${name}(…[…])`,
          (text: string) => `fields=${name}(children[${text}__eq=1].a_integer)`,
        ],
      ]),
    ),
  }
  return Object.entries(places).flatMap(([name, query]) =>
    doors(name, { ...texts, ...escapes }, (text) =>
      list(query(text.includes('%') ? text : inQuery(text))),
    ),
  )
}

/** The parameters by name, with every text as their value, on a list, on one record and on a write. */
function parameters(): Door[] {
  return [...singleParameters, ...listParameters, 'trace'].flatMap((name) => [
    ...doors(name, { ...texts, ...escapes }, (text) =>
      list(`${name}=${text.includes('%') ? text : inQuery(text)}`),
    ),
    ...doors(`${name} of one record`, fewDigits, (text) =>
      get(`/api/things/1?${name}=${inQuery(text)}`),
    ),
    ...doors(`${name} of a write`, fewDigits, (text) =>
      write('POST', `/api/sinks?${name}=${inQuery(text)}`, '{"short":"a"}'),
    ),
  ])
}

/** As many items as API_MAX_LIST allows at four times the size, and as many conditions as API_MAX_CONDITIONS allows. */
const items = 2400
const conditions = 240
const unlimited = 24_000

const many = (count: number, part: string | ((i: number) => string), between = ','): string =>
  Array.from({ length: count }, (_, i) => (typeof part === 'string' ? part : part(i))).join(between)

/** Many parts instead of one; the size is their number. */
function manyParts(): Door[] {
  const modes: Readonly<Record<SerializationType, true>> = {
    url: true,
    json: true,
    dynamic: true,
    hybrid: true,
  }
  const parts: Readonly<Record<string, readonly [n: number, query: (count: number) => string]>> = {
    ...Object.fromEntries(
      [...singleParameters, ...listParameters].map((name) => [
        `${name} again and again`,
        [unlimited, (count: number) => many(count, `${name}=id`, '&')],
      ]),
    ),
    'empty pairs': [unlimited, (count) => many(count, '', '&')],
    'parameters of the host': [unlimited, (count) => many(count, 'trace=1', '&')],
    'filters by equality': [conditions, (count) => many(count, (i) => `id__eq=${i}`, '&')],
    'filters by text': [conditions, (count) => many(count, (i) => `a_string__like=${i}`, '&')],
    'filters in a group': [conditions, (count) => `or[${many(count, (i) => `id__eq=${i}`)}]`],
    'filters that are negated': [
      conditions,
      (count) => `not[${many(count, (i) => `id__eq=${i}`)}]`,
    ],
    'groups in a group': [conditions, (count) => `or[${many(count, 'and[id__eq=1]')}]`],
    'groups as deep as they may be': [
      conditions,
      (count) => `or[${many(count, `${'not['.repeat(28)}id__eq=1${']'.repeat(28)}`)}]`,
    ],
    'groups without end': [unlimited, (count) => many(count, 'or[', '')],
    'filters in a relation filter': [
      conditions,
      (count) => `missing(children.${many(count, 'id__eq=1')})`,
    ],
    'a path of relations': [unlimited, (count) => `exists(${many(count, 'parent', '.')})`],
    'conditions of a relation': [
      conditions,
      (count) => `dump=json&children[${many(count, 'id__eq=1')}]`,
    ],
    'conditions of a relation, pair by pair': [
      conditions,
      (count) => `dump=json&${many(count, 'children[id__eq=1]', '&')}`,
    ],
    'orders of a relation': [
      conditions,
      (count) => `dump=json&${many(count, 'children.order_by=id', '&')}`,
    ],
    'fields of a relation': [
      unlimited,
      (count) => `dump=json&${many(count, 'children.fields=id', '&')}`,
    ],
    ...Object.fromEntries(
      columnTypes.flatMap((type) =>
        operators
          .filter(takesList)
          .map((operator) => [
            `values of ${fieldOf(type)}__${operator}`,
            [
              items,
              (count: number) => `${fieldOf(type)}__${operator}=(${many(count, valuesOf[type])})`,
            ],
          ]),
      ),
    ),
    // From the second size on, more than a statement takes.
    'values of many lists': [
      20,
      (count) => many(count, `a_decimal__in=(${many(1000, (i) => `${i}`)})`, '&'),
    ],
    'quoted texts of a list': [items, (count) => `a_string__in=(${many(count, '"a,b"')})`],
    'fields, all known': [items, (count) => `fields=${many(count, 'id')}`],
    'columns of distinct_on': [
      conditions,
      (count) => `distinct_on=${many(count, 'a_string')}&order_by=a_string`,
    ],
    'all fields again and again': [items, (count) => `fields=${many(count, '*')}`],
    'fields that are left out': [items, (count) => `fields=*,${many(count, '-a_string')}`],
    'conditions of an aggregate': [
      conditions,
      (count) => `count(children[${many(count, (i) => `id__ge=-${i}`)}])__ge=0`,
    ],
    'filters on a declared aggregate': [
      conditions,
      (count) => many(count, (i) => `child_count__ge=-${i}`, '&'),
    ],
    'orders by a declared aggregate': [
      conditions,
      (count) => `order_by=${many(count, 'child_text')}`,
    ],
    'declared aggregates among the fields': [
      items,
      (count) => `fields=${many(count, 'child_count')}`,
    ],
    'aggregates without end': [unlimited, (count) => `fields=${many(count, 'count(', '')}`],
    'aggregates in the conditions of aggregates': [
      unlimited,
      (count) => `${many(count, 'count(children[', '')}`,
    ],
    'a path of an aggregate': [
      unlimited,
      (count) => `fields=count(${many(count, 'children', '.')})`,
    ],
    'terms of an order': [conditions, (count) => `order_by=${many(count, '-a_string')}`],
    'aggregates under labels': [
      conditions,
      (count) => many(count, (i) => `id|n${i}__count=1`, '&'),
    ],
    'grouping keys under labels': [
      conditions,
      (count) => `groupby=${many(count, (i) => `a_string|k${i}`)}`,
    ],
    'groups, ordered by each label': [
      conditions / 2,
      (count) =>
        `groupby=${many(count, (i) => `a_string|k${i}`)}&order_by=${many(count, (i) => `k${i}`)}`,
    ],
    'groups, shown by each label': [
      conditions,
      (count) =>
        `groupby=${many(count, (i) => `a_string|k${i}`)}&fields=${many(count, (i) => `k${i}`)}`,
    ],
    'join tokens': [items, (count) => `join=${many(count, 'Children')}`],
    'join tokens in the plural': [items, (count) => `join=${many(count, 'marks')}`],
    'a join path': [unlimited, (count) => `join=${many(count, 'parent', '.')}`],
    ...Object.fromEntries(
      Object.keys(modes).map((mode) => [
        `a join path in mode ${mode}`,
        [10, (count: number) => `dump=${mode}&join=${many(count, 'parent', '.')}`],
      ]),
    ),
  }
  return Object.entries(parts).map(([name, [n, query]]) => ({
    name,
    n,
    request: (count) => list(query(count)),
  }))
}

/** Different values of each type, in the spelling of filters. */
const valuesOf: Readonly<Record<ColumnType, (i: number) => string>> = {
  integer: (i) => `${i}`,
  bigint: (i) => `${i}`,
  float: (i) => `${i}.5`,
  decimal: (i) => `${i}.50`,
  boolean: (i) => `${i % 2}`,
  string: (i) => `t${i}`,
  text: (i) => `t${i}`,
  date: (i) => new Date(86_400_000 * i).toISOString().slice(0, 10),
  datetime: (i) => new Date(1000 * i).toISOString(),
  time: (i) => new Date(1000 * i).toISOString().slice(11, 19),
  uuid: (i) => `3f2b8c1e-0d4a-4b7e-9a52-${`${i}`.padStart(12, '0')}`,
  json: (i) => `${i}`,
  binary: (i) => `t${i}`,
  enum: (i) => (i % 2 === 0 ? 'draft' : 'published'),
  list: (i) => `t${i}`,
  opaque: (i) => `t${i}`,
}

/** Valid cursors except for the value in them, and invalid ones. */
async function cursors(api: Api): Promise<Door[]> {
  const ordered = columnTypes.filter((type) => isOrdered({ nullable: true, ...columnOf[type] }))
  const found = ordered.map(async (type) => {
    const url = `/api/things?limit=1&paging=cursor&order_by=${fieldOf(type)}`
    const { body } = await api.handle(get(url))
    const cursor = /after=([\w-]+)/.exec(body?.next_url ?? '')?.[1] ?? ''
    const [signature, , ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const shapes = type === 'string' ? texts : digits
    const beyond = (forged: string): ApiRequest =>
      get(`/api/things?limit=1&order_by=${fieldOf(type)}&after=${forged}`)
    return [
      ...doors(`a cursor over ${type}`, shapes, (text) =>
        beyond(Buffer.from(JSON.stringify([signature, text, ...rest])).toString('base64url')),
      ),
      ...doors(`the row that a cursor over ${type} names`, digits, (text) =>
        beyond(cursorNaming(signature, text)),
      ),
    ]
  })
  const others = doors('a cursor of JSON', jsonValues, (text) =>
    list(`before=${Buffer.from(text).toString('base64url')}`),
  )
  return [...(await Promise.all(found)).flat(), ...others]
}

// ---------------------------------------------------------------- the path

/** A segment of each kind of route, and a key of each type; the compiler requires an entry for a new kind. */
function paths(): Door[] {
  const kinds: Readonly<Record<Route['kind'], (text: string) => string>> = {
    collection: (text) => `/api/${text}`,
    item: (text) => `/api/things/${text}`,
    restore: (text) => `/api/notes/${text}/restore`,
    related: (text) => `/api/things/${text}/children`,
  }
  const auth: Readonly<Record<AuthEndpoint, string>> = {
    login: '/auth/login',
    refresh: '/auth/refresh',
    logout: '/auth/logout',
    me: '/auth/me',
    keys: '/auth/keys',
    key: '/auth/keys/0123456789abcdef',
  }
  const places: Readonly<Record<string, (text: string) => string>> = {
    ...kinds,
    'the path itself': (text) => text,
    'the first segment': (text) => `/${text}`,
    'a relation': (text) => `/api/things/1/${text}`,
    'behind a relation': (text) => `/api/things/1/children/${text}`,
    'a composite key': (text) => `/api/lines/${text}`,
    'the second part of a composite key': (text) => `/api/lines/a,${text}`,
    'the origin': (text) => `http://${text}/api/things`,
    'behind the documentation': (text) => `/docs/${text}`,
    'behind health': (text) => `/health/${text}`,
    'behind readiness': (text) => `/health/ready/${text}`,
    ...Object.fromEntries(
      Object.entries(auth).map(([name, path]) => [
        `behind ${name}`,
        (text: string) => `${path}/${text}`,
      ]),
    ),
  }
  const keys = keyTypes.flatMap((type) =>
    doors(`a key of type ${type}`, texts, (text) => get(`/api/by-${type}/${inPath(text)}`)),
  )
  const methods: Readonly<Record<MethodName, true>> = {
    GET: true,
    POST: true,
    PATCH: true,
    PUT: true,
    DELETE: true,
  }
  return [
    ...Object.entries(places).flatMap(([name, url]) =>
      doors(name, { ...texts, ...escapes }, (text) =>
        get(url(text.includes('%') ? text : inPath(text))),
      ),
    ),
    ...keys,
    ...Object.keys(methods).flatMap((method) =>
      doors(`the key of ${method}`, digits, (text) =>
        write(method, `/api/sinks/${inPath(text)}`, '{}'),
      ),
    ),
    ...doors('the query of the documentation', fewDigits, (text) => get(`/docs?${text}`)),
    ...doors('the version of the document', texts, (text) => get(`/openapi.json?openapi=${text}`)),
    ...doors('the body of QUERY', texts, (text) => query(`short__eq=${text}`)),
    ...doors('the method', texts, (method) => ({ method, url: '/api/things' })),
  ]
}

// ---------------------------------------------------------------- headers

/** Every header that is read, on requests that read it. */
function headers(): Door[] {
  const requests: Readonly<Record<string, ApiRequest>> = {
    'one record': get('/api/things/1'),
    'a new record': write('POST', '/api/sinks', '{"short":"a"}'),
    'a change': write('PATCH', '/api/sinks/1', '{"short":"a"}'),
    'a query': query('short__eq=a'),
    'a list': list('short__eq=a'),
    login: write('POST', '/auth/login', '{"username":"a","password":"b"}'),
    'the own record': get('/auth/me'),
  }
  const asProblem = (request: ApiRequest): ApiRequest => ({
    ...request,
    headers: { ...request.headers, accept: 'application/problem+json' },
  })
  const refused = doors('an error as problem details', texts, (text) =>
    asProblem(list(`${inQuery(text)}__eq=1`)),
  )
  const problems = doors('problems as problem details', jsonValues, (json) =>
    asProblem(write('POST', '/api/sinks', `[{"${'x'.repeat(100)}":${json}}]`)),
  )
  const pages = doors('an error as a page', texts, (text) => ({
    ...list(`${inQuery(text)}__eq=1`),
    headers: { accept: 'text/html' },
  }))
  const named = requestHeaders.flatMap((name) =>
    Object.entries(requests).flatMap(([what, request]) =>
      doors(`${name} of ${what}`, texts, (text) => ({
        ...request,
        headers: { ...request.headers, [name]: text },
      })),
    ),
  )
  return [...named, ...refused, ...problems, ...pages]
}

/** The credentials of each strategy; the compiler requires an entry for a new one. */
function credentials(): Door[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const part = (text: string): string => Buffer.from(text).toString('base64url')
  const places: Readonly<Record<StrategyName, readonly ((text: string) => string)[]>> = {
    jwt: [
      (text) => `Bearer ${text}`,
      (text) => `Bearer ${part('{"alg":"HS256","typ":"at+jwt"}')}.${part(text)}.${part('sign')}`,
      (text) => `Bearer ${part(`{"alg":"${text}"}`)}.${part('{}')}.${part('sign')}`,
    ],
    basic: [
      (text) => `Basic ${text}`,
      (text) => `Basic ${base64(`${text}:secret`)}`,
      (text) => `Basic ${base64(`ann:${text}`)}`,
    ],
    api_key: [(text) => `Api-Key ${text}`, (text) => `Api-Key mak_0123456789abcdef_${text}`],
    custom: [(text) => `Custom ${text}`],
  }
  return Object.entries(places).flatMap(([strategy, forms]) =>
    forms.flatMap((form, i) =>
      ['/auth/me', '/api/things', '/auth/login'].flatMap((url) =>
        doors(`credential ${i + 1} of ${strategy} at ${url}`, texts, (text) => ({
          method: url.endsWith('login') ? 'POST' : 'GET',
          url,
          headers: { authorization: form(text) },
        })),
      ),
    ),
  )
}

function cookies(): Door[] {
  return [
    ...doors('the cookie of an access token', texts, (text) => ({
      ...get('/auth/me'),
      headers: { cookie: `other=1; access_token=${text}` },
    })),
    ...doors('the cookie of a refresh token', texts, (text) => ({
      ...write('POST', '/auth/refresh', ''),
      headers: {
        cookie: `other=1; __Secure-refresh_token=${text}`,
        'sec-fetch-site': 'same-origin',
      },
    })),
    ...doors('the origin of a request with a cookie', texts, (text) => ({
      ...write('POST', '/auth/refresh', ''),
      headers: { cookie: '__Secure-refresh_token=a.b.c', origin: text },
    })),
  ]
}

// ---------------------------------------------------------------- bodies

function write(method: string, url: string, body: string): ApiRequest {
  return { method, url, headers: { 'content-type': 'application/json' }, body }
}

/** A value of each type, wherever a body contains a record. */
const positions: Readonly<Record<string, (field: string, json: string) => ApiRequest>> = {
  'a new record': (field, json) => write('POST', '/api/sinks', `{"${field}":${json}}`),
  'a record of a list': (field, json) => write('POST', '/api/sinks', `[{"${field}":${json}}]`),
  'an upsert': (field, json) =>
    write('POST', '/api/sinks?on_conflict=id', `{"id":1,"${field}":${json}}`),
  'a change': (field, json) => write('PATCH', '/api/sinks/1', `{"${field}":${json}}`),
  'a merge patch': (field, json) => ({
    ...write('PATCH', '/api/sinks/1', `{"${field}":${json}}`),
    headers: { 'content-type': 'application/merge-patch+json' },
  }),
  'a replacement': (field, json) => write('PUT', '/api/sinks/1', `{"id":1,"${field}":${json}}`),
  'a change of many': (field, json) =>
    write('PATCH', '/api/sinks?id__in=(1,2)', `{"${field}":${json}}`),
  'a to-one object': (field, json) =>
    write('POST', '/api/sinks', `{"parent":{"${field}":${json}}}`),
  'a to-many object': (field, json) =>
    write('POST', '/api/sinks', `{"children":[{"${field}":${json}}]}`),
  'a linked object': (field, json) =>
    write('POST', '/api/sinks', `{"parent":{"id":1,"${field}":${json}}}`),
}

const stringsOf = (shapes: Shapes): Shapes =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, of]) => [name, (n: number) => JSON.stringify(of(n))]),
  )

/** Every field of a new record; elsewhere only digits, which are converted the same way. */
function fieldsOfBodies(): Door[] {
  const numbers = {
    ...stringsOf(fewDigits),
    'a number': jsonValues['a number of zeros behind the point'] as Shape,
    'many numbers': jsonValues['many numbers'] as Shape,
  }
  const typed = (place: string, at: (typeof positions)[string]): Door[] =>
    columnTypes.flatMap((type: ColumnType) =>
      doors(
        `${fieldOf(type)} of ${place}`,
        place === 'a new record' ? jsonValues : numbers,
        (json) => at(fieldOf(type), json),
      ),
    )
  const other = (place: string, at: (typeof positions)[string]): Door[] =>
    ['short', 'id', 'parent_id', 'revised', 'parent', 'children', 'marks', 'nothing'].flatMap(
      (field) => doors(`${field} of ${place}`, numbers, (json) => at(field, json)),
    )
  return Object.entries(positions).flatMap(([place, at]) => [
    ...typed(place, at),
    ...other(place, at),
  ])
}

function validators(): Door[] {
  return validatorNames.flatMap((name) =>
    doors(`the validator ${name}`, stringsOf(texts), (json) =>
      write('POST', '/api/sinks', `{"is_${name}":${json}}`),
    ),
  )
}

/** Whole bodies, as text and parsed by the host. */
function wholeBodies(): Door[] {
  const urls = ['/api/sinks', '/auth/login', '/auth/refresh'] as const
  const parsed = Object.entries({ ...jsonValues, 'many keys': manyKeys }).filter(([, of]) =>
    isJson(of(8)),
  )
  return urls.flatMap((url) => [
    ...doors(`a body to ${url}`, { ...jsonValues, 'many keys': manyKeys }, (body) =>
      write('POST', url, body),
    ),
    ...doors(`a parsed body to ${url}`, Object.fromEntries(parsed), (body) => ({
      ...write('POST', url, ''),
      body: JSON.parse(body),
    })),
    ...doors(`a body of bytes to ${url}`, { blanks: jsonValues.blanks as Shape }, (body) => ({
      ...write('POST', url, ''),
      body: new TextEncoder().encode(body),
    })),
  ])
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Each of them is refused, so that no key is stored. */
const newKey = (body: string): ApiRequest => ({
  ...write('POST', '/auth/keys', body.replace(/\}$/, ',"refused":1}')),
  user: userWithKeys,
})

function authBodies(): Door[] {
  const bodies: Readonly<Record<string, (json: string) => ApiRequest>> = {
    'the name of a login': (json) =>
      write('POST', '/auth/login', `{"username":${json},"password":"secret"}`),
    'the password of a login': (json) =>
      write('POST', '/auth/login', `{"username":"ann","password":${json}}`),
    'another member of a login': (json) =>
      write('POST', '/auth/login', `{"username":"ann","password":"secret","more":${json}}`),
    'a refresh token': (json) => write('POST', '/auth/refresh', `{"refresh_token":${json}}`),
    'a body of logout': (json) => write('POST', '/auth/logout', json),
    'the name of an API key': (json) => newKey(`{"name":${json}}`),
    'the scopes of an API key': (json) => newKey(`{"name":"a","scopes":${json}}`),
    'the expiry of an API key': (json) => newKey(`{"name":"a","expires_at":${json}}`),
    'another member of an API key': (json) => newKey(`{"name":"a","more":${json}}`),
    'an API key': (json) => newKey(json),
  }
  return Object.entries(bodies).flatMap(([name, at]) => doors(name, jsonValues, at))
}

/** Many records and links; each of them takes a statement or more. */
function manyRecords(): Door[] {
  const parts: Readonly<Record<string, (count: number) => ApiRequest>> = {
    'new records': (count) =>
      write('POST', '/api/sinks', `[${many(count, (i) => `{"a_integer":${i}}`)}]`),
    'new records with transformed values': (count) =>
      write('POST', '/api/sinks', `[${many(count, (i) => `{"kept":"k${i}"}`)}]`),
    'records to be created or changed': (count) =>
      write('POST', '/api/sinks?on_conflict=id', `[${many(count, '{"id":1,"a_integer":5}')}]`),
    children: (count) =>
      write('POST', '/api/sinks', `{"children":[${many(count, (i) => `{"a_integer":${i}}`)}]}`),
    'children of children': (count) =>
      write('POST', '/api/sinks', `{"children":[${many(count, '{"children":[{"short":"a"}]}')}]}`),
    'new partners': (count) =>
      write('PATCH', '/api/sinks/1', `{"marks":[${many(count, (i) => `{"name":"m${i}"}`)}]}`),
    'links to one partner': (count) =>
      write('PATCH', '/api/sinks/1', `{"marks":[${many(count, '{"id":1}')}]}`),
    'links to no partner': (count) =>
      write('PATCH', '/api/sinks/1', `{"marks":[${many(count, (i) => `{"id":${9000 + i}}`)}]}`),
  }
  return Object.entries(parts).map(([name, request]) => ({ name, n: 100, request }))
}

/** Records with composite keys that clients choose: written with nested records, changed by their keys, and embedded. */
function compositeKeys(): Door[] {
  let last = 0
  const newKey = (): string => `"day":"${newDay}","place":${++last}`
  const storedKey = (i: number): string => `"day":"${storedDay}","place":${i}`
  const bodies: Readonly<Record<string, readonly [ask: string, record: (i: number) => string]>> = {
    'new records with new records': [
      'POST /api/slots',
      () => `{${newKey()},"visits":[{"name":"a"},{"name":"b"}]}`,
    ],
    'records, each with a new object that has new records': [
      'POST /api/visits',
      () => `{"slot":{${newKey()},"marks":[{"name":"m"}]}}`,
    ],
    'records, each with an object that exists': [
      'POST /api/visits',
      (i) => `{"slot":{${storedKey(i)}}}`,
    ],
    'changes by keys': ['PATCH /api/slots', (i) => `{${storedKey(i)},"note":"${++last}"}`],
    'upserts by keys': [
      'POST /api/slots?on_conflict=day,place',
      (i) => `{${storedKey(i)},"note":"${++last}"}`,
    ],
  }
  const written = Object.entries(bodies).map(([name, [ask, record]]): Door => {
    const [method = '', url = ''] = ask.split(' ')
    const status = method === 'PATCH' || url.includes('on_conflict') ? 200 : 201
    return { name, n: 400, status, request: (n) => write(method, url, `[${many(n, record)}]`) }
  })
  const embedded = ['visits', 'slots'].map((resource) => ({
    name: `records embedded in ${resource}`,
    n: 400,
    status: 200,
    request: (count: number) =>
      get(`/api/${resource}?dump=json&limit=${count}&day__eq=${storedDay}`),
  }))
  return [...written, ...embedded]
}

/** The operations of a batch, and every text in one. */
function batches(): Door[] {
  const batch = (operations: string): ApiRequest =>
    write('POST', '/api/batch', `{"operations":[${operations}]}`)
  const parts: Readonly<Record<string, (count: number) => ApiRequest>> = {
    'operations that write': (count) =>
      batch(
        many(
          count,
          (i) => `{"id":"o${i}","method":"POST","url":"/api/sinks","body":{"a_integer":${i}}}`,
        ),
      ),
    'operations that read': (count) =>
      batch(many(count, (i) => `{"id":"o${i}","method":"GET","url":"/api/sinks/1"}`)),
    'references to one operation': (count) =>
      batch(
        `{"id":"a","method":"GET","url":"/api/sinks/1"},${many(
          count,
          (i) =>
            `{"id":"o${i}","method":"GET","url":"/api/sinks/{a.id}/children?a_integer__eq={a.id}"}`,
        )}`,
      ),
    'references of one body': (count) =>
      batch(
        `{"id":"a","method":"GET","url":"/api/sinks/1"},{"id":"b","method":"POST","url":"/api/sinks","body":{"a_json":[${many(count, '{"$ref":"a.id"}')}]}}`,
      ),
  }
  const one = (member: string, json: string): ApiRequest => {
    const known = { id: '"a"', method: '"GET"', url: '"/api/sinks"' }
    const members = Object.entries({ ...known, [member]: json })
    return batch(`{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`)
  }
  return [
    ...Object.entries(parts).map(([name, request]) => ({ name, n: 100, status: 200, request })),
    {
      name: 'references of one value',
      n: 100,
      status: 200,
      request: (count) =>
        batch(
          `{"id":"a","method":"GET","url":"/api/sinks/1"},{"id":"b","method":"GET","url":"/api/sinks?a_integer__in=(${many(count, '{a.id}')})"}`,
        ),
    },
    {
      name: 'operations that are refused',
      n: 100,
      request: (count) => batch(many(count, '{"id":7}')),
    },
    {
      name: 'references of one URL that is none',
      // Characters that are only skipped cost so little that quadratic growth shows only in longer texts.
      n: 100_000,
      request: (count) => one('url', JSON.stringify(`/api/sinks/${'{a.b}/'.repeat(count)}`)),
    },
    ...['id', 'method', 'url', 'headers', 'body', 'other'].flatMap((member) =>
      doors(`${member} of an operation`, jsonValues, (json) => one(member, json)),
    ),
    ...doors('a reference in a URL', texts, (text) =>
      one('url', JSON.stringify(`/api/sinks/{a.${text}}`)),
    ),
  ]
}

/** Search words, in columns and in the index of the database. */
function searches(): Door[] {
  return ['marks', 'scrolls'].flatMap((resource): Door[] => [
    ...doors(`a search in ${resource}`, { ...texts, ...escapes }, (text) =>
      get(`/api/${resource}?search=${inQuery(text)}`),
    ),
    {
      name: `words of a search in ${resource}`,
      n: 100,
      status: 200,
      request: (count) =>
        get(
          `/api/${resource}?search=${Array.from({ length: count }, (_, i) => `w${i}`).join('+')}`,
        ),
    },
  ])
}

// ---------------------------------------------------------------- all of them

/** All doors by family. */
export const families: Readonly<Record<string, (api: Api) => readonly Door[] | Promise<Door[]>>> = {
  filters,
  'values among others': nestedValues,
  names,
  parameters,
  'many parts': manyParts,
  searches,
  cursors,
  paths,
  headers,
  credentials,
  cookies,
  'fields of bodies': fieldsOfBodies,
  validators,
  'whole bodies': wholeBodies,
  'bodies of authentication': authBodies,
  'many records': manyRecords,
  'composite keys': compositeKeys,
  batches,
}

type Family = keyof typeof families

/**
 * The families that test what a configuration key opens to clients; null if it opens nothing. A new key needs a decision: a key
 * that names a route, reads a header, or accepts another kind of body needs doors above.
 */
export const openedBy: Readonly<Record<keyof ApiConfig, Family | null>> = {
  API_TITLE: null,
  API_VERSION: null,
  API_BASE_MODEL: null,
  API_SESSION_GETTER: null,
  API_PREFIX: 'paths',
  API_HEALTH_ROUTE: 'paths',
  API_HTML_PAGES: 'headers',
  API_READ_YOUR_WRITES: 'headers',
  API_SCHEMA_CHECK: null,
  API_HOOK_TIMEOUT: null,
  API_BASE_URL: null,
  API_ENDPOINT_CASE: null,
  API_SERIALIZATION_TYPE: 'many parts',
  API_SERIALIZATION_DEPTH: null,
  API_ADD_RELATIONS: null,
  API_ALLOW_JOIN: 'many parts',
  API_ALLOW_FILTERS: 'filters',
  API_ALLOW_ORDER_BY: 'parameters',
  API_ALLOW_SELECT_FIELDS: 'parameters',
  API_ALLOW_GROUPBY: 'names',
  API_ALLOW_AGGREGATION: 'names',
  API_PAGINATION_SIZE_DEFAULT: null,
  API_PAGINATION_SIZE_MAX: 'parameters',
  API_COUNT: 'parameters',
  API_ADDITIONAL_QUERY_PARAMS: 'parameters',
  API_ALLOWED_METHODS: 'paths',
  API_BLOCK_METHODS: null,
  API_ALLOW_NESTED_WRITES: 'fields of bodies',
  API_ALLOW_BULK: 'many records',
  API_ALLOW_UPSERT: 'many records',
  API_ALLOW_CASCADE_DELETE: 'parameters',
  API_SOFT_DELETE: 'paths',
  API_SOFT_DELETE_ATTRIBUTE: null,
  API_SOFT_DELETE_VALUES: null,
  API_DUMP_DATETIME: null,
  API_DUMP_VERSION: null,
  API_DUMP_STATUS_CODE: null,
  API_DUMP_RESPONSE_MS: null,
  API_DUMP_TOTAL_COUNT: null,
  API_DUMP_NULL_NEXT_URL: null,
  API_DUMP_NULL_PREVIOUS_URL: null,
  API_DUMP_NULL_ERRORS: null,
  API_DUMP_ENVELOPE: null,
  API_DUMP_REQUEST_ID: 'headers',
  API_LIST_ETAGS: 'headers',
  API_ERROR_CODES: null,
  API_SETUP_CALLBACK: null,
  API_FILTER_CALLBACK: null,
  API_ADD_CALLBACK: null,
  API_UPDATE_CALLBACK: null,
  API_REMOVE_CALLBACK: null,
  API_DUMP_CALLBACK: null,
  API_RETURN_CALLBACK: null,
  API_FINAL_CALLBACK: null,
  API_BEFORE_COMMIT_CALLBACK: null,
  API_AFTER_COMMIT_CALLBACK: null,
  API_ERROR_CALLBACK: null,
  API_AUTHENTICATE_METHOD: 'credentials',
  API_AUTH_REQUIREMENTS: null,
  API_ROLE_MAP: null,
  API_ROLES_REQUIRED: null,
  API_ROLES_ACCEPTED: null,
  API_ACCESS_POLICY: null,
  API_USER_MODEL: 'bodies of authentication',
  API_USER_LOOKUP_FIELD: 'bodies of authentication',
  API_CREDENTIAL_CHECK_METHOD: 'bodies of authentication',
  API_CREDENTIAL_HASH_FIELD: 'credentials',
  API_KEY_AUTH_AND_RETURN_METHOD: 'credentials',
  API_KEYS: 'bodies of authentication',
  API_CUSTOM_AUTH_SCHEME: null,
  API_CUSTOM_AUTH: 'credentials',
  API_CUSTOM_AUTH_PER_BATCH: null,
  API_JWT_EXPIRY_TIME: null,
  API_JWT_REFRESH_EXPIRY_TIME: null,
  API_JWT_ALGORITHM: 'credentials',
  API_JWT_ALLOWED_ALGORITHMS: 'credentials',
  API_JWT_ISSUER: null,
  API_JWT_ISSUERS: 'credentials',
  API_JWT_AUDIENCE: null,
  API_JWT_LEEWAY: null,
  API_JWT_REFRESH_GRACE: null,
  API_PASSWORD_COST: null,
  API_USER_ACTIVE: null,
  ACCESS_SECRET_KEY: null,
  REFRESH_SECRET_KEY: null,
  ACCESS_PRIVATE_KEY: null,
  ACCESS_PREVIOUS_KEYS: null,
  REFRESH_PREVIOUS_KEYS: null,
  ACCESS_PUBLIC_KEY: null,
  REFRESH_PRIVATE_KEY: null,
  REFRESH_PUBLIC_KEY: null,
  API_AUTH_TOKEN_PROVIDERS: 'cookies',
  API_AUTH_COOKIE_NAME: 'cookies',
  API_AUTH_REFRESH_COOKIE: 'cookies',
  API_TRUSTED_ORIGINS: 'cookies',
  API_AUTO_AUTH_ROUTES: 'bodies of authentication',
  API_AUTH_REFRESH_ROUTE: 'bodies of authentication',
  API_AUTH_ME_ROUTE: 'paths',
  API_EXPOSE_ME: 'paths',
  API_RATE_LIMIT: 'headers',
  API_RATE_LIMIT_STORE: null,
  API_LOGIN_RATE_LIMIT: 'bodies of authentication',
  API_TRUSTED_PROXIES: 'headers',
  API_CREATE_DOCS: 'paths',
  API_DOCUMENTATION_URL: 'paths',
  API_DOCS_SPEC_ROUTE: 'paths',
  API_DOCUMENTATION_REQUIRE_AUTH: null,
  API_DESCRIPTION: null,
  API_CONTACT_NAME: null,
  API_CONTACT_EMAIL: null,
  API_CONTACT_URL: null,
  API_LICENCE_NAME: null,
  API_LICENCE_URL: null,
  API_SERVER_URLS: null,
  API_LOGO_URL: null,
  API_STATEMENT_TIMEOUT: null,
  API_BODY_LIMIT: 'whole bodies',
  API_MAX_URL_LENGTH: 'paths',
  API_MAX_CONDITIONS: 'many parts',
  API_MAX_LIST: 'many parts',
  API_MAX_RELATION_FILTERS: 'many parts',
  API_MAX_AGGREGATES: 'many parts',
  API_MAX_JOINS: 'many parts',
  API_MAX_DEPTH: 'many parts',
  API_MAX_EMBEDDED_ROWS: null,
  API_MAX_BULK: 'many records',
  API_ALLOW_BATCH: 'batches',
  API_BATCH_ROUTE: 'batches',
  API_MAX_BATCH: 'batches',
  API_MAX_BATCH_RESPONSE: 'batches',
  API_BATCH_TIMEOUT: null,
}
