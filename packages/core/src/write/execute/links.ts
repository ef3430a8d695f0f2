// Writes the links of a many-to-many relation: a list replaces the links that the caller may see (docs/writing.md).

import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import { junctionOf } from '../../registry/junction.ts'
import type { Resource } from '../../registry/resource.ts'
import { planLookUp, planRecords } from '../plan/look-up.ts'
import { requireAccess } from './checks.ts'
import type { WriteContext } from './context.ts'
import { linkRecords } from './link-records.ts'
import type { Key, Partner, RecordLinks } from './link-store.ts'
import { linkTable } from './link-table.ts'
import { keyIn, readScoped } from './look-up.ts'

/**
 * Creates the links of a list. If the list replaces those of an existing record, deletes the other links whose row and
 * partner the caller may see: `PATCH /api/people/1 {"teams": []}` leaves the links to teams out of the caller's scope.
 */
export async function writeLinks(
  context: WriteContext,
  links: RecordLinks,
  wanted: ReadonlyMap<string, Partner>,
  replaces: boolean,
): Promise<void> {
  const { relation, mayExist } = links
  const junction = junctionOf(relation)
  const store =
    junction === undefined ? linkTable(context, links) : linkRecords(context, links, junction)
  const existing: ReadonlyMap<string, Key> = mayExist ? await store.existing() : new Map()
  const made = [...wanted].flatMap(([text, partner]) => (existing.has(text) ? [] : [partner]))
  const others = [...existing].flatMap(([text, key]) => (wanted.has(text) ? [] : [key]))
  const removed = replaces ? await visibleKeys(context, relation.target, others) : []
  await store.requireAccess(made.length > 0, removed.length > 0)
  if (removed.length > 0) await store.remove(removed)
  if (made.length > 0) await store.make(made)
  if (junction !== undefined || made.length + removed.length === 0) return
  const added = made.map(({ key }) => key)
  context.changes?.noteLinks(relation, links.record, added, removed)
}

/** Throws 403 unless the caller may list the records of a list of links, which replaces the links to those that the caller sees. */
export async function requireListAccess(context: WriteContext, resource: Resource): Promise<void> {
  await requireAccess(context, resource, 'GET_MANY')
  // Throws 403 if the policy refuses, even if no record is linked.
  await context.access.scoped(context.target, planLookUp(resource, [], false), 'GET_MANY')
}

/** The keys whose records the caller may see. */
async function visibleKeys(
  context: WriteContext,
  resource: Resource,
  keys: readonly Key[],
): Promise<readonly Key[]> {
  if (resource.settings.softDelete === null && !context.access.narrows(resource)) return keys
  const seen = new Set<string>()
  for (const some of chunks(keys, resource.primaryKey.length)) {
    const plan = planRecords(resource, resource.primaryKey, some)
    for (const row of await readScoped(context, plan, 'GET_MANY')) {
      seen.add(keyText(keyIn(resource, row) ?? []))
    }
  }
  return keys.filter((key) => seen.has(keyText(key)))
}
