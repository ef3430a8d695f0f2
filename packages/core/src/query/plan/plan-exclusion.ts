// planExclusion: plans a rule by which no two records overlap (`exclude` of a model), such as bookings of one room at the same time, on two
// sources of one table: the written record and any other. `write/statements/compile-overlaps.ts` compiles the search for records that break
// it; `resolveExclusions` checks the rules when the API is created.

import { ApiError } from '../../errors.ts'
import type { Exclusion, NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { Problems } from '../../model/settings/setting-problems.ts'
import { parseQuery } from '../parse/parse-query.ts'
import { noParseLimits } from './aggregates/declared-aggregate-plan.ts'
import { columnsOfCondition, unknownOperatorIn } from './aggregates/resolve-declared.ts'
import { createAliases } from './aliases.ts'
import { planWhere } from './conditions/where.ts'
import type { PlanContext } from './context.ts'
import type { Condition, Source } from './plan.ts'

/** A record that a rule is about. */
export interface ExclusionSide {
  readonly source: Source
  /** Which records the rule is about, besides those that are marked as deleted. */
  readonly where: readonly Condition[]
}

/** A planned rule: the sources of the statement that searches for records that break it. */
export interface PlannedExclusion {
  readonly written: ExclusionSide
  readonly other: ExclusionSide
  /** The records to which the foreign key of the rule refers, deleted ones too; undefined if the rule has none. */
  readonly parent: Source | undefined
}

/** Plans a rule once, because its conditions are those of the model. */
export function planExclusion(resource: Resource, rule: Exclusion): PlannedExclusion {
  const known = planned.get(rule)
  if (known !== undefined) return known
  const table = tableAlone(resource)
  const parent =
    rule.parent && sourceOf(tableAlone(rule.parent.target), 'parent', { includeDeleted: true })
  const [written, other] = [sideOf(table, rule, 'written'), sideOf(table, rule, 'other')]
  const made = { written, other, parent }
  planned.set(rule, made)
  return made
}

const planned = new WeakMap<Exclusion, PlannedExclusion>()

/** The resource with its stored columns alone, hidden ones too. */
function tableAlone(resource: Resource): Resource {
  const columns = new Map(
    [...resource.allColumns].filter(([, column]) => column.computed === undefined),
  )
  return { ...resource, columns, allColumns: columns, aggregates: new Map() }
}

/** A source without a relation, for the table alone. */
const sourceOf = (
  resource: Resource,
  alias: string,
  { includeDeleted }: Pick<Source, 'includeDeleted'>,
): Source => ({
  resource,
  alias,
  relation: null,
  many: true,
  includeDeleted,
})

/** Plans one of both records under an alias. */
function sideOf(resource: Resource, { where }: Exclusion, alias: string): ExclusionSide {
  const source = sourceOf(resource, alias, { includeDeleted: false })
  if (where === '') return { source, where: [] }
  const ast = parseQuery(where, { limits: noParseLimits })
  // The conditions test columns of one table, so that no caller (`reach`) and no number of relations matters.
  const context: PlanContext = {
    resource,
    ast,
    aliases: createAliases(),
    reach: () => true,
    includeDeleted: false,
    fewRelations: true,
    fromModel: true,
    relatedAggregates: new Map(),
  }
  const lookUpStart = { repeated: false, nested: false }
  const names = { base: source, joins: [], takesJoins: false, lookUpStart }
  return { source, where: planWhere(context, names, ast.where) }
}

/**
 * Plans the rules of the resources, and adds to `problems` what is wrong with their conditions. Adds the columns of these to those that the
 * rules read.
 */
export function resolveExclusions(resources: readonly Resource[], problems: Problems): void {
  for (const resource of resources) {
    const { exclude = [] } = resource.model
    for (const rule of resource.exclusions) {
      const index = exclude.length === 1 ? '' : `[${exclude.indexOf(rule.declared)}]`
      const result = readsOf(resource, rule)
      if (typeof result === 'string')
        problems.add(`models.${resource.name}.exclude${index}.where`, result)
      else {
        const reads = new Set([...rule.reads, ...result.map(({ name }) => name)])
        const followsOthers = [...reads].some((name) => followsOthersIn(resource, name))
        Object.assign(rule, { reads, followsOthers })
      }
    }
  }
}

/** Whether a column changes whenever another column of its record does: a generated one, or the time of the last change. */
function followsOthersIn({ allColumns, primaryKey }: Resource, name: string): boolean {
  const column = allColumns.get(name)
  if (column === undefined || primaryKey.includes(column)) return false
  return column.definition.generated === true || column.definition.managed === 'updated'
}

/** Returns the columns that the conditions test, or what is wrong with these. */
function readsOf(resource: Resource, rule: Exclusion): readonly NamedColumn[] | string {
  const unknown = unknownOperatorIn(tableAlone(resource), rule.declared.where ?? {})
  if (unknown !== undefined) return unknown
  try {
    const { written } = planExclusion(resource, rule)
    if (!written.where.every(testsColumns)) {
      return 'conditions of a rule test columns of the model alone, because writes of other records would change what they say.'
    }
    return written.where.flatMap(columnsOfCondition)
  } catch (error) {
    if (error instanceof ApiError || error instanceof TypeError) return error.message
    throw error
  }
}

/** Whether a condition tests columns of the record alone, not related rows. */
function testsColumns(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.all.every(testsColumns)
    case 'not':
      return testsColumns(condition.one)
    case 'exists':
    case 'linked':
    case 'found':
    case 'keys':
      return false
    default:
      return condition.operand.kind === 'column'
  }
}
