// Operations: the methods of each kind of route, with their parameters, bodies and responses.

import type {
  HeadersObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponsesObject,
} from 'openapi3-ts/oas31'
import { checksOf } from '../../access/authorize.ts'
import { mayList } from '../../access/reach.ts'
import { anonymous, decidingRules, ruleText } from '../../access/roles/roles.ts'
import { toCase } from '../../lib/naming/case.ts'
import { pluralIn } from '../../lib/naming/plural.ts'
import { needsRight } from '../../model/registry/caller-registry.ts'
import { unwritable, type WriteMode } from '../../model/registry/checks/field-rules.ts'
import { actsOnDependents } from '../../model/registry/relations/dependents.ts'
import type { Registry, Resource } from '../../model/registry/resource.ts'
import type { OnDelete } from '../../model/relation.ts'
import type { Route } from '../../model/route.ts'
import type { RoleRule } from '../../model/settings/access/access-types.ts'
import type { MethodName } from '../../model/settings/config.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import { codeSamples } from '../code-samples.ts'
import { codesOf } from '../declared-codes.ts'
import type { Occasion } from '../error-catalogue.ts'
import type { OperationKind, Records } from '../form.ts'
import { plural, tagOf } from '../info.ts'
import {
  bulkParameters,
  bulkRemovalParameters,
  changeParameters,
  keyParameters,
  listParameters,
  oneParameters,
  removalParameters,
  shared,
  upsertParameters,
} from '../parameters/query-parameters.ts'
import type { Answer } from '../schemas/envelope-schemas.ts'
import {
  alternatives,
  answeredRecord,
  listedChangeRef,
  writtenRef,
} from '../schemas/record-schemas.ts'
import type { Schema } from '../schemas/schema.ts'
import { failureShape, header } from '../schemas/success-responses.ts'
import {
  csrfParameters,
  hasCookie,
  isRestricted,
  type Protection,
  roleRules,
  rolesText,
  securityOf,
} from '../security.ts'

/** The context in which operations are built. */
export interface Writer extends Records {
  readonly registry: Registry
  readonly settings: ApiSettings
  /** Returns the authentication that an operation requires. */
  protection(route: Route, method: string): Protection
  /** Whether API_SESSION_GETTER gives each request its connection, on which the database may hide rows. */
  readonly hasSessions: boolean
  /** Whether there are resources that not every caller may list; a query that names one can then be refused. */
  readonly restrictsLists: boolean
  /** Makes an operationId unique. */
  operationId(wanted: string): string
}

/** A request header, and the name of its OpenAPI component if it is not the header's name. */
type HeaderSent = readonly [header: ParameterObject, component?: string]

/** An operation before it is turned into an OpenAPI object. */
interface Draft {
  readonly id: string
  readonly kind: OperationKind
  /** The kind of response, which is part of the name of its component. */
  readonly outcome: string
  readonly summary: string
  /** The summary that the model sets. */
  readonly ownSummary?: string | undefined
  readonly description: string
  readonly parameters: readonly (ParameterObject | ReferenceObject)[]
  /** Headers that the client may send, in addition to those of all operations. */
  readonly sends?: readonly HeaderSent[]
  readonly body?: Schema | ReferenceObject
  /** Whether the body may also be a JSON Merge Patch, which merges values of json columns instead of replacing them. */
  readonly isMergeable?: boolean
  readonly answer: Answer & { readonly status: number }
  /** A second success status with the same body. */
  readonly also?: number
  readonly headers?: HeadersObject
  /** Whether the operation responds with 304 if the client's copy of the record is current. */
  readonly notModified?: boolean
  readonly occasions: readonly Occasion[]
}

/** Returns the operation of a method that the route has. */
export function operationOf(writer: Writer, route: Route, method: MethodName): OperationObject {
  const { settings, components } = writer
  const { form } = components
  const draft = draftOf(writer, route, method)
  const protection = writer.protection(route, method)
  const rules = roleRules(checksOf(route, method))
  return {
    operationId: writer.operationId(draft.id),
    ...form.texts({
      ...draft,
      access: accessText(settings, protection, rules),
      samples: () => codeSamples({ route, method, settings, protection }),
    }),
    tags: [tagOf(route.resource)],
    ...(settings.auth.strategies.length === 0
      ? {}
      : { security: form.security(securityOf(settings.auth, protection), rules) }),
    parameters: parametersOf(writer, draft, method, protection),
    ...(draft.body === undefined ? {} : { requestBody: jsonBody(draft.body, draft.isMergeable) }),
    responses: responsesOf(writer, route, method, draft),
  }
}

/**
 * Returns who may send the request. Documentation pages show the accepted schemes, but not that authentication is optional, so the
 * description states it.
 */
function accessText(
  { auth }: ApiSettings,
  { required }: Protection,
  rules: readonly RoleRule[],
): string | undefined {
  const roles = rolesText(rules)
  const isOpen = auth.strategies.length > 0 && !required && roles === undefined
  return isOpen ? 'Public: no credential is needed.' : roles
}

function parametersOf(
  { settings, components }: Writer,
  draft: Draft,
  method: MethodName,
  protection: Protection,
): (ParameterObject | ReferenceObject)[] {
  const writes = method !== 'GET'
  const sent: readonly HeaderSent[] = [
    ...(draft.sends ?? []),
    ...(carriesPosition(settings, method) ? [[positionCarried] as const] : []),
    ...(writes ? [[prefer] as const] : []),
  ]
  return [
    ...draft.parameters,
    ...sent
      .filter(([{ required }]) => components.form.listsHeaders || required)
      .map(([one, name]) => shared(components, one, name)),
    ...(writes ? csrfParameters(settings.auth, protection) : []),
  ]
}

function responsesOf(
  writer: Writer,
  route: Route,
  method: MethodName,
  draft: Draft,
): ResponsesObject {
  const { settings, components } = writer
  const { form } = components
  const target = targetOf(route)
  const writes = method !== 'GET'
  const headers = {
    ...draft.headers,
    ...(target.settings.rates[method].length > 0 ? limitHeaders : {}),
    ...(sendsPosition(settings, method) ? positionTold : {}),
    ...(writes ? preferenceApplied : {}),
  }
  const hooks = target.settings.hooks[method.toLowerCase() as 'get']
  const successes = [draft.also ?? [], draft.answer.status].flat().map((status) => {
    const answer = { ...draft.answer, status }
    const outcome = status === draft.also ? 'Upserted' : draft.outcome
    return [status, form.success(writer, { target, method, answer, headers, outcome })] as const
  })
  return {
    ...Object.fromEntries(successes),
    ...(form.listsHeaders && writes ? { 204: noContent(writer) } : {}),
    ...(form.listsHeaders && draft.notModified ? { 304: notModified(writer) } : {}),
    ...form.failures(
      components,
      failureShape(writer, target, hooks.final !== undefined),
      draft.kind,
      new Set(occasionsOf(writer, route, method, draft)),
      codesOf(settings, target, method, draft.kind),
    ),
  }
}

/** Returns the resource whose records the route returns. */
const targetOf = (route: Route): Resource =>
  route.kind === 'related' ? route.relation.target : route.resource

const notModified = ({ components }: Writer): ReferenceObject =>
  components.response('not modified', 'NotModified', () => ({
    description: "The client's copy is up to date.",
  }))

const noContent = ({ components }: Writer): ReferenceObject =>
  components.response('no content', 'NoContent', () => ({
    description: 'Written. The client prefers a response without a body.',
  }))

/** Whether a query on the resource can name relations to others. */
const leadsElsewhere = ({ relations, settings }: Resource): boolean =>
  relations.size > 0 && (settings.allowJoin || settings.allowFilters)

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

/** Says in the description of a DELETE what it does with related records. */
function onDeleteText({ relations }: Resource): string {
  const named = (action: OnDelete): string =>
    [...relations.values()]
      .flatMap(({ name, onDelete }) => (onDelete === action ? [`\`${name}\``] : []))
      .join(', ')
  const [deleted, emptied] = [named('cascade'), named('null')]
  return [
    deleted && ` Also deletes its ${deleted}, each record under its own rules.`,
    emptied &&
      ` Its ${emptied} stay, without the reference to it, each changed under its own rules.`,
  ].join('')
}

/** Returns what `on_conflict` needs beside the roles of POST, if the role map says it. */
const upsertRoles = ({ settings }: Resource): string =>
  decidingRules(settings.roleMaps, 'UPSERT')
    .filter(({ key }) => settings.allowUpsert && key === 'UPSERT')
    .map(({ rule }) => ` \`on_conflict\` also needs ${ruleText(rule)}.`)
    .join('')

const listOccasions: readonly Occasion[] = ['query', 'list', 'value']

function collectionDraft(writer: Writer, resource: Resource, method: MethodName): Draft {
  const { name, settings } = resource
  const { components } = writer
  const { summaries } = settings
  const refused = settings.requireIfMatchEverywhere
    ? ' Always refused (428), because each record needs its ETag in `If-Match`.'
    : ''
  const cascades = onDeleteText(resource)
  const records = plural(resource)
  const record = answeredRecord(writer, resource)
  const list = { type: 'array', items: record } as const satisfies Schema
  const written: Schema = { type: 'array', items: unseen(writer, resource, record) }
  const many = pascalPlural(resource)
  switch (method) {
    case 'POST': {
      const bulk = settings.bulkMethods.has('POST')
      const one = writtenRef(writer, resource, 'create')
      // If the request is repeated with its Idempotency-Key after a record was deleted, its value is null.
      const made = components.form.listsHeaders
        ? orNothing(record)
        : unseen(writer, resource, record)
      return {
        id: `create${name}`,
        kind: 'Create',
        outcome: 'Created',
        ownSummary: summaries.post,
        summary: `Create ${article(resource)}`,
        description: `${
          bulk
            ? 'A list creates all of its records, or none.'
            : 'A new record, with what the database fills in.'
        }${upsertRoles(resource)}`,
        parameters: upsertParameters(components, resource),
        sends: [[idempotencyKey]],
        body: bulk ? { anyOf: [one, { type: 'array', items: one, minItems: 1 }] } : one,
        answer: {
          value: bulk ? { anyOf: [...alternatives(made), { type: 'array', items: made }] } : made,
          list: false,
          status: 201,
        },
        ...(settings.allowUpsert ? { also: 200 } : {}),
        headers: {
          Location: header('URL of the new record.', 'uri-reference'),
          'Idempotency-Replayed': header(
            '`true` if this repeats the response of an earlier request.',
          ),
          ...etag,
        },
        occasions: [
          ...(['query', 'body', 'written', 'stored', 'idempotent'] as const),
          ...(settings.allowUpsert ? (['upsert'] as const) : []),
        ],
      }
    }
    case 'PATCH':
      return {
        id: `bulkUpdate${many}`,
        kind: 'BulkUpdate',
        outcome: 'BulkUpdated',
        summary: `Change every one of the ${records} that match`,
        description: `A list, without filters, changes the record of each key, or none.${refused}`,
        parameters: bulkParameters(components, resource),
        body: {
          anyOf: [
            writtenRef(writer, resource, 'update'),
            { type: 'array', items: listedChangeRef(writer, resource), minItems: 1 },
          ],
        },
        answer: { value: written, list: false, status: 200 },
        occasions: [...listOccasions, 'body', 'written', 'stored', 'bulk'],
      }
    case 'DELETE':
      return {
        id: `bulkDelete${many}`,
        kind: 'BulkDelete',
        outcome: 'BulkDeleted',
        summary: `Delete every one of the ${records} that match`,
        description: `All of them, or none.${cascades}${refused}`,
        parameters: bulkRemovalParameters(components, resource),
        answer: { value: { type: 'null' }, list: false, status: 200 },
        occasions: [...listOccasions, 'removed', 'bulk'],
      }
    default:
      return {
        id: `list${many}`,
        kind: 'List',
        outcome: 'List',
        ownSummary: summaries.getMany,
        summary: `List ${records}`,
        description: 'A page of them.',
        parameters: listParameters(components, resource),
        sends: listConditions(resource),
        answer: { value: list, list: true, status: 200 },
        headers: listHeaders(resource),
        notModified: settings.listEtags,
        occasions: listOccasions,
      }
  }
}

function itemDraft(writer: Writer, resource: Resource, method: MethodName): Draft {
  const { name, settings } = resource
  const { components } = writer
  const { summaries } = settings
  const keys = keyParameters(components, resource)
  const record = answeredRecord(writer, resource)
  const changed = (mode: WriteMode, verb: string, summary: string): Draft => ({
    id: `${verb}${name}`,
    kind: 'Update',
    outcome: mode === 'update' ? 'Updated' : 'Replaced',
    summary,
    description: mode === 'update' ? fieldsSent(resource) : 'All fields.',
    parameters: [...keys, ...changeParameters(components, resource)],
    sends: writeConditions(resource),
    body: writtenRef(writer, resource, mode),
    isMergeable: mode === 'update' && hasDocuments(resource),
    answer: { value: unseen(writer, resource, record), list: false, status: 200 },
    headers: etag,
    occasions: ['query', 'record', 'body', 'written', 'stored', 'precondition'],
  })
  switch (method) {
    case 'PATCH':
      return {
        ...changed('update', 'update', `Change ${article(resource)}`),
        ownSummary: summaries.patch,
      }
    case 'PUT':
      return changed('replace', 'replace', `Replace ${article(resource)}`)
    case 'DELETE':
      return {
        id: `delete${name}`,
        kind: 'Delete',
        outcome: 'Deleted',
        ownSummary: summaries.delete,
        summary: `Delete ${article(resource)}`,
        description: `${
          settings.softDelete === null
            ? 'The record of a key.'
            : 'The record is marked as deleted, and left out of reads.'
        }${onDeleteText(resource)}`,
        parameters: [...keys, ...removalParameters(components, resource)],
        sends: writeConditions(resource),
        answer: { value: { type: 'null' }, list: false, status: 200 },
        occasions: [
          'query',
          'record',
          'removed',
          'precondition',
          ...(reachesDependents(writer, resource) ? (['cascade'] as const) : []),
        ],
      }
    default:
      return {
        id: `get${name}`,
        kind: 'Get',
        outcome: 'Record',
        ownSummary: summaries.getSingle,
        summary: `Get ${article(resource)}`,
        description: 'The record of a key.',
        parameters: [...keys, ...oneParameters(components, resource)],
        sends: [[ifNoneMatch]],
        answer: { value: record, list: false, status: 200 },
        headers: etag,
        notModified: true,
        occasions: ['query', 'record'],
      }
  }
}

/** Whether clients may write a column of type json. */
const hasDocuments = (resource: Resource): boolean =>
  [...resource.columns.values()].some(
    (column) => column.type === 'json' && unwritable(resource, column, 'update') === undefined,
  )

const fieldsSent = (resource: Resource): string =>
  hasDocuments(resource)
    ? 'The fields that are sent. As `application/merge-patch+json`, objects are merged into the stored ones (RFC 7396).'
    : 'The fields that are sent.'

function restoreDraft(writer: Writer, resource: Resource): Draft {
  return {
    id: `restore${resource.name}`,
    kind: 'Restore',
    outcome: 'Restored',
    summary: `Restore ${article(resource)}`,
    description: 'Undoes a deletion. There is no body.',
    parameters: [
      ...keyParameters(writer.components, resource),
      ...oneParameters(writer.components, resource),
    ],
    sends: writeConditions(resource),
    answer: {
      value: unseen(writer, resource, answeredRecord(writer, resource)),
      list: false,
      status: 200,
    },
    headers: etag,
    occasions: ['query', 'record', 'body', 'written', 'restored', 'precondition'],
  }
}

function relatedDraft(writer: Writer, { relation }: Route & { kind: 'related' }): Draft {
  const { source, target, cardinality, name } = relation
  const { components } = writer
  const keys = keyParameters(components, source)
  const record = answeredRecord(writer, target)
  const id = `${source.name}${toCase(name, 'pascal')}`
  const words = toCase(name, 'snake').replaceAll('_', ' ')
  if (cardinality === 'one') {
    return {
      id: `get${id}`,
      kind: 'Get',
      outcome: 'Record',
      summary: `Get ${article(source)}'s ${words}`,
      description: 'The related record.',
      parameters: [...keys, ...oneParameters(components, target)],
      sends: [[ifNoneMatch]],
      answer: { value: record, list: false, status: 200 },
      headers: etag,
      notModified: true,
      occasions: ['query', 'record'],
    }
  }
  // A key parameter (in path) and a column filter (in query) may have the same name.
  return {
    id: `list${id}`,
    kind: 'List',
    outcome: 'List',
    summary: `List ${article(source)}'s ${words}`,
    description: 'A page of the related records.',
    parameters: [...keys, ...listParameters(components, target)],
    sends: listConditions(target),
    answer: { value: { type: 'array', items: record }, list: true, status: 200 },
    headers: listHeaders(target),
    notModified: target.settings.listEtags,
    occasions: [...listOccasions, 'record'],
  }
}

/** Returns the occasions of the operation, and those that settings add to every operation. */
function occasionsOf(
  writer: Writer,
  route: Route,
  method: MethodName,
  { occasions }: Draft,
): Occasion[] {
  const { settings } = writer
  const { auth } = settings
  const { strategies, required } = writer.protection(route, method)
  const target = targetOf(route)
  const writes = method !== 'GET'
  const passwords = strategies.includes('basic') || strategies.includes('api_key')
  const restricted = isRestricted(checksOf(route, method)) || writes
  return [
    ...occasions,
    'always',
    'database',
    ...(carriesPosition(settings, method) ? (['position'] as const) : []),
    ...(route.kind === 'related' && needsRight(route.relation) ? (['ruled'] as const) : []),
    ...(target.settings.allowJoin ? (['join'] as const) : []),
    ...(writer.restrictsLists && leadsElsewhere(target) ? (['reach'] as const) : []),
    ...(required || strategies.length > 0 ? (['protected'] as const) : []),
    ...(passwords ? (['password', 'limited'] as const) : []),
    ...(writes && hasCookie(auth) ? (['cookie'] as const) : []),
    ...(restricted ? (['restricted'] as const) : []),
    ...(writes ? requiredVersions(writer, route, method) : []),
    ...(target.settings.rates[method].length > 0 ? (['limited'] as const) : []),
  ]
}

/** Whether a DELETE may also delete or change records that refer to its own. */
const reachesDependents = ({ registry }: Writer, resource: Resource): boolean =>
  resource.settings.allowCascadeDelete || actsOnDependents(registry, resource, false)

/** Returns the occasions of a write for models that require If-Match: its own, and those of nested records and dependents. */
function requiredVersions(writer: Writer, route: Route, method: MethodName): Occasion[] {
  const { registry } = writer
  const { settings } = route.resource
  const isOfOne = route.kind !== 'collection'
  const nests = settings.allowNestedWrites && route.kind !== 'restore'
  const reachesOthers = method === 'DELETE' ? reachesDependents(writer, route.resource) : nests
  const others =
    reachesOthers && registry.resources.some((one) => one.settings.requireIfMatchEverywhere)
  return [
    ...(isOfOne && settings.requireIfMatch ? (['requiredVersion'] as const) : []),
    ...(others || (!isOfOne && settings.requireIfMatchEverywhere)
      ? (['requiredVersions'] as const)
      : []),
  ]
}

/** Returns the schema of a written record: the record, or null if a caller may write but not read it. */
const unseen = (
  writer: Writer,
  resource: Resource,
  record: Schema | ReferenceObject,
): Schema | ReferenceObject => (isAlwaysSeen(writer, resource) ? record : orNothing(record))

const orNothing = (record: Schema | ReferenceObject): Schema => ({
  anyOf: [...alternatives(record), { type: 'null' }],
})

/**
 * Whether every caller may read every record, so that a write always returns the record. What the database itself hides from the
 * connection of `createApi` (row-level security, a view with a condition) is not known here; `value` is null for such a record.
 */
const isAlwaysSeen = ({ hasSessions }: Writer, resource: Resource): boolean =>
  !hasSessions &&
  resource.settings.policy === null &&
  resource.settings.softDelete === null &&
  Object.values(resource.settings.hooks).every(({ filter }) => filter === undefined) &&
  mayList(resource, anonymous)

/** Returns a JSON request body, which may also be a merge patch. */
export const jsonBody = (
  schema: Schema | ReferenceObject,
  isMergeable: boolean = false,
): RequestBodyObject => ({
  required: true,
  content: {
    'application/json': { schema },
    ...(isMergeable ? { 'application/merge-patch+json': { schema } } : {}),
  },
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

const requiredIfMatch: ParameterObject = {
  ...ifMatch,
  required: true,
  description: `${ifMatch.description} Without it, or with \`*\`, 428.`,
}

const ifNoneMatchOfWrite = headerParameter(
  'If-None-Match',
  'ETag of a version of the record; 412 if that is the stored version. `*` is always 412, because the record has to exist.',
)

/** The conditions of a write of one record. */
const writeConditions = ({ settings }: Resource): readonly HeaderSent[] => [
  settings.requireIfMatch ? [requiredIfMatch, 'If-Match-Required'] : [ifMatch],
  [ifNoneMatchOfWrite, 'If-None-Match-Write'],
]

const prefer = headerParameter(
  'Prefer',
  '`return=minimal`: a response without a body, 204 in place of 200. `return=representation`: with the record, as without this header.',
)

const preferenceApplied: HeadersObject = {
  'Preference-Applied': header('The preference that was followed.'),
}

const limitHeaders: HeadersObject = {
  'RateLimit-Policy': header('The limits of the operation: requests `q` in `w` seconds.'),
  RateLimit: header('Requests that are left, `r`, for `t` seconds, under each limit.'),
}

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

const listHeaders = ({ settings }: Resource): HeadersObject => ({
  ...(settings.count === 'none'
    ? {}
    : { 'X-Total-Count-Capped': header('`true` if there are more records than the count.') }),
  ...(settings.listEtags ? { ETag: header('Identifies this version of the page.') } : {}),
})

const listConditions = ({ settings }: Resource): readonly HeaderSent[] =>
  settings.listEtags ? [[pageKnown, 'If-None-Match-List']] : []

const pageKnown = headerParameter(
  'If-None-Match',
  "ETag of the client's copy of the page; 304 if it is unchanged.",
)

const pascalPlural = ({ name }: Resource): string => pluralIn(name, 'pascal')

/** Returns the name of a record with its article: `an order item`. */
function article({ name }: Resource): string {
  const words = toCase(name, 'snake').replaceAll('_', ' ')
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`
}
