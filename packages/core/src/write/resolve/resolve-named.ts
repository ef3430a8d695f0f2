// resolveNamed: finds the stored records that nested objects name by their keys, among those that the caller may see, so that each object
// is linked, moved or created (docs/guide/writing.md). `write/README.md` explains node, level and segment.

import { missingReference } from '../../errors.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyText } from '../../query/run/key.ts'
import { readReferred } from '../check/referred-records.ts'
import { columnValues, planLookUp, planRecords } from '../nodes/look-up-plan.ts'
import { pathTo, type ReferenceNode, type Values } from '../nodes/node.ts'
import { isNamed, type WriteNode } from '../nodes/write-node.ts'
import type { Level, Segment } from '../segments/level.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import type { WriteContext } from '../store/write-context.ts'
import { isCollated } from './is-collated.ts'
import { keyIn, lockedRecord, lockedRecords } from './look-up-records.ts'

type Key = readonly Value[]

/**
 * Sets `stored` and `decision` of each node. One look-up finds the records of all nodes of the segment. A node waits for the next segment
 * if it may name a record that this one creates: `[{ "code": "GB", "title": "Britain" }, { "code": "GB" }]`. If the caller may not see a
 * record, the object creates one, as if the record did not exist; 422 if clients cannot choose the key. The records of `move` are locked,
 * and a segment has each of them once.
 */
export async function resolveNamed(context: WriteContext, segment: Segment): Promise<void> {
  const { level } = segment
  const { resource } = level
  const references = segment.nodes.filter(isNamed)
  if (references.length === 0) {
    for (const node of segment.nodes) node.decision = 'create'
    return
  }
  // A callback may give a record another key, and a collation makes keys equal that differ in case.
  level.keysMayChange ||= isCollated(resource) || context.hooks.has(resource, 'add')
  const later = await decideNamed(context, segment, references)
  if (level.keysMayChange) level.stayAtOne()
  segment.postpone(later)
}

/** Whether the node still has to be looked up. */
const mustBeLookedUp = ({ isResolved, decision }: WriteNode): boolean =>
  !isResolved && decision !== 'create'

/** Decides what is done with each node; returns those that wait. */
async function decideNamed(
  context: WriteContext,
  { level, nodes }: Segment,
  references: readonly WriteNode[],
): Promise<ReadonlySet<WriteNode>> {
  const { resource, options } = level
  const mayFind = level.mayFind === true
  const known = mayFind
    ? await findNamedRecords(context, level, references.filter(mustBeLookedUp))
    : noRecords
  const mayMatchOtherSpelling =
    known.foundOtherSpelling || (mayFind && isCollated(resource) && nodes.length > 1)
  const mayHaveOtherKey = level.keysMayChange
  level.keysMayChange ||= mayMatchOtherSpelling
  const later = new Set<WriteNode>()
  /** The keys that the earlier nodes name. */
  const texts = new Set<string>()
  /** The stored keys of the records that they name. */
  const taken = new Set<string>()
  /** Whether one of them creates a record. */
  let creates = false
  for (const node of nodes) {
    // A node without a key, or one that an earlier segment has not found.
    if (node.key === undefined || node.decision === 'create') {
      node.decision = 'create'
      creates = true
      continue
    }
    node.error = undefined
    const text = keyText(node.key)
    const isRepeated = texts.has(text)
    texts.add(text)
    // The record may be stored with another spelling of the key. After a node that creates a record, an unmatched key may name that
    // record, so the node waits (`later`) instead of being looked up now.
    const looksUpAlone = mayMatchOtherSpelling && !creates
    const stored = node.isResolved
      ? node.stored
      : ((context.generatedKeys.has(resource, text) ? undefined : known.byKey.get(text)) ??
        (looksUpAlone ? await findNamedRecord(context, level, node) : undefined))
    if (stored !== undefined) {
      const own = keyText(keyIn(resource, stored) ?? [])
      if (options.whenFound === 'move' && taken.has(own)) later.add(node)
      node.stored = stored
      node.decision = options.whenFound
      // Nothing changes a record that is only referred to, so a later segment need not look it up again.
      node.isResolved ||= options.whenFound === 'link'
      taken.add(own)
      continue
    }
    const { asMissing } = node
    const mayNameNew = isRepeated || asMissing === null || mayMatchOtherSpelling || mayHaveOtherKey
    if (mayFind && creates && mayNameNew) later.add(node)
    else if (asMissing === null) {
      node.decision = undefined
      node.error = missingReference(keyPaths(node))
    } else {
      node.decision = 'create'
      creates = true
    }
  }
  return later
}

/** The paths of the key of an object. */
const keyPaths = ({ options, path }: WriteNode): readonly string[] =>
  options.columns.map(({ name }) => pathTo(path, name))

/** What one look-up has found of the records that objects name. */
interface FoundRecords {
  /** By `keyText` of their keys. */
  readonly byKey: ReadonlyMap<string, Values>
  /** Whether the database has found a record whose key is spelt otherwise than in the list, because a collation makes both equal. */
  readonly foundOtherSpelling: boolean
}

const noRecords: FoundRecords = { byKey: new Map(), foundOtherSpelling: false }

/** Looks up the records that these nodes name. */
async function findNamedRecords(
  context: WriteContext,
  level: Level,
  nodes: readonly WriteNode[],
): Promise<FoundRecords> {
  const keys = new Map<string, Key>()
  for (const { key } of nodes) if (key !== undefined) keys.set(keyText(key), key)
  const [first] = nodes
  if (first?.key === undefined) return noRecords
  const read = columnsToFind(context, level, nodes)
  if (keys.size === 1) {
    const stored = await findNamedRecord(context, level, first, read)
    return { byKey: new Map(stored && [[keyText(first.key), stored]]), foundOtherSpelling: false }
  }
  const paths = (text: string) =>
    nodes.filter(({ key }) => key !== undefined && keyText(key) === text).flatMap(keyPaths)
  const byKey = await recordsByKey(context, level, [...keys.values()], read, paths)
  let foundOtherSpelling = false
  for (const text of byKey.keys()) foundOtherSpelling ||= !keys.has(text)
  return { byKey, foundOtherSpelling }
}

/** The columns to read; undefined for all. */
type Read = readonly NamedColumn[] | undefined

/** The columns to read of the records that these nodes name; undefined for all. */
function columnsToFind(context: WriteContext, level: Level, nodes: readonly WriteNode[]): Read {
  const { resource, options } = level
  const references = nodes.flatMap(({ asFound }): readonly ReferenceNode[] =>
    asFound?.kind === 'reference' ? [asFound] : [],
  )
  return options.whenFound === 'move'
    ? columnsToRead(context, resource, {
        kind: 'move',
        nodes: references,
        filled: options.relation?.to ?? [],
      })
    : columnsToRead(context, resource, {
        kind: 'reference',
        nodes: references,
        columns: options.referencedColumns,
      })
}

/** The records with these keys that the caller may see, by `keyText`; locked for a change if they are moved. */
async function recordsByKey(
  context: WriteContext,
  { resource, options }: Level,
  keys: readonly Key[],
  read: Read,
  paths: (key: string) => readonly string[],
): Promise<ReadonlyMap<string, Values>> {
  if (options.whenFound === 'move') {
    return lockedRecords(context, resource, keys, 'PATCH', 'anyChange', { read })
  }
  const { primaryKey } = resource
  const linked = options.isLinked === true
  const found = new Map<string, Values>()
  for (const keyChunk of keyChunks(context.target.dialect, keys, primaryKey)) {
    const plan = planRecords(resource, primaryKey, keyChunk, { read })
    const referred = { holder: undefined, columns: primaryKey, keys: keyChunk, paths, linked }
    for (const row of await readReferred(context, plan, referred)) {
      found.set(keyText(keyIn(resource, row) ?? []), row)
    }
  }
  return found
}

/** The record that one node names, which a collation may find under another spelling of the key. */
async function findNamedRecord(
  context: WriteContext,
  level: Level,
  node: WriteNode,
  read: Read = columnsToFind(context, level, [node]),
): Promise<Values | undefined> {
  const { resource, options } = level
  const key = node.key ?? []
  if (options.whenFound === 'move') {
    return lockedRecord(context, resource, key, 'PATCH', 'anyChange', { read })
  }
  const columns = resource.primaryKey
  const plan = planLookUp(resource, columnValues(columns, key), { read })
  const paths = () => keyPaths(node)
  const linked = options.isLinked === true
  const referred = { holder: undefined, columns, keys: [key], paths, linked }
  const [stored] = await readReferred(context, plan, referred)
  return stored
}
