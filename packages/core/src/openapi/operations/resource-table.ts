// The table of the operations of resources in the OpenAPI document: for each kind of route and each method, a draft with its texts,
// parameters, body, response and errors. `operations.ts` makes OpenAPI objects of the drafts.

import type { ParameterObject, ReferenceObject } from 'openapi3-ts/oas31'
import { isListAllowed } from '../../access/reach.ts'
import { anonymous, decidingRules, ruleText } from '../../access/roles/roles.ts'
import { toCase } from '../../lib/naming/case.ts'
import { pluralIn } from '../../lib/naming/plural.ts'
import { columnTypes } from '../../model/column-types.ts'
import { unwritable, type WriteMode } from '../../model/registry/checks/field-rules.ts'
import { actsOnDependents } from '../../model/registry/relations/dependents.ts'
import { hasExclusions } from '../../model/registry/resolve-exclusions.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { OnDelete } from '../../model/relation.ts'
import type { Route } from '../../model/route.ts'
import type { MethodName } from '../../model/settings/config.ts'
import type { Occasion } from '../error-catalogue.ts'
import { pluralName } from '../info.ts'
import {
  bulkParameters,
  bulkRemovalParameters,
  changeParameters,
  keyParameters,
  listParameterObjects,
  oneParameters,
  removalParameters,
  upsertParameters,
} from '../parameters/query-parameters.ts'
import {
  alternatives,
  answeredRecord,
  listedChangeRef,
  writtenRef,
} from '../schemas/record-schemas.ts'
import type { Schema } from '../schemas/schema.ts'
import { headerObject } from '../schemas/success-responses.ts'
import type { DocumentBuilder, ResourceDraft } from './operation-draft.ts'
import {
  etag,
  idempotencyKey,
  ifNoneMatch,
  listConditions,
  listHeaders,
  writeConditions,
} from './operation-headers.ts'

/** What an operation is about. */
interface Subject {
  readonly builder: DocumentBuilder
  /** The resource in the path. */
  readonly resource: Resource
  /** The relation in the path. */
  readonly relation?: ResolvedRelation
  /** The resource whose records are in the response. */
  readonly target: Resource
  /** The parameters of the key in the path. */
  readonly keys: readonly (ParameterObject | ReferenceObject)[]
  /** The schema of a record in the response. */
  readonly record: Schema | ReferenceObject
}

/** Makes the draft of an operation for a resource. */
type Entry = (subject: Subject) => ResourceDraft

/** The operations of each kind of route. */
const table: Readonly<Record<Route['kind'], Readonly<Partial<Record<MethodName, Entry>>>>> = {
  collection: {
    GET: (subject) => ({
      ...listRead(subject),
      id: `list${pluralInId(subject.resource)}`,
      ownSummary: subject.resource.settings.summaries.getMany,
      summary: `List ${pluralName(subject.resource)}`,
      description: 'A page of them.',
    }),
    POST: (subject) => ({
      ...creation(subject),
      id: `create${subject.resource.name}`,
      ownSummary: subject.resource.settings.summaries.post,
      summary: `Create ${article(subject.resource)}`,
    }),
    PATCH: ({ builder, resource, record }) => ({
      id: `bulkUpdate${pluralInId(resource)}`,
      kind: 'BulkUpdate',
      outcome: 'BulkUpdated',
      summary: `Change every one of the ${pluralName(resource)} that match`,
      description: 'A list, without filters, changes the record of each key, or none.',
      parameters: bulkParameters(builder.components, resource),
      body: {
        anyOf: [
          writtenRef(builder, resource, 'update'),
          { type: 'array', items: listedChangeRef(builder, resource), minItems: 1 },
        ],
      },
      answer: ofOne({ type: 'array', items: writtenRecord(builder, resource, record) }),
      occasions: [...listOccasions, 'body', 'written', 'stored', 'bulk'],
    }),
    DELETE: ({ builder, resource }) => ({
      id: `bulkDelete${pluralInId(resource)}`,
      kind: 'BulkDelete',
      outcome: 'BulkDeleted',
      summary: `Delete every one of the ${pluralName(resource)} that match`,
      description: `All of them, or none.${onDeleteText(resource)}`,
      parameters: bulkRemovalParameters(builder.components, resource),
      answer: ofOne({ type: 'null' }),
      occasions: [...listOccasions, 'removed', 'bulk'],
    }),
  },
  item: {
    GET: (subject) => ({
      ...recordRead(subject),
      id: `get${subject.resource.name}`,
      ownSummary: subject.resource.settings.summaries.getSingle,
      summary: `Get ${article(subject.resource)}`,
      description: 'The record of a key.',
    }),
    PATCH: (subject) => ({
      ...recordChange(subject, 'update'),
      id: `update${subject.resource.name}`,
      outcome: 'Updated',
      ownSummary: subject.resource.settings.summaries.patch,
      summary: `Change ${article(subject.resource)}`,
      description: fieldsSent(subject.resource),
      isMergeable: hasDocuments(subject.resource),
    }),
    PUT: (subject) => ({
      ...recordChange(subject, 'replace'),
      id: `replace${subject.resource.name}`,
      outcome: 'Replaced',
      summary: `Replace ${article(subject.resource)}`,
      description: 'All fields.',
    }),
    DELETE: ({ builder, resource, keys }) => ({
      id: `delete${resource.name}`,
      kind: 'Delete',
      outcome: 'Deleted',
      ownSummary: resource.settings.summaries.delete,
      summary: `Delete ${article(resource)}`,
      description: `${
        resource.settings.softDelete === null
          ? 'The record of a key.'
          : 'The record is marked as deleted, and left out of reads.'
      }${onDeleteText(resource)}`,
      parameters: [...keys, ...removalParameters(builder.components, resource)],
      sends: writeConditions,
      answer: ofOne({ type: 'null' }),
      occasions: [
        'query',
        'record',
        'removed',
        'precondition',
        ...(reachesDependents(builder, resource) ? (['cascade'] as const) : []),
      ],
    }),
  },
  restore: {
    POST: ({ builder, resource, keys, record }) => ({
      id: `restore${resource.name}`,
      kind: 'Restore',
      outcome: 'Restored',
      summary: `Restore ${article(resource)}`,
      description: 'Undoes a deletion. There is no body.',
      parameters: [...keys, ...oneParameters(builder.components, resource)],
      sends: writeConditions,
      answer: ofOne(writtenRecord(builder, resource, record)),
      headers: etag,
      occasions: ['query', 'record', 'body', 'written', 'restored', 'precondition'],
    }),
  },
  related: {
    GET: (subject) => {
      const { resource, relation } = subject
      if (relation === undefined) throw new Error(`A relation of ${resource.name} is missing.`)
      const id = `${resource.name}${toCase(relation.name, 'pascal')}`
      const words = `${article(resource)}'s ${toCase(relation.name, 'snake').replaceAll('_', ' ')}`
      return relation.cardinality === 'one'
        ? {
            ...recordRead(subject),
            id: `get${id}`,
            summary: `Get ${words}`,
            description: 'The related record.',
          }
        : {
            ...listRead(subject),
            id: `list${id}`,
            summary: `List ${words}`,
            description: 'A page of the related records.',
            occasions: [...listOccasions, 'record'],
          }
    },
  },
}

/** Returns the draft of the operation of a method that the route has. */
export function draftOf(builder: DocumentBuilder, route: Route, method: MethodName): ResourceDraft {
  const { resource } = route
  const entry = table[route.kind][method]
  if (entry === undefined) throw new Error(`${method} is no operation of ${resource.name}.`)
  const relation = route.kind === 'related' ? route.relation : undefined
  const target = relation?.target ?? resource
  const keys = route.kind === 'collection' ? [] : keyParameters(builder.components, resource)
  const record = answeredRecord(builder, target)
  const draft = entry({ builder, resource, target, keys, record, ...(relation && { relation }) })
  const mayOverlap =
    hasExclusions(builder.registry) && draft.occasions.some((occasion) => overlapping.has(occasion))
  return mayOverlap ? { ...draft, occasions: [...draft.occasions, 'exclusive'] } : draft
}

/** The occasions on which a record may come to overlap another one. */
const overlapping: ReadonlySet<Occasion> = new Set<Occasion>(['written', 'cascade'])

type OperationContent = Omit<ResourceDraft, 'id' | 'summary' | 'description'>

const ofOne = (value: Schema | ReferenceObject): ResourceDraft['answer'] => ({
  value,
  list: false,
  status: 200,
})

/** A page of records. A key parameter (in path) and a column filter (in query) may have the same name. */
const listRead = ({ builder, target, keys, record }: Subject): OperationContent => ({
  kind: 'List',
  outcome: 'List',
  parameters: [...keys, ...listParameterObjects(builder.components, target)],
  sends: listConditions(target),
  answer: { value: { type: 'array', items: record }, list: true, status: 200 },
  headers: listHeaders(target),
  notModified: target.settings.listEtags,
  occasions: listOccasions,
})

/** One record. */
const recordRead = ({ builder, target, keys, record }: Subject): OperationContent => ({
  kind: 'Get',
  outcome: 'Record',
  parameters: [...keys, ...oneParameters(builder.components, target)],
  sends: [[ifNoneMatch]],
  answer: ofOne(record),
  headers: etag,
  notModified: true,
  occasions: ['query', 'record'],
})

/** PATCH and PUT of one record. */
const recordChange = (
  { builder, resource, keys, record }: Subject,
  mode: WriteMode,
): Omit<OperationContent, 'outcome'> => ({
  kind: 'Update',
  parameters: [...keys, ...changeParameters(builder.components, resource)],
  sends: writeConditions,
  body: writtenRef(builder, resource, mode),
  answer: ofOne(writtenRecord(builder, resource, record)),
  headers: etag,
  occasions: ['query', 'record', 'body', 'written', 'stored', 'precondition'],
})

/** POST of a record, a list, or an upsert, as far as the settings allow them. */
function creation({ builder, resource, record }: Subject): Omit<ResourceDraft, 'id' | 'summary'> {
  const { settings } = resource
  const bulk = settings.bulkMethods.has('POST')
  const body = writtenRef(builder, resource, 'create')
  // If the request is repeated with its Idempotency-Key after a record was deleted, its value is null.
  const made = orNothing(record)
  return {
    kind: 'Create',
    outcome: 'Created',
    description: `${
      bulk
        ? 'A list creates all of its records, or none.'
        : 'A new record, with what the database fills in.'
    }${upsertRoles(resource)}`,
    parameters: upsertParameters(builder.components, resource),
    sends: [[idempotencyKey]],
    body: bulk ? { anyOf: [body, { type: 'array', items: body, minItems: 1 }] } : body,
    answer: {
      value: bulk ? { anyOf: [...alternatives(made), { type: 'array', items: made }] } : made,
      list: false,
      status: 201,
    },
    ...(settings.allowUpsert ? { also: 200 } : {}),
    headers: {
      Location: headerObject('URL of the new record.', 'uri-reference'),
      'Idempotency-Replayed': headerObject(
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

const listOccasions: readonly Occasion[] = ['query', 'list']

/** Whether clients may write a column of type json. */
const hasDocuments = (resource: Resource): boolean =>
  [...resource.columns.values()].some(
    (column) =>
      columnTypes[column.type].json === 'any' &&
      unwritable(resource, column, 'update') === undefined,
  )

const fieldsSent = (resource: Resource): string =>
  hasDocuments(resource)
    ? 'The fields that are sent. As `application/merge-patch+json`, objects are merged into the stored ones (RFC 7396).'
    : 'The fields that are sent.'

/** Whether a DELETE may also delete or change records that refer to its own: if `cascade_delete` is allowed, or by `onDelete` of relations. */
const reachesDependents = ({ registry }: DocumentBuilder, resource: Resource): boolean =>
  resource.settings.allowCascadeDelete || actsOnDependents(registry, resource, { cascade: false })

/** Returns the schema of a written record: the record, or null if a caller may write but not read it. */
const writtenRecord = (
  builder: DocumentBuilder,
  resource: Resource,
  record: Schema | ReferenceObject,
): Schema | ReferenceObject => (isAlwaysSeen(builder, resource) ? record : orNothing(record))

const orNothing = (record: Schema | ReferenceObject): Schema => ({
  anyOf: [...alternatives(record), { type: 'null' }],
})

/**
 * Whether every caller may read every record, so that a write always returns the record. What the database itself hides from the
 * connection of `createApi` (row-level security, a view with a condition) is not known here; `value` is null for such a record.
 */
const isAlwaysSeen = ({ hasSessions }: DocumentBuilder, resource: Resource): boolean =>
  !hasSessions &&
  resource.settings.policy === null &&
  resource.settings.softDelete === null &&
  Object.values(resource.settings.hooks).every(({ filter }) => filter === undefined) &&
  isListAllowed(resource, anonymous)

const pluralInId = ({ name }: Resource): string => pluralIn(name, 'pascal')

/** Returns the name of a record with its article: `an order item`. */
function article({ name }: Resource): string {
  const words = toCase(name, 'snake').replaceAll('_', ' ')
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`
}
