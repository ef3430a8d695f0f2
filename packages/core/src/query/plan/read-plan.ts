// Plans reads: runs the planning passes in order, from a resource and the AST of a query string to a ReadPlan. The endpoints of
// `http/endpoints/reads` call one of planList, planOne, planParent and planRelated. Any mistake in the query is a 400 here. planCursorRow
// plans the extra read of a cursor without its long values (`query/cursor-row.ts`).

import { featureDisabled, invalidParameter, notHere, tooManyAlternatives } from '../../errors.ts'
import { didYouMean } from '../../lib/naming/suggest.ts'
import type { SingleParameter } from '../../model/query-words/parameter-names.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { isKeyless } from '../../model/registry/row-identity.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { parseBoolean } from '../../model/types/boolean-type.ts'
import { isField, type QueryAst } from '../parse/ast.ts'
import { maxAlternatives, maxLookUps } from '../parse/limits.ts'
import { sentAggregates } from './aggregates/declared-aggregate-plan.ts'
import { noAggregates, planSelectedAggregates } from './aggregates/selected-aggregates.ts'
import { createAliases } from './aliases.ts'
import { conditionsOnBase } from './conditions/base-conditions.ts'
import { hasFewRelations } from './conditions/few-relations.ts'
import { sourceOfOperand } from './conditions/operand-type.ts'
import { exactValues } from './conditions/path-key.ts'
import { planSearch } from './conditions/search.ts'
import { planConditions, planWhere } from './conditions/where.ts'
import { createSource, type PlanContext, type Reach, textAt } from './context.ts'
import { asksForGroups, planGroups } from './groups.ts'
import { type Names, refOf } from './names.ts'
import { planDistinct } from './order/distinct.ts'
import { asksForKeyset, planKeyset } from './order/keyset.ts'
import { allowOrder, planGroupOrder, planOrder } from './order/order.ts'
import { planPage } from './order/page.ts'
import {
  allowFields,
  changedRecordOutput,
  planRecordChange,
  projectionOutput,
  recordOutput,
  selectsRecord,
} from './output.ts'
import type {
  Condition,
  KeysetPage,
  ListPlan,
  Output,
  PlannedJoin,
  PlannedOrder,
  ReadPlan,
  RowPlan,
  Source,
  Value,
} from './plan.ts'
import { checkRelationParameters, neededKeys, planRelations } from './relations/embeds.ts'
import { isToMany, planJoins } from './relations/joins.ts'
import { planRelationOptions } from './relations/relation-options.ts'
import { noRelations, type PlannedRelations, sharedOutput, sharedSource } from './shared-parts.ts'

/** Plans GET on a collection. */
export function planList(resource: Resource, ast: QueryAst, reach: Reach): ListPlan {
  const context = openContext(resource, ast, reach)
  const base = baseSource(context, null, { many: true })
  return withPage(context, planRows(context, base, [], 'GET_MANY'))
}

/** Plans GET on one record by its key, whose values are in the order of the primary key's columns. */
export function planOne(
  resource: Resource,
  ast: QueryAst,
  key: readonly Value[],
  reach: Reach,
): ReadPlan {
  const context = openContext(resource, ast, reach)
  refuseOnOne(context)
  const base = baseSource(context, null, { many: false })
  return planRows(context, base, equals(base, resource.primaryKey, key), 'GET_ONE')
}

/** Plans the read of a relation route's parent, which shows whether the parent exists and returns the values of its join key. */
export function planParent(
  relation: ResolvedRelation,
  ast: QueryAst,
  key: readonly Value[],
): RowPlan {
  // Of the query, only `include_deleted` applies to the parent. No relation is planned, so that nobody asks what the caller may list.
  const context = openContext(relation.source, { ...ast, ...emptyQuery }, () => true)
  const from = baseSource(context, null, { many: false })
  return {
    shape: 'records',
    from,
    joins: [],
    where: equals(from, relation.source.primaryKey, key),
    groupBy: [],
    having: [],
    output: relation.from.map((column) => ({
      key: column.name,
      value: refOf(from, column),
      visible: true,
    })),
    order: [],
    distinctBase: false,
  }
}

/** Plans the related rows of one parent, whose key `withParentKey` adds once the parent has been read. */
export function planRelated(relation: ResolvedRelation, ast: QueryAst, reach: Reach): ListPlan {
  const context = openContext(relation.target, ast, reach)
  const many = relation.cardinality === 'many'
  if (!many) refuseOnOne(context)
  const source = baseSource(context, relation, { many })
  const linked: Condition = { kind: 'linked', relation, source, key: [] }
  const action = many ? 'RELATION_GET_MANY' : 'RELATION_GET_ONE'
  return withPage(context, planRows(context, source, [linked], action))
}

/** Completes a plan of `planRelated` with the parent's values of `relation.from`. */
export function withParentKey(plan: ListPlan, key: readonly Value[]): ListPlan {
  const where = plan.rows.where.map((condition) =>
    condition.kind === 'linked' ? { ...condition, key } : condition,
  )
  return { ...plan, rows: { ...plan.rows, where } }
}

/** Whether a plan reads a page of a list, not one record. */
export const isListPlan = (plan: ReadPlan): plan is ListPlan => 'page' in plan

/**
 * Plans the read of one row of a list by its key, for the values of its cursor, which are in the result's `first`. The row need not meet
 * the filters of the client, but it belongs to the parent of a relation route.
 */
export const planCursorRow = (plan: ListPlan, page: KeysetPage): ListPlan => {
  const { from } = plan.rows
  const keyTerms = [...(page.key ?? [])]
  const key = keyTerms.map((i) => page.values?.[i] ?? '')
  const ofParent = plan.rows.where.filter(({ kind }) => kind === 'linked')
  return {
    ...plan,
    rows: { ...plan.rows, where: [...ofParent, ...equals(from, from.resource.primaryKey, key)] },
    page: { ...page, limit: 1, values: null, unread: [] },
    count: 'none',
    embeds: [],
    links: [],
  }
}

/** Adds the page that `page` and `limit`, or a cursor, ask for. */
function withPage(context: PlanContext, plan: ReadPlan): ListPlan {
  const page = asksForKeyset(context) ? planKeyset(context, plan.rows) : planPage(context)
  return { ...plan, page }
}

/** Plans the rows of any read, without their page. `required` are the conditions of the path: the key, or the parent of related rows. */
function planRows(
  context: PlanContext,
  base: Source,
  required: readonly Condition[],
  action: ReadPlan['action'],
): ReadPlan {
  const { ast } = context
  const shape = shapeOf(context)
  const isOne = action === 'GET_ONE' || action === 'RELATION_GET_ONE'
  const joins = joinsFor(shape, planJoins(context, base))
  const repeats = joins.some((join) => isToMany(joins, join.source))
  const distinctBase = repeats && (shape === 'records' || isOne)
  const isRight = joins.some((join) => join.type === 'right')
  const lookUpStart = { repeated: !distinctBase && (repeats || isRight), nested: false }
  const names: Names = { base, joins, takesJoins: true, lookUpStart }
  const groups = shape === 'groups' ? planGroups(context, names) : undefined
  const searched = planSearch(context, base)
  if (groups === undefined) allowFields(context, ast.fields)
  const aggregates =
    groups === undefined ? planSelectedAggregates(context, base, ast.fields) : noAggregates
  const labels = groups?.labels ?? aggregates.labels
  const planned = planConditions(context, names, ast.where, labels)
  const where = [...searched, ...planned.where]
  const { having } = planned
  allowOrder(context)
  const change =
    shape === 'records' && ast.fields !== undefined
      ? planRecordChange(context, names, ast.fields, aggregates)
      : undefined
  const relations =
    shape === 'records' ? planRelations(context, names, change?.without) : withoutRelations(context)
  const outputOfRecords = (): readonly Output[] => {
    const sent = sentAggregates(context, base, planWhere)
    if (change !== undefined) return changedRecordOutput(base, change, neededKeys(relations), sent)
    const shared = sent.length === 0 ? sharedOutput(base, relations) : undefined
    return shared ?? recordOutput(base, neededKeys(relations), sent)
  }
  const output =
    groups?.output ??
    (shape === 'projection' && ast.fields !== undefined
      ? projectionOutput(context, names, ast.fields, aggregates)
      : outputOfRecords())
  if (isOne) refuseManyValues(context, names)
  if (distinctBase) checkJoinedConditions(base, [...required, ...where], names.joins)
  const orderOfMany = (): readonly PlannedOrder[] =>
    groups
      ? planGroupOrder(context, names, groups)
      : planOrder(context, names, shape, ast.order, labels)
  const order = isOne ? [] : orderOfMany()
  const distinctOn = planDistinct(context, names, order)
  return {
    action,
    rows: {
      shape,
      from: base,
      joins: names.joins,
      where: [...required, ...where],
      groupBy: groups?.keys ?? [],
      having,
      output,
      order,
      ...(distinctOn.length === 0 ? {} : { distinctOn }),
      distinctBase,
    },
    ...relations,
    count: isOne ? 'none' : countMode(context),
  }
}

/** Which objects the query asks for: records of the resource, a projection (`fields`), or groups. */
function shapeOf(context: PlanContext): RowPlan['shape'] {
  const { fields } = context.ast
  if (asksForGroups(context)) return 'groups'
  return fields === undefined || selectsRecord(fields) ? 'records' : 'projection'
}

/** Creates the context of a plan, whose resource is that of the base. */
function openContext(resource: Resource, ast: QueryAst, reach: Reach): PlanContext {
  const text = ast.single.include_deleted?.text
  const includeDeleted = text === undefined ? false : parseBoolean(text)
  if (includeDeleted === undefined)
    throw invalidParameter('include_deleted', text ?? '', 'true or false')
  return {
    resource,
    ast,
    reach,
    includeDeleted,
    aliases: createAliases(),
    fewRelations: hasFewRelations(ast),
    relatedAggregates: new Map(),
  }
}

/** Returns the source of the base; `relation` leads to it on a relation route. `many`: whether several rows may be read. */
function baseSource(
  context: PlanContext,
  relation: ResolvedRelation | null,
  { many }: { readonly many: boolean },
): Source {
  const { resource, includeDeleted, aliases } = context
  if (relation !== null) return createSource(context, resource, relation, resource.table, { many })
  // The shared source has this alias, so that no joined table may take it.
  aliases(resource.table)
  return sharedSource(resource, { many, includeDeleted })
}

/** The conditions that the columns have the values of a key; each has the slot of its value in the path. */
const equals = (
  source: Source,
  columns: Resource['primaryKey'],
  key: readonly Value[],
): readonly Condition[] =>
  exactValues(columns, key).map(({ column, value, at }) => ({
    kind: 'compare',
    operand: refOf(source, column),
    operator: 'eq',
    value,
    slot: { key: at },
  }))

/** For records, replaces right joins by inner joins: a right join can return rows without a base row, which are no records. */
const joinsFor = (
  shape: RowPlan['shape'],
  joins: readonly PlannedJoin[],
): readonly PlannedJoin[] =>
  shape === 'records'
    ? joins.map((join) => (join.type === 'right' ? { ...join, type: 'inner' } : join))
    : joins

/** Projections and groups have no relations: per-relation options are refused, other parameters are still checked. */
function withoutRelations(context: PlanContext): PlannedRelations {
  const [option] = context.ast.relationOptions
  if (option !== undefined) {
    // Throws a more specific error if a name is not a relation. Valid names are refused below.
    planRelationOptions(context)
    const at = textAt(context, option.span)
    throw notHere(at, 'together with fields, groupby or aggregates, which have no relations', at)
  }
  checkRelationParameters(context)
  return noRelations
}

/** A query without the parameters that apply to the related rows alone. */
const emptyQuery = {
  where: [],
  joins: [],
  groupBy: [],
  aggregates: [],
  order: [],
  distinctOn: [],
  relationOptions: [],
  relationWrites: [],
}

const onlyOnLists: readonly SingleParameter[] = [
  'page',
  'limit',
  'count',
  'after',
  'before',
  'paging',
  'search',
]

/**
 * Refuses parameters that only lists take. A single object takes `fields dump dump_relationships join include_deleted` and
 * per-relation options.
 */
function refuseOnOne(context: PlanContext): void {
  const { ast } = context
  const lists = [
    { name: undefined, nodes: [...ast.where, ...ast.aggregates] },
    { name: 'groupby', nodes: ast.groupBy },
    { name: 'order_by', nodes: ast.order },
    { name: 'distinct_on', nodes: ast.distinctOn },
  ]
  for (const { name, nodes } of lists) {
    const [first] = nodes
    if (first === undefined) continue
    const at = textAt(context, first.span)
    throw notHere(name ?? at, 'on a single object; it belongs to the collection', at)
  }
  for (const name of onlyOnLists) {
    if (ast.single[name] !== undefined) {
      throw notHere(
        name,
        'on a single object; it belongs to the collection',
        `${name}=${ast.single[name].text}`,
      )
    }
  }
}

/** Refuses a field of a to-many join in `fields`: the field has several values for one object, and a member of an object has one. */
function refuseManyValues(context: PlanContext, names: Names): void {
  for (const field of context.ast.fields ?? []) {
    if (!isField(field)) continue
    const [output] = projectionOutput(context, names, [field], noAggregates)
    if (output !== undefined && isToMany(names.joins, sourceOfOperand(output.value))) {
      const at = textAt(context, field.span)
      throw notHere(at, 'on a single object, because it has many values', at)
    }
  }
}

/** Refuses conditions on joined rows that multiply out to too many alternatives, or that need a key which the base lacks. */
function checkJoinedConditions(
  base: Source,
  where: readonly Condition[],
  joins: readonly PlannedJoin[],
): void {
  const { joined } = conditionsOnBase(base, where, joins)
  if (joined.length > 0 && isKeyless(base.resource)) {
    throw tooManyAlternatives(maxAlternatives, maxLookUps, 'join')
  }
}

/** Returns which total is counted: that of the setting, or a cheaper one that `count=` asks for. */
function countMode(context: PlanContext): ReadPlan['count'] {
  const allowed = context.resource.settings.count
  const text = context.ast.single.count?.text
  // From the most work to the least: a query may ask for less than the setting allows.
  const modes = ['exact', 'capped', 'none'] as const
  if (text === undefined) return allowed
  const mode = modes.find((known) => known === text)
  if (mode === undefined) {
    throw invalidParameter('count', text, `one of ${modes.join(', ')}`, didYouMean(text, modes))
  }
  if (modes.indexOf(mode) < modes.indexOf(allowed)) {
    throw featureDisabled(`count=${mode}`, settingNames.count, `count=${mode}`)
  }
  return mode
}
