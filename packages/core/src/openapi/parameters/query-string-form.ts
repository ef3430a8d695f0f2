// The OpenAPI 3.2 form of the document: the query of an operation is one parameter (`in: querystring`), and the content of QUERY.

import type {
  OperationObject,
  ParameterObject,
  PathItemObject,
  ReferenceObject,
  ResponsesObject,
  TagObject,
} from 'openapi3-ts/oas31'
import type * as oas32 from 'openapi3-ts/oas32'
import { toCase } from '../../lib/naming/case.ts'
import type { Registry } from '../../model/registry/resource.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import { documentSteps, type Endpoints, queriedPaths } from '../document.ts'
import { sharedForm } from '../forms.ts'
import { freeName } from '../schemas/components.ts'
import type { Schema } from '../schemas/schema.ts'
import { serviceOwner } from './query-parameters.ts'

/** The media type of a query, in a URL and as the body of QUERY. */
const form = 'application/x-www-form-urlencoded'

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * Builds the document in the form of OpenAPI 3.2, in steps of a path or a component each. What operations share is described
 * once, and the whole query of an operation is one parameter.
 */
export function* queryStringSteps(
  registry: Registry,
  settings: ApiSettings,
  endpoints: Endpoints,
): Generator<void, oas32.OpenAPIObject> {
  const document = yield* documentSteps(registry, settings, endpoints, sharedForm)
  const queried = queriedPaths(registry, settings, endpoints)
  const { tags = [], 'x-tagGroups': groups = [], paths = {}, components = {}, ...rest } = document
  const { schemas = {}, parameters = {}, ...others } = components
  const operations = Object.values(paths).flatMap(operationsOf)
  const queries = collectQueries(parameters as Parameters, schemas, operations)
  const security = commonSecurity(operations)
  const items: Record<string, oas32.PathItemObject> = {}
  for (const [path, item] of Object.entries(paths)) {
    yield
    items[path] = pathItem(queries, security, item, queried.has(path))
  }
  const kept = Object.entries(parameters).filter(([, one]) => 'in' in one && one.in !== 'query')
  return {
    ...rest,
    openapi: '3.2.0',
    info: { ...rest.info, description: described(rest.info.description) },
    ...(security === undefined ? {} : { security }),
    tags: nestedTags(tags, groups),
    paths: items,
    components: {
      ...others,
      schemas: sorted({ ...schemas, ...queries.schemas }),
      parameters: sorted({ ...Object.fromEntries(kept), ...queries.parameters }),
    },
  } as oas32.OpenAPIObject
}

/** Sentences about all operations for the description of the document, because no component can hold them. */
const common = [
  'Queries name columns and relations of the record. Relations take QUERY too; where they are not embedded, they are URLs.',
  'With the `ETag` of a record, `If-None-Match` gives 304 if it is unchanged, and a write with `If-Match` 412 if it has changed, with `If-None-Match` 412 if it has not.',
  '`Prefer: return=minimal` gives 204 without the record. `Idempotency-Key` lets a POST be repeated; a record that is gone then is null.',
].join('\n')

const described = (own: string | undefined): string => [own, common].filter(Boolean).join('\n\n')

const operationsOf = (item: PathItemObject): OperationObject[] =>
  methods.flatMap((method) => item[method] ?? [])

/** Returns the most common security, which the document then states once; undefined if an operation has none. */
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

type Parameter = ParameterObject | ReferenceObject

type Parameters = Readonly<Record<string, ParameterObject>>

const sorted = <T>(parts: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * Converts a path: the parameters of the key move to the path, each query becomes one parameter, and QUERY is added if the list
 * supports it.
 */
function pathItem(
  queries: Queries,
  security: OperationObject['security'],
  item: PathItemObject,
  hasQuery: boolean,
): oas32.PathItemObject {
  let keys: readonly Parameter[] = []
  const operations = methods.flatMap((method): [string, OperationObject][] => {
    const operation = item[method]
    if (operation === undefined) return []
    const { parameters = [], 'x-codeSamples': _, ...rest } = withoutSecurity(operation, security)
    const whole = { ...rest, responses: withOneSuccess(rest.responses) }
    const inPart = (part: string) => parameters.filter((one) => queries.resolve(one).in === part)
    const asked = inPart('query')
    keys = inPart('path')
    const sent = [...inPart('header'), ...inPart('cookie')]
    if (asked.length === 0) return [[method, { ...whole, ...listed(sent) }]]
    const schema = queries.schema(operation, asked)
    const own = { ...whole, ...listed([...sent, queries.parameter(schema)]) }
    if (method !== 'get' || !hasQuery) return [[method, own]]
    const query = {
      ...whole,
      // No other operationId begins with `query`.
      operationId: whole.operationId?.replace(/^list/, 'query') ?? '',
      ...listed(sent),
      requestBody: { content: formOf(schema) },
    }
    return [
      [method, own],
      ['query', query],
    ]
  })
  return { ...listed(keys), ...Object.fromEntries(operations) }
}

const listed = (parameters: readonly Parameter[]): Pick<OperationObject, 'parameters'> =>
  parameters.length === 0 ? {} : { parameters: [...parameters] }

/** Replaces 200 and 201 by `2XX` if they are the same response. */
function withOneSuccess({
  200: ok,
  201: created,
  ...others
}: ResponsesObject = {}): ResponsesObject {
  if (ok === undefined || created === undefined || ok.$ref !== created.$ref) {
    return { ...(ok && { 200: ok }), ...(created && { 201: created }), ...others }
  }
  return { '2XX': ok, ...others }
}

const withoutSecurity = (
  operation: OperationObject,
  common: OperationObject['security'],
): OperationObject => {
  const { security, ...rest } = operation
  return JSON.stringify(security) === JSON.stringify(common) ? rest : operation
}

const schemaRef = (name: string): ReferenceObject => ({ $ref: `#/components/schemas/${name}` })

const formOf = (
  schema: ReferenceObject,
): Readonly<Record<string, { schema: ReferenceObject }>> => ({
  [form]: { schema },
})

/** Collects the schemas of queries, and the parameters that refer to them. */
interface Queries {
  readonly schemas: Readonly<Record<string, Schema>>
  readonly parameters: Readonly<Record<string, oas32.ParameterObject>>
  resolve(parameter: Parameter): ParameterObject
  /** Returns the schema of an operation's query. */
  schema(operation: OperationObject, asked: readonly Parameter[]): ReferenceObject
  /** Returns a parameter for a whole query. */
  parameter(schema: ReferenceObject): ReferenceObject
}

function collectQueries(
  known: Parameters,
  taken: Readonly<Record<string, unknown>>,
  operations: readonly OperationObject[],
): Queries {
  const schemas: Record<string, Schema> = {}
  const parameters: Record<string, oas32.ParameterObject> = {}
  const names = new Map<string, string>()

  const resolve = (one: Parameter): ParameterObject =>
    '$ref' in one ? (known[nameOf(one)] ?? { name: '', in: 'query' }) : one

  const inQuery = ({ parameters: all = [] }: OperationObject): readonly Parameter[] =>
    all.filter((one) => resolve(one).in === 'query')
  const ofRecords = operations
    .filter(({ operationId = '' }) => operationId.startsWith('get'))
    .map((operation) => inQuery(operation).filter((one) => !isOwn(one)))
  const recordKeys = new Set(ofRecords.map(keyOf))
  const recordNames = new Set(ofRecords.flat().map(partName))

  const isRepeated = repeatedParts(operations.map(inQuery))

  /** Returns a reference to a schema; `key` identifies its content. */
  const schema = (key: string, wanted: string, make: () => Schema): ReferenceObject => {
    const found = names.get(key)
    if (found !== undefined) return schemaRef(found)
    const name = freeName(wanted, (one) => one in schemas || one in taken)
    names.set(key, name)
    schemas[name] = make()
    return schemaRef(name)
  }

  /** Returns the schema of the parameters that only this resource has, mostly its filters. */
  const ownPart = (own: readonly Parameter[]): Schema =>
    isRepeated(own)
      ? { allOf: [schema(keyOf(own), `${ownerOf(own)}Filters`, () => objectOf(own.map(resolve)))] }
      : objectOf(own.map(resolve))

  /**
   * Returns the schema of the parameters that resources share. If these include the parameters of a single record's query, the
   * schema extends the schema of that query.
   */
  const sharedRef = (shared: readonly Parameter[]): ReferenceObject => {
    const base = shared.filter((one) => recordNames.has(partName(one)))
    const isBased = base.length > 0 && recordKeys.has(keyOf(base))
    return schema(keyOf(shared), `${kindOf(shared, isBased)}Query`, () => {
      if (!isBased || base.length === shared.length) return describedObject(shared.map(resolve))
      const more = shared.filter((one) => !base.includes(one))
      return { ...describedObject(more.map(resolve)), allOf: [sharedRef(base)] }
    })
  }

  return {
    schemas,
    parameters,
    resolve,
    schema(operation, asked) {
      const own = asked.filter(isOwn)
      const shared = asked.filter((one) => !isOwn(one))
      if (own.length === 0) return sharedRef(shared)
      return schema(keyOf(asked), `${subjectOf(operation, ownerOf(own))}Query`, () => {
        const { allOf = [], ...part } = ownPart(own)
        const parts = [...(shared.length === 0 ? [] : [sharedRef(shared)]), ...allOf]
        return parts.length === 0 ? part : { ...part, allOf: parts }
      })
    },
    parameter(query) {
      const name = nameOf(query)
      parameters[name] ??= { name: 'query', in: 'querystring', content: formOf(query) }
      return { $ref: `#/components/parameters/${name}` }
    },
  }
}

/** Returns a test for whether several queries have the same parameters of a resource. */
function repeatedParts(
  all: readonly (readonly Parameter[])[],
): (own: readonly Parameter[]) => boolean {
  const queries = new Map<string, Set<string>>()
  for (const asked of all) {
    const own = keyOf(asked.filter(isOwn))
    queries.set(own, (queries.get(own) ?? new Set()).add(keyOf(asked)))
  }
  return (own) => (queries.get(keyOf(own))?.size ?? 0) > 1
}

/** Returns the name of the component, or that of a parameter that is not a component. */
const partName = (one: Parameter): string => ('$ref' in one ? nameOf(one) : one.name)

const keyOf = (asked: readonly Parameter[]): string => asked.map(partName).sort().join()

/** Returns the name of the resource that these parameters belong to. */
const ownerOf = (own: readonly Parameter[]): string => own.map(partName)[0]?.split('.')[0] ?? ''

/** Returns the kind of request, for the name of a query schema that resources share; `returns`: whether the request returns records. */
function kindOf(shared: readonly Parameter[], returns: boolean): string {
  const names = shared.map(partName)
  const nested = names.includes('relation_writes')
    ? 'Children'
    : names.includes('relation_keys')
      ? 'Nested'
      : ''
  if (names.includes('page')) return 'List'
  if (names.includes('on_conflict')) return `Create${nested}`
  if (names.includes('max_affected')) return returns ? `BulkUpdate${nested}` : 'BulkDelete'
  if (nested !== '') return `Update${nested}`
  return names.includes('cascade_delete') ? 'Delete' : 'Record'
}

const nameOf = ({ $ref }: ReferenceObject): string => $ref.slice($ref.lastIndexOf('/') + 1)

/** Whether a parameter belongs to one resource: then its name begins with the resource's name and a dot. */
const isOwn = (one: Parameter): boolean => partName(one).includes('.')

/**
 * Returns the first part of the names of a query's components: the name of its response (`BookList`), otherwise the operation
 * (`BulkDeleteBooks`). Endpoints that belong to no resource share theirs.
 */
function subjectOf({ operationId = '', responses = {} }: OperationObject, owner: string): string {
  if (owner === serviceOwner) return owner
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const response = success !== undefined && '$ref' in success ? nameOf(success) : ''
  return owner !== '' && response.startsWith(owner) ? response : toCase(operationId, 'pascal')
}

/** Merges parameters as `objectOf` does, and keeps the descriptions of object parameters, which do not become members themselves. */
function describedObject(parameters: readonly ParameterObject[]): Schema {
  const texts = parameters.flatMap(({ description, schema = {} }) =>
    'type' in schema && schema.type === 'object' && description !== undefined ? [description] : [],
  )
  return {
    ...(texts.length === 0 ? {} : { description: texts.join('\n\n') }),
    ...objectOf(parameters),
  }
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

interface Group {
  readonly name: string
  readonly tags: readonly string[]
}

/** Converts groups of tags to parent tags. */
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
