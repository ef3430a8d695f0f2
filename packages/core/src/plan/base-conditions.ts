// Turns joins into `exists` conditions on the base if neither output nor order reads their columns, so that joined rows need
// not be combined.

import type { ResolvedRelation } from '../registry/resource.ts'
import { isShared, type LookUpStart, lookUpStep } from './look-up.ts'
import type { Condition, LookUp, Operand, PlannedJoin, Source } from './plan.ts'

/** Conditions that are combined with AND, each on one source. A list of alternatives is combined with OR. */
type Alternative = readonly Condition[]

/** A statement with more alternatives costs more than a statement with the joins. */
const maxAlternatives = 32

/**
 * Returns conditions that select the same base rows as the joins and conditions do; undefined if that needs more than
 * `maxAlternatives` alternatives.
 *
 * `join=books,tags&books.price__gt=20` → `exists(books.price__gt=20)&exists(tags)`
 *
 * `join=books&or[name__eq=Ann,books.price__gt=20]` → `or[and[name__eq=Ann,exists(books)],exists(books.price__gt=20)]`
 */
export function conditionsOnBase(
  base: Source,
  where: readonly Condition[],
  joins: readonly PlannedJoin[],
): readonly Condition[] | undefined {
  const isOfBase = (condition: Condition): boolean => sourceOf(condition) === base
  const own = where.filter(isOfBase)
  const alternatives = product(where.filter((condition) => !isOfBase(condition)).map(split))?.map(
    (conditions) => onSource({ joins, conditions }, base, undefined),
  )
  const all = alternatives && concat(alternatives)
  if (all === undefined) return undefined
  const [only = [], ...others] = all
  if (others.length === 0) return [...own, ...only]
  if (all.some((conditions) => conditions.length === 0)) return own
  return [...own, { kind: 'or', all: all.map(allTogether) }]
}

const allTogether = (all: Alternative): Condition =>
  all.length === 1 ? (all[0] as Condition) : { kind: 'and', all }

interface Joined {
  readonly joins: readonly PlannedJoin[]
  readonly conditions: Alternative
}

/**
 * Returns the alternatives for a row of `source`: its own conditions and the joins that start from it. `start` is undefined for the
 * base.
 */
function onSource(
  joined: Joined,
  source: Source,
  start: LookUpStart | undefined,
): readonly Alternative[] | undefined {
  const { joins, conditions } = joined
  const own = conditions.filter((condition) => sourceOf(condition) === source)
  const parts: (readonly Alternative[] | undefined)[] = [[own]]
  for (const join of joins) {
    if (join.from === source) parts.push(onJoin(joined, join, start))
  }
  return product(parts)
}

/** Returns the alternatives that a join requires of the row where it starts. */
function onJoin(
  joined: Joined,
  join: PlannedJoin,
  start: LookUpStart | undefined,
): readonly Alternative[] | undefined {
  const { from, relation, source, type } = join
  const reached = reachedBy(joined.joins, source)
  const inside = joined.conditions.filter((condition) => reached.has(sourceOf(condition) as Source))
  if (type === 'left' && inside.length === 0) return [[]]
  const { lookUp, next } =
    start === undefined ? stepFromBase(relation) : lookUpStep(relation, start)
  const exists = { kind: 'exists', from, relation, source } as const
  const found = onSource(joined, source, next)?.map(
    (where): Alternative => [{ ...exists, where, negated: false, lookUp }],
  )
  const holdsForNulls = inside.every((one) => valueForNulls(one) === true)
  if (found === undefined || type !== 'left' || !holdsForNulls) {
    return found
  }
  // A left join gives a row of NULLs if there is no related row.
  const missing = start === undefined ? 'each' : 'nested'
  return [...found, [{ ...exists, where: [], negated: true, lookUp: missing, exact: true }]]
}

/** Plans a step from a base row. Every `LookUp` selects the same base rows, so the dialect may choose. */
const stepFromBase = (relation: ResolvedRelation): { lookUp: LookUp; next: LookUpStart } => ({
  lookUp: 'any',
  next: { repeated: isShared(relation), nested: true },
})

/** Returns `source` and the sources of all joins that start from it, directly or through other joins. */
function reachedBy(joins: readonly PlannedJoin[], source: Source): ReadonlySet<Source> {
  const reached = new Set([source])
  // A join comes after the one it starts from.
  for (const join of joins) if (reached.has(join.from)) reached.add(join.source)
  return reached
}

/** Rewrites a condition as alternatives whose conditions each read one source (disjunctive normal form by source). */
function split(condition: Condition): readonly Alternative[] | undefined {
  if (sourceOf(condition) !== undefined) return [[condition]]
  switch (condition.kind) {
    case 'and':
      return product(condition.all.map(split))
    case 'or':
      return concat(bySource(condition.all).map(split))
    case 'not':
      return split(negated(condition.one))
    default:
      return [[condition]]
  }
}

/** Combines conditions on the same source into one OR, so that there are fewer alternatives. */
function bySource(conditions: readonly Condition[]): readonly Condition[] {
  const groups = new Map<unknown, Condition[]>()
  for (const condition of conditions) {
    const key = sourceOf(condition) ?? condition
    groups.set(key, [...(groups.get(key) ?? []), condition])
  }
  return [...groups.values()].map((all) =>
    all.length === 1 ? (all[0] as Condition) : { kind: 'or', all },
  )
}

/** Negates by De Morgan's laws, which also hold in three-valued logic. */
function negated(condition: Condition): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { kind: condition.kind === 'and' ? 'or' : 'and', all: condition.all.map(negated) }
    case 'not':
      return condition.one
    default:
      return { kind: 'not', one: condition }
  }
}

/** Combines lists of alternatives with AND: every combination of one alternative from each list; undefined if there are too many. */
function product(
  parts: readonly (readonly Alternative[] | undefined)[],
): readonly Alternative[] | undefined {
  let all: readonly Alternative[] = [[]]
  for (const part of parts) {
    if (part === undefined || all.length * part.length > maxAlternatives) return undefined
    all = all.flatMap((before) => part.map((one) => [...before, ...one]))
  }
  return all
}

/** Combines lists of alternatives with OR; undefined if there are too many. */
function concat(
  parts: readonly (readonly Alternative[] | undefined)[],
): readonly Alternative[] | undefined {
  const all: Alternative[] = []
  for (const part of parts) {
    if (part === undefined || all.length + part.length > maxAlternatives) return undefined
    all.push(...part)
  }
  return all
}

/** Returns the only source that a condition reads; undefined if it reads several. */
function sourceOf(condition: Condition): Source | undefined {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const [first, ...others] = condition.all.map(sourceOf)
      return others.every((source) => source === first) ? first : undefined
    }
    case 'not':
      return sourceOf(condition.one)
    case 'exists':
      return condition.from
    case 'linked':
      return condition.source
    default:
      return sourceOfOperand(condition.operand)
  }
}

const sourceOfOperand = (operand: Operand): Source =>
  operand.kind === 'column' ? operand.source : operand.of.source

/** Evaluates a condition for a row whose columns are all NULL: true, false, or null for unknown. */
function valueForNulls(condition: Condition): boolean | null {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const decisive = condition.kind === 'or'
      const all = condition.all.map(valueForNulls)
      if (all.includes(decisive)) return decisive
      return all.includes(null) ? null : !decisive
    }
    case 'not': {
      const one = valueForNulls(condition.one)
      return one === null ? null : !one
    }
    case 'isNull':
      return !condition.negated
    case 'oneOf':
      // A condition with an empty list is true or false for every row, even where the column is NULL.
      return condition.values.length === 0 ? condition.negated : null
    case 'compare':
    case 'between':
    case 'text':
    case 'items':
    case 'found':
    case 'exists':
    case 'linked':
      return null
  }
}
