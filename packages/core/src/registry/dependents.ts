// Dependents: which tables refer to the rows of a resource, as far as the published models say; DELETE asks them first (contract §8).

import { junctionOf } from './junction.ts'
import type { NamedColumn, Registry, ResolvedRelation, Resource } from './resource.ts'

/** A table whose rows hold a key of ours. */
export interface Dependent {
  readonly table: string
  /** Database names of the columns that hold it, in the order of `from`. */
  readonly columns: readonly string[]
  /** Our columns that are referred to. */
  readonly from: readonly NamedColumn[]
  /** The resource whose rows these are; null for the links of a many-to-many whose junction is no published model. */
  readonly resource: Resource | null
  /** The columns of that resource, in the order of `from`; empty for links. */
  readonly held: readonly NamedColumn[]
  /** What an answer calls them. */
  readonly name: string
}

const known = new WeakMap<Registry, ReadonlyMap<Resource, readonly Dependent[]>>()

/** The dependents of a resource, each table and column list once, whichever side declares the relation. */
export function dependentsOf(registry: Registry, resource: Resource): readonly Dependent[] {
  let all = known.get(registry)
  if (all === undefined) {
    all = collect(registry)
    known.set(registry, all)
  }
  return all.get(resource) ?? []
}

function collect(registry: Registry): ReadonlyMap<Resource, readonly Dependent[]> {
  const found = new Map<Resource, Map<string, Dependent>>()
  const add = (resource: Resource, dependent: Dependent): void => {
    const key = JSON.stringify([dependent.table, [...dependent.columns].sort()])
    const own = found.get(resource) ?? new Map<string, Dependent>()
    if (!own.has(key)) own.set(key, dependent)
    found.set(resource, own)
  }
  for (const resource of registry.resources) {
    for (const relation of resource.relations.values()) {
      for (const [owner, dependent] of ends(relation)) add(owner, dependent)
    }
  }
  return new Map([...found].map(([resource, own]) => [resource, [...own.values()]]))
}

/** Which side a relation makes dependent: the holder of a key on its target, the links of a many-to-many on both. */
function ends(relation: ResolvedRelation): readonly (readonly [Resource, Dependent])[] {
  const { kind, source, target, from, to, through } = relation
  if (through !== undefined) {
    const { table, from: ours, to: theirs } = through
    const junction = junctionOf(relation)
    // The links of a published junction are records, and children of both sides like any others.
    const links = { table, resource: junction?.resource ?? null }
    const { own = [], partner = [] } = junction ?? {}
    const named = (other: Resource): string => (junction?.resource ?? other).endpoint
    return [
      [source, { ...links, columns: ours, from, held: own, name: named(target) }],
      [target, { ...links, columns: theirs, from: to, held: partner, name: named(source) }],
    ]
  }
  const holds = kind === 'belongsTo'
  const [holder, owner] = holds ? [source, target] : [target, source]
  const [held, referred] = holds ? [from, to] : [to, from]
  return [
    [
      owner,
      {
        table: holder.table,
        columns: held.map(({ dbName }) => dbName),
        from: referred,
        resource: holder,
        held,
        name: holder.endpoint,
      },
    ],
  ]
}
