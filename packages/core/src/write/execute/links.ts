// Writes the links of a many-to-many relation: a list replaces the links that the caller may see (docs/writing.md).

import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import { junctionOf } from '../../registry/junction.ts'
import type { ResolvedRelation, Resource } from '../../registry/resource.ts'
import { planLookUp, planRecords } from '../plan/look-up.ts'
import type { RecordNode } from '../plan/node.ts'
import { requireAccess } from './checks.ts'
import type { WriteContext } from './context.ts'
import type { LevelOrder } from './level-order.ts'
import { linkRecords } from './link-records.ts'
import type { Key, NewLinks, OldLinks, PartnerKeys, RecordLinks } from './link-store.ts'
import { linkTable } from './link-table.ts'
import { keyIn, readScoped } from './look-up.ts'

const noPartners: PartnerKeys = new Map()

/**
 * Creates the links of lists of one relation. A list that replaces those of an existing record deletes the other links whose row
 * and partner the caller may see: `PATCH /api/people/1 {"teams": []}` leaves the links to teams out of the caller's scope.
 */
export async function writeLinks(
  context: WriteContext,
  relation: ResolvedRelation,
  lists: readonly RecordLinks[],
  order: LevelOrder | undefined,
): Promise<void> {
  const junction = junctionOf(relation)
  const store =
    junction === undefined
      ? linkTable(context, relation)
      : linkRecords(context, relation, junction, order)
  const linked = lists.filter(({ mayExist }) => mayExist)
  const existing = linked.length === 0 ? new Map() : await store.existing(linked)
  const made: NewLinks[] = []
  const others: OldLinks[] = []
  for (const of of lists) {
    const known: PartnerKeys = existing.get(keyText(of.own)) ?? noPartners
    const added = [...of.wanted].flatMap(([text, one]) => (known.has(text) ? [] : [one]))
    if (added.length > 0) made.push({ of, partners: added })
    const unwanted = [...known].flatMap(([text, key]) => (of.wanted.has(text) ? [] : [key]))
    if (of.replaces && unwanted.length > 0) others.push({ of, partners: unwanted })
  }
  refuseOtherShared(context, relation, made)
  const removed = await visibleOnes(context, relation.target, others)
  await store.requireAccess(made.length > 0, removed.length > 0)
  if (removed.length > 0) await store.remove(removed)
  if (made.length > 0) await store.make(made)
  if (junction === undefined) noteLinks(context, relation, made, removed)
}

/**
 * Refuses links whose ends differ in a column that both foreign keys of the junction contain, such as `tenant_id`: the row would
 * link another record.
 */
function refuseOtherShared(
  { problems }: WriteContext,
  { through }: ResolvedRelation,
  made: readonly NewLinks[],
): void {
  const { from = [], to = [] } = through ?? {}
  const shared = to.flatMap(({ dbName, column }, inPartner) => {
    const inOwn = from.findIndex((part) => part.dbName === dbName)
    return inOwn < 0 ? [] : [{ column, inOwn, inPartner }]
  })
  if (shared.length === 0) return
  for (const { of, partners } of made) {
    for (const { key, path } of partners) {
      const other = shared.find(
        ({ inOwn, inPartner }) => String(of.own[inOwn]) !== String(key[inPartner]),
      )
      if (other === undefined) continue
      const { name, hidden } = other.column
      const field = hidden ? 'key' : `"${name}"`
      problems.add(path, `It cannot be linked here: its ${field} differs from that of the record.`)
    }
  }
  problems.refuse()
}

/** Notes the links of each record for the callback that receives the changes. */
function noteLinks(
  { changes }: WriteContext,
  relation: ResolvedRelation,
  made: readonly NewLinks[],
  removed: readonly OldLinks[],
): void {
  if (changes === undefined) return
  const removedOf = new Map(removed.map(({ of, partners }) => [of, partners]))
  for (const { of, partners } of made) {
    const added = partners.map(({ key }) => key)
    changes.noteLinks(relation, of.record, added, removedOf.get(of) ?? [])
    removedOf.delete(of)
  }
  for (const [of, partners] of removedOf) changes.noteLinks(relation, of.record, [], partners)
}

/**
 * Throws 403 unless the caller may list the records of all lists of links, which replace the links to those that the caller sees.
 * `nodes` change existing records.
 */
export async function requireListAccess(
  context: WriteContext,
  nodes: readonly RecordNode[],
): Promise<void> {
  const resources = new Set<Resource>()
  for (const { children } of nodes)
    for (const { relation } of children) resources.add(relation.target)
  for (const resource of resources) {
    await requireAccess(context, resource, 'GET_MANY')
    // Throws 403 if the policy refuses, even if no record is linked.
    await context.access.scoped(context.target, planLookUp(resource, [], false), 'GET_MANY')
  }
}

/** The links to partners that the caller may see. */
async function visibleOnes(
  context: WriteContext,
  resource: Resource,
  links: readonly OldLinks[],
): Promise<readonly OldLinks[]> {
  const seen = await visibleKeys(context, resource, links)
  if (seen === undefined) return links
  const visible = links.map(({ of, partners }) => ({
    of,
    partners: partners.filter((key) => seen.has(keyText(key))),
  }))
  return visible.filter(({ partners }) => partners.length > 0)
}

/** The partners that the caller may see, by `keyText`; undefined if these are all. */
async function visibleKeys(
  context: WriteContext,
  resource: Resource,
  links: readonly OldLinks[],
): Promise<ReadonlySet<string> | undefined> {
  if (resource.settings.softDelete === null && !context.access.narrows(resource)) return undefined
  const keys = new Map<string, Key>()
  for (const { partners } of links) for (const key of partners) keys.set(keyText(key), key)
  const seen = new Set<string>()
  for (const some of chunks([...keys.values()], resource.primaryKey.length)) {
    const plan = planRecords(resource, resource.primaryKey, some)
    for (const row of await readScoped(context, plan, 'GET_MANY')) {
      seen.add(keyText(keyIn(resource, row) ?? []))
    }
  }
  return seen
}
