// Links of a many-to-many: a list says which there are, as far as the caller sees them; all others stay (contract §8).

import type { Value } from '../plan/plan.ts'
import { planLookUp, planRecords } from '../plan/write-look-up.ts'
import { junctionOf } from '../registry/junction.ts'
import type { ResolvedRelation, Resource } from '../registry/resource.ts'
import { chunks } from './chunks.ts'
import { keyText } from './key.ts'
import { linkRecords } from './link-records.ts'
import { linkTable } from './link-table.ts'
import { keyIn, readScoped } from './look-up.ts'
import { demand } from './write-checks.ts'
import type { WriteContext } from './write-context.ts'

type Key = readonly Value[]

/** A record to be linked, and where it stands in the body. */
export interface Partner {
  readonly key: Key
  readonly path: string
}

/** The links of one record through one relation. */
export interface LinksOf {
  readonly relation: ResolvedRelation
  /** The key of the record, in the order of `relation.from`. */
  readonly own: Key
  /** Path of the list in the body. */
  readonly path: string
  /** Whether there can be links already; not of a record whose key the database has just made. */
  readonly mayExist: boolean
}

/** Where links are stored: in a table without a model, or as records of a published model. */
export interface LinkStore {
  /** The partners of the links that the caller sees, by the text of their key. */
  existing(): Promise<ReadonlyMap<string, Key>>
  /** 403 unless the caller may make and remove links as far as there are such. */
  demand(makes: boolean, removes: boolean): Promise<void>
  remove(partners: readonly Key[]): Promise<void>
  make(partners: readonly Partner[]): Promise<void>
}

/**
 * Makes the links that a list names. Where it replaces those of a record that was there, the others are removed as far as
 * the caller sees link and partner: `PATCH /api/people/1 {"teams": []}` leaves the links to teams out of the caller's scope.
 */
export async function writeLinks(
  context: WriteContext,
  links: LinksOf,
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
  const removed = replaces ? await inSight(context, relation.target, others) : []
  await store.demand(made.length > 0, removed.length > 0)
  if (removed.length > 0) await store.remove(removed)
  if (made.length > 0) await store.make(made)
}

/** 403 unless the caller may list the records that a list of links is about: it replaces what the caller sees of them. */
export async function demandList(context: WriteContext, resource: Resource): Promise<void> {
  await demand(context, resource, 'GET_MANY')
  // A policy that shows nobody says so here, whatever is linked.
  await context.access.scoped(context.target, planLookUp(resource, [], false), 'GET_MANY')
}

/** Those of the keys whose records the caller sees. */
async function inSight(
  context: WriteContext,
  resource: Resource,
  keys: readonly Key[],
): Promise<readonly Key[]> {
  if (resource.settings.softDelete === null && !context.access.narrows(resource)) return keys
  const seen = new Set<string>()
  for (const some of chunks(keys, resource.primaryKey.length)) {
    const plan = planRecords(resource, some)
    for (const row of await readScoped(context, plan, 'GET_MANY')) {
      seen.add(keyText(keyIn(resource, row) ?? []))
    }
  }
  return keys.filter((key) => seen.has(keyText(key)))
}
