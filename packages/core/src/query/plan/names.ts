// Resolves the field names of a client, such as `author.name`, to columns of the base and of the joined relations; an unknown name is a 400
// with a suggestion. Only this file creates a ColumnRef, so no unchecked name reaches SQL: of names of the client by `resolveName` and
// `resolveColumn`, of columns that the plan chooses by `refOf`, `keyRefs` and `tieRefs`.

import { ambiguousPath, unknownColumn, unsupportedQuery } from '../../errors.ts'
import { excerpt } from '../../lib/error-size.ts'
import { didYouMean, nearest } from '../../lib/naming/suggest.ts'
import { queryColumns } from '../../model/registry/json-paths.ts'
import { isNameOf, relationsMatching } from '../../model/registry/relations/relation-token.ts'
import type { AggregateColumn, NamedColumn, Resource } from '../../model/registry/resource.ts'
import { tieBreakers } from '../../model/registry/row-identity.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { FieldNode } from '../parse/ast.ts'
import { meantAggregate } from './aggregates/meant-aggregate.ts'
import type { LookUpStart } from './conditions/look-up.ts'
import type { ColumnRef, PlannedJoin, Source } from './plan.ts'

/** The sources whose columns a field may name: the base and the joined relations. */
export interface Names {
  readonly base: Source
  readonly joins: readonly PlannedJoin[]
  /** Whether `join` can add sources: it cannot inside `exists(…)` and in the options of an embedded relation. */
  readonly takesJoins: boolean
  /** The rows from which relation filters on the base start: whether they may repeat, or are themselves the result of a look-up. */
  readonly lookUpStart: LookUpStart
}

/** Makes a reference to a column that this library chooses, not the client: keys of links, embeds and orders. */
export function refOf(source: Source, column: NamedColumn): ColumnRef {
  return { kind: 'column', source, column } as ColumnRef
}

/** Returns references to the columns that make an order of the source's rows total. */
export const tieRefs = (source: Source): readonly ColumnRef[] =>
  tieBreakers(source.resource).map((column) => refOf(source, column))

/** Returns references to the primary key columns of a source. */
export const keyRefs = (source: Source): readonly ColumnRef[] =>
  source.resource.primaryKey.map((column) => refOf(source, column))

/** A name that resolves to an aggregate that a model declares, instead of a column. */
export interface DeclaredRef {
  readonly kind: 'declared'
  readonly source: Source
  readonly column: AggregateColumn
}

/** Resolves a field as `resolveName` does, where a declared aggregate cannot be used: throws 400 for one. */
export function resolveColumn(
  names: Names,
  field: FieldNode,
  at: string,
  hint?: string,
): ColumnRef {
  const found = resolveName(names, field, at, hint)
  if (found.kind === 'column') return found
  throw unsupportedQuery(
    `"${excerpt(field.text)}" is an aggregate of related records: fields, filters and order_by take it, but nothing groups by it or aggregates it.`,
    at,
  )
}

/**
 * Resolves a field among the visible columns and declared aggregates of the base and of the joined relations.
 * Hidden, unjoined, unpublished and unknown fields give the same 400, so that the response does not reveal hidden columns.
 * `at` is the part of the query that the error quotes; `hint` takes the place of the suggestion.
 *
 * `titel__eq=Emma` → 400 `Unknown column "titel" on books. Did you mean "title"?`
 */
export function resolveName(
  names: Names,
  field: FieldNode,
  at: string,
  hint?: string,
): ColumnRef | DeclaredRef {
  const found = findColumn(names, [...field.path, field.column], at)
  if (found === undefined) throw unknownField(names, field, at, hint)
  return found
}

/** Finds the column that the segments name: of the base, else of the joined relation that the first segments name. */
function findColumn(
  names: Names,
  segments: readonly string[],
  at: string,
): ColumnRef | DeclaredRef | undefined {
  const own = fieldIn(names.base, segments)
  const [first, ...further] = segments
  if (own !== undefined || first === undefined || further.length === 0) return own
  let source = firstSource(names, first, at)
  let rest: readonly string[] = further
  while (source !== undefined) {
    const column = fieldIn(source, rest)
    const [segment, ...after] = rest
    if (column !== undefined || segment === undefined || after.length === 0) return column
    source = onlySource(segment, joinedBy(names, source, segment), at)
    rest = after
  }
  return undefined
}

/** Finds the visible column with this name, the declared path into a json column, or the declared aggregate. */
function fieldIn(
  source: Source,
  [name = '', ...path]: readonly string[],
): ColumnRef | DeclaredRef | undefined {
  const { columns, aggregates } = source.resource
  const aggregate = path.length === 0 ? aggregates.get(name) : undefined
  if (aggregate !== undefined) return { kind: 'declared', source, column: aggregate }
  const column = columns.get(name)
  const found = path.length === 0 ? column : column?.paths?.get(path.join('.'))
  return found && refOf(source, found)
}

/** Makes the 400 of an unknown field, with the hint that fits best. */
function unknownField(names: Names, field: FieldNode, at: string, hint?: string): Error {
  const segments = [...field.path, field.column]
  const { source, rest } = lastSource(names, segments, at)
  if (hint === undefined && source !== undefined)
    return unknownOfRelation(names, source, rest, field, at)
  const { resource } = names.base
  const shownHint =
    hint ??
    pathHint(names, field) ??
    (beginsWithRelation(resource, segments) ? joinHint(names) : undefined) ??
    relationHint(names, segments) ??
    aggregateHint(names, field) ??
    suggestion(names, field)
  const lacksJoin = field.path.length > 0 && shownHint === ''
  return unknownColumn(field.text, resource.endpoint, lacksJoin ? joinHint(names) : shownHint, at)
}

/** Whether a path begins with a relation. Called only if the column was not found, which means that the relation is not joined. */
const beginsWithRelation = (
  resource: Resource,
  [first = '', ...rest]: readonly string[],
): boolean => rest.length > 0 && relationsMatching(resource, first).length > 0

/** Finds the last source that the segments name, and the segments after it; no source if the first one names none. */
function lastSource(names: Names, segments: readonly string[], at: string) {
  let source: Source | undefined
  let rest = segments
  for (const segment of segments.slice(0, -1)) {
    const next =
      source === undefined
        ? firstSource(names, segment, at)
        : onlySource(segment, joinedBy(names, source, segment), at)
    if (next === undefined) break
    source = next
    rest = rest.slice(1)
  }
  return { source, rest }
}

/**
 * Makes the error of an unknown column of a joined relation: `author.nmae__eq=x` → 400 `Unknown column "nmae" on authors. Did you
 * mean "author.name"?`
 */
function unknownOfRelation(
  names: Names,
  { resource }: Source,
  rest: readonly string[],
  { path, column }: FieldNode,
  at: string,
): Error {
  const prefix = [...path, column].slice(0, -rest.length)
  const unknown = rest.join('.')
  // Compares the names without the path, because a long common path would make every column similar.
  const near = beginsWithRelation(resource, rest)
    ? undefined
    : nearest(
        unknown.slice(0, 100),
        [...queryColumns(resource)].map(({ name }) => name),
      )
  const hint = rest.length > 1 ? joinHint(names) : ''
  return unknownColumn(
    unknown,
    resource.endpoint,
    near === undefined ? hint : ` Did you mean "${[...prefix, near].join('.')}"?`,
    at,
  )
}

/** Returns a hint that lists the declared paths into a json column; undefined if the field does not begin with a json column. */
function pathHint({ base }: Names, { path, text }: FieldNode): string | undefined {
  const [name = ''] = path
  const column = base.resource.columns.get(name)
  if (column?.type !== 'json' || path.length === 0) return undefined
  const declared = [...(column.paths?.values() ?? [])]
  if (declared.length === 0) return ` Its model declares no paths into "${name}".`
  const names = declared.map((column) => column.name)
  const near = didYouMean(text, names)
  return near === '' ? ` Its model declares these paths: ${names.join(', ')}.` : near
}

/** Returns a hint that a name is that of a relation; undefined if it is not. */
function relationHint(names: Names, segments: readonly string[]): string | undefined {
  const [name = ''] = segments
  if (segments.length > 1 || !names.base.resource.relations.has(name)) return undefined
  if (!names.takesJoins) return joinHint(names)
  return ` It is a relation: its columns are written "${name}.<column>".`
}

/** Returns a hint with the aggregate of which the name is the default label. */
function aggregateHint({ base }: Names, { text }: FieldNode): string | undefined {
  const meant = meantAggregate(base.resource, text)
  return meant && ` Did you mean "${meant}"?`
}

/** Returns a hint how columns of relations can be named. */
function joinHint({ base, takesJoins }: Names): string {
  if (!takesJoins) {
    return ' Only its own columns can be named here; related rows are tested by "exists(…)".'
  }
  return base.resource.settings.allowJoin
    ? ' Columns of a relation need the relation in "join".'
    : ` Columns of a relation need a join, and joins are switched off here (${settingNames.allowJoin}).`
}

/** Suggests the only name that ends with the client's (`author.name` for `name`), or else the most similar name. */
function suggestion(names: Names, { text }: FieldNode): string {
  const visible = [...visibleNames(names)]
  const [longer, ...others] = visible.filter((name) => name.endsWith(`.${text}`))
  return longer !== undefined && others.length === 0
    ? ` Did you mean "${longer}"?`
    : didYouMean(text, visible)
}

/** The names that a field may have, for suggestions. */
function* visibleNames(names: Names): Generator<string> {
  for (const { name } of queryColumns(names.base.resource)) yield name
  for (const join of names.joins) {
    const path = pathOf(names, join)
    for (const { name } of queryColumns(join.source.resource)) yield `${path}.${name}`
  }
}

/** Returns the path of relations from the base to a join: `author.publisher`. */
function pathOf(names: Names, { from, relation }: PlannedJoin): string {
  const before = names.joins.find(({ source }) => source === from)
  return before === undefined ? relation.name : `${pathOf(names, before)}.${relation.name}`
}

/** Finds the source that a first segment names: a joined relation by its name or a similar one, the base, or a joined table by its name. */
function firstSource(names: Names, segment: string, at: string): Source | undefined {
  const joined = joinedBy(names, names.base, segment)
  if (joined.length === 1) return onlySource(segment, joined, at)
  if (isNameOf(names.base.resource, segment)) return names.base
  const byTable = names.joins.filter((join) => join.source.resource.table === segment)
  const fitting = byTable.length === 1 ? byTable : new Set([...joined, ...byTable])
  return onlySource(segment, [...fitting], at)
}

/** Returns the join whose relation has exactly this name, or else all joins whose relations match it as a token of `join`. */
function joinedBy(names: Names, from: Source, segment: string): readonly PlannedJoin[] {
  const joins = names.joins.filter((join) => join.from === from)
  const exact = joins.find((join) => join.relation.name === segment)
  if (exact !== undefined) return [exact]
  const matching = relationsMatching(from.resource, segment)
  return joins.filter((join) => matching.includes(join.relation))
}

/** Returns the source of the only join in the list; undefined for an empty list. Throws 400 (ambiguous path) if there are several. */
function onlySource(
  segment: string,
  joins: readonly PlannedJoin[],
  at: string,
): Source | undefined {
  const [only, ...others] = joins
  if (others.length === 0) return only?.source
  const keys = joins.map((join) => join.relation.name)
  throw ambiguousPath(segment, keys, at)
}
