/** Checks responses against the OpenAPI document of their API. */
import type { Api } from '@model-api/core'
import { problemMediaType } from '../../packages/core/src/http/problem-details.ts'
import { compileSchema, type Schema, type Validate } from './json-schema.ts'

/** A response as a client receives it. */
export interface Sent {
  readonly status: number
  /** The body's text; empty where there is none. */
  readonly text: string
  /** The media type; default JSON. */
  readonly type?: string | undefined
}

interface Documented {
  readonly paths: readonly { readonly pattern: RegExp; readonly item: Item }[]
  /** The schemas of errors that belong to no operation: of unknown paths, and of methods that are not allowed. */
  readonly failures: readonly Validate[]
  response(response: Response, whole: boolean): Validate | undefined
}

type Item = Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>
type Response = { readonly $ref?: string; readonly content?: Content }
type Content = Readonly<Record<string, { readonly schema: Schema }>>

type OpenAPIObject = Awaited<ReturnType<Api['openapi']>>

/** By the document, of which an API has one. */
const known = new WeakMap<OpenAPIObject, Documented>()

const text = { type: 'string' } as const

/** Checks problem details, which no document describes. */
const isProblem = compileSchema({})({
  type: 'object',
  properties: {
    type: { const: 'about:blank' },
    title: text,
    status: { type: 'integer' },
    detail: text,
    instance: { type: 'string', format: 'uri-reference' },
    code: text,
    at: text,
    problems: {},
  },
  required: ['type', 'title', 'status', 'instance'],
  additionalProperties: false,
})

/**
 * Throws unless the document allows this answer to this request.
 *
 * checkAnswer(await api.openapi(), 'GET', '/api/books?page=0', { status: 400, text })
 */
export function checkAnswer(
  document: OpenAPIObject,
  method: string,
  url: string,
  answer: Sent,
): void {
  const problem = problemOf(document, method.toLowerCase(), url, answer)
  if (problem === undefined) return
  const { status, text } = answer
  const said = text.length > 2000 ? `${text.slice(0, 2000)} …` : text
  throw new Error(`${method} ${url} → ${status}, but by the OpenAPI document ${problem}\n${said}`)
}

function problemOf(
  given: OpenAPIObject,
  method: string,
  url: string,
  answer: Sent,
): string | undefined {
  const [path = '', query = ''] = url.split('#', 1)[0]?.split(/\?(.*)/s) ?? []
  if (method === 'head' || method === 'options' || isDocumentation(path)) return undefined
  const document = documentedBy(given)
  const { status, text, type = 'application/json' } = answer
  const place = decoded(path)
  const operation = document.paths.find(({ pattern }) => pattern.test(place))?.item[method]
  if (operation === undefined) {
    if (status < 400) return 'there is no such operation'
    if (type === problemMediaType) return isProblem(JSON.parse(text))
    const problems = document.failures.map((validate) => validate(JSON.parse(text)))
    return problems.includes(undefined) ? undefined : problems[0]
  }
  const { responses } = operation
  const response = responses[status] ?? (status < 400 ? undefined : responses.default)
  if (response === undefined) return 'it has no such status'
  const validate =
    type === problemMediaType && status >= 400
      ? isProblem
      : document.response(response, !asksForParts(query))
  if (validate !== undefined) return validate(JSON.parse(text))
  return text === '' ? undefined : 'there is no body'
}

/** Whether the query selects parts of records; otherwise, every record in the response must be complete. */
const asksForParts = (query: string): boolean =>
  /(?:^|[&.])(?:fields|groupby|aggregate)=|__(?:sum|count|avg|min|max)(?:=|&|$)/.test(
    decoded(query),
  )

const isDocumentation = (path: string): boolean => /^\/docs(?:\/|$)|^\/openapi\.json$/.test(path)

function documentedBy(given: OpenAPIObject): Documented {
  const found = known.get(given)
  if (found !== undefined) return found
  const document = given as unknown as {
    readonly paths: Readonly<Record<string, Item & { readonly 'x-aliases'?: readonly string[] }>>
    readonly components: {
      readonly schemas: Readonly<Record<string, Schema>>
      readonly responses: Readonly<Record<string, Response>>
    }
  }
  const { components, paths } = document
  const compilers = {
    whole: compileSchema(components.schemas, (name) => !name.endsWith('Selection')),
    any: compileSchema(components.schemas),
  }
  const made: Documented = {
    paths: Object.entries(paths)
      .flatMap(([path, item]) => allPaths(paths, path).map((one) => ({ path: one, item })))
      // Paths with fewer parameters first: `/books/batch` before `/books/{id}`.
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
      .map(({ path, item }) => ({ pattern: patternOf(path), item })),
    failures: Object.entries(components.schemas).flatMap(([name, schema]) =>
      /Failure$/.test(name) ? [compilers.any(schema)] : [],
    ),
    response(response, whole) {
      const name = response.$ref?.split('/').at(-1)
      const own = name === undefined ? response : components.responses[name]
      const schema = own?.content?.['application/json']?.schema
      return schema && (whole ? compilers.whole : compilers.any)(schema)
    },
  }
  known.set(given, made)
  return made
}

/** Returns a path and its aliases. An alias of a collection also replaces the collection in longer paths. */
export function allPaths(
  paths: Readonly<Record<string, { readonly 'x-aliases'?: readonly string[] }>>,
  path: string,
): string[] {
  const own = [path, ...(paths[path]?.['x-aliases'] ?? [])]
  const collection = path.replace(/\/\{.*$/s, '')
  if (collection === path) return own
  return ['', ...(paths[collection]?.['x-aliases'] ?? [])].flatMap((alias) =>
    own.map((one) => (alias === '' ? one : alias + one.slice(collection.length))),
  )
}

/** `/api/holdings/{branch_id},{book_id}` → a pattern of paths. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/\{[^}]*\}/)
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      // A path parameter is never `.` or `..`: clients resolve these segments before they send the request.
      .join('(?!\\.{1,2}(?:/|$))[^/]+')}$`,
    's',
  )

/** Decodes a path, except for encoded slashes, which do not separate segments. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%2f/gi, '%252F'))
  } catch {
    return text
  }
}
