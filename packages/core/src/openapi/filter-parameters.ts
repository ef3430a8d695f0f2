// Filters as OpenAPI parameters: every column with every operator of its type, and parameters with free names (contract §4).

import type { ParameterObject, ReferenceObject } from 'openapi3-ts/oas31'
import { functionFits, operatorFits } from '../model/type-rules.ts'
import {
  type AggregateFunction,
  aggregateFunctions,
  type FilterOperator,
  filterOperators,
} from '../parse/operators.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import type { Components } from './components.ts'
import type { Schema } from './schema.ts'
import { exampleOf, filterSchema } from './value-schemas.ts'

const meanings: Readonly<Record<FilterOperator, string>> = {
  eq: 'equals',
  ne: 'differs from (also written `neq`)',
  lt: 'is less than',
  le: 'is at most (also written `lte`)',
  gt: 'is greater than',
  ge: 'is at least (also written `gte`)',
  in: 'is one of `(a,b,…)`',
  nin: 'is none of `(a,b,…)`',
  like: 'contains, in the same letter case',
  ilike: 'contains, in any letter case',
  nlike: 'does not contain, in the same letter case',
  nilike: 'does not contain, in any letter case',
  startswith: 'starts with, in the same letter case',
  istartswith: 'starts with, in any letter case',
  endswith: 'ends with, in the same letter case',
  iendswith: 'ends with, in any letter case',
  between: 'lies between the two of `(a,b)`, both included',
  isnull: 'is null (`true`) or is not (`false`)',
}

const results: Readonly<Record<AggregateFunction, string>> = {
  sum: 'The sum',
  count: 'The number of values',
  avg: 'The average',
  min: 'The smallest value',
  max: 'The largest value',
}

const operators = Object.keys(filterOperators) as FilterOperator[]
const name = '[A-Za-z_][A-Za-z0-9_]*'
const anyOperator = `(${[...operators, 'neq', 'lte', 'gte'].join('|')})`

/** The operators a column can be filtered by. */
const operatorsOf = (column: NamedColumn): readonly FilterOperator[] =>
  operators.filter((operator) => operatorFits(operator, column))

/** The filters of columns: `price__ge=30`. */
export function columnFilters(components: Components, resource: Resource): ReferenceObject[] {
  if (!resource.settings.allowFilters) return []
  return [...resource.columns.values()].flatMap((column) =>
    operatorsOf(column).map((operator) => filter(components, resource, column, operator)),
  )
}

/** Conditions with free parameter names: groups, relation filters, columns of joined relations. */
export function freeFilters(components: Components, resource: Resource): ReferenceObject[] {
  const { allowFilters, allowJoin } = resource.settings
  if (!allowFilters) return []
  if (resource.relations.size === 0) return [groups(components)]
  return [
    groups(components),
    relationFilters(components, resource),
    ...(allowJoin ? [joinedFilters(components, resource)] : []),
  ]
}

function filter(
  components: Components,
  { name: owner }: Resource,
  column: NamedColumn,
  operator: FilterOperator,
): ReferenceObject {
  const parameter = `${column.name}__${operator}`
  const wanted = `${owner}.${parameter}`
  return components.parameter(wanted, wanted, () => ({
    name: parameter,
    in: 'query',
    description: `\`${column.name}\` ${meanings[operator]}.`,
    schema: filterSchema(column, operator),
  }))
}

/** A free-form object: how OpenAPI describes parameters whose names are not fixed. */
function freeForm(
  name: string,
  pattern: string,
  description: string,
  example: Readonly<Record<string, unknown>>,
  value: Schema = { type: 'string' },
): ParameterObject {
  const schema: Schema = {
    type: 'object',
    patternProperties: { [pattern]: value },
    additionalProperties: false,
  }
  return { name, in: 'query', style: 'form', explode: true, description, schema, example }
}

const groups = (components: Components): ReferenceObject =>
  components.parameter('groups', 'Groups', () =>
    freeForm(
      'groups',
      '^(or|and|not)\\[.+\\]$',
      'Conditions joined by OR, by AND, or negated together: `or[price__ge=30,title__like=Emma]`, `and[…]`, `not[…]`. Groups nest, and are joined by AND with everything else. Each is a parameter of its own, written as it stands here.',
      { 'or[price__ge=30,title__like=Emma]': '' },
    ),
  )

function relationFilters(components: Components, resource: Resource): ReferenceObject {
  const relations = [...resource.relations.keys()]
  return components.parameter(
    `relation filters ${resource.name}`,
    `${resource.name}.relationFilters`,
    () =>
      freeForm(
        'relation filters',
        `^(exists|missing)\\((${relations.join('|')})(\\..+|,.+)?\\)$`,
        `Records that have, or lack, related ones: \`exists(${relations[0]})\`, \`missing(${relations[0]})\`, with conditions on one related record: \`exists(${relations[0]}.<column>__ge=1,<column>__lt=9)\`. Relations: ${listed(relations)}. Each is a parameter of its own, written as it stands here.`,
        { [`exists(${relations[0]})`]: '' },
      ),
  )
}

/** `author.name__like=Woolf`, for relations that are joined. */
function joinedFilters(components: Components, resource: Resource): ReferenceObject {
  const relations = [...resource.relations.keys()]
  const [first] = resource.relations.values()
  const [column] = first?.target.columns.values() ?? []
  const value = String((column && exampleOf(column)) ?? 'text')
  return components.parameter(`joined ${resource.name}`, `${resource.name}.joinedFilters`, () =>
    freeForm(
      'joined filters',
      `^${name}(\\.${name})+__${anyOperator}$`,
      `Filters on columns of relations that \`join\` names: \`<relation>.<column>__<operator>=<value>\`. Relations: ${listed(relations)}.`,
      { [`${first?.name}.${column?.name}__eq`]: value },
    ),
  )
}

/** Options of embedded relations: `books.limit=3`, `books[price__gt=20]`. */
export function relationOptions(components: Components, resource: Resource): ReferenceObject[] {
  const [first] = [...resource.relations.values()].sort((a, b) =>
    a.cardinality === b.cardinality ? 0 : a.cardinality === 'many' ? -1 : 1,
  )
  if (first === undefined || !resource.settings.addRelations) return []
  const relations = [...resource.relations.keys()]
  const option = first.cardinality === 'many' ? 'limit' : 'fields'
  const value = option === 'limit' ? '3' : (first.target.primaryKey[0]?.name ?? 'id')
  return [
    components.parameter(`options ${resource.name}`, `${resource.name}.relationOptions`, () =>
      freeForm(
        'relation options',
        `^(${relations.join('|')})(\\.${name})*(\\.(limit|order_by|fields)|\\[.+\\])$`,
        `Options of embedded related records: \`<relation>.limit=3\`, \`<relation>.order_by=-<column>\`, \`<relation>.fields=<column>,<column>\`, \`<relation>[<filter>,<filter>]\`. Relations: ${listed(relations)}.`,
        { [`${first.name}.${option}`]: value },
      ),
    ),
  ]
}

/** Aggregates: `price__sum=1`, if enabled. */
export function aggregateParameters(components: Components, resource: Resource): ReferenceObject[] {
  if (!resource.settings.allowAggregation) return []
  return [...resource.columns.values()].flatMap((column) =>
    aggregateFunctions
      .filter((fn) => functionFits(fn, column))
      .map((fn) => {
        const parameter = `${column.name}__${fn}`
        const wanted = `${resource.name}.${parameter}`
        return components.parameter(wanted, wanted, () => ({
          name: parameter,
          in: 'query',
          description: `${results[fn]} of \`${column.name}\`, under \`${column.name}_${fn}\`; \`${column.name}|label__${fn}=1\` sets another name.`,
          schema: { type: 'integer', const: 1 },
        }))
      }),
  )
}

const listed = (names: readonly string[]): string => names.map((one) => `\`${one}\``).join(', ')
