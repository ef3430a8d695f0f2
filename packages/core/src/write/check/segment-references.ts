// invisibleReferences: finds the foreign keys in a segment (nodes that are written together, ../README.md) that refer to records which the
// caller may not see, with one look-up for each relation. `checkSegment` refuses them (422), before any hook is called. laterReferences
// then finds those of the later nodes, which the same error names.

import { tableKey } from '../../lib/sql/table-name.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyTextIn } from '../../query/run/key.ts'
import { isSet } from '../nodes/hidden-references.ts'
import { planRecords } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import { readUnscoped } from '../resolve/look-up-records.ts'
import type { Level } from '../segments/level.ts'
import type { WriteContext } from '../store/write-context.ts'
import { mayCallHost, readReferred } from './referred-records.ts'
import { hidingRelations, isVisible, mayRead, shownPaths } from './write-checks.ts'

/** The foreign keys of one relation in the nodes of a segment, and what is known of the records that they refer to. */
interface SentKeys {
  readonly relation: ResolvedRelation
  /** The key that each node sets, as `keyText`; undefined if it sets none, or the one that is stored. */
  readonly texts: readonly (string | undefined)[]
  /** The keys of which the caller sees the record. */
  readonly visible: Set<string>
  /** Whether the caller may read the records of the nodes, and so send back a key that is stored. */
  readonly isReadable: boolean
  /** Whether a key that the look-up has not found refers to no record now. */
  readonly isExact: boolean
  /** Whether the records are in the table of the list, so that one of its records may have the key. */
  readonly isOwn: boolean
}

/** The foreign keys that are refused. */
export interface Invisible {
  /** The index of the first node that has one; undefined if none has. */
  readonly at: number | undefined
  /** The paths of the refused keys in the body. */
  readonly paths: readonly string[]
  /** The index of a node that may refer to a record which is stored with an earlier node; the segment must end before it. */
  readonly waitsAt: number | undefined
}

const none: Invisible = { at: undefined, paths: [], waitsAt: undefined }

/**
 * Looks up the records that the foreign keys of the nodes refer to. `paths` of the result has all refused keys of the first node that has
 * one, and those of later nodes that the look-up has not found.
 */
export async function invisibleReferences(
  context: WriteContext,
  level: Level,
  nodes: readonly WriteNode[],
): Promise<Invisible> {
  const sent = await sentIn(context, level, nodes)
  return sent.length === 0 ? none : firstInvisible(context, level, sent, nodes)
}

/** The paths of the foreign keys of later nodes that refer to no record, after the refusal of an earlier node. */
export async function laterReferences(
  context: WriteContext,
  level: Level,
  nodes: readonly WriteNode[],
): Promise<readonly string[]> {
  const sent = await sentIn(context, level, nodes)
  return nodes.flatMap((node, i) =>
    sent.flatMap((keys) =>
      isNamedLater(keys, node, i) ? shownPaths(keys.relation, node.path) : [],
    ),
  )
}

/** Whether the look-ups have not found the record of this relation to which the node at `i` refers. */
function isMissing(keys: SentKeys, node: WriteNode, i: number): boolean {
  const { relation, texts, visible, isReadable } = keys
  const text = texts[i]
  if (text === undefined || visible.has(text)) return false
  return !(isReadable && isUnchanged(node, relation, text))
}

/** Whether the error for an earlier node also names this key: only if no record can have it, even after the earlier nodes were stored. */
const isNamedLater = (keys: SentKeys, node: WriteNode, i: number): boolean =>
  keys.isExact && !keys.isOwn && isMissing(keys, node, i)

/** The foreign keys that the nodes set, by relation, after one look-up for each; relations whose records are all visible are left out. */
async function sentIn(
  context: WriteContext,
  level: Level,
  nodes: readonly WriteNode[],
): Promise<readonly SentKeys[]> {
  const { resource } = level
  const relations = hidingRelations(context, resource)
  if (relations.length === 0) return []
  const isReadable = await mayRead(context, resource)
  const sent: SentKeys[] = []
  for (const relation of relations) {
    const found = await sentTo(context, level, relation, nodes, isReadable)
    if (found !== undefined) sent.push(found)
  }
  return sent
}

/** The foreign keys of one relation, after the look-up; undefined if all are known to be visible. */
async function sentTo(
  context: WriteContext,
  level: Level,
  relation: ResolvedRelation,
  nodes: readonly WriteNode[],
  isReadable: boolean,
): Promise<SentKeys | undefined> {
  const { resource } = level
  const visible = level.visibleTo(relation)
  const texts: (string | undefined)[] = []
  const keys = new Map<string, readonly Value[]>()
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as WriteNode
    const row = rowWith(node, relation)
    const text = row && keyTextIn(relation.from, row)
    texts.push(text)
    if (text === undefined || keys.has(text) || visible.has(text)) continue
    if (isReadable && isUnchanged(node, relation, text)) texts[i] = undefined
    else keys.set(text, keyFromRow(relation.from, row as Values) ?? [])
  }
  if (keys.size === 0) return undefined
  // So that the segment ends if a hook sends a statement, which may outdate the look-ups.
  level.hasReferences = true
  const paths = (key: string) =>
    nodes.flatMap(({ path }, i) => (texts[i] === key ? shownPaths(relation, path) : []))
  for (const text of await visibleKeys(context, resource, relation, keys, paths)) visible.add(text)
  const isOwn = tableKey(relation.target) === tableKey(resource)
  const isExact = keys.size === 1 || relation.to.every(hasOneKeyText)
  return { relation, texts, visible, isReadable, isExact, isOwn }
}

/** Whether the stored record has this foreign key already. */
const isUnchanged = ({ stored }: WriteNode, { from }: ResolvedRelation, text: string): boolean =>
  stored !== undefined && keyTextIn(from, stored) === text

/**
 * The values of a foreign key of which the body sets a part; undefined if it sets none. The other parts may be stored already, or come
 * from the records around this one. The keys of a child that gets another parent (`move`) are checked by `refuseMove`.
 */
function rowWith(node: WriteNode, relation: ResolvedRelation): Values | undefined {
  const { sent, stored, reset, filled, parentKeys, decision } = node
  if (sent === undefined || decision === 'move' || !isSet(relation, sent)) return undefined
  const isWhole = relation.from.length === 1 && filled === undefined && parentKeys === undefined
  return isWhole ? sent : { ...stored, ...reset, ...sent, ...filled, ...parentKeys }
}

/** Whether two texts of a key are never equal in the database. */
const hasOneKeyText = ({ type, collation }: NamedColumn): boolean =>
  collation === undefined && columnTypes[type].hasOneKeyText

/** Which of the keys, given by `keyText`, are those of records that the caller may see. `paths` are those of the references to a key. */
async function visibleKeys(
  context: WriteContext,
  holder: Resource,
  relation: ResolvedRelation,
  keys: ReadonlyMap<string, readonly Value[]>,
  paths: (key: string) => readonly string[],
): Promise<ReadonlySet<string>> {
  const { to, target } = relation
  const [only, ...others] = keys
  if (only !== undefined && others.length === 0) {
    const [text, key] = only
    const isSeen = await isVisible(context, holder, relation, key, () => paths(text))
    return new Set(isSeen ? [text] : [])
  }
  const isAllowed = await context.access.mayWrite(target, 'GET_ONE')
  const found = new Set<string>()
  for (const keyChunk of keyChunks(context.target.dialect, [...keys.values()], to)) {
    // As in `isVisible`: if the caller has no access to the target, the row only has to exist.
    const plan = planRecords(target, to, keyChunk, { read: to, includeDeleted: !isAllowed })
    const rows = isAllowed
      ? await readReferred(context, plan, { holder, columns: to, keys: keyChunk, paths })
      : await readUnscoped(context, plan, keyChunk.length)
    for (const row of rows) found.add(keyTextIn(to, row) ?? '')
  }
  return found
}

/** The first node with a key of an invisible record, or the node before which the segment must end. */
async function firstInvisible(
  context: WriteContext,
  level: Level,
  sent: readonly SentKeys[],
  nodes: readonly WriteNode[],
): Promise<Invisible> {
  const { resource } = level
  const missing: string[] = []
  // A function of the host that is called for an earlier node may store the record.
  const mayAppear = context.beforeHookStatements !== undefined && mayCallHost(context, resource)
  let at: number | undefined
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as WriteNode
    for (const keys of sent) {
      if (!isMissing(keys, node, i)) continue
      // A later node than the refused one.
      if (at !== undefined && at < i) {
        if (isNamedLater(keys, node, i)) missing.push(...shownPaths(keys.relation, node.path))
        continue
      }
      if (!keys.isExact && (await isVisibleAlone(context, resource, keys, node, i))) continue
      // An earlier node may still store the record. So this one waits: it is looked up again as the first node of the next segment, and if
      // it is refused then, all of its keys are named.
      if (i > 0 && (keys.isOwn || mayAppear)) return { ...none, waitsAt: i }
      at = i
      missing.push(...shownPaths(keys.relation, node.path))
    }
  }
  return { at, paths: missing, waitsAt: undefined }
}

/** Looks up a key that a look-up of several has not found. */
async function isVisibleAlone(
  context: WriteContext,
  holder: Resource,
  { relation, texts, visible }: SentKeys,
  node: WriteNode,
  index: number,
): Promise<boolean> {
  const key = keyFromRow(relation.from, rowWith(node, relation) ?? {}) ?? []
  const paths = () => shownPaths(relation, node.path)
  const isSeen = await isVisible(context, holder, relation, key, paths)
  if (isSeen) visible.add(texts[index] as string)
  return isSeen
}
