// Nested objects of a list of records: finds the records that they identify by key, through the caller's scope, and creates the others (docs/writing.md).

import { forbidden, missingReference } from '../../errors.ts'
import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import type { Resource } from '../../registry/resource.ts'
import { columnValues, planLookUp, planRecords } from '../plan/look-up.ts'
import {
  isEmpty,
  type LinkNode,
  pathTo,
  type RecordNode,
  type SentBack,
  type Values,
  type WriteNode,
} from '../plan/node.ts'
import { compareSentBack } from './checks.ts'
import type { WriteContext } from './context.ts'
import type { Key } from './link-store.ts'
import { keyIn, lockedRecord, lockedRecords, readScoped } from './look-up.ts'
import type { ManyStep, WriteNested } from './many-step.ts'

const nothing: Values = {}

/** The records of nested objects of one relation, in the same order: those with a key are found by one look-up, the others created. */
export async function findOrCreate(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
  write: WriteNested,
): Promise<readonly Values[]> {
  if (nodes.every(isRecord)) {
    return nodes.length === 0 ? [] : write(context, resource, nodes.map(createAlone))
  }
  const records: Values[] = []
  for await (const { found, made } of roundsOf(context, resource, nodes, 'GET_ONE')) {
    for (const { index, node, stored } of found) {
      if (hasSentBack(node))
        await compareSentBack(context, resource, node.sentBack, stored, node.path)
      records[index] = stored
    }
    if (made.length === 0) continue
    const created = await write(context, resource, made.map(createStep))
    for (let i = 0; i < made.length; i++) records[made[i]?.index ?? 0] = created[i] ?? nothing
  }
  return records
}

const createStep = ({ node }: MadeNode): ManyStep => createAlone(node)
const createAlone = (node: RecordNode): ManyStep => ({ kind: 'create', node })

export const hasSentBack = ({ sentBack }: { readonly sentBack: SentBack }): boolean =>
  !(isEmpty(sentBack.fields) && isEmpty(sentBack.otherForms) && isEmpty(sentBack.urls))

/** An object of a list that identifies a stored record; `index` is its position in the list. */
export interface FoundNode {
  readonly index: number
  readonly node: LinkNode
  readonly stored: Values
}

/** An object of a list whose record must be created. */
export interface MadeNode {
  readonly index: number
  readonly node: RecordNode
}

/** The objects of a list that can be written together. */
export interface Round {
  readonly found: readonly FoundNode[]
  readonly made: readonly MadeNode[]
}

/**
 * Divides a list into rounds, each with one look-up, which the caller writes before the next one begins. A second round is needed
 * only for an object that may refer to a record of the first: `[{ "code": "GB", "title": "Britain" }, { "code": "GB" }]`.
 *
 * A record that the caller may not see is treated like a missing one: created, or 422 if clients cannot choose the key. `PATCH`
 * locks the records, and yields each of them at most once in a round.
 */
export async function* roundsOf(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
  action: 'GET_ONE' | 'PATCH',
): AsyncGenerator<Round> {
  const mayFind = await mayLookUp(context, resource, nodes.filter(isLink), action)
  const rounds: Rounds = { context, resource, nodes, action, mayFind }
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
    // Each of them may refer to any new record before it. A look-up of all of them for each would take quadratic time.
    for (const index of later) yield (await roundOf(rounds, [index], true)).round
    return
  }
}

interface Rounds {
  readonly context: WriteContext
  readonly resource: Resource
  readonly nodes: readonly WriteNode[]
  readonly action: 'GET_ONE' | 'PATCH'
  readonly mayFind: boolean
}

/**
 * The next round of the `waiting` objects, and those that must wait for a later one. `mayHaveOtherKey`: a new record may have the
 * key of any other object.
 */
async function roundOf(
  { context, resource, nodes, action, mayFind }: Rounds,
  waiting: readonly number[],
  mayHaveOtherKey: boolean,
): Promise<{
  readonly round: Round
  readonly later: readonly number[]
  readonly isInexact: boolean
}> {
  const links = waiting.map((index) => nodes[index]).filter(isLink)
  const known = mayFind ? await storedRecords(context, resource, links, action) : noRecords
  const isInexact = known.isInexact || (mayFind && isCollated(resource) && waiting.length > 1)
  const found: FoundNode[] = []
  const made: MadeNode[] = []
  const later: number[] = []
  const texts = new Set<string>()
  const taken = new Set<string>()
  for (const index of waiting) {
    const node = nodes[index] as WriteNode
    if (node.kind === 'record') {
      made.push({ index, node })
      continue
    }
    const text = keyText(node.key)
    const isRepeated = texts.has(text)
    texts.add(text)
    const isUnclear = isInexact && made.length === 0
    const stored =
      known.byKey.get(text) ?? (isUnclear ? await storedRecord(context, node, action) : undefined)
    if (stored !== undefined) {
      const own = keyText(keyIn(resource, stored) ?? [])
      if (action === 'PATCH' && taken.has(own)) later.push(index)
      else found.push({ index, node, stored })
      taken.add(own)
      continue
    }
    const { otherwise } = node
    const mayBeMade = isRepeated || otherwise === null || isInexact || mayHaveOtherKey
    if (mayFind && made.length > 0 && mayBeMade) later.push(index)
    else if (otherwise === null) throw missing(node)
    else made.push({ index, node: otherwise })
  }
  return { round: { found, made }, later, isInexact }
}

export const isRecord = (node: WriteNode): node is RecordNode => node.kind === 'record'
const isLink = (node: WriteNode | undefined): node is LinkNode => node?.kind === 'link'

/** The error for a key that no visible record has, if clients cannot choose it. */
const missing = ({ resource, path }: LinkNode): Error =>
  missingReference(resource.primaryKey.map(({ name }) => pathTo(path, name)))

/**
 * Whether the caller may look up the records of links. Checked before the look-up, so that the result does not reveal whether
 * a record exists. Without access, a record with a chosen key may still be created; 409 if the key exists, as on POST.
 */
async function mayLookUp(
  { access }: WriteContext,
  resource: Resource,
  links: readonly LinkNode[],
  action: 'GET_ONE' | 'PATCH',
): Promise<boolean> {
  if (links.length === 0) return false
  const isAllowed = await access.mayWrite(resource, action)
  if (!isAllowed && links.some(({ otherwise }) => otherwise === null)) throw forbidden()
  return isAllowed
}

/** The stored records of a list of links. */
interface StoredRecords {
  /** By the text of the key in the link. */
  readonly byKey: ReadonlyMap<string, Values>
  /** Whether the database has found records by keys whose text differs from that of the links. */
  readonly isInexact: boolean
}

const noRecords: StoredRecords = { byKey: new Map(), isInexact: false }

async function storedRecords(
  context: WriteContext,
  resource: Resource,
  links: readonly LinkNode[],
  action: 'GET_ONE' | 'PATCH',
): Promise<StoredRecords> {
  const keys = new Map<string, Key>()
  for (const { key } of links) keys.set(keyText(key), key)
  const [first] = links
  if (first === undefined) return noRecords
  if (keys.size === 1) {
    const stored = await storedRecord(context, first, action)
    const byKey = new Map(stored && [[keyText(first.key), stored]])
    return { byKey, isInexact: false }
  }
  const byKey = await recordsByKey(context, resource, [...keys.values()], action)
  let isInexact = false
  for (const text of byKey.keys()) isInexact ||= !keys.has(text)
  return { byKey, isInexact }
}

async function recordsByKey(
  context: WriteContext,
  resource: Resource,
  keys: readonly Key[],
  action: 'GET_ONE' | 'PATCH',
): Promise<ReadonlyMap<string, Values>> {
  if (action === 'PATCH') return lockedRecords(context, resource, keys, action)
  const { primaryKey } = resource
  const found = new Map<string, Values>()
  for (const some of chunks(keys, primaryKey.length)) {
    const plan = planRecords(resource, primaryKey, some)
    for (const row of await readScoped(context, plan, action)) {
      found.set(keyText(keyIn(resource, row) ?? []), row)
    }
  }
  return found
}

async function storedRecord(
  context: WriteContext,
  { resource, key }: LinkNode,
  action: 'GET_ONE' | 'PATCH',
): Promise<Values | undefined> {
  if (action === 'PATCH') return lockedRecord(context, resource, key, action)
  const plan = planLookUp(resource, columnValues(resource.primaryKey, key), false)
  const [stored] = await readScoped(context, plan, action, 1)
  return stored
}

/** Whether the key has a collation, under which keys that differ in case may be equal. */
export const isCollated = ({ primaryKey }: Resource): boolean =>
  primaryKey.some(({ collation }) => collation !== undefined)
