// Parameters with many or free names, each described by one OpenAPI object parameter: filters of columns, conditions, and the options of
// embedded and of written relations (docs/reference/query-language.md).

import type { ParameterObject, ReferenceObject } from 'openapi3-ts/oas31'
import { toCase } from '../../lib/naming/case.ts'
import {
  aggregateFunctions,
  type FilterOperator,
  filterOperators,
  operatorAliases,
} from '../../model/query-words/operators.ts'
import { conflictKeys } from '../../model/registry/checks/field-rules.ts'
import { queryColumns } from '../../model/registry/json-paths.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { operatorFits } from '../../model/type-rules.ts'
import { type Components, freeName } from '../schemas/components.ts'
import { nestedRelations } from '../schemas/record-schemas.ts'
import type { Schema } from '../schemas/schema.ts'
import { filterSchema } from '../schemas/value-schemas.ts'

/** What each operator tests, in words of the document: the column … its value. */
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
  contains: 'has all of the items in `(a,b)`',
  overlaps: 'has one of the items in `(a,b)`, or several',
  isnull: 'is null (`true`) or is not (`false`)',
}

const operators = Object.keys(filterOperators) as FilterOperator[]
/** Pattern of the name of a column or relation. */
const name = '[A-Za-z_][A-Za-z0-9_]*'
/** Names inside of json columns may have hyphens. */
const nameInside = '[A-Za-z_][A-Za-z0-9_-]*'

/** Returns the operators that a column can be filtered by. */
const operatorsOf = (column: NamedColumn): readonly FilterOperator[] =>
  operators.filter((operator) => operatorFits(operator, column))

/** Returns the filters of a list: those of its columns, and conditions with free parameter names. */
export function filterParameters(components: Components, resource: Resource): ReferenceObject[] {
  if (!resource.settings.allowFilters) return []
  return [columnFilters(components, resource), conditions(components, resource)]
}

/** Returns an object parameter whose members are separate query parameters: OpenAPI's way to describe many parameters, or free names. */
const objectOfParameters = (
  wanted: string,
  schema: Schema | ReferenceObject,
  description: string,
): ParameterObject => ({
  name: wanted,
  in: 'query',
  // Style form, exploded: the defaults of a query parameter.
  description,
  schema,
  // Pages that can send requests use the example; without one, they invent a value for each member.
  example: {},
})

/** Returns the filters of columns, a member for each column and operator: `price__ge=30`. */
function columnFilters(components: Components, resource: Resource): ReferenceObject {
  const { settings, name: owner } = resource
  const isHosts = (parameter: string): boolean => settings.additionalQueryParams.includes(parameter)
  return components.parameter(`filters of ${owner}`, `${owner}.filters`, () =>
    objectOfParameters(
      freeName('filters', isHosts),
      {
        type: 'object',
        allOf: queryColumns(resource).map((column) =>
          filtersOfColumn(components, resource, column),
        ),
      },
      'Filters, joined by AND; each member is a parameter of its own.',
    ),
  )
}

/** Returns the filters of a column, shared by all resources that have a column of this name and type. */
function filtersOfColumn(
  components: Components,
  { name: owner }: Resource,
  column: NamedColumn,
): ReferenceObject {
  const { name: field, type } = column
  const fitting = operatorsOf(column)
  const usual = operators.filter((operator) => operatorFits(operator, { type, nullable: false }))
  // Whether name and type alone decide: no enum, not nullable (`isnull`), all operators of the type.
  const isUsual = column.enum === undefined && fitting.length === usual.length
  const words = isUsual ? [field, type] : [owner, field]
  const wanted = `${words.map((word) => toCase(word, 'pascal')).join('')}Filters`
  return components.schema(`filters of column ${words.join(' ')} ${isUsual}`, wanted, () => ({
    type: 'object',
    properties: Object.fromEntries(
      fitting.map((operator) => [
        `${field}__${operator}`,
        filterSchema(components, column, operator),
      ]),
    ),
  }))
}

/** The end of a condition's name: `__ge`. */
const suffix = `__(${[...operators, ...Object.keys(operatorAliases)].join('|')})`

/** `count(books)__ge` */
const aggregated = `^(${aggregateFunctions.join('|')})\\(.+\\)${suffix}$`
/** `exists(books)`, `missing(books.price__ge=1)` */
const related = `^(exists|missing)\\(${name}(\\..+|,.+)?\\)$`

/**
 * Returns the conditions with free parameter names: groups, relation filters, columns of joined relations. Resources that
 * support the same kinds share the parameter.
 */
function conditions(components: Components, resource: Resource): ReferenceObject {
  const relations = resource.relations.size > 0
  const joined = relations && resource.settings.allowJoin
  const aggregates = relations && resource.settings.allowAggregation
  const kind = joined ? 'conditions' : relations ? 'conditions_unjoined' : 'conditions_unrelated'
  const wanted = aggregates ? `${kind}_aggregated` : kind
  return components.parameter(wanted, wanted, () =>
    objectOfParameters(
      'conditions',
      {
        type: 'object',
        patternProperties: {
          '^(or|and|not)\\[.+\\]$': { type: 'string' },
          ...(relations ? { [related]: { type: 'string' } } : {}),
          ...(aggregates ? { [aggregated]: { type: 'string' } } : {}),
          ...(joined ? { [`^${name}(\\.${nameInside})+${suffix}$`]: { type: 'string' } } : {}),
        },
      },
      conditionsText({ relations, joined, aggregates }),
    ),
  )
}

/** The kinds of conditions of a resource. */
interface ConditionKinds {
  readonly relations: boolean
  readonly joined: boolean
  readonly aggregates: boolean
}

const conditionsText = ({ relations, joined, aggregates }: ConditionKinds): string =>
  [
    'Conditions beside the filters of columns (`<column>__<operator>=<value>`); each is a parameter of its own, written as it stands here, and all are joined by AND.',
    'Conditions joined by OR, by AND, or negated together: `or[price__ge=30,title__like=Emma]`, `and[…]`, `not[…]`, also nested.',
    ...(relations
      ? [
          'Records that have, or lack, related ones: `exists(books)`, `missing(books)`, with conditions on one related record: `exists(books.price__ge=1,pages__lt=9)`.',
        ]
      : []),
    ...(aggregates
      ? [
          'Aggregates of related records: `count(books)__ge=3`, `sum(books[in_stock__eq=true].price)__gt=100`; one that `fields` labels also by its label.',
        ]
      : []),
    ...(joined
      ? ['Columns of relations that `join` names: `<relation>.<column>__<operator>=<value>`.']
      : []),
    `Operators: ${operators.map((operator) => `\`${operator}\` ${meanings[operator]}`).join('; ')}.`,
  ].join('\n\n')

const namesRecords =
  'Unique columns by which nested objects name stored records, instead of their primary key: `<relation>.on_conflict=<column>,<column>`. Records that are missing are created.'
const removesChildren =
  '`<relation>.on_missing=remove`: a list removes the children that it does not name; PUT always does.'

/** Patterns of the names of the parameters: `labels.on_conflict`, `lines.on_missing`. */
const onConflict = { [`^${name}\\.on_conflict$`]: { type: 'string' } } as const
const onMissing = { [`^${name}(\\.${name})*\\.on_missing$`]: { enum: ['keep', 'remove'] } }

/** Returns how a new record treats its nested objects: `labels.on_conflict=name`. */
export function relationKeys(components: Components, resource: Resource): ReferenceObject[] {
  if (!mayNameRecords(resource)) return []
  return [
    components.parameter('relation keys', 'relation_keys', () =>
      objectOfParameters(
        'relation_keys',
        { type: 'object', patternProperties: onConflict },
        `${eachIsOne} ${namesRecords}`,
      ),
    ),
  ]
}

/** Returns how a change treats its nested objects: also `lines.on_missing=remove`. */
export function relationWriteParameters(
  components: Components,
  resource: Resource,
): ReferenceObject[] {
  const hasChildren = nestedRelations(resource, 'update').some(({ kind }) => kind === 'hasMany')
  if (!hasChildren) return relationKeys(components, resource)
  return [
    components.parameter('relation writes', 'relation_writes', () =>
      objectOfParameters(
        'relation_writes',
        { type: 'object', patternProperties: { ...onConflict, ...onMissing } },
        `${eachIsOne} ${namesRecords} ${removesChildren}`,
      ),
    ),
  ]
}

const eachIsOne = 'Options of nested objects; each is a parameter of its own.'

/** Whether nested objects may name records by another unique key than the primary one. */
const mayNameRecords = ({ relations, settings }: Resource): boolean =>
  settings.allowNestedWrites &&
  [...relations.values()].some(
    ({ kind, target }) =>
      (kind === 'belongsTo' || kind === 'manyToMany') && conflictKeys(target).length > 1,
  )

/** Returns the options of embedded relations: `books.limit=3`, `books[price__gt=20]`. */
export function relationOptionParameters(
  components: Components,
  resource: Resource,
): ReferenceObject[] {
  if (resource.relations.size === 0 || !resource.settings.addRelations) return []
  return [
    components.parameter('relation options', 'relation_options', () =>
      objectOfParameters(
        'relation_options',
        {
          type: 'object',
          patternProperties: {
            [`^${name}(\\.${name})*(\\.(limit|order_by|fields)|\\[.+\\])$`]: { type: 'string' },
          },
        },
        'Options of embedded related records; each is a parameter of its own: `<relation>.limit=3`, `<relation>.order_by=-<column>`, `<relation>.fields=<column>,<column>`, `<relation>[<filter>,<filter>]`.',
      ),
    ),
  ]
}
