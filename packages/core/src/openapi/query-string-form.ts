// The OpenAPI 3.2 form of the document: the query of an operation is one parameter (`in: querystring`), and the content of QUERY.

import type {
  OperationObject,
  ParameterObject,
  PathItemObject,
  ReferenceObject,
  TagObject,
} from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'
import type { ApiSettings } from '../config/settings.ts'
import { toCase } from '../naming/case.ts'
import type { Registry } from '../registry/resource.ts'
import { freeName } from './components.ts'
import { documentSteps, type Endpoints, queriedPaths } from './document.ts'
import type { Schema } from './schema.ts'

/** The media type of a query, in a URL and as the body of QUERY. */
const form = 'application/x-www-form-urlencoded'

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * The document in the form of OpenAPI 3.2, in steps of a path or a component each: a brief document, whose operations have a
 * parameter for their whole query.
 */
export function* queryStringSteps(
  registry: Registry,
  settings: ApiSettings,
  endpoints: Endpoints,
): Generator<void, oas32.OpenAPIObject> {
  const document = yield* documentSteps(registry, settings, endpoints, true)
  const queried = queriedPaths(registry, settings, endpoints)
  const { tags = [], 'x-tagGroups': groups = [], paths = {}, components = {}, ...rest } = document
  const { schemas = {}, parameters = {}, ...others } = components
  const operations = Object.values(paths).flatMap(operationsOf)
  const operationId = uniqueIds(operations.flatMap(({ operationId }) => operationId ?? []))
  const queries = collectQueries(parameters as Parameters, schemas, operations)
  const security = commonSecurity(operations)
  const items: Record<string, oas32.PathItemObject> = {}
  for (const [path, item] of Object.entries(paths)) {
    yield
    items[path] = pathItem(queries, operationId, security, item, queried.has(path))
  }
  const kept = Object.entries(parameters).filter(([, one]) => 'in' in one && one.in !== 'query')
  return {
    ...rest,
    openapi: '3.2.0',
    ...(security === undefined ? {} : { security }),
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

const operationsOf = (item: PathItemObject): OperationObject[] =>
  methods.flatMap((method) => item[method] ?? [])

/** The security that most operations have, if all of them have one; the document says it for them. */
function commonSecurity(operations: readonly OperationObject[]): OperationObject['security'] {
  const times = new Map<string, number>()
  for (const { security } of operations) {
    if (security === undefined) return undefined
    const key = JSON.stringify(security)
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  const [most] = [...times].sort(([, a], [, b]) => b - a)
  return most === undefined ? undefined : JSON.parse(most[0])
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
  security: OperationObject['security'],
  item: PathItemObject,
  hasQuery: boolean,
): oas32.PathItemObject {
  const operations = methods.flatMap((method) => {
    const operation = item[method]
    if (operation === undefined) return []
    const { inPath, parameters, query, ...split } = splitUp(queries, operation)
    const whole = withoutSecurity(split.whole, security)
    const named = query === undefined ? parameters : [...parameters, parameterRef(query)]
    const own = { ...whole, ...(named.length === 0 ? {} : { parameters: named }) }
    const asked = method === 'get' && hasQuery && query !== undefined
    return [{ inPath, methods: [[method, own], ...(asked ? [['query', queried()]] : [])] }]

    function queried(): OperationObject {
      const { responses: { 304: _, ...responses } = {}, ...rest } = whole
      return {
        ...rest,
        operationId: operationId((whole.operationId ?? '').replace(/^list/, 'query')),
        ...(parameters.length === 0 ? {} : { parameters: [...parameters] }),
        requestBody: { $ref: `#/components/requestBodies/${queries.body(query ?? '')}` },
        responses,
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

const withoutSecurity = (
  operation: OperationObject,
  common: OperationObject['security'],
): OperationObject => {
  const { security, ...rest } = operation
  return JSON.stringify(security) === JSON.stringify(common) ? rest : operation
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

function splitUp(queries: Queries, operation: OperationObject): Split {
  const { parameters = [], ...whole } = operation
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

function collectQueries(
  known: Parameters,
  taken: Readonly<Record<string, unknown>>,
  operations: readonly OperationObject[],
): Queries {
  const schemas: Record<string, Schema> = {}
  const parameters: Record<string, oas32.ParameterObject> = {}
  const bodies: Record<string, oas32.RequestBodyObject> = {}
  const names = new Map<string, string>()

  const resolve = (one: Parameter): ParameterObject =>
    '$ref' in one ? (known[nameOf(one)] ?? { name: '', in: 'query' }) : one

  const inQuery = ({ parameters: all = [] }: OperationObject): Parameter[] =>
    all.filter((one) => resolve(one).in === 'query')

  const common = commonQueries(operations.map(inQuery))

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
    const all = refs.map(resolve)
    const told = all.flatMap(({ description, schema: one = {} }) =>
      'type' in one && one.type === 'object' && description !== undefined ? [description] : [],
    )
    return schemaRef(
      schema(`shared ${refs.map(nameOf)}`, wanted, () => ({
        ...(told.length === 0 ? {} : { description: told.join('\n\n') }),
        ...objectOf(all),
      })),
    )
  }

  /** A parameter of one resource, whose schema is a component where several queries have it. */
  const ownPart = (one: Parameter): ParameterObject => {
    const { description: _, ...parameter } = resolve(one)
    const { schema: own = {} } = parameter
    if (!('$ref' in one) || '$ref' in own || !common.isRepeated(one)) return parameter
    const wanted = nameOf(one)
      .split('.')
      .map((word) => toCase(word, 'pascal'))
      .join('')
    const ref = schemaRef(schema(`own ${nameOf(one)}`, wanted, () => own))
    return { ...parameter, schema: own.type === 'object' ? { type: 'object', allOf: [ref] } : ref }
  }

  /** The name of the schema of a query, which refers to that of the record's query if it has all of its members. */
  const querySchema = (asked: readonly Parameter[], wanted: string): string =>
    schema(`query ${keyOf(asked)}`, wanted, () => {
      const { base, more } = common.divide(asked)
      const refs = more.filter((one): one is ReferenceObject => '$ref' in one)
      const shared = families(refs.filter((one) => !isOwn(one))).map(sharedPart)
      const own = more.filter((one) => !('$ref' in one) || isOwn(one))
      const { allOf = [], ...object } = objectOf(own.map(ownPart))
      const record =
        base === undefined ? [] : [schemaRef(querySchema(base, `${ownerOf(base)}RecordQuery`))]
      const parts = [...record, ...shared, ...allOf]
      return parts.length === 0 ? object : { ...object, allOf: parts }
    })

  return {
    schemas,
    parameters,
    bodies,
    resolve,
    parameter(operation, asked) {
      const name = querySchema(asked, `${subjectOf(operation, ownerOf(asked))}Query`)
      parameters[name] ??= { name: 'query', in: 'querystring', content: formOf(name) }
      return name
    },
    body(query) {
      bodies[query] ??= { content: formOf(query) }
      return query
    },
  }
}

type Parameter = ParameterObject | ReferenceObject

/** The name of the component, or of the parameter. */
const partName = (one: Parameter): string => ('$ref' in one ? nameOf(one) : one.name)

const keyOf = (asked: readonly Parameter[]): string => asked.map(partName).sort().join()

/** What the queries of a resource have in common. */
interface Common {
  /** The smallest query of the resource, which others contain, and the further members of this one. */
  divide(asked: readonly Parameter[]): {
    readonly base: readonly Parameter[] | undefined
    readonly more: readonly Parameter[]
  }
  /** Whether several queries have the parameter, besides through the smallest one. */
  isRepeated(one: Parameter): boolean
}

function commonQueries(all: readonly (readonly Parameter[])[]): Common {
  const queries = [...new Map(all.map((asked) => [keyOf(asked), asked])).values()]
  const bases = new Map<string, readonly Parameter[]>()
  for (const asked of [...queries].sort((a, b) => b.length - a.length)) {
    const owner = ownerOf(asked)
    const isPart = queries.some((other) => other.length > asked.length && contains(other, asked))
    if (owner !== '' && asked.length > 1 && isPart) bases.set(owner, asked)
  }
  const divide: Common['divide'] = (asked) => {
    const base = bases.get(ownerOf(asked))
    if (base === undefined || base.length >= asked.length || !contains(asked, base)) {
      return { base: undefined, more: asked }
    }
    const names = new Set(base.map(partName))
    return { base, more: asked.filter((one) => !names.has(partName(one))) }
  }
  const times = new Map<string, number>()
  for (const name of queries.flatMap((asked) => divide(asked).more.map(partName))) {
    times.set(name, (times.get(name) ?? 0) + 1)
  }
  return { divide, isRepeated: (one) => (times.get(partName(one)) ?? 0) > 1 }
}

const contains = (whole: readonly Parameter[], part: readonly Parameter[]): boolean => {
  const names = new Set(whole.map(partName))
  return part.every((one) => names.has(partName(one)))
}

/** The resource whose own parameters a query has; empty without any. */
const ownerOf = (asked: readonly Parameter[]): string =>
  asked
    .map(partName)
    .find((name) => name.includes('.'))
    ?.split('.')[0] ?? ''

const nameOf = ({ $ref }: ReferenceObject): string => $ref.slice($ref.lastIndexOf('/') + 1)

/** Whether a parameter belongs to one resource; its name begins with it. */
const isOwn = (one: ReferenceObject): boolean => nameOf(one).includes('.')

/** The subject in the names of a query's components: the name of its response (`BookList`), else the operation (`BulkDeleteBooks`). */
function subjectOf({ operationId = '', responses = {} }: OperationObject, owner: string): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const response = success !== undefined && '$ref' in success ? nameOf(success) : ''
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
