// The one door for names: a field the client wrote becomes a ColumnRef here, or the 400; nothing else can make one.

import { ambiguousPath, unknownColumn } from '../errors.ts'
import { didYouMean } from '../naming/suggest.ts'
import type { FieldNode } from '../parse/ast.ts'
import { relationsMatching } from '../registry/relation-token.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import type { Start } from './look-up.ts'
import type { ColumnRef, PlannedJoin, Source } from './plan.ts'

/** The tables a field may name: the base and what is joined to it. */
export interface Names {
  readonly base: Source
  readonly joins: readonly PlannedJoin[]
  /** How the rows of the base come up where conditions are tested on them. */
  readonly start: Start
}

/** The reference to a column that the registry, not a client, names: keys of links, embeds and orders. */
export function refOf(source: Source, column: NamedColumn): ColumnRef {
  return { kind: 'column', source, column } as ColumnRef
}

/** Primary key of a source, as references. */
export const keyRefs = (source: Source): readonly ColumnRef[] =>
  source.resource.primaryKey.map((column) => refOf(source, column))

/**
 * Resolves a field among the visible columns of the base and of the joined relations (contract §4 Paths).
 * Hidden, unjoined, unpublished and unknown fields give the same 400, so the door does not tell which.
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
  const joinHint =
    field.path.length > 0 && hint === ''
      ? ' Columns of a relation need the relation in "join".'
      : hint
  return unknownColumn(field.text, names.base.resource.endpoint, joinHint, at)
}

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
    source = theOne(segment, joinedBy(names, source, segment), at)
  }
  return source
}

/** The joined relation of that key or token form, the base's own names, the table of exactly one joined relation. */
function firstSource(names: Names, segment: string, at: string): Source | undefined {
  const joined = joinedBy(names, names.base, segment)
  if (joined.length === 1) return theOne(segment, joined, at)
  if (answersTo(names.base.resource, segment)) return names.base
  const byTable = names.joins.filter((join) => join.source.resource.table === segment)
  const fitting = byTable.length === 1 ? byTable : new Set([...joined, ...byTable])
  return theOne(segment, [...fitting], at)
}

/** The joined relation of that key alone, else those that another token form of theirs fits. */
function joinedBy(names: Names, from: Source, segment: string): readonly PlannedJoin[] {
  const joins = names.joins.filter((join) => join.from === from)
  const exact = joins.find((join) => join.relation.name === segment)
  if (exact !== undefined) return [exact]
  const matching = relationsMatching(from.resource, segment)
  return joins.filter((join) => matching.includes(join.relation))
}

const answersTo = (resource: Resource, segment: string): boolean =>
  segment === resource.table || segment === resource.endpoint || segment === resource.name

function theOne(segment: string, joins: readonly PlannedJoin[], at: string): Source | undefined {
  const [only, ...others] = joins
  if (others.length === 0) return only?.source
  const keys = joins.map((join) => join.relation.name)
  throw ambiguousPath(segment, keys, at)
}
