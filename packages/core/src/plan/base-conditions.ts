// Joins that only choose rows of the base → conditions on the base alone: each join becomes an `exists`, which reads its table once.

import type { ResolvedRelation } from '../registry/resource.ts'
import { isShared, type Start, stepBy } from './look-up.ts'
import type { Condition, LookUp, Operand, PlannedJoin, Source } from './plan.ts'

/** Conditions that all hold together; each of them reads one source. */
type Alternative = readonly Condition[]

/** More alternatives would make a statement longer than what it saves. */
const mostAlternatives = 32

/**
 * The conditions that a row of the base must meet so that joining it would leave a row of it; undefined where conditions
 * combine the joined sources in more ways than can be written down.
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
  return [...own, { kind: 'or', all: all.map(together) }]
}

const together = (all: Alternative): Condition =>
  all.length === 1 ? (all[0] as Condition) : { kind: 'and', all }

interface Joined {
  readonly joins: readonly PlannedJoin[]
  readonly conditions: Alternative
}

/** What a row of the source must meet, for itself and by the joins that start from it; `start` is undefined for the base. */
function onSource(
  joined: Joined,
  source: Source,
  start: Start | undefined,
): readonly Alternative[] | undefined {
  const { joins, conditions } = joined
  const own = conditions.filter((condition) => sourceOf(condition) === source)
  const parts: (readonly Alternative[] | undefined)[] = [[own]]
  for (const join of joins) {
    if (join.from === source) parts.push(onJoin(joined, join, start))
  }
  return product(parts)
}

/** What a row must meet that the join starts from. */
function onJoin(
  joined: Joined,
  join: PlannedJoin,
  start: Start | undefined,
): readonly Alternative[] | undefined {
  const { from, relation, source, type } = join
  const reached = reachedBy(joined.joins, source)
  const inside = joined.conditions.filter((condition) => reached.has(sourceOf(condition) as Source))
  if (type === 'left' && inside.length === 0) return [[]]
  const { lookUp, next } = start === undefined ? stepFromBase(relation) : stepBy(relation, start)
  const exists = { kind: 'exists', from, relation, source } as const
  const found = onSource(joined, source, next)?.map(
    (where): Alternative => [{ ...exists, where, negated: false, lookUp }],
  )
  if (found === undefined || type !== 'left' || !inside.every((one) => ofNull(one) === true)) {
    return found
  }
  // A left join leaves a row of NULLs where there is none.
  const missing = start === undefined ? 'each' : 'nested'
  return [...found, [{ ...exists, where: [], negated: true, lookUp: missing, exact: true }]]
}

/** Any way will do; where rows are shared, each of them may lead to the same row many times. */
const stepFromBase = (relation: ResolvedRelation): { lookUp: LookUp; next: Start } => ({
  lookUp: 'any',
  next: { repeated: isShared(relation), nested: true },
})

/** The source of a join, and those of the joins that start from it. */
function reachedBy(joins: readonly PlannedJoin[], source: Source): ReadonlySet<Source> {
  const reached = new Set([source])
  // A join stands behind the one it starts from.
  for (const join of joins) if (reached.has(join.from)) reached.add(join.source)
  return reached
}

/** The ways in which a condition can hold, each as conditions that read one source. */
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

/** Conditions on one source stay together, so that alternatives are few. */
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

/** De Morgan's laws hold in three-valued logic too. */
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

/** One of each, in every combination. */
function product(
  parts: readonly (readonly Alternative[] | undefined)[],
): readonly Alternative[] | undefined {
  let all: readonly Alternative[] = [[]]
  for (const part of parts) {
    if (part === undefined || all.length * part.length > mostAlternatives) return undefined
    all = all.flatMap((before) => part.map((one) => [...before, ...one]))
  }
  return all
}

function concat(
  parts: readonly (readonly Alternative[] | undefined)[],
): readonly Alternative[] | undefined {
  const all: Alternative[] = []
  for (const part of parts) {
    if (part === undefined || all.length + part.length > mostAlternatives) return undefined
    all.push(...part)
  }
  return all
}

/** The one source that a condition reads; undefined where it reads several. */
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

/** What a condition is for a row of NULLs: true, false, or null for unknown. */
function ofNull(condition: Condition): boolean | null {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const decisive = condition.kind === 'or'
      const all = condition.all.map(ofNull)
      if (all.includes(decisive)) return decisive
      return all.includes(null) ? null : !decisive
    }
    case 'not': {
      const one = ofNull(condition.one)
      return one === null ? null : !one
    }
    case 'isNull':
      return !condition.negated
    case 'oneOf':
      // A list without values is answered without a look at the column.
      return condition.values.length === 0 ? condition.negated : null
    default:
      return null
  }
}
