// The links (rows of junction tables without a published model) that a DELETE removes with its records, for the commit callbacks that
// receive the changes. If there is such a callback, linksOfRemoved reads them before the first record is deleted, noteRemovedLinks notes
// those of each deleted record, and linksLeft leaves out those that the other end has noted already. Links of published models are records,
// which are removed as dependents.

import { tableKey } from '../../lib/sql/table-name.ts'
import { junctionOf } from '../../model/registry/relations/junction.ts'
import type { ForeignKeyColumn, Registry, Resource } from '../../model/registry/resource.ts'
import { keyFromRow, keyText } from '../../query/run/key.ts'
import { addLink, type FoundLinks } from '../links/link-keys.ts'
import type { StoredKey } from '../links/link-store.ts'
import { type LinkColumns, readLinks } from '../links/read-links.ts'
import type { Values } from '../nodes/node.ts'
import type { WriteContext } from '../store/write-context.ts'
import type { RemovedRows } from './removal-types.ts'

/** A junction table as one of the two models that it connects sees it: the model of the removed records. */
interface JunctionLinks extends LinkColumns {
  /** `labels`, or `Issue.labels` if only the model at the other end declares a relation. */
  readonly name: string
  /** The foreign key to the removed records. */
  readonly own: readonly ForeignKeyColumn[]
}

/** The links of removed records in one junction table. */
interface RemovedInTable extends JunctionLinks {
  readonly found: FoundLinks
}

/** The links of removed records in all junction tables. */
export type LinksOfRemoved = readonly RemovedInTable[]

/**
 * Reads the links of records that are to be deleted, with one statement for each junction table. None for records that are only marked as
 * deleted, which keep their links, and none if no callback receives the changes.
 */
export async function linksOfRemoved(
  context: WriteContext,
  { resource, how, rows }: RemovedRows,
): Promise<LinksOfRemoved> {
  if (how === 'mark' || context.changes === undefined || rows.length === 0) return []
  const removed: RemovedInTable[] = []
  for (const links of junctionsOf(context.registry, resource)) {
    const keys = rows.flatMap((row) => [keyAt(links, row) ?? []])
    removed.push({ ...links, found: await readLinks(context, links, keys) })
  }
  return removed
}

/** Notes the links of a deleted record for the commit callbacks. Adds them (`rowText`) to `gone`, so that `linksLeft` leaves them out. */
export function noteRemovedLinks(
  { changes }: WriteContext,
  source: Resource,
  stored: Values,
  removed: LinksOfRemoved,
  gone: Set<string>,
): void {
  for (const links of removed) {
    const own = keyAt(links, stored)
    const linked = own && links.found.get(keyText(own))
    if (own === undefined || linked === undefined) continue
    const all = [...linked.values()]
    changes?.noteLinks({ name: links.name, source }, { values: stored, path: null }, [], all)
    for (const other of all) gone.add(rowText(links, own, other))
  }
}

/**
 * The links `removed` of the records `rows`, without those in `gone`, which were noted with the records at their other end, so that
 * callbacks receive each link once.
 */
export function linksLeft(
  rows: readonly Values[],
  removed: LinksOfRemoved,
  gone: ReadonlySet<string>,
): LinksOfRemoved {
  if (gone.size === 0) return removed
  return removed.map((links) => {
    const left: FoundLinks = new Map()
    for (const row of rows) {
      const own = keyAt(links, row)
      for (const linked of (own && links.found.get(keyText(own))?.values()) ?? []) {
        if (!gone.has(rowText(links, own as StoredKey, linked)))
          addLink(left, own as StoredKey, linked)
      }
    }
    return { ...links, found: left }
  })
}

/** Identifies a row of a junction table, the same from both of its ends. */
function rowText(
  { table, own, linked }: JunctionLinks,
  ownKey: StoredKey,
  linkedKey: StoredKey,
): string {
  const values = [
    ...own.map(({ dbName }, i) => [dbName, String(ownKey[i])]),
    ...linked.map(({ dbName }, i) => [dbName, String(linkedKey[i])]),
  ]
  return JSON.stringify([tableKey(table), ...values.map((pair) => pair.join('=')).sort()])
}

/** The key of a record, as the junction table refers to it. */
const keyAt = ({ own }: JunctionLinks, values: Values): StoredKey | undefined =>
  keyFromRow(
    own.map(({ column }) => column),
    values,
  )

/**
 * The junction tables without a published model that have links of the resource, each once, although both models may declare a relation.
 */
function junctionsOf({ resources }: Registry, resource: Resource): Iterable<JunctionLinks> {
  const junctions = new Map<string, JunctionLinks>()
  const add = (links: JunctionLinks): void => {
    const { table, own, linked } = links
    const columns = [own, linked].map((key) => key.map(({ dbName }) => dbName))
    const key = JSON.stringify([tableKey(table), columns])
    if (!junctions.has(key)) junctions.set(key, links)
  }
  const relations = resources.flatMap(({ allRelations }) => [...allRelations.values()])
  const throughJunctions = relations.flatMap((relation) => {
    const { through } = relation
    const isPublished = junctionOf(relation) !== undefined
    return through === undefined || isPublished ? [] : [{ ...relation, through }]
  })
  for (const { name, source, through } of throughJunctions) {
    if (source === resource) add({ name, table: through, own: through.from, linked: through.to })
  }
  for (const { name, source, target, through } of throughJunctions) {
    if (target !== resource) continue
    const { from, to } = through
    add({ name: `${source.name}.${name}`, table: through, own: to, linked: from })
  }
  return junctions.values()
}
