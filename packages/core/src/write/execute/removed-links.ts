// RemovedLinks: the links that a DELETE removes with its records, for the callbacks that receive the changes. They are read before the
// first record is deleted, and only if there is such a callback.

import { keyText } from '../../execute/key.ts'
import { junctionOf } from '../../registry/junction.ts'
import type { ForeignKeyColumn, Registry, Resource } from '../../registry/resource.ts'
import { tableKey } from '../../sql/table-name.ts'
import type { Values } from '../plan/node.ts'
import type { WriteContext } from './context.ts'
import { valuesOf } from './look-up.ts'
import type { FoundLinks } from './nested/link-keys.ts'
import type { Key } from './nested/link-store.ts'
import { type LinkColumns, readLinks } from './nested/read-links.ts'

/** The links of a resource in one junction table. */
interface LinksOfResource extends LinkColumns {
  /** `labels`, or `Issue.labels` if only the model at the other end declares a relation. */
  readonly name: string
  readonly own: readonly ForeignKeyColumn[]
}

/** The links of some records in one junction table. */
interface RemovedLinks extends LinksOfResource {
  readonly found: FoundLinks
}

export type LinksToRemove = readonly RemovedLinks[]

/** Reads the links of records that are to be deleted, with one statement for each junction table. A soft delete keeps the links. */
export async function linksToRemove(
  context: WriteContext,
  resource: Resource,
  rows: readonly Values[],
  soft: boolean,
): Promise<LinksToRemove> {
  if (soft || context.changes === undefined || rows.length === 0) return []
  const removed: RemovedLinks[] = []
  for (const links of linksOf(context.registry, resource)) {
    const keys = rows.flatMap((row) => [keyAt(links, row) ?? []])
    removed.push({ ...links, found: await readLinks(context, links, keys) })
  }
  return removed
}

/** Notes the links of a deleted record. */
export function noteRemovedLinks(
  { changes }: WriteContext,
  source: Resource,
  stored: Values,
  removed: LinksToRemove,
): void {
  for (const links of removed) {
    const { name, found } = links
    const linked = found.get(keyText(keyAt(links, stored) ?? []))
    if (linked === undefined) continue
    changes?.noteLinks({ name, source }, { values: stored, path: null }, [], [...linked.values()])
  }
}

const keyAt = ({ own }: LinksOfResource, values: Values): Key | undefined =>
  valuesOf(
    own.map(({ column }) => column),
    values,
  )

/** The links of a resource in junction tables without a published model, by the many-to-many relations that either side declares. */
function linksOf({ resources }: Registry, resource: Resource): Iterable<LinksOfResource> {
  const found = new Map<string, LinksOfResource>()
  const add = (links: LinksOfResource): void => {
    const { table, own, linked } = links
    const columns = [own, linked].map((key) => key.map(({ dbName }) => dbName))
    const key = JSON.stringify([tableKey(table), columns])
    if (!found.has(key)) found.set(key, links)
  }
  const relations = resources.flatMap(({ allRelations }) => [...allRelations.values()])
  const ofJunctions = relations.flatMap((relation) => {
    const { through } = relation
    const isPublished = junctionOf(relation) !== undefined
    return through === undefined || isPublished ? [] : [{ ...relation, through }]
  })
  for (const { name, source, through } of ofJunctions) {
    if (source === resource) add({ name, table: through, own: through.from, linked: through.to })
  }
  for (const { name, source, target, through } of ofJunctions) {
    if (target !== resource) continue
    const { from, to } = through
    add({ name: `${source.name}.${name}`, table: through, own: to, linked: from })
  }
  return found.values()
}
