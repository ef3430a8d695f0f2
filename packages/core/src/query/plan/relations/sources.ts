// sourcesOf: lists the sources of a statement with their roles; `access/policies/scope.ts` must decide on each of them before the plan is
// compiled. Every place of a plan that can have a source is visited here. `allSourcesOf` adds those of embeds, without their roles.
// `withJunction` gives a source that of its junction rows.

import type { Condition, Operand, ReadPlan, RowPlan, Source } from '../plan.ts'

/** A source to which that of its junction rows was not added yet. */
type SourceWithoutJunction = Omit<Source, 'junction'>

/** Adds a source for the junction rows if the junction table has a published model, so that the model's rules apply to these rows. */
export function withJunction(source: SourceWithoutJunction): Source {
  const resource = source.relation?.through?.resource
  if (resource === undefined) return source
  const junction = { ...source, resource, alias: `${source.alias} links`, many: true }
  return { ...source, junction }
}

/** A source and its role, which decides what happens if the caller may see none of its rows. */
export interface SourceUse {
  readonly source: Source
  /**
   * For `base`, `join` and `aggregate` the request is refused; a `filter` (exists, missing) and a `junction` find no rows; the
   * outputs of `unasked` aggregates are left out.
   */
  readonly part: 'base' | 'join' | 'aggregate' | 'filter' | 'junction' | 'unasked'
}

/** Lists the sources of one statement; embeds have their own statements. */
export function sourcesOf(rows: RowPlan): readonly SourceUse[] {
  const uses: SourceUse[] = []
  addWithJunction(uses, rows.from, 'base')
  for (const { source } of rows.joins) addWithJunction(uses, source, 'join')
  for (const condition of rows.where) addCondition(uses, condition)
  for (const condition of rows.having) addCondition(uses, condition)
  for (const { value, unasked } of rows.output) if (unasked !== true) addOperand(uses, value)
  for (const { operand } of rows.order) addOperand(uses, operand)
  // Last, because an aggregate that a filter or the order names as well is asked for.
  for (const { value, unasked } of rows.output) {
    if (unasked === true) addOperand(uses, value, 'unasked')
  }
  return withoutRepeated(uses)
}

/** An aggregate that is an output and part of a condition, too, has the same sources in both. */
function withoutRepeated(uses: readonly SourceUse[]): readonly SourceUse[] {
  const known = new Set<Source>()
  return uses.filter(({ source }) => known.size < known.add(source).size)
}

/** Lists the sources of a read and of its embedded relations. */
export const allSourcesOf = ({
  rows,
  embeds,
}: Pick<ReadPlan, 'rows' | 'embeds'>): readonly Source[] => [
  ...sourcesOf(rows).map(({ source }) => source),
  ...embeds.flatMap(allSourcesOf),
]

/** Adds a source with its role, and the source of its junction rows. */
function addWithJunction(uses: SourceUse[], source: Source, part: SourceUse['part']): void {
  uses.push({ source, part })
  if (source.junction !== undefined) uses.push({ source: source.junction, part: 'junction' })
}

/** Adds the sources of related rows that a condition reads. */
function addCondition(uses: SourceUse[], condition: Condition): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const inner of condition.all) addCondition(uses, inner)
      return
    case 'not':
      addCondition(uses, condition.one)
      return
    case 'exists':
      addWithJunction(uses, condition.source, 'filter')
      for (const inner of condition.where) addCondition(uses, inner)
      return
    case 'linked':
    case 'keys':
      // They read the base, which is already in the list.
      return
    default:
      addOperand(uses, condition.operand)
  }
}

/** Adds the sources of an aggregate of related rows. Other operands read the base or a joined source, which are already in the list. */
function addOperand(
  uses: SourceUse[],
  operand: Operand,
  part: SourceUse['part'] = 'aggregate',
): void {
  if (operand.kind !== 'related') return
  for (const { source } of operand.path) addWithJunction(uses, source, part)
  for (const condition of operand.where) addCondition(uses, condition)
}
