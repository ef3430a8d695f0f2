// Filters as OpenAPI parameters: one object of all columns with the operators of their types, and parameters with free names (docs/query-language.md).

import type { ParameterObject, ReferenceObject } from 'openapi3-ts/oas31'
import { operatorFits } from '../model/type-rules.ts'
import { toCase } from '../naming/case.ts'
import { type FilterOperator, filterOperators } from '../parse/operators.ts'
import { queryColumns } from '../registry/json-paths.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { type Components, freeName } from './components.ts'
import type { Schema } from './schema.ts'
import { filterSchema, listSchema } from './value-schemas.ts'

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
const name = '[A-Za-z_][A-Za-z0-9_]*'
/** Names inside of json columns may have hyphens. */
const nameInside = '[A-Za-z_][A-Za-z0-9_-]*'
const anyOperator = `(${[...operators, 'neq', 'lte', 'gte'].join('|')})`

/** The operators a column can be filtered by. */
const operatorsOf = (column: NamedColumn): readonly FilterOperator[] =>
  operators.filter((operator) => operatorFits(operator, column))

/** The filters of a list: those of its columns, and conditions with free parameter names. */
export function filterParameters(components: Components, resource: Resource): ReferenceObject[] {
  if (!resource.settings.allowFilters) return []
  return [columnFilters(components, resource), conditions(components, resource)]
}

/** An object whose members are separate parameters: OpenAPI's way to describe many parameters, or parameters with free names. */
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

/** The filters of columns: `price__ge=30`. */
function columnFilters(components: Components, resource: Resource): ReferenceObject {
  const { settings, name: owner } = resource
  const isHosts = (one: string): boolean => settings.additionalQueryParams.includes(one)
  return components.parameter(`filters of ${owner}`, `${owner}.filters`, () =>
    objectOfParameters(
      freeName('filters', isHosts),
      filtersSchema(components, resource),
      'Filters, joined by AND; each member is a parameter of its own.',
    ),
  )
}

const filtersSchema = (components: Components, resource: Resource): Schema =>
  components.isBrief
    ? {
        type: 'object',
        allOf: [operatorValues(components)],
        patternProperties: filterPatterns(components, resource) ?? {},
      }
    : {
        type: 'object',
        allOf: queryColumns(resource).map((column) =>
          filtersOfColumn(components, resource, column),
        ),
      }

/** A name as a regular expression; names inside of json columns have dots. */
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The filters of all columns as patterns of names, one for the columns with the same operators and values. */
function filterPatterns(components: Components, resource: Resource): Schema['patternProperties'] {
  const patterns = new Map<string, { names: string[]; schema: Schema | ReferenceObject }>()
  for (const column of queryColumns(resource)) {
    const fitting = operatorsOf(column)
    const schema = filterValue(components, column, fitting)
    const ending = `)__(${fitting.join('|')})$`
    const key = `${ending} ${JSON.stringify(schema)}`
    const known = patterns.get(key) ?? { names: [], schema }
    known.names.push(literal(column.name))
    patterns.set(key, known)
  }
  return Object.fromEntries(
    [...patterns].map(([key, { names, schema }]) => [
      `^(${names.join('|')}${key.slice(0, key.indexOf(' '))}`,
      schema,
    ]),
  )
}

/** What the filters of a column take: a schema that all columns of the type share, unless this one has other values. */
function filterValue(
  components: Components,
  column: NamedColumn,
  fitting: readonly FilterOperator[],
): Schema | ReferenceObject {
  const values = new Map(
    fitting.map((operator) => {
      const value = filterSchema(components, column, operator)
      return [JSON.stringify(value), value]
    }),
  )
  const schema: Schema = { anyOf: [...values.values()] }
  const key = JSON.stringify(schema)
  return column.enum === undefined && column.special === undefined
    ? components.schema(`filter ${key}`, `${toCase(column.type, 'pascal')}Filter`, () => schema)
    : schema
}

/** What the operators that are the same for all types take. */
const operatorValues = (components: Components): ReferenceObject =>
  components.schema('operator values', 'FilterOperators', () => ({
    type: 'object',
    description: `\`<column>__<operator>=<value>\`, joined by AND. Operators: ${meaningsText}.`,
    patternProperties: {
      [`__(${operators.filter((one) => filterOperators[one].takes === 'list').join('|')})$`]:
        listSchema(components),
      __isnull$: { type: 'boolean' },
    },
  }))

/** The filters of a column, shared by all resources that have a column of this name and type. */
function filtersOfColumn(
  components: Components,
  { name: owner }: Resource,
  column: NamedColumn,
): ReferenceObject {
  const { name: field, type } = column
  const fitting = operatorsOf(column)
  const usual = operators.filter((operator) => operatorFits(operator, { type, nullable: false }))
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

const meaningsText = operators.map((one) => `\`${one}\` ${meanings[one]}`).join('; ')

const related = `^(exists|missing)\\(${name}(\\..+|,.+)?\\)$`

/**
 * Conditions with free parameter names: groups, relation filters, columns of joined relations. Resources with the same kinds
 * share them.
 */
function conditions(components: Components, resource: Resource): ReferenceObject {
  const relations = resource.relations.size > 0
  const joined = relations && resource.settings.allowJoin
  const wanted = joined ? 'conditions' : relations ? 'conditions_unjoined' : 'conditions_unrelated'
  return components.parameter(wanted, wanted, () =>
    objectOfParameters(
      'conditions',
      {
        type: 'object',
        patternProperties: {
          '^(or|and|not)\\[.+\\]$': { type: 'string' },
          ...(relations ? { [related]: { type: 'string' } } : {}),
          ...(joined
            ? { [`^${name}(\\.${nameInside})+__${anyOperator}$`]: { type: 'string' } }
            : {}),
        },
      },
      [
        'Conditions beside the filters of columns (`<column>__<operator>=<value>`); each is a parameter of its own, written as it stands here, and all are joined by AND.',
        'Conditions joined by OR, by AND, or negated together: `or[price__ge=30,title__like=Emma]`, `and[…]`, `not[…]`, also nested.',
        ...(relations
          ? [
              'Records that have, or lack, related ones: `exists(books)`, `missing(books)`, with conditions on one related record: `exists(books.price__ge=1,pages__lt=9)`.',
            ]
          : []),
        ...(joined
          ? ['Columns of relations that `join` names: `<relation>.<column>__<operator>=<value>`.']
          : []),
        ...(components.isBrief ? [] : [`Operators: ${meaningsText}.`]),
      ].join('\n\n'),
    ),
  )
}

/** Options of embedded relations: `books.limit=3`, `books[price__gt=20]`. */
export function relationOptions(components: Components, resource: Resource): ReferenceObject[] {
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
