// The OpenAPI 3.2 form of the document: the query of an operation is one parameter (`in: querystring`), and the content of QUERY.

import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  PathItemObject,
  ReferenceObject,
  TagObject,
} from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'
import { toCase } from '../naming/case.ts'
import { freeName } from './components.ts'
import type { Schema } from './schema.ts'

/** The media type of a query, in a URL and as the body of QUERY. */
const form = 'application/x-www-form-urlencoded'

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * The document in the form of OpenAPI 3.2, in steps of a path each. `queried` are the paths that have QUERY. Omits code samples,
 * and the errors of QUERY, which are those of GET.
 */
export function* queryStringSteps(
  document: OpenAPIObject,
  queried: ReadonlySet<string>,
): Generator<void, oas32.OpenAPIObject> {
  const { tags = [], 'x-tagGroups': groups = [], paths = {}, components = {}, ...rest } = document
  const { schemas = {}, parameters = {}, ...others } = components
  const ids = Object.values(paths).flatMap((item) =>
    methods.flatMap((method) => item[method]?.operationId ?? []),
  )
  const queries = collectQueries(parameters as Parameters, schemas)
  const operationId = uniqueIds(ids)
  const items: Record<string, oas32.PathItemObject> = {}
  for (const [path, item] of Object.entries(paths)) {
    yield
    items[path] = pathItem(queries, operationId, item, queried.has(path))
  }
  const kept = Object.entries(parameters).filter(([, one]) => 'in' in one && one.in !== 'query')
  return {
    ...rest,
    openapi: '3.2.0',
    tags: nestedTags(tags, groups),
    paths: items,
    components: {
      ...others,
      schemas: sorted({ ...schemas, ...queries.schemas }),
      parameters: sorted({ ...Object.fromEntries(kept), ...queries.parameters }),
      requestBodies: sorted(queries.bodies),
    },
  } as oas32.OpenAPIObject
}

type Parameters = Readonly<Record<string, ParameterObject>>

const sorted = <T>(parts: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))

function uniqueIds(known: readonly string[]): (wanted: string) => string {
  const ids = new Set(known)
  return (wanted) => {
    const id = freeName(wanted, (name) => ids.has(name))
    ids.add(id)
    return id
  }
}

function pathItem(
  queries: Queries,
  operationId: (wanted: string) => string,
  item: PathItemObject,
  hasQuery: boolean,
): oas32.PathItemObject {
  const operations = methods.flatMap((method) => {
    const operation = item[method]
    if (operation === undefined) return []
    const { whole, inPath, parameters, query } = split(queries, operation)
    const named = query === undefined ? parameters : [...parameters, parameterRef(query)]
    const own = { ...whole, ...(named.length === 0 ? {} : { parameters: named }) }
    const asked = method === 'get' && hasQuery && query !== undefined
    return [{ inPath, methods: [[method, own], ...(asked ? [['query', queried()]] : [])] }]

    function queried(): OperationObject {
      const { summary: _, description: __, responses = {}, ...rest } = whole
      const kept = Object.entries(responses).filter(([status]) => /^(200|default)$/.test(status))
      return {
        ...rest,
        operationId: operationId((whole.operationId ?? '').replace(/^list/, 'query')),
        ...(parameters.length === 0 ? {} : { parameters: [...parameters] }),
        requestBody: { $ref: `#/components/requestBodies/${queries.body(query ?? '')}` },
        responses: Object.fromEntries(kept),
      }
    }
  })
  const keys = operations[0]?.inPath ?? []
  return {
    ...item,
    ...(keys.length === 0 ? {} : { parameters: keys }),
    ...Object.fromEntries(operations.flatMap((one) => one.methods)),
  }
}

interface Split {
  /** The whole operation, without its parameters. */
  readonly whole: OperationObject
  /** The parameters of the path, which all of its operations have. */
  readonly inPath: readonly (ParameterObject | ReferenceObject)[]
  /** The parameters that are neither in the path nor in the query. */
  readonly parameters: readonly (ParameterObject | ReferenceObject)[]
  /** The name of the query's components; undefined if it has none. */
  readonly query: string | undefined
}

function split(queries: Queries, operation: OperationObject): Split {
  const { parameters = [], 'x-codeSamples': _, ...whole } = operation
  const inPart = (part: string) => parameters.filter((one) => queries.resolve(one).in === part)
  const asked = inPart('query')
  const others = [...inPart('header'), ...inPart('cookie')]
  return {
    whole,
    inPath: inPart('path'),
    parameters: others,
    query: asked.length === 0 ? undefined : queries.parameter(operation, asked),
  }
}

const parameterRef = (name: string): ReferenceObject => ({
  $ref: `#/components/parameters/${name}`,
})

const schemaRef = (name: string): ReferenceObject => ({ $ref: `#/components/schemas/${name}` })

const formOf = (name: string): Readonly<Record<string, { schema: ReferenceObject }>> => ({
  [form]: { schema: schemaRef(name) },
})

/** Collects the schemas of queries, and the components that refer to them. */
interface Queries {
  readonly schemas: Readonly<Record<string, Schema>>
  readonly parameters: Readonly<Record<string, oas32.ParameterObject>>
  readonly bodies: Readonly<Record<string, oas32.RequestBodyObject>>
  resolve(parameter: ParameterObject | ReferenceObject): ParameterObject
  /** The name of the component for the query of an operation. */
  parameter(
    operation: OperationObject,
    asked: readonly (ParameterObject | ReferenceObject)[],
  ): string
  /** The name of the component for the same query as a body. */
  body(query: string): string
}

function collectQueries(known: Parameters, taken: Readonly<Record<string, unknown>>): Queries {
  const schemas: Record<string, Schema> = {}
  const parameters: Record<string, oas32.ParameterObject> = {}
  const bodies: Record<string, oas32.RequestBodyObject> = {}
  const names = new Map<string, string>()

  const resolve = (one: ParameterObject | ReferenceObject): ParameterObject =>
    '$ref' in one ? (known[nameOf(one)] ?? { name: '', in: 'query' }) : one

  /** The name of a schema; `key` identifies its content. */
  const schema = (key: string, wanted: string, make: () => Schema): string => {
    const found = names.get(key)
    if (found !== undefined) return found
    const name = freeName(wanted, (one) => one in schemas || one in taken)
    names.set(key, name)
    schemas[name] = make()
    return name
  }

  /** The parts that all resources share, by topic. */
  const sharedPart = (refs: readonly ReferenceObject[]): ReferenceObject => {
    const wanted = `${familyOf(refs.map(nameOf))}Query`
    const key = `shared ${refs.map(nameOf)}`
    return schemaRef(schema(key, wanted, () => objectOf(refs.map(resolve))))
  }

  /** A parameter of one resource, whose schema its operations share. */
  const ownPart = (one: ParameterObject | ReferenceObject): ParameterObject => {
    const { description: _, ...parameter } = resolve(one)
    const { schema: own = {} } = parameter
    if (!('$ref' in one) || '$ref' in own || own.type === 'object') return parameter
    const wanted = nameOf(one)
      .split('.')
      .map((word) => toCase(word, 'pascal'))
      .join('')
    return { ...parameter, schema: schemaRef(schema(`own ${nameOf(one)}`, wanted, () => own)) }
  }

  return {
    schemas,
    parameters,
    bodies,
    resolve,
    parameter(operation, asked) {
      const refs = asked.filter((one): one is ReferenceObject => '$ref' in one)
      const shared = refs.filter((one) => !isOwn(one))
      const own = asked.filter((one) => !('$ref' in one) || isOwn(one))
      const key = asked.map((one) => ('$ref' in one ? nameOf(one) : one.name)).join()
      const wanted = `${subjectOf(operation, refs.find(isOwn))}Query`
      const name = schema(`${wanted} ${key}`, wanted, () => {
        const { allOf = [], ...object } = objectOf(own.map(ownPart))
        return { ...object, allOf: [...families(shared).map(sharedPart), ...allOf] }
      })
      parameters[name] ??= { name: 'query', in: 'querystring', content: formOf(name) }
      return name
    },
    body(query) {
      bodies[query] ??= { content: formOf(query) }
      return query
    },
  }
}

const nameOf = ({ $ref }: ReferenceObject): string => $ref.slice($ref.lastIndexOf('/') + 1)

/** Whether a parameter belongs to one resource; its name begins with it. */
const isOwn = (one: ReferenceObject): boolean => nameOf(one).includes('.')

/** The subject in the names of a query's components: the name of its response (`BookList`), else the operation (`BulkDeleteBooks`). */
function subjectOf(
  { operationId = '', responses = {} }: OperationObject,
  own: ReferenceObject | undefined,
): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const response = success !== undefined && '$ref' in success ? nameOf(success) : ''
  const [owner = ''] = own === undefined ? [] : nameOf(own).split('.')
  return owner !== '' && response.startsWith(owner) ? response : toCase(operationId, 'pascal')
}

/** Converts parameters to the members of one object; the members of object parameters are merged into it. */
function objectOf(parameters: readonly ParameterObject[]): Schema {
  const members: [string, Schema][] = []
  const parts: (Schema | ReferenceObject)[] = []
  let patterns: Schema['patternProperties'] = {}
  for (const { name, description, schema = {} } of parameters) {
    const { type, allOf, patternProperties, ...more } = schema as Schema
    if (type !== 'object') {
      members.push([name, { ...(description === undefined ? {} : { description }), ...schema }])
      continue
    }
    parts.push(...(allOf ?? []), ...(Object.keys(more).length === 0 ? [] : [schema]))
    patterns = { ...patterns, ...patternProperties }
  }
  return {
    type: 'object',
    ...(members.length === 0 ? {} : { properties: Object.fromEntries(members) }),
    ...(Object.keys(patterns).length === 0 ? {} : { patternProperties: patterns }),
    ...(parts.length === 0 ? {} : { allOf: parts }),
  }
}

/** Shared parameters that occur together, by topic, with the prefixes of their component names. */
const together: Readonly<Record<string, RegExp>> = {
  Paging: /^(page|limit|paging|after|before|count)(_|$)/,
  Related: /^(dump|dump_relationships|relation_options)(_|$)/,
}

function families(shared: readonly ReferenceObject[]): readonly (readonly ReferenceObject[])[] {
  const rest = shared.filter((one) => !Object.values(together).some((of) => of.test(nameOf(one))))
  const grouped = Object.values(together).map((of) => shared.filter((one) => of.test(nameOf(one))))
  return [...grouped.filter((one) => one.length > 0), ...rest.map((one) => [one])]
}

/** `Paging_20_of_100_exact` from `limit_20_of_100` and `count_exact`: the topic with the settings from the names of its components. */
function familyOf(names: readonly string[]): string {
  const family = Object.entries(together).find(([, of]) => of.test(names[0] ?? ''))?.[0]
  if (family === undefined) return toCase(names[0] ?? '', 'pascal')
  const settings = names.flatMap(
    (name) => /^(?:limit|count|dump)_(?!rel)(.*)$/.exec(name)?.[1] ?? [],
  )
  return [family, ...settings].join('_')
}

interface Group {
  readonly name: string
  readonly tags: readonly string[]
}

/** Groups of tags as tags above them. */
function nestedTags(tags: readonly TagObject[], groups: readonly Group[]): oas32.TagObject[] {
  const parents = new Map<string, string>()
  for (const { name, tags: members } of groups) {
    for (const tag of members) if (tag !== name && !parents.has(tag)) parents.set(tag, name)
  }
  const names = new Set(tags.map(({ name }) => name))
  const above = [...new Set(parents.values())].filter((name) => !names.has(name))
  return [
    ...above.map((name) => ({ name, kind: 'nav' })),
    ...tags.map((tag) => {
      const parent = parents.get(tag.name)
      return parent === undefined ? tag : { ...tag, parent }
    }),
  ]
}
