// Dependents: the tables that reference the rows of a resource, by the published models (docs/guide/writing.md). A DELETE looks in them first for
// rows that refer to the record, and refuses, deletes or changes them as `on_delete` says. `dependentsOf` lists them; the functions at the end say
// which tables a DELETE writes, for the choice of its statements and for the OpenAPI document.

import { type TableName, tableKey } from '../../../lib/sql/table-name.ts'
import type { OnDelete } from '../../relation.ts'
import type {
  ForeignKeyColumn,
  NamedColumn,
  Registry,
  ResolvedRelation,
  Resource,
} from '../resource.ts'
import { junctionOf } from './junction.ts'

/** A table with a foreign key to a resource. */
export interface Dependent extends TableName {
  /** Its foreign key to the resource. */
  readonly key: readonly ForeignKeyColumn[]
  /** The resource of the table; null for the junction table of a many-to-many without a published model. */
  readonly resource: Resource | null
  /** The foreign key columns of that resource, in the order of `key`; empty for a junction table. */
  readonly held: readonly NamedColumn[]
  /** The name by which responses refer to the dependents. */
  readonly name: string
  /** What the relations of the resource declare for this foreign key. */
  readonly onDelete: OnDelete
}

/** A dependent with a published model: its rows are records. */
export interface DependentModel extends Dependent {
  readonly resource: Resource
}

/** Whether the dependents are records, which a DELETE treats by their model's rules; rows of other junction tables are just deleted. */
export const hasModel = (dependent: Dependent): dependent is DependentModel =>
  dependent.resource !== null

const dependentsByRegistry = new WeakMap<Registry, ReadonlyMap<Resource, readonly Dependent[]>>()

/** Returns the dependents of a resource: each foreign key once, whichever side declares the relation; that with an on_delete is preferred. */
export function dependentsOf(registry: Registry, resource: Resource): readonly Dependent[] {
  let all = dependentsByRegistry.get(registry)
  if (all === undefined) {
    all = collect(registry)
    dependentsByRegistry.set(registry, all)
  }
  return all.get(resource) ?? []
}

/** Finds the dependents of all resources, through the relations of both sides. */
function collect(registry: Registry): ReadonlyMap<Resource, readonly Dependent[]> {
  const found = new Map<Resource, Map<string, Dependent>>()
  const add = (resource: Resource, dependent: Dependent): void => {
    const names = dependent.key.map(({ dbName }) => dbName)
    const key = JSON.stringify([tableKey(dependent), names.sort()])
    const own = found.get(resource) ?? new Map<string, Dependent>()
    const known = own.get(key)
    const decides = known?.onDelete === 'restrict' && dependent.onDelete !== 'restrict'
    if (known === undefined || decides) own.set(key, dependent)
    found.set(resource, own)
  }
  for (const resource of registry.resources) {
    for (const relation of resource.allRelations.values()) {
      for (const [owner, dependent] of ends(relation)) add(owner, dependent)
    }
    for (const links of resource.unpublishedLinks) {
      add(resource, { ...links, resource: null, held: [], name: links.table, onDelete: 'restrict' })
    }
  }
  return new Map([...found].map(([resource, own]) => [resource, [...own.values()]]))
}

/**
 * Returns the dependents of a relation: the table with the foreign key is a dependent of the other side, a junction table of both
 * sides.
 */
function ends(relation: ResolvedRelation): readonly (readonly [Resource, Dependent])[] {
  const { kind, source, target, pairs, through, onDelete } = relation
  if (through !== undefined) {
    const { schema, table, from, to } = through
    if (through.resource?.model.readOnly) return []
    const junction = junctionOf(relation)
    // With a published junction model, its records are dependents of both sides.
    const links = { schema, table, resource: junction?.resource ?? null, onDelete } as const
    const { own = [], linked = [] } = junction ?? {}
    const named = (other: Resource): string => (junction?.resource ?? other).endpoint
    return [
      [source, { ...links, key: from, held: own, name: named(target) }],
      [target, { ...links, key: to, held: linked, name: named(source) }],
    ]
  }
  const holds = kind === 'belongsTo'
  const [holder, owner] = holds ? [source, target] : [target, source]
  const key = pairs.map(({ from, to }) =>
    holds ? { held: from, referred: to } : { held: to, referred: from },
  )
  // A read-only model needs no check: a view cannot block a DELETE, and for a table the database enforces the foreign key.
  if (holder.model.readOnly) return []
  return [
    [
      owner,
      {
        schema: holder.schema,
        table: holder.table,
        key: key.map(({ held, referred }) => ({ dbName: held.dbName, column: referred, held })),
        resource: holder,
        held: key.map(({ held }) => held),
        name: holder.endpoint,
        onDelete,
      },
    ],
  ]
}

/** Returns the columns of the resource that a dependent refers to. */
export const referredColumns = ({ key }: Dependent): readonly NamedColumn[] =>
  key.map(({ column }) => column)

/** How a DELETE treats dependents. */
interface Cascade {
  /** Whether the request says `cascade_delete`, which deletes all of them. */
  readonly cascade: boolean
}

/** What a DELETE does with the records of a dependent. */
export const actionOn = ({ onDelete }: Dependent, cascade: boolean): OnDelete =>
  cascade ? 'cascade' : onDelete

/** Whether a DELETE of a record of the resource also deletes or changes records that refer to it. */
export const actsOnDependents = (
  registry: Registry,
  resource: Resource,
  { cascade }: Cascade,
): boolean =>
  dependentsOf(registry, resource).some(
    (dependent) => hasModel(dependent) && actionOn(dependent, cascade) !== 'restrict',
  )

/** Whether a DELETE of a record of the resource also writes into other tables. */
export const writesOthers = (
  registry: Registry,
  resource: Resource,
  { cascade }: Cascade,
): boolean =>
  dependentsOf(registry, resource).some(
    (dependent) => !hasModel(dependent) || actionOn(dependent, cascade) !== 'restrict',
  )

/** The resources whose records a DELETE may write. */
export interface RemovalReach {
  /** Those whose records it may delete, its own first. */
  readonly deleted: ReadonlySet<Resource>
  /** Those whose foreign keys it may set to NULL. */
  readonly emptied: ReadonlySet<Resource>
}

/** Follows the foreign keys to a resource, and those to the resources that it reaches. */
export function removalReach(
  registry: Registry,
  resource: Resource,
  { cascade }: Cascade,
): RemovalReach {
  const deleted = new Set([resource])
  const emptied = new Set<Resource>()
  // The loop also visits the resources that it adds.
  for (const reached of deleted) {
    for (const dependent of dependentsOf(registry, reached)) {
      if (!hasModel(dependent)) continue
      const action = actionOn(dependent, cascade)
      if (action === 'cascade') deleted.add(dependent.resource)
      else if (action === 'null') emptied.add(dependent.resource)
    }
  }
  return { deleted, emptied }
}
