// readRecord: turns a JSON object of a body into a RecordNode, and the objects nested in it into NestedNodes: records to create or change,
// or references to stored ones. Reports every field that is unknown, has the wrong type or is not writable; ignores none
// (docs/guide/writing.md). `read-body.ts` calls it for each record of a body, before the transaction.

import { excerpt, longestPath } from '../../lib/error-size.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { isJsonObject as isObject } from '../../lib/json/merge-patch.ts'
import { isVerbatim } from '../../lib/json/verbatim.ts'
import { didYouMean } from '../../lib/naming/suggest.ts'
import type { CodedProblem } from '../../lib/problems/problem-codes.ts'
import { columnTypes } from '../../model/column-types.ts'
import {
  hasInitialValue,
  isRequired,
  isSoftDeleteAttribute,
  isValidated,
  isWriteOnly,
  unaddressable,
  unmatchable,
  unwritable,
  unwritableRelation,
  type WriteMode,
} from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { isKeyless } from '../../model/registry/row-identity.ts'
import { maxBulkNames, settingNames } from '../../model/settings/setting-names.ts'
import type { Unexpected } from '../../model/type-definition.ts'
import {
  alsoSetBy,
  changedTwice,
  determinedBy,
  fieldOfParent,
  linkedIsNotChanged,
  linksUnlessComplete,
  missingField,
  nestedElsewhere,
  nestedTooDeep,
  nestedWritesOff,
  notAKey,
  notAListOfObjects,
  notANestedObject,
  notAnObject,
  nullField,
  type ReadOnlyReason,
  relationOfParent,
  tooManyItems,
  unknownField,
  unwritten,
} from '../../problems.ts'
import { valueOfJson } from '../../query/plan/conditions/value.ts'
import type { Value } from '../../query/plan/plan.ts'
import { initialWithoutHost } from '../check/defaults.ts'
import { convertJson } from '../nodes/convert-json.ts'
import {
  type NestedNode,
  pathTo,
  type RecordNode,
  type ReferenceNode,
  type SentBack,
  type Values,
} from '../nodes/node.ts'
import { periodProblems } from '../nodes/period-problems.ts'
import { type InputProblems, inputProblems } from './input-problems.ts'
import { hasValidators, type Identifying, plainRecord } from './plain-record.ts'
import type { RecordCount } from './record-count.ts'
import { type ValidatorHost, type ValueCheck, wantsWholeRecord } from './validators.ts'
import { outsideLimits } from './value-limits.ts'

/** What the functions below share while a body is read: they add its problems and checks here. */
export interface Reading {
  readonly problems: InputProblems
  /** The values with a validator; `read-body.ts` runs the validators after each record. */
  readonly checks: ValueCheck[]
  /** Counts the records that may be written, to limit them. */
  readonly count: RecordCount
  /** The time and the UUIDs of new records. */
  readonly sources: ValidatorHost['sources']
}

/** The position of a record in the body, and how a record is read there. */
export interface BodyPlace {
  /** Empty for the body itself, or `author`, `items[2]`. */
  readonly path: string
  /** `create`, `update` (PATCH) or `replace` (PUT). Nested records are read with `create`, known children with `update`. */
  readonly mode: WriteMode
  /** Levels of nesting that are still allowed. */
  readonly levelsLeft: number
  /** The fields and the relation that the parent record fills. */
  readonly filled: ReadonlySet<string>
  /** The fields that identify the record in a list of changes or with `on_conflict`. */
  readonly identifying: Identifying
  /** In a change: the fields that the caller may write only in a new record. */
  readonly createOnly: ReadonlySet<string>
  /** The unique keys by which nested objects name stored records. */
  readonly relationKeys: RelationKeys
  /** Whether objects for json columns are merged into the stored documents. */
  readonly isMergePatch: boolean
  /** How lists change the children of stored records; undefined if they cannot. */
  readonly childChanges: ChildChanges | undefined
  /** The names of the relations that lead here from the record of the path. */
  readonly relationPath: readonly string[]
}

/** How the lists of a body change the children of stored records. */
export interface ChildChanges {
  /** Whether the list of a relation removes the children that it does not name; `relationPath` leads to it: `['orders', 'items']`. */
  readonly removes: (relationPath: readonly string[]) => boolean
}

/** The columns of a unique key of the target, by the name of the relation (`labels.on_conflict=name`). */
export type RelationKeys = ReadonlyMap<string, readonly NamedColumn[]>

/** Nested objects name stored records by their primary keys alone. */
export const noRelationKeys: RelationKeys = new Map()

type Members = { readonly [key: string]: JsonValue }

/** Reads a record; its problems go to `reading.problems`, its values to validate to `reading.checks`. */
export function readRecord(
  reading: Reading,
  resource: Resource,
  body: JsonValue,
  place: BodyPlace,
  /** The problem of a body that is no object. */
  otherwise: CodedProblem | (() => CodedProblem) = notAnObject,
): RecordNode {
  const node = readMembers(reading, resource, body, place, otherwise)
  if (resource.exclusions.length > 0) {
    const { values, path } = node
    for (const { path: at, ...problem } of periodProblems(resource, values, values, path)) {
      reading.problems.add(at, problem)
    }
  }
  return node
}

/** Reads the members of an object: in one step if `plainRecord` can, otherwise one after the other. */
function readMembers(
  reading: Reading,
  resource: Resource,
  body: JsonValue,
  place: BodyPlace,
  otherwise: CodedProblem | (() => CodedProblem),
): RecordNode {
  const { problems } = reading
  if (place.filled.size === 0 && place.createOnly.size === 0 && isObject(body)) {
    const plain = plainRecord(resource, body, place.path, place.mode, place.identifying)
    if (plain !== undefined) {
      const node = place.isMergePatch ? withMerges(plain) : plain
      return hasValidators(resource, place.mode) ? withChecks(reading, node, place) : node
    }
  }
  const values: Record<string, JsonValue> = {}
  const fields: Record<string, JsonValue> = {}
  const urls: Record<string, string | null> = {}
  const parents: { relation: ResolvedRelation; node: NestedNode }[] = []
  const children: RecordNode['children'][number][] = []
  const node: RecordNode = {
    kind: 'record',
    resource,
    path: place.path,
    values,
    sentBack: { fields, otherForms: {}, urls },
    wholeRecordChecks: [],
    merges: [],
    parents,
    children,
  }
  if (!isObject(body)) {
    problems.add(place.path, otherwise)
    return node
  }
  for (const [name, json] of Object.entries(body)) {
    const path = pathTo(place.path, name)
    const column = resource.bodyColumns.get(name)
    const relation = resource.relations.get(name)
    if (column !== undefined) readField(reading, column, json, path, place, node)
    else if (resource.aggregates.has(name)) refuseAggregate(problems, path, place)
    else if (relation === undefined) problems.add(path, () => unknownFieldOf(resource, name))
    else readRelation(reading, relation, json, { ...place, path }, node)
  }
  refuseTwoSources(problems, node)
  refuseMissing(problems, node, place, body)
  return withChecks(reading, place.isMergePatch ? withMerges(node) : node, place)
}

/** Adds `merges`: the json columns whose objects are merged into the stored documents. */
function withMerges(node: RecordNode): RecordNode {
  const merges = Object.keys(node.values).flatMap((name) => {
    const column = node.resource.columns.get(name)
    return column !== undefined &&
      columnTypes[column.type].json === 'any' &&
      isObject(node.values[name] ?? null)
      ? [column]
      : []
  })
  return { ...node, merges }
}

/** Adds the values to validate to `reading.checks`; those whose validators take a record that is not known yet to `wholeRecordChecks`. */
function withChecks(reading: Reading, node: RecordNode, place: BodyPlace): RecordNode {
  const { later, initial } = collectChecks(reading, node, place)
  if (later.length === 0 && initial === undefined) return node
  return { ...node, wholeRecordChecks: later, ...(initial && { initial }) }
}

/**
 * A declared aggregate is read-only. A change may contain it, as a GET returned it; the value is not compared with the present one, which
 * depends on other records.
 */
function refuseAggregate(problems: InputProblems, path: string, { mode }: BodyPlace): void {
  if (mode === 'create') problems.add(path, unwritten('field', 'read_only'))
}

function unknownFieldOf(resource: Resource, name: string): CodedProblem {
  const known = [...resource.bodyColumns.keys(), ...resource.relations.keys()]
  return unknownField(name, didYouMean(name, known))
}

/** A type without its `readonly`, for objects that the functions here still fill. */
type Open<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Adds a field to `node.values`. A read-only field of an existing record goes to `node.sentBack`: the write accepts it if it
 * equals the stored value.
 */
function readField(
  { problems }: Reading,
  column: NamedColumn,
  json: JsonValue,
  path: string,
  place: BodyPlace,
  node: RecordNode,
): void {
  const { resource } = node
  const { mode } = place
  if (place.filled.has(column.name) && mode !== 'update') {
    problems.add(path, fieldOfParent)
    return
  }
  const identifies = place.identifying.has(column.name)
  const why = identifies
    ? place.identifying.get(column.name)
    : (unwritable(resource, column, mode) ?? onlyInNew(place, column) ?? setByParent(place, column))
  const value = readValue(column, json)
  if (why === undefined) {
    // A field that identifies the record is not compared: with a value of another type, no record is found.
    const isCompared = mode === 'update' && !identifies
    if ('problem' in value && isCompared && mayBeStored(column, json)) {
      const { otherForms } = node.sentBack as Open<SentBack>
      const { problem } = value
      ;(otherForms as Open<SentBack['otherForms']>)[column.name] = { value: json, problem }
      return
    }
    if ('problem' in value) {
      addUnexpected(problems, path, value)
      return
    }
    const wrong = unaddressable(column, value.value)
    if (wrong !== undefined) problems.add(path, wrong)
    else (node.values as Open<Members>)[column.name] = value.value
    return
  }
  const isCompared = mode !== 'create' && !identifies
  if (!isCompared && !isActive(resource, column, json)) problems.add(path, unwritten('field', why))
  // A value that does not fit the column cannot equal the stored value.
  else if (!('value' in value)) problems.add(path, unwritten('field', why))
  else (node.sentBack.fields as Open<Members>)[column.name] = value.value
}

/** Whether the value says that the record is not soft-deleted. */
const isActive = (resource: Resource, column: NamedColumn, json: JsonValue): boolean =>
  isSoftDeleteAttribute(resource, column) && json === resource.settings.softDelete?.active

/** Says that the caller may write a column only in a new record, if this is a change. */
const onlyInNew = ({ createOnly }: BodyPlace, { name }: NamedColumn): ReadOnlyReason | undefined =>
  createOnly.has(name) ? 'stored' : undefined

/** Says that the parent sets a column; a child may send back the value that it has. */
const setByParent = ({ filled }: BodyPlace, { name }: NamedColumn): ReadOnlyReason | undefined =>
  filled.has(name) ? 'parent' : undefined

/**
 * Whether the foreign key of the relation identifies the record of an upsert. A stored record that is found by it has the same one, so
 * the object changes nothing in it. A primary key also identifies the records of a PATCH, which are found by the fields alone.
 */
const identifiesRecord = ({ from }: ResolvedRelation, { identifying }: BodyPlace): boolean =>
  from.every(
    ({ name, definition }) =>
      definition.primaryKey !== true &&
      identifying.has(name) &&
      identifying.get(name) === undefined,
  )

/**
 * Whether a value that does not fit the column's type may still be the stored value, in the form that responses show. They never show a
 * write-only column.
 */
const mayBeStored = (column: NamedColumn, json: JsonValue): boolean => {
  if (column.otherForms !== true || isWriteOnly(column)) return false
  if (json === null || Array.isArray(json)) return false
  return typeof json === 'string' || typeof json === 'number' || isVerbatim(json as object)
}

/** A value that its column refuses. */
interface WrongValue {
  readonly problem: CodedProblem
  /** In a list: the wrong items, by their paths in it, such as `[3]`; absent if the list itself is wrong. */
  readonly items?: Unexpected['items']
}

/** Adds the problem of a value; of a list, one for each wrong item. */
function addUnexpected(
  problems: InputProblems,
  path: string,
  { problem, items }: WrongValue,
): void {
  if (items === undefined) problems.add(path, problem)
  else for (const [at, what] of items) problems.add(path + at, what.problem)
}

/** The canonical value, or the problem with the one that was sent. */
export function readValue(
  column: NamedColumn,
  json: JsonValue,
): { readonly value: JsonValue } | WrongValue {
  if (json === null) return column.nullable ? { value: null } : { problem: nullField }
  const converted = convertJson(column, json)
  if ('expected' in converted) {
    const { expected, items } = converted
    return { problem: expected.problem, ...(items && { items }) }
  }
  const problem = outsideLimits(column.definition, converted.value)
  return problem === undefined ? converted : { problem }
}

/**
 * Reads the member of a relation: a URL that a response contained or null (`sentBack.urls`), a nested to-one object (`parents`), or a
 * nested list (`children`). Refuses nested objects that the model, the depth or the method does not allow.
 */
function readRelation(
  reading: Reading,
  relation: ResolvedRelation,
  json: JsonValue,
  place: BodyPlace,
  node: RecordNode,
): void {
  const { problems } = reading
  const { path, mode } = place
  const urls = node.sentBack.urls as Record<string, string | null>
  if (typeof json === 'string' && mode !== 'create') {
    urls[relation.name] = json
    return
  }
  if (json === null && relation.kind === 'belongsTo') {
    urls[relation.name] = null
    return
  }
  if (place.filled.has(relation.name)) {
    problems.add(path, relationOfParent)
    return
  }
  if (!node.resource.settings.allowNestedWrites) {
    problems.add(path, () => nestedWritesOff(settingNames.allowNestedWrites))
    return
  }
  /** Whether this record stores the key of the other one. */
  const isOwn = relation.kind === 'belongsTo'
  const why =
    isOwn && identifiesRecord(relation, place)
      ? unwritableRelation(relation, 'create')
      : (unwritableRelation(relation, mode) ??
        (isOwn ? relation.from.map((column) => onlyInNew(place, column)).find(Boolean) : undefined))
  if (why !== undefined) {
    problems.add(path, unwritten('relation', why))
    return
  }
  if (place.levelsLeft < 1) {
    const { depth } = node.resource.settings.limits
    problems.add(path, nestedTooDeep(depth, settingNames.maxDepth))
    return
  }
  const isToOne = relation.cardinality === 'one'
  /** Whether the nested objects are children of a stored record, which may have others. */
  const isOfStored = mode !== 'create' && !isOwn && relation.through === undefined
  if (isOfStored && (isToOne || place.childChanges === undefined)) {
    problems.add(path, nestedElsewhere(relation.name, relation.target.endpoint, !isToOne))
    return
  }
  if (isToOne ? !isObject(json) : !Array.isArray(json)) {
    problems.add(path, isToOne ? notAnObject : notAListOfObjects)
    return
  }
  const { bulk } = relation.target.settings.limits
  const items = isToOne ? [json] : (json as readonly JsonValue[])
  if (items.length > bulk) {
    const { endpoint } = relation.target
    problems.add(path, tooManyItems(bulk, items.length, endpoint, maxBulkNames))
    return
  }
  // Each object of a list is a row or a link, before any of them is read.
  if (relation.kind !== 'belongsTo') reading.count.add(relation.target, items.length)
  const filled = filledBelow(relation)
  const unique = place.relationKeys.get(relation.name)
  const nodes = items.map((item, i) => {
    const below: BodyPlace = {
      path: isToOne ? path : `${path}[${i}]`,
      mode: 'create',
      levelsLeft: place.levelsLeft - 1,
      filled,
      identifying: new Map(),
      createOnly: new Set(),
      relationKeys: noRelationKeys,
      isMergePatch: false,
      childChanges: place.childChanges,
      relationPath: [...place.relationPath, relation.name],
    }
    return isOfStored
      ? readChild(reading, relation.target, item, below)
      : readNested(reading, relation.target, item, below, unique)
  })
  if (isOfStored) refuseRepeated(problems, nodes)
  if (relation.kind !== 'belongsTo') {
    const children = node.children as RecordNode['children'][number][]
    const relationPath = [...place.relationPath, relation.name]
    const others = place.childChanges?.removes(relationPath) === true ? 'remove' : 'keep'
    children.push({ relation, nodes, ...(isOfStored && { others }) })
  } else if (nodes[0] !== undefined) {
    reading.count.addParent(nodes[0])
    ;(node.parents as { relation: ResolvedRelation; node: NestedNode }[]).push({
      relation,
      node: nodes[0],
    })
  }
}

/** The fields of a nested record that its parent fills: its foreign key, and the inverse relation. */
function filledBelow({ kind, to, inverse }: ResolvedRelation): ReadonlySet<string> {
  if (kind === 'belongsTo' || kind === 'manyToMany') return new Set(inverse ? [inverse.name] : [])
  return new Set([...to.map(({ name }) => name), ...(inverse ? [inverse.name] : [])])
}

/** The problem of a nested record that is no object, such as a plain key. */
const notNested = (target: Resource): CodedProblem =>
  isKeyless(target) ? notAnObject : notANestedObject(target.primaryKey.map(({ name }) => name))

/**
 * Reads a nested object. One that contains the target's primary key, `{ "id": 7 }`, refers to the record with that key. Any other object
 * creates a record, unless it contains the `unique` key of a stored record.
 */
function readNested(
  reading: Reading,
  target: Resource,
  json: JsonValue,
  place: BodyPlace,
  unique: readonly NamedColumn[] | undefined,
): NestedNode {
  const named =
    !isKeyless(target) &&
    isObject(json) &&
    target.primaryKey.every(({ name }) => Object.hasOwn(json, name))
  const isFilled = target.primaryKey.some(({ name }) => place.filled.has(name))
  if (!named || isFilled) {
    return unique !== undefined && isObject(json) && hasUnique(target, unique, json)
      ? readUnique(reading, target, json, place, unique)
      : readRecord(reading, target, json, place, () => notNested(target))
  }
  const key: Value[] = []
  for (const column of target.primaryKey) {
    const value = readValue(column, json[column.name] as JsonValue)
    const planned = 'value' in value ? valueOfJson(column, value.value) : undefined
    if (planned !== undefined) key.push(planned)
    else {
      const problem = 'problem' in value ? value.problem : notAKey
      reading.problems.add(pathTo(place.path, column.name), problem)
    }
  }
  const clientsChooseKeys = !target.primaryKey.some(
    ({ definition, withheld }) => definition.generated || withheld !== undefined,
  )
  // If clients choose the keys, an object with an unused key creates a record, unless required fields are missing.
  const missing = clientsChooseKeys ? missingFields(target, json, place) : []
  const mayCreate = clientsChooseKeys && missing.length === 0
  const reference = readReference(reading, target, json, place, { key, mayCreate, missing })
  if (!mayCreate) return reference
  const { members, problems } = membersOfNew(target, json, place)
  return { ...reference, otherwise: readRecord(reading, target, members, place), problems }
}

/**
 * Reads an object in a list of children of a stored record: `PATCH /api/orders/1 {"items": [{"id": 7, "count": 2}, {"count": 1}]}`. With
 * the key of a child it changes that one, and if clients choose the keys it creates the child that is missing; without a key it creates
 * one. The parent fills its own part of the key.
 */
function readChild(
  reading: Reading,
  target: Resource,
  json: JsonValue,
  place: BodyPlace,
): NestedNode {
  const own = target.primaryKey.filter(({ name }) => !place.filled.has(name))
  const isNamed =
    own.length > 0 &&
    !isKeyless(target) &&
    isObject(json) &&
    own.every(({ name }) => Object.hasOwn(json, name))
  if (!isNamed) return readRecord(reading, target, json, place, () => notNested(target))
  const identifying = new Map(own.map(({ name }) => [name, undefined]))
  const asFound = readRecord(reading, target, json, { ...place, mode: 'update', identifying })
  const isChosen = own.every(
    ({ definition, withheld }) =>
      (definition.generated ?? false) === false && withheld === undefined,
  )
  const problems = inputProblems()
  const checks: ValueCheck[] = []
  const asMissing = isChosen
    ? readRecord({ ...reading, problems, checks }, target, json, place)
    : null
  return { kind: 'child', resource: target, path: place.path, asFound, asMissing, problems, checks }
}

/** Refuses a list that names a child twice. */
function refuseRepeated(problems: InputProblems, nodes: readonly NestedNode[]): void {
  const known = new Set<string>()
  for (const node of nodes) {
    if (node.kind !== 'child') continue
    const { resource, asFound, path } = node
    const parts = resource.primaryKey.map(({ name }) => asFound.values[name] ?? null)
    const text = JSON.stringify(parts)
    if (known.has(text)) problems.add(path, changedTwice)
    known.add(text)
  }
}

/** Whether an object contains the values of a unique key, or the service knows them. NULL equals no stored value. */
const hasUnique = (target: Resource, unique: readonly NamedColumn[], json: Members): boolean =>
  unique.every((column) => {
    const sent = column.hidden ? undefined : json[column.name]
    return sent === undefined ? hasInitialValue(target, column) : sent !== null
  })

/**
 * Reads an object that names a record by a unique key, `{ "name": "red" }` with `labels.on_conflict=name`, both as a new record and as a
 * reference to a stored one: `resolveUniqueNames` decides in the transaction. The problems that it has only as a new record are kept apart.
 */
function readUnique(
  reading: Reading,
  target: Resource,
  json: Members,
  place: BodyPlace,
  unique: readonly NamedColumn[],
): RecordNode {
  const problems = inputProblems()
  const identifying = new Map(
    unique.map((column) => [column.name, unmatchable(target, column)] as const),
  )
  const checks: ValueCheck[] = []
  const own: Reading = { ...reading, problems, checks }
  const record = readRecord(own, target, json, { ...place, identifying })
  const names = new Set(unique.map(({ name }) => name))
  const paths = new Set([...names].map((name) => excerpt(pathTo(place.path, name), longestPath)))
  for (const found of problems.found) {
    if (paths.has(found.path)) reading.problems.add(found.path, found)
  }
  const others = Object.fromEntries(Object.entries(json).filter(([name]) => !names.has(name)))
  const asReference = { key: undefined, mayCreate: false, missing: [] }
  const { sentBack } = readReference(reading, target, others, place, asReference)
  return { ...record, uniqueName: { columns: unique, sentBack, problems, checks } }
}

interface ReferenceOptions {
  /** The primary key; undefined if another unique key names the record. */
  readonly key: readonly Value[] | undefined
  /** Whether the object creates a record if none has its key. */
  readonly mayCreate: boolean
  /** The required fields that it lacks to create one, if clients choose the key. */
  readonly missing: readonly string[]
}

/** Reads the fields of a reference that are not part of its key; the write requires that they equal the stored values. */
function readReference(
  reading: Reading,
  target: Resource,
  json: Members,
  place: BodyPlace,
  { key, mayCreate, missing }: ReferenceOptions,
): ReferenceNode {
  const nested: string[] = []
  const fields: Record<string, JsonValue> = {}
  const urls: Record<string, string | null> = {}
  for (const [name, member] of Object.entries(json)) {
    const path = pathTo(place.path, name)
    const column = target.bodyColumns.get(name)
    if (key !== undefined && column?.definition.primaryKey) continue
    // As in a change, an aggregate that a response contains is not compared.
    if (target.aggregates.has(name)) continue
    if (column !== undefined) {
      const value = readValue(column, member)
      if ('value' in value) fields[name] = value.value
      else if (mayBeStored(column, member)) fields[name] = member
      else addUnexpected(reading.problems, path, value)
    } else if (!target.relations.has(name)) {
      reading.problems.add(path, () => unknownFieldOf(target, name))
    } else if (typeof member === 'string' || member === null) urls[name] = member
    else if (place.filled.has(name)) {
      reading.problems.add(path, relationOfParent)
    } else if (mayCreate) nested.push(name)
    else if (missing.length === 0) reading.problems.add(path, linkedIsNotChanged)
    else reading.problems.add(path, () => linksUnlessComplete(missing))
  }
  return {
    kind: 'reference',
    resource: target,
    path: place.path,
    key: key ?? [],
    sentBack: { fields, otherForms: {}, urls, ...(nested.length > 0 ? { nested } : {}) },
    otherwise: null,
  }
}

/** The required fields that an object lacks to create a record. Nested to-one objects set foreign keys. */
function missingFields(target: Resource, json: Members, place: BodyPlace): readonly string[] {
  const present = new Set([...Object.keys(json), ...place.filled])
  for (const { name, kind, from } of target.relations.values()) {
    if (kind !== 'belongsTo' || !isObject(json[name] ?? null)) continue
    for (const column of from) present.add(column.name)
  }
  const missing: string[] = []
  for (const column of target.bodyColumns.values()) {
    if (isRequired(target, column, 'create') && !present.has(column.name)) missing.push(column.name)
  }
  return missing
}

/** Whether a member is a nested object or list of a relation. */
const isNestedMember = (target: Resource, name: string, member: JsonValue): boolean =>
  target.relations.has(name) && typeof member === 'object' && member !== null

/**
 * The members of the record to create if no record has the key, and the problems that the other members are in that case. If the record is
 * stored, those other members are compared with it: a client may send back fields that it cannot write.
 */
function membersOfNew(
  target: Resource,
  json: Members,
  { filled, path }: BodyPlace,
): { readonly members: Members; readonly problems: InputProblems } {
  const members: Record<string, JsonValue> = {}
  const problems = inputProblems()
  for (const [name, member] of Object.entries(json)) {
    if (filled.has(name)) continue
    const column = target.bodyColumns.get(name)
    const why =
      column === undefined
        ? target.aggregates.has(name) && 'read_only'
        : !isActive(target, column, member) && unwritable(target, column, 'create')
    if (why) problems.add(pathTo(path, name), unwritten('field', why))
    else if (column !== undefined || isNestedMember(target, name, member)) members[name] = member
  }
  return { members, problems }
}

/** Refuses a foreign key together with the nested object that also sets it. */
function refuseTwoSources(problems: InputProblems, node: RecordNode): void {
  /** By foreign key column: the relation whose nested object sets it. */
  const setBy = new Map<string, string>()
  for (const { relation, node: parent } of node.parents) {
    for (const { from: column, to } of relation.pairs) {
      const sent = node.values[column.name]
      const at = parent.resource.primaryKey.indexOf(to)
      // `{ "author_id": 7, "author": { "id": 7 } }` is accepted.
      const same = parent.kind === 'reference' && at >= 0 && String(parent.key[at]) === String(sent)
      const other = setBy.get(column.name)
      if (other !== undefined) {
        problems.add(pathTo(node.path, relation.name), alsoSetBy(other, column.name))
      } else if (sent !== undefined && sent !== null && !same) {
        problems.add(pathTo(node.path, column.name), determinedBy(relation.name))
      }
      setBy.set(column.name, relation.name)
    }
  }
}

/** Adds a problem for each required field that the body, the parent record or a nested object does not set. */
function refuseMissing(
  problems: InputProblems,
  node: RecordNode,
  place: BodyPlace,
  sent: Members,
): void {
  if (place.mode === 'update') return
  const { resource } = node
  const linked = node.parents.flatMap(({ relation }) => relation.from.map(({ name }) => name))
  for (const column of resource.bodyColumns.values()) {
    const { name } = column
    if (linked.includes(name) || place.filled.has(name)) continue
    if (Object.hasOwn(sent, name) || !isRequired(resource, column, place.mode)) continue
    problems.add(pathTo(node.path, name), missingField)
  }
}

/** The checks of a record that must wait, and the initial values that the other ones have used. */
interface Collected {
  /** The columns whose validators take the record to be stored, or a merged document, which are not known yet. */
  readonly later: readonly NamedColumn[]
  readonly initial: Values | undefined
}

/** Collects the checks that can run now. */
function collectChecks(
  { checks, sources }: Reading,
  node: RecordNode,
  place: BodyPlace,
): Collected {
  const { resource, values, merges, path } = node
  const later: NamedColumn[] = []
  let initial: Values | undefined
  for (const name of Object.keys(values)) {
    const value = values[name] ?? null
    const column = resource.bodyColumns.get(name)
    if (column === undefined || value === null || !isValidated(column)) continue
    const isWhole = wantsWholeRecord(column)
    if (isWhole && isComplete(node, place)) initial ??= initialWithoutHost(sources, node)
    if (merges.includes(column) || (isWhole && initial === undefined)) {
      later.push(column)
      continue
    }
    const row = isWhole ? { ...values, ...initial } : values
    checks.push({ resource, column, value, row, before: null, path: pathTo(path, name) })
  }
  return { later, initial }
}

/**
 * Whether the record to be stored has only values of the body and initial ones: it is new, no unique key may name a stored one instead, and
 * no other record sets a key in it.
 */
const isComplete = (
  { resource, parents }: RecordNode,
  { mode, filled, identifying }: BodyPlace,
): boolean =>
  mode === 'create' &&
  identifying.size === 0 &&
  parents.length === 0 &&
  [...filled].every((name) => !resource.allColumns.has(name))
