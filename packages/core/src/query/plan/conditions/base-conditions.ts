// conditionsOnBase: turns joins into conditions on the base if neither output nor order reads their columns, so that joined rows need not
// be combined: an author with 100 books and 100 prizes would be 10,000 joined rows. `compile/rows/row-set.ts` compiles the result in place
// of FROM … JOIN; `read-plan.ts` calls it first, for the 400 of a query with too many combinations. Where the rows must be joined nevertheless,
// `compile/rows/combinations.ts` counts their combinations, by `combinesMany` and `ownConditions`.

import type { RelatedLookUp } from '../../../dialect/related-look-up.ts'
import { tooManyAlternatives } from '../../../errors.ts'
import type { ResolvedRelation } from '../../../model/registry/resource.ts'
import { maxAlternatives, maxLookUps } from '../../parse/limits.ts'
import type { Condition, PlannedJoin, Source } from '../plan.ts'
import { requiredJoins, sourcesOfConditions } from '../relations/required-joins.ts'
import { isShared, type LookUpStart, leadsToMany, lookUpStep } from './look-up.ts'

/** What selects the base rows that the joins and conditions of a query select. */
export interface BaseConditions {
  /** Conditions on a row of the base. */
  readonly conditions: readonly Condition[]
  /** Joins of which a combination of rows must meet the conditions. No part combines the rows of two to-many relations. */
  readonly joined: readonly JoinedConditions[]
}

/** Joins, and the conditions that one combination of their rows must meet. */
export interface JoinedConditions {
  readonly joins: readonly PlannedJoin[]
  readonly where: readonly Condition[]
}

/**
 * Returns what selects the same base rows as the joins and conditions do. A condition on one relation becomes `exists`. Conditions with
 * OR on several relations are multiplied out: one alternative for each combination, with an `exists` for each relation. Relations that
 * no condition connects are multiplied out separately. Throws a 400 if that gives more than `maxAlternatives` alternatives or `maxLookUps`
 * look-ups in them, unless the joined rows can be combined in time proportional to their number.
 *
 * `join=books,tags&books.price__gt=20` → `exists(books.price__gt=20)&exists(tags)`
 *
 * `join=books,tags&or[name__eq=Ann,books.price__gt=20]` → `or[and[name__eq=Ann,exists(books)],exists(books.price__gt=20)]&exists(tags)`
 */
export function conditionsOnBase(
  base: Source,
  where: readonly Condition[],
  joins: readonly PlannedJoin[],
): BaseConditions {
  const expansion: Expansion = { joins, keyOf: createKeys(), alternatives: 0, lookUps: 0 }
  const joined: JoinedConditions[] = []
  const { own, parts } = partsAt(joins, base, where)
  const conditions = parts.flatMap((part) => {
    const { alternatives, lookUps } = expansion
    const found = conditionsOfPart(expansion, part, base, undefined)
    if (found !== undefined) {
      if (expansion.alternatives > alternatives) expansion.lookUps += lookUpsIn(found)
      if (expansion.lookUps <= maxLookUps) return found
    }
    // Too many alternatives: this part is joined instead, so that its alternatives do not count.
    Object.assign(expansion, { alternatives, lookUps })
    const required = requiredJoins(part.where, joinsOf(joins, part))
    if (combinesMany(base, required)) {
      throw tooManyAlternatives(maxAlternatives, maxLookUps, 'join')
    }
    joined.push({ joins: required, where: part.where })
    return []
  })
  return { conditions: [...own, ...conditions], joined }
}

/** Returns the conditions that read only columns of the base. */
export const ownConditions = (
  base: Source,
  where: readonly Condition[],
  joins: readonly PlannedJoin[],
): readonly Condition[] => partsAt(joins, base, where).own

/** One multiplication of a query, with the numbers of alternatives, and of look-ups in them, so far. */
interface Expansion {
  readonly joins: readonly PlannedJoin[]
  /** Returns equal texts for equal conditions (`createKeys`). */
  readonly keyOf: (condition: Condition) => string
  alternatives: number
  lookUps: number
}

/** The number of related tables that conditions read. */
const lookUpsIn = (conditions: readonly Condition[]): number =>
  conditions.reduce((sum, condition) => sum + lookUpsOf(condition), 0)

/** The number of related tables that one condition reads. */
function lookUpsOf(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return lookUpsIn(condition.all)
    case 'not':
      return lookUpsOf(condition.one)
    case 'exists':
      return 1 + lookUpsIn(condition.where)
    case 'linked':
      return 1
    default:
      return 0
  }
}

/** Joins that start from one source and are connected by conditions, with these conditions. */
interface JoinPart {
  readonly joins: readonly PlannedJoin[]
  readonly where: readonly Condition[]
}

/** Divides the conditions on a row of `source` and on rows joined to it: its own, and a part for each group of connected joins. */
function partsAt(
  joins: readonly PlannedJoin[],
  source: Source,
  where: readonly Condition[],
): { readonly own: readonly Condition[]; readonly parts: readonly JoinPart[] } {
  const units = unitsAt(joins, source)
  const own: Condition[] = []
  let parts: readonly JoinPart[] = joins
    .filter(({ from }) => from === source)
    .map((join) => ({ joins: [join], where: [] }))
  for (const condition of where.flatMap((whole) => conjunctsOf(whole, units))) {
    const touched = unitsOf(condition, units)
    const isTouched = (part: JoinPart): boolean =>
      part.joins.some((join) => touched.has(join.source))
    const connected = parts.filter(isTouched)
    const [first] = connected
    if (first === undefined) {
      own.push(condition)
    } else {
      const merged: JoinPart = {
        joins: connected.flatMap((part) => part.joins),
        where: [...connected.flatMap((part) => part.where), condition],
      }
      parts = parts.flatMap((part) => (part === first ? [merged] : isTouched(part) ? [] : [part]))
    }
  }
  return { own, parts }
}

/** For each source, the unit that it belongs to: `source` itself, or the join from `source` through which it is reached. */
type Units = ReadonlyMap<Source, Source>

/** Finds the unit of `source` and of each source that is joined to it. */
function unitsAt(joins: readonly PlannedJoin[], source: Source): Units {
  const units = new Map([[source, source]])
  // A join comes after the one it starts from.
  for (const { from, source: to } of joins) {
    const unit = units.get(from)
    if (unit !== undefined) units.set(to, from === source ? to : unit)
  }
  return units
}

/** Returns the units that a condition reads. */
function unitsOf(condition: Condition, units: Units): ReadonlySet<Source> {
  const found = new Set<Source>()
  for (const source of sourcesOfConditions([condition])) {
    const unit = units.get(source)
    if (unit !== undefined) found.add(unit)
  }
  return found
}

/** Returns the only unit that a condition reads; undefined if it reads several. */
function unitOf(condition: Condition, units: Units): Source | undefined {
  const [unit, ...others] = unitsOf(condition, units)
  return others.length === 0 ? unit : undefined
}

/** Divides a condition that reads several units into the conditions that it combines with AND. */
function conjunctsOf(condition: Condition, units: Units): readonly Condition[] {
  if (unitsOf(condition, units).size < 2) return [condition]
  switch (condition.kind) {
    case 'and':
      return condition.all.flatMap((one) => conjunctsOf(one, units))
    case 'not':
      return conjunctsOf(negated(condition.one), units)
    default:
      return [condition]
  }
}

/**
 * Returns the conditions of a part on a row of `source`; undefined if there are too many alternatives. `start`: the rows of `source` if
 * these are themselves looked up; undefined if they are rows of the base.
 */
function conditionsOfPart(
  expansion: Expansion,
  part: JoinPart,
  source: Source,
  start: LookUpStart | undefined,
): readonly Condition[] | undefined {
  const units = unitsAt(expansion.joins, source)
  const all = multipliedOut(expansion, part.where, units)
  if (all === undefined) return undefined
  if (all.length > 1) {
    expansion.alternatives += all.length
    if (expansion.alternatives > maxAlternatives) return undefined
  }
  const alternatives: (readonly Condition[])[] = []
  for (const alternative of all) {
    const literals = [...alternative.values()]
    const conditionsAt = (unit: Source): readonly Condition[] =>
      literals.filter((literal) => literal.unit === unit).map(({ condition }) => condition)
    const conditions = [...conditionsAt(source)]
    for (const join of part.joins) {
      const found = conditionsOfJoin(expansion, join, conditionsAt(join.source), start)
      if (found === undefined) return undefined
      conditions.push(...found)
    }
    alternatives.push(conditions)
  }
  const [only = [], ...others] = alternatives
  if (others.length === 0) return only
  if (alternatives.some((conditions) => conditions.length === 0)) return []
  return [{ kind: 'or', all: alternatives.map(allTogether) }]
}

/** Combines conditions with AND. */
const allTogether = (all: readonly Condition[]): Condition =>
  all.length === 1 ? (all[0] as Condition) : { kind: 'and', all }

/** Returns what a join and the conditions on its rows require of the row where it starts; undefined if there are too many alternatives. */
function conditionsOfJoin(
  expansion: Expansion,
  join: PlannedJoin,
  inside: readonly Condition[],
  start: LookUpStart | undefined,
): readonly Condition[] | undefined {
  const { from, relation, source, type } = join
  if (type === 'left' && inside.length === 0) return []
  const { lookUp, next } =
    start === undefined ? stepFromBase(relation) : lookUpStep(relation, start)
  const { own, parts } = partsAt(expansion.joins, source, inside)
  const where = [...own]
  for (const part of parts) {
    const conditions = conditionsOfPart(expansion, part, source, next)
    if (conditions === undefined) return undefined
    where.push(...conditions)
  }
  const exists = { kind: 'exists', from, relation, source } as const
  const found: Condition = { ...exists, where, negated: false, lookUp }
  const holdsForNulls = inside.every((one) => valueForNulls(one) === true)
  if (type !== 'left' || !holdsForNulls) return [found]
  // A left join gives a row of NULLs if there is no related row.
  const look = start === undefined ? 'each' : 'nested'
  const missing: Condition = { ...exists, where: [], negated: true, lookUp: look, exact: true }
  return [{ kind: 'or', all: [found, missing] }]
}

/** Plans a step from a base row. Every `RelatedLookUp` selects the same base rows, so the dialect may choose. */
const stepFromBase = (
  relation: ResolvedRelation,
): { lookUp: RelatedLookUp; next: LookUpStart } => ({
  lookUp: 'any',
  next: { repeated: isShared(relation), nested: true },
})

/** Returns the joins of a part and all joins that start from them. */
function joinsOf(joins: readonly PlannedJoin[], part: JoinPart): readonly PlannedJoin[] {
  const reached = new Set(part.joins.map(({ source }) => source))
  return joins.filter(({ from, source }) => {
    if (!reached.has(from)) return reached.has(source)
    reached.add(source)
    return true
  })
}

/**
 * Whether joined rows are combinations of the rows of several to-many relations, so that there may be far more of them than there are
 * rows: relations beside each other, or one that starts from rows that occur several times.
 */
export function combinesMany(base: Source, joins: readonly PlannedJoin[]): boolean {
  // `below`: the sources on the way from the base to the rows.
  const rows = new Map([[base, { repeated: false, below: [base] as readonly Source[] }]])
  /** The last source that a to-many relation led to: the next to-many relation must lead on from it, or it stands beside it. */
  let last = base
  for (const { from, relation, source } of joins) {
    const start = rows.get(from)
    if (start === undefined) continue
    if (leadsToMany(relation)) {
      if (start.repeated || !start.below.includes(last)) return true
      last = source
    }
    const repeated = start.repeated || isShared(relation)
    rows.set(source, { repeated, below: [...start.below, source] })
  }
  return false
}

/** A condition that reads one unit. Literals with the same key are equal. */
interface Literal {
  readonly unit: Source
  readonly condition: Condition
  readonly key: string
}

/** Literals that are combined with AND, by their keys. Alternatives are combined with OR. */
type Alternative = ReadonlyMap<string, Literal>

const alternativeOf = (literal: Literal): Alternative => new Map([[literal.key, literal]])

/** Multiplies conditions out: alternatives whose literals each read one unit; undefined if there are too many. */
function multipliedOut(
  expansion: Expansion,
  where: readonly Condition[],
  units: Units,
): readonly Alternative[] | undefined {
  const factors = where.map((condition, i) => {
    const unit = unitOf(condition, units)
    // A cached plan may give this top-level condition the value of a later request. So its key is its index, which makes it equal to no other
    // condition, also to one that has the same value in this request.
    return unit === undefined
      ? alternativesOf(expansion, condition, units)
      : [alternativeOf({ unit, condition, key: `${i}` })]
  })
  return combinedByAnd(factors)
}

/** Rewrites a condition as alternatives (disjunctive normal form by unit); undefined if there are too many. */
function alternativesOf(
  expansion: Expansion,
  condition: Condition,
  units: Units,
): readonly Alternative[] | undefined {
  const unit = unitOf(condition, units)
  if (unit !== undefined) {
    return [alternativeOf({ unit, condition, key: expansion.keyOf(condition) })]
  }
  switch (condition.kind) {
    case 'and':
      return combinedByAnd(condition.all.map((one) => alternativesOf(expansion, one, units)))
    case 'or':
      return combinedByOr(
        byUnit(condition.all, units).map((one) => alternativesOf(expansion, one, units)),
      )
    case 'not':
      return alternativesOf(expansion, negated(condition.one), units)
    default:
      throw new Error('a condition without conditions reads one source')
  }
}

/** Combines conditions on the same unit into one OR, so that there are fewer alternatives. */
function byUnit(conditions: readonly Condition[], units: Units): readonly Condition[] {
  const groups = new Map<unknown, Condition[]>()
  for (const condition of conditions) {
    const key = unitOf(condition, units) ?? condition
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [condition])
    else group.push(condition)
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

/**
 * Combines lists of alternatives with AND; undefined if there are too many. An alternative that contains one of a list already implies
 * the list, so it is not multiplied by it: equal groups count once.
 */
function combinedByAnd(
  factors: readonly (readonly Alternative[] | undefined)[],
): readonly Alternative[] | undefined {
  let all: readonly Alternative[] = [new Map()]
  for (const factor of factors) {
    if (factor === undefined) return undefined
    all = all.flatMap((before) =>
      factor.some((alternative) => contains(before, alternative))
        ? [before]
        : factor.map((alternative) => new Map([...before, ...alternative])),
    )
    if (all.length > maxAlternatives) return undefined
  }
  return all
}

/** Whether an alternative has all literals of another. */
const contains = (all: Alternative, some: Alternative): boolean =>
  [...some.keys()].every((key) => all.has(key))

/** Combines lists of alternatives with OR; undefined if there are too many. */
function combinedByOr(
  lists: readonly (readonly Alternative[] | undefined)[],
): readonly Alternative[] | undefined {
  const all: Alternative[] = []
  for (const list of lists) {
    if (list === undefined || all.length + list.length > maxAlternatives) return undefined
    all.push(...list)
  }
  return all
}

/**
 * Returns a function that gives equal texts to equal conditions of one query, wherever these stand in it. Only conditions inside OR may
 * be compared: their values are part of the key of a cached plan.
 */
function createKeys(): Expansion['keyOf'] {
  const numbers = new Map<object, number>()
  const numberOf = (part: object): number => {
    const number = numbers.get(part) ?? numbers.size
    numbers.set(part, number)
    return number
  }
  const write = (name: string, value: unknown): unknown => {
    if (name === 'slot') return undefined
    if (typeof value === 'bigint') return { bigint: String(value) }
    const isPart = resolvedParts[name] && typeof value === 'object' && value !== null
    return isPart ? numberOf(value) : value
  }
  return (condition) => JSON.stringify(condition, write)
}

/** The members of conditions that refer to objects of the plan and the registry, which are equal if they are the same. */
const resolvedParts: Readonly<Record<string, true>> = {
  source: true,
  from: true,
  relation: true,
  column: true,
  index: true,
}

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
    case 'keys':
    case 'text':
    case 'items':
    case 'found':
    case 'exists':
    case 'linked':
      return null
  }
}
