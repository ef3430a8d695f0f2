// findOrCreate: finds the stored records that nested objects refer to, through the caller's scope, and creates the others
// (docs/writing.md).

import { forbidden, missingReference } from '../../errors.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { keyText } from '../../query/run/key.ts'
import { readReferred } from '../check/referred-records.ts'
import { compareSentBack } from '../check/write-checks.ts'
import { columnValues, planLookUp, planRecords } from '../nodes/look-up-plan.ts'
import {
  isEmpty,
  pathTo,
  type RecordNode,
  type ReferenceNode,
  type SentBack,
  type Values,
  type WriteNode,
} from '../nodes/node.ts'
import { keyIn, lockedRecord, lockedRecords } from '../resolve/look-up-records.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import { CreateStep, type ManyStep, type WriteNested } from '../store/lists/many-step.ts'
import type { WriteContext } from '../store/write-context.ts'
import type { Key } from './link-store.ts'

const nothing: Values = {}

interface FindOptions {
  /** Whether links of a many-to-many list will name the records. */
  readonly linked?: boolean
  /** The columns that the records with the nested objects will store, if these are no primary key. */
  readonly columns?: readonly NamedColumn[]
}

/**
 * Returns the records of nested objects of one relation, in their order. One look-up finds those that objects refer to by key; the
 * others are created.
 */
export async function findOrCreate(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
  write: WriteNested,
  { linked = false, columns }: FindOptions = {},
): Promise<readonly Values[]> {
  if (nodes.every(isRecord)) {
    return nodes.length === 0 ? [] : write(context, resource, nodes.map(createAlone))
  }
  const records: Values[] = []
  const read = columnsToRead(context, resource, {
    kind: 'reference',
    nodes: nodes.filter(isReference),
    columns,
  })
  const finding = { action: 'GET_ONE', linked, read } as const
  for await (const { found, toCreate } of roundsOf(context, resource, nodes, finding)) {
    for (const { index, node, stored } of found) {
      if (hasSentBack(node))
        await compareSentBack(context, resource, node.sentBack, stored, node.path)
      records[index] = stored
    }
    if (toCreate.length === 0) continue
    const created = await write(context, resource, toCreate.map(createStep))
    for (let i = 0; i < toCreate.length; i++)
      records[toCreate[i]?.index ?? 0] = created[i] ?? nothing
  }
  return records
}

const createStep = ({ node }: NewNode): ManyStep => createAlone(node)
const createAlone = (node: RecordNode): ManyStep => new CreateStep(node)

export const hasSentBack = ({ sentBack }: { readonly sentBack: SentBack }): boolean =>
  sentBack.nested !== undefined ||
  !(isEmpty(sentBack.fields) && isEmpty(sentBack.otherForms) && isEmpty(sentBack.urls))

/** An object of a list that refers to a stored record. `index` is its position in the list. */
export interface FoundNode {
  readonly index: number
  readonly node: ReferenceNode
  readonly stored: Values
}

/** An object of a list whose record must be created. */
export interface NewNode {
  readonly index: number
  readonly node: RecordNode
}

/** The objects of a list that can be written together. */
export interface Round {
  readonly found: readonly FoundNode[]
  readonly toCreate: readonly NewNode[]
}

/**
 * Divides a list into rounds. Each round makes one look-up; the function that iterates over the rounds must write the records of a round
 * before it asks for the next one. A second round is needed only for an object that may refer to a record that the first one creates:
 * `[{ "code": "GB", "title": "Britain" }, { "code": "GB" }]`.
 *
 * If the caller may not see a record, the object creates one, as if the record did not exist; 422 if clients cannot choose the key.
 * With `PATCH` the records are locked, and a round contains each of them at most once.
 */
export async function* roundsOf(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
  finding: Finding,
): AsyncGenerator<Round> {
  const mayFind = await mayLookUp(context, resource, nodes.filter(isReference), finding.action)
  const rounds: Rounds = { context, resource, nodes, finding, mayFind }
  let waiting: readonly number[] = nodes.map((_, index) => index)
  // A callback may give a record another key, and a collation makes keys equal that differ in case.
  let isOneByOne = isCollated(resource) || context.hooks.has(resource, 'add')
  while (waiting.length > 0) {
    const { round, later, isInexact } = await roundOf(rounds, waiting, isOneByOne)
    yield round
    isOneByOne ||= isInexact
    if (!isOneByOne) {
      waiting = later
      continue
    }
    // Each of these objects may refer to any new record before it. Looking all of them up again after each would take quadratic time.
    for (const index of later) yield (await roundOf(rounds, [index], true)).round
    return
  }
}

/** How stored records are looked up. */
export interface Finding {
  readonly action: 'GET_ONE' | 'PATCH'
  readonly linked?: boolean
  /** The columns to read; undefined for all. */
  readonly read: readonly NamedColumn[] | undefined
}

/** What all rounds of a list have in common. */
interface Rounds {
  readonly context: WriteContext
  readonly resource: Resource
  readonly nodes: readonly WriteNode[]
  readonly finding: Finding
  readonly mayFind: boolean
}

/**
 * The next round of the `waiting` objects, and those that must wait for a later one. With `mayHaveOtherKey`, a new record may have the
 * key of any other object.
 */
async function roundOf(
  { context, resource, nodes, finding, mayFind }: Rounds,
  waiting: readonly number[],
  mayHaveOtherKey: boolean,
): Promise<{
  readonly round: Round
  readonly later: readonly number[]
  readonly isInexact: boolean
}> {
  const references = waiting.map((index) => nodes[index]).filter(isLookedUp)
  const known = mayFind ? await storedRecords(context, resource, references, finding) : noRecords
  const isInexact = known.isInexact || (mayFind && isCollated(resource) && waiting.length > 1)
  const found: FoundNode[] = []
  const toCreate: NewNode[] = []
  const later: number[] = []
  const texts = new Set<string>()
  const taken = new Set<string>()
  for (const index of waiting) {
    const node = nodes[index] as WriteNode
    if (node.kind === 'record') {
      toCreate.push({ index, node })
      continue
    }
    const text = keyText(node.key)
    const isRepeated = texts.has(text)
    texts.add(text)
    // The record may be stored with another spelling of the key. If this round creates records, a later round looks the key up.
    const looksUpAlone = isInexact && toCreate.length === 0
    const stored =
      node.created ??
      (context.generatedKeys.has(resource, text) ? undefined : known.byKey.get(text)) ??
      (looksUpAlone ? await storedRecord(context, node, finding) : undefined)
    if (stored !== undefined) {
      const own = keyText(keyIn(resource, stored) ?? [])
      if (finding.action === 'PATCH' && taken.has(own)) later.push(index)
      else found.push({ index, node, stored })
      taken.add(own)
      continue
    }
    const { otherwise } = node
    const mayReferToNew = isRepeated || otherwise === null || isInexact || mayHaveOtherKey
    if (mayFind && toCreate.length > 0 && mayReferToNew) later.push(index)
    else if (otherwise === null) throw missing(node)
    else toCreate.push({ index, node: otherwise })
  }
  return { round: { found, toCreate }, later, isInexact }
}

export const isRecord = (node: WriteNode): node is RecordNode => node.kind === 'record'
export const isReference = (node: WriteNode | undefined): node is ReferenceNode =>
  node?.kind === 'reference'
const isLookedUp = (node: WriteNode | undefined): node is ReferenceNode =>
  isReference(node) && node.created === undefined

/** The error for an object that refers to no record that the caller may see, if clients cannot choose the key. */
const missing = (node: ReferenceNode): Error => missingReference(keyPaths(node))

/** The paths of the key of an object. */
const keyPaths = ({ resource, path }: ReferenceNode): readonly string[] =>
  resource.primaryKey.map(({ name }) => pathTo(path, name))

/**
 * Whether the caller may look up the records that objects refer to. Checked before the look-up, so that a 403 does not reveal whether a
 * record exists. Without this right, an object can still create a record with a key that the client has chosen; 409 if the key exists,
 * as for POST.
 */
async function mayLookUp(
  { access }: WriteContext,
  resource: Resource,
  references: readonly ReferenceNode[],
  action: 'GET_ONE' | 'PATCH',
): Promise<boolean> {
  if (references.length === 0) return false
  const isAllowed = await access.mayWrite(resource, action)
  const refused = isAllowed ? undefined : references.find(({ otherwise }) => otherwise === null)
  if (refused !== undefined) throw forbidden(refused.path)
  return isAllowed
}

/** The stored records that objects of a list refer to. */
interface StoredRecords {
  /** By `keyText` of their keys. */
  readonly byKey: ReadonlyMap<string, Values>
  /** Whether the database has found a record whose key is spelt otherwise than in the list, because a collation makes both equal. */
  readonly isInexact: boolean
}

const noRecords: StoredRecords = { byKey: new Map(), isInexact: false }

async function storedRecords(
  context: WriteContext,
  resource: Resource,
  references: readonly ReferenceNode[],
  finding: Finding,
): Promise<StoredRecords> {
  const keys = new Map<string, Key>()
  for (const { key } of references) keys.set(keyText(key), key)
  const [first] = references
  if (first === undefined) return noRecords
  if (keys.size === 1) {
    const stored = await storedRecord(context, first, finding)
    const byKey = new Map(stored && [[keyText(first.key), stored]])
    return { byKey, isInexact: false }
  }
  const paths = (text: string) =>
    references.filter((node) => keyText(node.key) === text).flatMap(keyPaths)
  const byKey = await recordsByKey(context, resource, [...keys.values()], finding, paths)
  let isInexact = false
  for (const text of byKey.keys()) isInexact ||= !keys.has(text)
  return { byKey, isInexact }
}

async function recordsByKey(
  context: WriteContext,
  resource: Resource,
  keys: readonly Key[],
  { action, linked = false, read }: Finding,
  paths: (key: string) => readonly string[],
): Promise<ReadonlyMap<string, Values>> {
  if (action === 'PATCH') return lockedRecords(context, resource, keys, action, 'anyChange', read)
  const { primaryKey } = resource
  const found = new Map<string, Values>()
  for (const some of keyChunks(context.target.dialect, keys, primaryKey)) {
    const plan = planRecords(resource, primaryKey, some, { read })
    const referred = { holder: undefined, columns: primaryKey, keys: some, paths, linked }
    for (const row of await readReferred(context, plan, referred)) {
      found.set(keyText(keyIn(resource, row) ?? []), row)
    }
  }
  return found
}

async function storedRecord(
  context: WriteContext,
  node: ReferenceNode,
  { action, linked = false, read }: Finding,
): Promise<Values | undefined> {
  const { resource, key } = node
  if (action === 'PATCH') return lockedRecord(context, resource, key, action, 'anyChange', { read })
  const plan = planLookUp(resource, columnValues(resource.primaryKey, key), { read })
  const columns = resource.primaryKey
  const paths = () => keyPaths(node)
  const referred = { holder: undefined, columns, keys: [key], paths, linked }
  const [stored] = await readReferred(context, plan, referred)
  return stored
}

/** Whether the key has a collation, under which keys that differ in case may be equal. */
export const isCollated = ({ primaryKey }: Resource): boolean =>
  primaryKey.some(({ collation }) => collation !== undefined)
