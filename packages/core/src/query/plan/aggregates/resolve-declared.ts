// resolveDeclared: makes the aggregates that models declare columns of their resources, when the API is created (`api.ts`). Their types
// come from a trial plan, which also finds mistakes: unknown names are start-up problems. `unknownOperatorIn` and `columnsOfCondition` also serve
// the conditions of exclusion rules (`plan-exclusion.ts`).

import { ApiError } from '../../../errors.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { DeclaredAggregate } from '../../../model/aggregates/declared-aggregate.ts'
import { aggregateText, isObject } from '../../../model/query-words/condition-text.ts'
import { filterOperators, operatorAliases } from '../../../model/query-words/operators.ts'
import { keysOf } from '../../../model/registry/caller-registry.ts'
import type { AggregateColumn, NamedColumn, Resource } from '../../../model/registry/resource.ts'
import type { Problems } from '../../../model/settings/setting-problems.ts'
import { parseQuery } from '../../parse/parse-query.ts'
import { createAliases } from '../aliases.ts'
import { operandType } from '../conditions/operand-type.ts'
import { planWhere } from '../conditions/where.ts'
import { createSource, type PlanContext } from '../context.ts'
import type { Condition, Operand } from '../plan.ts'
import { noParseLimits, planDeclared } from './declared-aggregate-plan.ts'

/**
 * Resolves the declared aggregates of the resources, and adds what is wrong to `problems`. Plans each as a request would, so that a mistake
 * has the message of a request. The conditions of an aggregate name no other declared aggregates, because these are resolved later.
 */
export function resolveDeclared(resources: readonly Resource[], problems: Problems): void {
  const resolved = resources.map((resource) => ({
    resource,
    aggregates: ofModel(resource, problems),
  }))
  for (const { resource, aggregates } of resolved) {
    if (aggregates.size > 0) Object.assign(resource, { aggregates })
  }
}

/** Resolves the aggregates of one model, by their names. */
function ofModel(resource: Resource, problems: Problems): Map<string, AggregateColumn> {
  const found = new Map<string, AggregateColumn>()
  for (const [name, declared] of Object.entries(resource.model.aggregates)) {
    const at = `models.${resource.name}.aggregates.${name}`
    const result = isComplete(declared) ? resolveOne(resource, name, declared) : undefined
    if (typeof result === 'string') problems.add(at, result)
    else if (result !== undefined) found.set(name, result)
  }
  return found
}

/** Whether the declaration has the form that `checkAggregate` wants, which reports any other. */
const isComplete = (declared: DeclaredAggregate): boolean =>
  typeof declared?.function === 'string' &&
  typeof declared.of === 'string' &&
  (declared.where === undefined || isObject(declared.where))

/** Returns the column, or what is wrong. */
function resolveOne(
  resource: Resource,
  name: string,
  declared: DeclaredAggregate,
): AggregateColumn | string {
  const { function: fn, of, where = {} } = declared
  // The relations without the column: `books.details->size` → `books`.
  const end = targetAt(resource, fn === 'count' ? of : of.replace(/\.?[^.]*(->.*)?$/, ''))
  const unknown = end && unknownOperatorIn(end, where)
  if (unknown !== undefined) return unknown
  try {
    const untyped = columnOf(name, declared, aggregateText(fn, of, where))
    // A trial for no caller: everything may be listed (`reach`), and the form of the look-ups does not matter (`fewRelations`).
    const context: PlanContext = {
      resource,
      ast: parseQuery('', { limits: noParseLimits }),
      aliases: createAliases(),
      reach: () => true,
      includeDeleted: false,
      fewRelations: true,
      relatedAggregates: new Map(),
    }
    const from = createSource(context, resource, null, resource.table, { many: true })
    const ref = planDeclared(context, from, untyped, planWhere)
    const { type, nullable, precision, scale, enum: members, special } = operandType(ref)
    return {
      ...untyped,
      type,
      nullable,
      ...(precision === undefined ? {} : { precision }),
      ...(scale === undefined ? {} : { scale }),
      ...(members === undefined ? {} : { enum: members }),
      ...(special === undefined ? {} : { special }),
      definition: { ...untyped.definition, type, nullable },
      reads: [...new Set(columnsOf(ref))],
    }
  } catch (error) {
    if (error instanceof ApiError || error instanceof TypeError) return error.message
    throw error
  }
}

/** The column without the type of its values, which its plan decides. */
const columnOf = (name: string, declared: DeclaredAggregate, text: string): AggregateColumn => ({
  name,
  dbName: name,
  type: 'integer',
  nullable: false,
  hidden: false,
  definition: {
    type: 'integer',
    readOnly: true,
    ...(declared.read === undefined ? {} : { read: declared.read }),
    ...(declared.description === undefined ? {} : { description: declared.description }),
  },
  text,
  sent: declared.sent !== false,
  reads: [],
})

/** The resource at the end of a path of relations; undefined if there is none. */
const targetAt = (resource: Resource, path: string): Resource | undefined =>
  path
    .split('.')
    .reduce<Resource | undefined>((from, name) => from?.relations.get(name)?.target, resource)

/**
 * Returns what is wrong with the conditions of a model if one has an unknown operator, such as `{ price: { above: 1 } }`: the object
 * would otherwise be taken for the conditions on a relation `price`. Undefined if all are known.
 */
export function unknownOperatorIn(
  resource: Resource,
  where: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [name, test] of Object.entries(where)) {
    if (name === 'or' || name === 'and' || name === 'not') {
      for (const member of [test].flat()) {
        const unknown = isObject(member) ? unknownOperatorIn(resource, member) : undefined
        if (unknown !== undefined) return unknown
      }
    } else if (isObject(test) && resource.columns.has(name)) {
      const operators = Object.keys(filterOperators)
      const unknown = Object.keys(test).find((operator) => !operators.includes(operator))
      if (unknown !== undefined) {
        const meant = operatorAliases[unknown]
        const hint =
          meant === undefined ? didYouMean(unknown, operators) : ` Did you mean "${meant}"?`
        return `"${unknown}" of "${name}" is no operator.${hint}`
      }
    }
  }
  return undefined
}

/** Returns the columns whose values decide the value of an operand: of keys, of conditions, and the aggregated one. */
function columnsOf(operand: Operand): readonly NamedColumn[] {
  if (operand.kind === 'column') return [operand.column.path?.of ?? operand.column]
  const own = operand.of === undefined ? [] : columnsOf(operand.of)
  if (operand.kind !== 'related') return own
  const keys = operand.path.flatMap(({ relation }) => keysOf(relation))
  return [...keys, ...operand.where.flatMap(columnsOfCondition), ...own]
}

/** Returns the columns whose values decide a condition, also those of related rows. */
export function columnsOfCondition(condition: Condition): readonly NamedColumn[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.all.flatMap(columnsOfCondition)
    case 'not':
      return columnsOfCondition(condition.one)
    case 'exists':
      return [...keysOf(condition.relation), ...condition.where.flatMap(columnsOfCondition)]
    case 'linked':
      return keysOf(condition.relation)
    case 'keys':
      return condition.columns
    default:
      return columnsOf(condition.operand)
  }
}
