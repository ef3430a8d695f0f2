// Dependents: the tables that reference the rows of a resource, by the published models; DELETE checks them first (contract §8).

import { junctionOf } from './junction.ts'
import type { NamedColumn, Registry, ResolvedRelation, Resource } from './resource.ts'

/** A table with a foreign key to a resource. */
export interface Dependent {
  readonly table: string
  /** Database names of its foreign key columns, in the order of `from`. */
  readonly columns: readonly string[]
  /** The referenced columns of the resource. */
  readonly from: readonly NamedColumn[]
  /** The resource of the table; null for the junction table of a many-to-many without a published model. */
  readonly resource: Resource | null
  /** The foreign key columns of that resource, in the order of `from`; empty for a junction table. */
  readonly held: readonly NamedColumn[]
  /** The name of the dependents in responses. */
  readonly name: string
}

const known = new WeakMap<Registry, ReadonlyMap<Resource, readonly Dependent[]>>()

/** The dependents of a resource; each foreign key once, whichever side declares the relation. */
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

/** The dependents by a relation: the table with the foreign key on the other side; a junction table on both. */
function ends(relation: ResolvedRelation): readonly (readonly [Resource, Dependent])[] {
  const { kind, source, target, from, to, through } = relation
  if (through !== undefined) {
    const { table, from: ours, to: theirs } = through
    const junction = junctionOf(relation)
    // With a published junction model, its records are dependents of both sides.
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
