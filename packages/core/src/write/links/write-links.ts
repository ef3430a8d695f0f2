// writeLinks: writes the links of many-to-many lists, the rows of junction tables. `PATCH /api/people/1 {"teams": [2, 3]}` creates the
// missing links of person 1 to the teams 2 and 3 and deletes its other links, except those that the caller may not see
// (docs/guide/writing.md). Before that, `requireRights` calls requireRightToList.

import { junctionOf } from '../../model/registry/relations/junction.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { differsFromRecord } from '../../problems.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { keyText } from '../../query/run/key.ts'
import { requireAccess } from '../check/write-checks.ts'
import { planLookUp, planRecords } from '../nodes/look-up-plan.ts'
import type { NestedNode, RecordNode } from '../nodes/node.ts'
import { keyIn, readScoped } from '../resolve/look-up-records.ts'
import { storedTexts } from '../resolve/stored-texts.ts'
import type { WriteContext } from '../store/write-context.ts'
import { linkRecords } from './link-records.ts'
import type { LinkedKeys, LinkList, NewLinks, OldLinks, StoredKey } from './link-store.ts'
import { linkTable } from './link-table.ts'
import type { WriteNested } from './nested-lists.ts'

const noKeys: LinkedKeys = new Map()

/**
 * Creates the links of lists of one relation, whose linked records are stored. If a list replaces links, deletes the record's other links,
 * unless the caller may not see the link or the linked record: `PATCH /api/people/1 {"teams": []}` leaves the links to teams that the
 * caller may not see. Returns the lists that have changed links.
 */
export async function writeLinks(
  context: WriteContext,
  relation: ResolvedRelation,
  lists: readonly LinkList[],
  writeNested: WriteNested,
): Promise<ReadonlySet<LinkList>> {
  const junction = junctionOf(relation)
  const store =
    junction === undefined
      ? linkTable(context, relation)
      : linkRecords(context, relation, junction, writeNested)
  const mayBeLinked = lists.filter(({ mayExist }) => mayExist)
  const existing = mayBeLinked.length === 0 ? new Map() : await store.existing(mayBeLinked)
  const linkedKeys = [...existing.values()].flatMap((known: LinkedKeys) => [...known.values()])
  const textOf = await storedTexts(context, relation.target, linkedKeys)
  const created: NewLinks[] = []
  /** The stored links that lists replace. */
  const replaced: OldLinks[] = []
  for (const list of lists) {
    const stored: LinkedKeys = existing.get(keyText(list.own)) ?? noKeys
    const known = new Map([...stored.values()].map((key) => [textOf(key), key]))
    const added = [...list.linked].flatMap(([text, linkedRecord]) =>
      known.has(text) ? [] : [linkedRecord],
    )
    if (added.length > 0) created.push({ list, linked: added })
    const unwanted = [...known].flatMap(([text, key]) => (list.linked.has(text) ? [] : [key]))
    if (list.replaces && unwanted.length > 0) replaced.push({ list, keys: unwanted })
  }
  refuseOtherShared(context, relation, created)
  const removed = await toVisibleRecords(context, relation.target, replaced, textOf)
  await store.requireAccess(created, removed)
  if (removed.length > 0) {
    const count = removed.reduce((sum, { keys }) => sum + keys.length, 0)
    context.removedLinks.add(junction?.resource ?? relation.target, count)
    await store.remove(removed)
  }
  if (created.length > 0) await store.create(created)
  if (junction === undefined) noteLinks(context, relation, created, removed)
  return new Set([...created, ...removed].map(({ list }) => list))
}

/**
 * Refuses links between records that differ in a column which both foreign keys of the junction contain, such as `tenant_id`: the
 * column has one value in the row of the junction, so the row would link another record.
 */
function refuseOtherShared(
  { problems }: WriteContext,
  { through }: ResolvedRelation,
  created: readonly NewLinks[],
): void {
  const { from = [], to = [] } = through ?? {}
  const shared = to.flatMap(({ dbName, column }, inLinked) => {
    const inOwn = from.findIndex((part) => part.dbName === dbName)
    return inOwn < 0 ? [] : [{ column, inOwn, inLinked }]
  })
  if (shared.length === 0) return
  for (const { list, linked } of created) {
    for (const { key, path } of linked) {
      const other = shared.find(
        ({ inOwn, inLinked }) => String(list.own[inOwn]) !== String(key[inLinked]),
      )
      if (other === undefined) continue
      problems.add(path, differsFromRecord(other.column))
    }
  }
  problems.refuse()
}

/** Notes the created and removed links of each record, for the callbacks that receive the changes. */
function noteLinks(
  { changes }: WriteContext,
  relation: ResolvedRelation,
  created: readonly NewLinks[],
  removed: readonly OldLinks[],
): void {
  if (changes === undefined) return
  const removedFrom = new Map(removed.map(({ list, keys }) => [list, keys]))
  for (const { list, linked } of created) {
    const added = linked.map(({ key }) => key)
    changes.noteLinks(relation, list.record, added, removedFrom.get(list) ?? [])
    removedFrom.delete(list)
  }
  for (const [list, keys] of removedFrom) changes.noteLinks(relation, list.record, [], keys)
}

/**
 * Throws 403 unless the caller may list the resources whose records are nested in `nodes`, which change existing records:
 * `PATCH /api/people/1 {"teams": [2]}` takes the right to list teams.
 *
 * Otherwise the write would tell what the caller may not read, the present members of a list: members that the body leaves out are
 * removed, and a child named by its key is only accepted in the list of its own parent. Lists that only add records need no right.
 */
export async function requireRightToList(
  context: WriteContext,
  nodes: readonly RecordNode[],
): Promise<void> {
  const resources = new Set<Resource>()
  for (let i = 0; i < nodes.length; i++) {
    const { children } = nodes[i] as RecordNode
    for (const { relation, nodes: listed, others } of children)
      if (others !== 'keep' || listed.some(isChild)) resources.add(relation.target)
  }
  for (const resource of resources) {
    await requireAccess(context, resource, 'GET_MANY')
    // Throws 403 if the policy refuses, even if no record is linked.
    await context.access.scoped(
      context.target,
      planLookUp(resource, [], { read: resource.primaryKey }),
      'GET_MANY',
    )
  }
}

/** Whether the object names a child of a stored record by its key. */
const isChild = ({ kind }: NestedNode): boolean => kind === 'child'

/** The links to records that the caller may see. */
async function toVisibleRecords(
  context: WriteContext,
  resource: Resource,
  links: readonly OldLinks[],
  textOf: (key: StoredKey) => string,
): Promise<readonly OldLinks[]> {
  const seen = await visibleKeys(context, resource, links)
  if (seen === undefined) return links
  const visible = links.map(({ list, keys }) => ({
    list,
    keys: keys.filter((key) => seen.has(textOf(key))),
  }))
  return visible.filter(({ keys }) => keys.length > 0)
}

/** The `keyText` of the linked records that the caller may see; undefined if the caller may see all records. */
async function visibleKeys(
  context: WriteContext,
  resource: Resource,
  links: readonly OldLinks[],
): Promise<ReadonlySet<string> | undefined> {
  if (resource.settings.softDelete === null && !context.access.narrows(resource)) return undefined
  const keys = new Map<string, StoredKey>()
  for (const link of links) for (const key of link.keys) keys.set(keyText(key), key)
  const seen = new Set<string>()
  for (const keyChunk of keyChunks(
    context.target.dialect,
    [...keys.values()],
    resource.primaryKey,
  )) {
    const plan = planRecords(resource, resource.primaryKey, keyChunk, { read: resource.primaryKey })
    for (const row of await readScoped(context, plan, 'GET_MANY')) {
      seen.add(keyText(keyIn(resource, row) ?? []))
    }
  }
  return seen
}
