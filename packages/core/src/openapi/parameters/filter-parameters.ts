// Filters as OpenAPI parameters: one object of all columns with the operators of their types, and parameters with free names
// (docs/reference/query-language.md).

import type { ParameterObject, ReferenceObject } from 'openapi3-ts/oas31'
import { toCase } from '../../lib/naming/case.ts'
import { type FilterOperator, filterOperators } from '../../model/query-words/operators.ts'
import { conflictKeys } from '../../model/registry/checks/field-rules.ts'
import { queryColumns } from '../../model/registry/json-paths.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { operatorFits } from '../../model/type-rules.ts'
import type { Components, FilterForm } from '../form.ts'
import { freeName } from '../schemas/components.ts'
import { nestedRelations } from '../schemas/record-schemas.ts'
import type { Schema } from '../schemas/schema.ts'
import { filterSchema, listSchema, operandSchema } from '../schemas/value-schemas.ts'

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

/** Returns the filters of columns: `price__ge=30`. */
function columnFilters(components: Components, resource: Resource): ReferenceObject {
  const { settings, name: owner } = resource
  const isHosts = (one: string): boolean => settings.additionalQueryParams.includes(one)
  return components.parameter(`filters of ${owner}`, `${owner}.filters`, () =>
    objectOfParameters(
      freeName('filters', isHosts),
      components.form.filters.columns(components, resource),
      'Filters, joined by AND; each member is a parameter of its own.',
    ),
  )
}

/** Describes filters by a member for each column and operator; columns with the same name and type share these members. */
export const filtersByName: FilterForm = {
  columns: (components, resource) => ({
    type: 'object',
    allOf: queryColumns(resource).map((column) => filtersOfColumn(components, resource, column)),
  }),
  conditions: (_, { relations, joined }) => ({
    description: [
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
      `Operators: ${operators.map((one) => `\`${one}\` ${meanings[one]}`).join('; ')}.`,
    ].join('\n\n'),
  }),
}

/** Describes filters by patterns of names; `conditions` describes the operators, once for all resources. */
export const filtersByPattern: FilterForm = {
  columns: (_, resource) => ({
    type: 'object',
    patternProperties: filterPatterns(resource) ?? {},
  }),
  conditions: (components, { relations, joined }) => ({
    description: [
      'Filters are `<column>__<operator>=<value>`, joined by AND; `or[<filter>,<filter>]`, `and[…]` and `not[…]` group them.',
      ...(relations
        ? ['`exists(<relation>,<filter>)` and `missing(…)` ask for related records.']
        : []),
      ...(joined ? ['`<relation>.<column>` is one of a joined relation.'] : []),
      `Operators: ${listed(operators.filter((one) => !isPartial(one)))}; \`like\` (contains), \`startswith\`, \`endswith\`, in any letter case after \`i\`, negated \`nlike\` and \`nilike\`.`,
    ].join(' '),
    patternProperties: {
      [`__(${operators.filter((one) => filterOperators[one].takes === 'list').join('|')})$`]:
        listSchema(components),
      __isnull$: { type: 'boolean' },
    },
  }),
}

const isPartial = (operator: FilterOperator): boolean => /like|with/.test(operator)

const listed = (names: readonly string[]): string => names.map((one) => `\`${one}\``).join(', ')

/** Escapes a name for a regular expression; names inside of json columns have dots. */
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Whether an operator takes the same kind of value in all columns: a boolean or a list. */
const takesTheSame = (operator: FilterOperator): boolean =>
  operator === 'isnull' || filterOperators[operator].takes === 'list'

/** Returns the filters with all other operators as patterns of names: one pattern for all columns with the same operators and values. */
function filterPatterns(resource: Resource): Schema['patternProperties'] {
  const columns = new Map<string, { names: string[]; ending: string; schema: Schema }>()
  for (const column of queryColumns(resource)) {
    const values = new Map<string, { fitting: FilterOperator[]; schema: Schema }>()
    for (const operator of operatorsOf(column).filter((one) => !takesTheSame(one))) {
      const schema = operandSchema(column, operator)
      const key = JSON.stringify(schema)
      const known = values.get(key) ?? { fitting: [], schema }
      known.fitting.push(operator)
      values.set(key, known)
    }
    for (const [value, { fitting, schema }] of values) {
      const ending = `)__(${namesOf(fitting)})$`
      const known = columns.get(`${ending} ${value}`) ?? { names: [], ending, schema }
      known.names.push(literal(column.name))
      columns.set(`${ending} ${value}`, known)
    }
  }
  return Object.fromEntries(
    [...columns.values()].map(({ names, ending, schema }) => [
      `^(${names.join('|')}${ending}`,
      schema,
    ]),
  )
}

/** Returns a regular expression for the names of these operators, shortened where names differ by one letter. */
const namesOf = (fitting: readonly FilterOperator[]): string =>
  fitting
    .join('|')
    .replace('lt|le|gt|ge', '[lg][te]')
    .replace('like|ilike|nlike|nilike', 'n?i?like')
    .replace('startswith|istartswith|endswith|iendswith', 'i?(starts|ends)with')

/** Returns the filters of a column, shared by all resources that have a column of this name and type. */
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

const related = `^(exists|missing)\\(${name}(\\..+|,.+)?\\)$`

/**
 * Returns the conditions with free parameter names: groups, relation filters, columns of joined relations. Resources that
 * support the same kinds share the parameter.
 */
function conditions(components: Components, resource: Resource): ReferenceObject {
  const relations = resource.relations.size > 0
  const joined = relations && resource.settings.allowJoin
  const wanted = joined ? 'conditions' : relations ? 'conditions_unjoined' : 'conditions_unrelated'
  return components.parameter(wanted, wanted, () => {
    const on = { relations, joined }
    const { description = '', patternProperties } = components.form.filters.conditions(
      components,
      on,
    )
    return objectOfParameters(
      'conditions',
      {
        type: 'object',
        patternProperties: {
          ...patternProperties,
          '^(or|and|not)\\[.+\\]$': { type: 'string' },
          ...(relations ? { [related]: { type: 'string' } } : {}),
          ...(joined ? { [`^${name}(\\.${nameInside})+__[a-z]+$`]: { type: 'string' } } : {}),
        },
      },
      description,
    )
  })
}

const namesRecords =
  'Unique columns by which nested objects name stored records, instead of their primary key: `<relation>.on_conflict=<column>,<column>`. Records that are missing are created.'
const removesChildren =
  '`<relation>.on_missing=remove`: a list removes the children that it does not name; PUT always does.'

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
export function relationWrites(components: Components, resource: Resource): ReferenceObject[] {
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
