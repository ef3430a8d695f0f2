// Operations: the methods of each kind of route, with their parameters, bodies and responses.

import type {
  HeadersObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
} from 'openapi3-ts/oas31'
import { checksOf } from '../access/authorize.ts'
import type { MethodName } from '../config/config.ts'
import type { HookSettings } from '../config/resolve-hooks.ts'
import type { ApiSettings } from '../config/settings.ts'
import type { Route } from '../http/route-table.ts'
import { toCase } from '../naming/case.ts'
import { pluralIn } from '../naming/plural.ts'
import type { WriteMode } from '../registry/field-rules.ts'
import type { Registry, Resource } from '../registry/resource.ts'
import type { Occasion } from './catalogue.ts'
import { type Answer, successSchema } from './envelope-schemas.ts'
import { plural, tagOf } from './info.ts'
import { failures, phrases } from './problems.ts'
import {
  bulkParameters,
  bulkRemovalParameters,
  keyParameters,
  listParameters,
  oneParameters,
  removalParameters,
  upsertParameters,
} from './query-parameters.ts'
import { answeredRecord, type Records, writtenRef } from './record-schemas.ts'
import { type Schema, shapedByCallback } from './schema.ts'
import { hasCookie, isRestricted, type Protection, rolesText, securityOf } from './security.ts'

/** The context in which operations are built. */
export interface Writer extends Records {
  readonly registry: Registry
  readonly settings: ApiSettings
  /** Who may call an operation. */
  protection(route: Route, method: string): Protection
  /** A unique operationId. */
  operationId(wanted: string): string
}

/** An operation before it is turned into an OpenAPI object. */
interface Draft {
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly (ParameterObject | ReferenceObject)[]
  readonly body?: Schema | ReferenceObject
  readonly answer: Answer
  /** A second success status with the same body. */
  readonly also?: number
  readonly headers?: HeadersObject
  readonly notModified?: boolean
  readonly occasions: readonly Occasion[]
}

/** The operation of a method that the route has. */
export function operationOf(writer: Writer, route: Route, method: MethodName): OperationObject {
  const target = route.kind === 'related' ? route.relation.target : route.resource
  const draft = draftOf(writer, route, method)
  const { settings } = writer
  const checks = checksOf(route, method)
  const protection = writer.protection(route, method)
  const hooks = target.settings.hooks[method.toLowerCase() as 'get']
  const told = sendsPosition(settings, method)
    ? { ...draft, headers: { ...draft.headers, ...positionTold } }
    : draft
  const description = [draft.description, rolesText(checks)].filter(Boolean).join('\n\n')
  return {
    operationId: writer.operationId(draft.id),
    summary: draft.summary,
    ...(description === '' ? {} : { description }),
    tags: [tagOf(route.resource)],
    ...(settings.auth.strategies.length === 0
      ? {}
      : { security: securityOf(settings.auth, protection) }),
    parameters: [
      ...draft.parameters,
      ...(carriesPosition(settings, method) ? [positionCarried] : []),
    ],
    ...(draft.body === undefined ? {} : { requestBody: jsonBody(draft.body) }),
    responses: {
      ...Object.fromEntries(
        [draft.also ?? [], draft.answer.status]
          .flat()
          .map((status) => [status, success(told, status, target, hooks)]),
      ),
      ...(draft.notModified ? { 304: { description: "The client's copy is up to date." } } : {}),
      ...failures(
        writer.components,
        {
          version: settings.version,
          dump: target.settings.dump,
          final: hooks.final !== undefined,
        },
        new Set(occasionsOf(writer, route, method, draft)),
      ),
    },
  }
}

function draftOf(writer: Writer, route: Route, method: MethodName): Draft {
  switch (route.kind) {
    case 'collection':
      return collectionDraft(writer, route.resource, method)
    case 'item':
      return itemDraft(writer, route.resource, method)
    case 'restore':
      return restoreDraft(writer, route.resource)
    case 'related':
      return relatedDraft(writer, route)
  }
}

const listOccasions: readonly Occasion[] = ['query', 'list', 'value']

function collectionDraft(writer: Writer, resource: Resource, method: MethodName): Draft {
  const { name, settings } = resource
  const { components } = writer
  const { summaries } = settings
  const records = plural(resource)
  const record = answeredRecord(writer, resource)
  const list = { type: 'array', items: record } as const satisfies Schema
  const written: Schema = { type: 'array', items: unseen(record) }
  const many = pascalPlural(resource)
  switch (method) {
    case 'POST': {
      const bulk = settings.allowBulk
      const one = writtenRef(writer, resource, 'create')
      return {
        id: `create${name}`,
        summary: summaries.post ?? `Create ${article(resource)}`,
        ...(bulk ? { description: 'A list creates all of its records, or none.' } : {}),
        parameters: [...upsertParameters(components, resource), idempotencyKey],
        body: bulk ? { anyOf: [one, { type: 'array', items: one, minItems: 1 }] } : one,
        answer: {
          value: bulk ? { anyOf: [...alternatives(unseen(record)), written] } : unseen(record),
          list: false,
          status: 201,
        },
        also: 200,
        headers: {
          Location: header('URL of the new record.', 'uri-reference'),
          'Idempotency-Replayed': header(
            '`true` if this repeats the response of an earlier request.',
          ),
          ...etag,
        },
        occasions: ['query', 'body', 'written', 'stored', 'upsert', 'idempotent'],
      }
    }
    case 'PATCH':
      return {
        id: `bulkUpdate${many}`,
        summary: `Change every one of the ${records} that match`,
        parameters: bulkParameters(components, resource),
        body: writtenRef(writer, resource, 'update'),
        answer: { value: written, list: false, status: 200 },
        occasions: [...listOccasions, 'body', 'written', 'bulk'],
      }
    case 'DELETE':
      return {
        id: `bulkDelete${many}`,
        summary: `Delete every one of the ${records} that match`,
        parameters: bulkRemovalParameters(components, resource),
        answer: { value: { type: 'null' }, list: false, status: 200 },
        occasions: [...listOccasions, 'removed', 'bulk'],
      }
    default:
      return {
        id: `list${many}`,
        summary: summaries.getMany ?? `List ${records}`,
        parameters: listParameters(components, resource),
        answer: { value: list, list: true, status: 200 },
        headers: countHeaders(resource),
        occasions: listOccasions,
      }
  }
}

function itemDraft(writer: Writer, resource: Resource, method: MethodName): Draft {
  const { name, settings } = resource
  const { components } = writer
  const { summaries } = settings
  const keys = keyParameters(resource)
  const record = answeredRecord(writer, resource)
  const changed = (mode: WriteMode, verb: string, summary: string): Draft => ({
    id: `${verb}${name}`,
    summary,
    parameters: [...keys, ...oneParameters(components, resource), ifMatch],
    body: writtenRef(writer, resource, mode),
    answer: { value: unseen(record), list: false, status: 200 },
    headers: etag,
    occasions: ['query', 'record', 'body', 'written', 'stored', 'precondition'],
  })
  switch (method) {
    case 'PATCH':
      return changed('update', 'update', summaries.patch ?? `Change ${article(resource)}`)
    case 'PUT':
      return changed('replace', 'replace', `Replace ${article(resource)}`)
    case 'DELETE':
      return {
        id: `delete${name}`,
        summary: summaries.delete ?? `Delete ${article(resource)}`,
        ...(settings.softDelete === null
          ? {}
          : { description: 'The record is marked as deleted, and left out of reads.' }),
        parameters: [...keys, ...removalParameters(components, resource), ifMatch],
        answer: { value: { type: 'null' }, list: false, status: 200 },
        occasions: ['query', 'record', 'removed', 'precondition'],
      }
    default:
      return {
        id: `get${name}`,
        summary: summaries.getSingle ?? `Get ${article(resource)}`,
        parameters: [...keys, ...oneParameters(components, resource), ifNoneMatch],
        answer: { value: record, list: false, status: 200 },
        headers: etag,
        notModified: true,
        occasions: ['query', 'record'],
      }
  }
}

function restoreDraft(writer: Writer, resource: Resource): Draft {
  return {
    id: `restore${resource.name}`,
    summary: `Restore ${article(resource)}`,
    description: 'Undoes a deletion. There is no body.',
    parameters: [
      ...keyParameters(resource),
      ...oneParameters(writer.components, resource),
      ifMatch,
    ],
    answer: { value: unseen(answeredRecord(writer, resource)), list: false, status: 200 },
    headers: etag,
    occasions: ['query', 'record', 'body', 'written', 'restored', 'precondition'],
  }
}

function relatedDraft(writer: Writer, { relation }: Route & { kind: 'related' }): Draft {
  const { source, target, cardinality, name } = relation
  const { components } = writer
  const keys = keyParameters(source)
  const record = answeredRecord(writer, target)
  const id = `${source.name}${toCase(name, 'pascal')}`
  const words = toCase(name, 'snake').replaceAll('_', ' ')
  if (cardinality === 'one') {
    return {
      id: `get${id}`,
      summary: `Get ${article(source)}'s ${words}`,
      parameters: [...keys, ...oneParameters(components, target), ifNoneMatch],
      answer: { value: record, list: false, status: 200 },
      headers: etag,
      notModified: true,
      occasions: ['query', 'record'],
    }
  }
  // A key parameter (in path) and a column filter (in query) may have the same name.
  return {
    id: `list${id}`,
    summary: `List ${article(source)}'s ${words}`,
    parameters: [...keys, ...listParameters(components, target)],
    answer: { value: { type: 'array', items: record }, list: true, status: 200 },
    headers: countHeaders(target),
    occasions: [...listOccasions, 'record'],
  }
}

/** The occasions of the draft, and those that the settings add to every operation. */
function occasionsOf(
  writer: Writer,
  route: Route,
  method: MethodName,
  { occasions }: Draft,
): Occasion[] {
  const { settings } = writer
  const { auth } = settings
  const { strategies, required } = writer.protection(route, method)
  const target = route.kind === 'related' ? route.relation.target : route.resource
  const writes = method !== 'GET'
  const passwords = strategies.includes('basic') || strategies.includes('api_key')
  const restricted = isRestricted(checksOf(route, method)) || writes
  return [
    ...occasions,
    'always',
    'database',
    ...(carriesPosition(settings, method) ? (['position'] as const) : []),
    ...(target.settings.allowJoin ? (['join'] as const) : []),
    ...(required || strategies.length > 0 ? (['protected'] as const) : []),
    ...(passwords ? (['password', 'limited'] as const) : []),
    ...(writes && hasCookie(auth) ? (['cookie'] as const) : []),
    ...(restricted ? (['restricted'] as const) : []),
    ...(target.settings.rates[method].length > 0 ? (['limited'] as const) : []),
  ]
}

function success(
  draft: Draft,
  status: number,
  target: Resource,
  hooks: HookSettings,
): ResponseObject {
  const { answer } = draft
  const { dump } = target.settings
  const value = hooks.return === undefined ? answer.value : shaped(answer.value)
  const schema = successSchema({ ...answer, status, value }, dump)
  const headers = {
    ...draft.headers,
    ...(dump.envelope ? {} : { 'X-Total-Count': header('Matching records.') }),
  }
  return {
    description: `${phrases[status]}.`,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      'application/json': { schema: hooks.final === undefined ? schema : shaped(schema) },
    },
  }
}

const shaped = (schema: Schema | ReferenceObject): Schema => ({
  ...schema,
  [shapedByCallback]: true,
})

/** The record, or null if the client may write but not read it. */
const unseen = (record: Schema | ReferenceObject): Schema => ({
  anyOf: [...alternatives(record), { type: 'null' }],
})

const alternatives = (schema: Schema | ReferenceObject): readonly (Schema | ReferenceObject)[] =>
  ('anyOf' in schema && schema.anyOf) || [schema]

/** A JSON request body. */
export const jsonBody = (schema: Schema | ReferenceObject): RequestBodyObject => ({
  required: true,
  content: { 'application/json': { schema } },
})

const header = (description: string, format?: string) => ({
  description,
  schema: { type: 'string', ...(format === undefined ? {} : { format }) } as const,
})

const etag: HeadersObject = {
  ETag: header('Identifies this version of the record in this representation.'),
}

const headerParameter = (
  name: string,
  description: string,
  limits: { readonly maxLength?: number } = {},
): ParameterObject => ({ name, in: 'header', description, schema: { type: 'string', ...limits } })

const ifMatch = headerParameter(
  'If-Match',
  "ETag of the client's copy of the record; 412 if the record has changed since.",
)

const idempotencyKey = headerParameter(
  'Idempotency-Key',
  'A string chosen by the client that identifies this request: sent again with it, the request is not executed again, and the first response is repeated.',
  { maxLength: 255 },
)

const ifNoneMatch = headerParameter(
  'If-None-Match',
  "ETag of the client's copy of the record; 304 if it is unchanged.",
)

const positionTold: HeadersObject = {
  'X-Write-Position': header('The position of this write. A read that sends it sees the write.'),
}

const positionCarried = headerParameter(
  'X-Write-Position',
  'The `X-Write-Position` of a write: the response includes everything written up to it.',
)

const sendsPosition = ({ readYourWrites }: ApiSettings, method: MethodName): boolean =>
  readYourWrites !== 'off' && method !== 'GET'

const carriesPosition = ({ readYourWrites }: ApiSettings, method: MethodName): boolean =>
  readYourWrites !== 'off' && method === 'GET'

const countHeaders = ({ settings }: Resource): HeadersObject =>
  settings.count === 'none'
    ? {}
    : { 'X-Total-Count-Capped': header('`true` if there are more records than the count.') }

const pascalPlural = ({ name }: Resource): string => pluralIn(name, 'pascal')

/** `an order item` */
function article({ name }: Resource): string {
  const words = toCase(name, 'snake').replaceAll('_', ' ')
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`
}
