// Resolves the field names of a client to columns. Only this file creates a ColumnRef, so no unchecked name reaches SQL.

import { settingNames } from '../config/setting-names.ts'
import { ambiguousPath, unknownColumn } from '../errors.ts'
import { didYouMean } from '../naming/suggest.ts'
import type { FieldNode } from '../parse/ast.ts'
import { relationsMatching } from '../registry/relation-token.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import type { LookUpStart } from './look-up.ts'
import type { ColumnRef, PlannedJoin, Source } from './plan.ts'

/** The sources whose columns a field may name: the base and the joined relations. */
export interface Names {
  readonly base: Source
  readonly joins: readonly PlannedJoin[]
  /** How the rows of the base are read when conditions are tested on them. */
  readonly lookUpStart: LookUpStart
}

/** A reference to a column that the registry names rather than the client: keys of links, embeds and orders. */
export function refOf(source: Source, column: NamedColumn): ColumnRef {
  return { kind: 'column', source, column } as ColumnRef
}

/** References to the primary key columns of a source. */
export const keyRefs = (source: Source): readonly ColumnRef[] =>
  source.resource.primaryKey.map((column) => refOf(source, column))

/**
 * Resolves a field among the visible columns of the base and of the joined relations (contract §4 Paths).
 * Hidden, unjoined, unpublished and unknown fields give the same 400, so that the response does not reveal hidden columns.
 *
 * `titel__eq=Emma` → 400 `Unknown column "titel" on books. Did you mean "title"?`
 */
export function resolveColumn(names: Names, field: FieldNode, at: string): ColumnRef {
  const source = resolvePath(names, field, at)
  const column = source?.resource.columns.get(field.column)
  if (source === undefined || column === undefined) throw unknown(names, field, at)
  return refOf(source, column)
}

function unknown(names: Names, field: FieldNode, at: string): Error {
  const hint = didYouMean(field.text, visibleNames(names))
  const isJoined = field.path.length > 0 && hint === ''
  return unknownColumn(
    field.text,
    names.base.resource.endpoint,
    isJoined ? joinHint(names) : hint,
    at,
  )
}

const joinHint = ({ base }: Names): string =>
  base.resource.settings.allowJoin
    ? ' Columns of a relation need the relation in "join".'
    : ` Columns of a relation need a join, and joins are switched off here (${settingNames.allowJoin}).`

function* visibleNames(names: Names): Generator<string> {
  yield* names.base.resource.columns.keys()
  for (const join of names.joins) {
    for (const column of join.source.resource.columns.keys())
      yield `${join.relation.name}.${column}`
  }
}

function resolvePath(names: Names, field: FieldNode, at: string): Source | undefined {
  const [first, ...rest] = field.path
  if (first === undefined) return names.base
  let source = firstSource(names, first, at)
  for (const segment of rest) {
    if (source === undefined) return undefined
    source = onlySource(segment, joinedBy(names, source, segment), at)
  }
  return source
}

/** In this order: a joined relation with that name or token form, the base itself, a joined table of that name. */
function firstSource(names: Names, segment: string, at: string): Source | undefined {
  const joined = joinedBy(names, names.base, segment)
  if (joined.length === 1) return onlySource(segment, joined, at)
  if (isNamed(names.base.resource, segment)) return names.base
  const byTable = names.joins.filter((join) => join.source.resource.table === segment)
  const fitting = byTable.length === 1 ? byTable : new Set([...joined, ...byTable])
  return onlySource(segment, [...fitting], at)
}

/** The join of the relation with exactly that name, or else all joins of relations that have such a token form. */
function joinedBy(names: Names, from: Source, segment: string): readonly PlannedJoin[] {
  const joins = names.joins.filter((join) => join.from === from)
  const exact = joins.find((join) => join.relation.name === segment)
  if (exact !== undefined) return [exact]
  const matching = relationsMatching(from.resource, segment)
  return joins.filter((join) => matching.includes(join.relation))
}

const isNamed = (resource: Resource, segment: string): boolean =>
  segment === resource.table || segment === resource.endpoint || segment === resource.name

/** The source of the only join; more than one is an ambiguous path. */
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
