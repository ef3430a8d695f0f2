// The registry of one caller. Columns that the caller may not read are hidden, and columns that the caller may not write are read-only. Relations
// that need an unreadable column do not exist. `access/column-rights.ts` makes one (`callerRegistry`) before the query of a request is parsed, if
// a model that the request can name (`relatedResources`) has rights of columns. `keysOf` and `needsRight` say on which columns a relation depends.

import { isInBodies } from './checks/field-rules.ts'
import { junctionOf } from './relations/junction.ts'
import type {
  ForeignKeyColumn,
  NamedColumn,
  Registry,
  ResolvedRelation,
  Resource,
} from './resource.ts'

/** The rights that a caller lacks, by column of the API's registry. */
export type Withheld = ReadonlyMap<NamedColumn, NonNullable<NamedColumn['withheld']>>

/**
 * Groups the resources that a request can name together: those connected by relations, in either direction. A request needs the rights of its
 * group alone.
 */
export function relatedResources({
  resources,
  users,
}: Registry): ReadonlyMap<Resource, readonly Resource[]> {
  const groups = new Map<Resource, Resource[]>()
  for (const resource of users === undefined ? resources : new Set([...resources, users])) {
    groups.set(resource, [resource])
  }
  const unite = (a: Resource, b: Resource): void => {
    const [group, other] = [groups.get(a), groups.get(b)]
    if (group === undefined || other === undefined || group === other) return
    group.push(...other)
    for (const resource of other) groups.set(resource, group)
  }
  for (const resource of resources) {
    for (const { target, through } of resource.allRelations.values()) {
      unite(resource, target)
      if (through?.resource !== undefined) unite(resource, through.resource)
    }
  }
  return groups
}

/** An object that is still being built. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Returns the registry as a caller sees it. Resources that are not `related` stay the same objects.
 *
 * ```ts
 * const own = callerRegistry(registry, [books, authors], new Map([[price, 'read']]))
 * own.byName.get('Book')?.columns.has('price') // false
 * own.byName.get('Book')?.allColumns.get('price')?.hidden // true
 * ```
 */
export function callerRegistry(
  registry: Registry,
  related: readonly Resource[],
  withheld: Withheld,
): Registry {
  const columns = new Map<NamedColumn, NamedColumn>()
  const own = new Map(
    related.map((resource) => [resource, withColumns(resource, withheld, columns)]),
  )
  /** The resource as the caller sees it. */
  const seen = (resource: Resource): Resource => own.get(resource) ?? resource
  const relations = new Map<ResolvedRelation, Mutable<ResolvedRelation>>()
  for (const [resource, view] of own) {
    for (const [name, relation] of resource.allRelations) {
      const mapped = seenRelation(relation, seen, columns)
      relations.set(relation, mapped)
      view.allRelations.set(name, mapped)
    }
  }
  // Adds relations after all resources have their columns, because a relation depends on the readable columns of both sides.
  for (const [resource, view] of own) {
    for (const [name, relation] of view.allRelations) {
      if (keysOf(relation).every(isReadable)) view.relations.set(name, relation)
      const inverse = resource.allRelations.get(name)?.inverse
      const mapped = inverse && relations.get(inverse)
      if (mapped !== undefined && keysOf(mapped).every(isReadable)) relation.inverse = mapped
    }
  }
  const resources = registry.resources.map(seen)
  return {
    resources,
    byName: new Map(resources.map((resource) => [resource.name, resource])),
    users: registry.users && seen(registry.users),
    unreadable: unreadableOf(own.keys(), withheld),
    unpublished: registry.unpublished,
  }
}

type MutableResource = Omit<Resource, 'relations' | 'allRelations'> & {
  readonly relations: Map<string, ResolvedRelation>
  readonly allRelations: Map<string, Mutable<ResolvedRelation>>
}

/** Copies a resource, with the columns as the caller sees them and without relations. Adds each changed column to `changed`. */
function withColumns(
  resource: Resource,
  withheld: Withheld,
  changed: Map<NamedColumn, NamedColumn>,
): MutableResource {
  const seen = (column: NamedColumn): NamedColumn => changed.get(column) ?? column
  const aggregates = [...resource.aggregates].filter(([, aggregate]) =>
    [aggregate, ...aggregate.reads].every((column) => withheld.get(column) !== 'read'),
  )
  for (const column of resource.allColumns.values()) {
    const right = withheld.get(column)
    if (right === undefined) continue
    changed.set(column, { ...column, withheld: right, hidden: column.hidden || right === 'read' })
  }
  const all = [...resource.allColumns].map(([name, column]) => [name, seen(column)] as const)
  return {
    ...resource,
    columns: new Map(all.filter(([, column]) => !column.hidden)),
    bodyColumns: new Map(all.filter(([, column]) => isInBodies(column))),
    allColumns: new Map(all),
    aggregates: new Map(aggregates),
    primaryKey: resource.primaryKey.map(seen),
    uniqueKeys: resource.uniqueKeys.map((key) => key.map(seen)),
    search: resource.search.map(seen).filter(({ hidden }) => !hidden),
    relations: new Map(),
    allRelations: new Map(),
  }
}

/** Copies a relation, with the resources and columns as the caller sees them. The inverse follows when all relations are copied. */
function seenRelation(
  { inverse: _, ...relation }: ResolvedRelation,
  seen: (resource: Resource) => Resource,
  columns: ReadonlyMap<NamedColumn, NamedColumn>,
): ResolvedRelation {
  const { source, target, pairs, from, to, through, address } = relation
  const column = (original: NamedColumn): NamedColumn => columns.get(original) ?? original
  const foreignKey = (key: readonly ForeignKeyColumn[]): readonly ForeignKeyColumn[] =>
    key.map((part) => ({ ...part, column: column(part.column) }))
  return {
    ...relation,
    source: seen(source),
    target: seen(target),
    pairs: pairs.map((pair) => ({ from: column(pair.from), to: column(pair.to) })),
    from: from.map(column),
    to: to.map(column),
    address: address && {
      ...address,
      resource: seen(address.resource),
      key: address.key.map(column),
    },
    ...(through && {
      through: {
        ...through,
        from: foreignKey(through.from),
        to: foreignKey(through.to),
        resource: through.resource && seen(through.resource),
      },
    }),
  }
}

/** Returns the columns that a relation compares: of both sides, and of the junction if that is published. */
export function keysOf(relation: ResolvedRelation): readonly NamedColumn[] {
  const junction = junctionOf(relation)
  const links = junction === undefined ? [] : [...junction.own, ...junction.linked]
  return [...relation.from, ...relation.to, ...links]
}

/** Whether a relation is absent for callers who may not read its columns. */
export const needsRight = (relation: ResolvedRelation): boolean =>
  keysOf(relation).some(({ definition }) => definition.read !== undefined)

const isReadable = ({ withheld }: NamedColumn): boolean => withheld !== 'read'

/** Returns the names of the columns that the caller may not read, such as `Book.price`. */
function unreadableOf(resources: Iterable<Resource>, withheld: Withheld): readonly string[] {
  return [...resources]
    .flatMap(({ name, allColumns, aggregates }) =>
      [...allColumns.values(), ...aggregates.values()]
        .filter((column) => withheld.get(column) === 'read')
        .map((column) => `${name}.${column.name}`),
    )
    .sort()
}
