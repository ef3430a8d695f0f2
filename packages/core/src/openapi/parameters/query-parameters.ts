// The query parameters of each kind of operation in the OpenAPI document: those that it supports and the settings enable
// (docs/reference/query-language.md). Also the parameters of keys in paths, and sharing a parameter as a component (`sharedParameter`).

import type { ParameterObject, ReferenceObject } from 'openapi3-ts/oas31'
import { aggregateFunctions } from '../../model/query-words/operators.ts'
import { conflictKeys } from '../../model/registry/checks/field-rules.ts'
import { queryColumns } from '../../model/registry/json-paths.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import { isSortable } from '../../model/type-rules.ts'
import type { Components } from '../schemas/components.ts'
import type { Schema } from '../schemas/schema.ts'
import { exampleOf, responseSchema } from '../schemas/value-schemas.ts'
import {
  filterParameters,
  relationKeys,
  relationOptionParameters,
  relationWriteParameters,
} from './filter-parameters.ts'

type Parameter = ParameterObject | ReferenceObject

/**
 * Returns the parameters of a list: the enabled parts of the query language, with the filters of columns last. They are the same on
 * the collection and on every relation to it.
 */
export const listParameterObjects = (
  components: Components,
  resource: Resource,
): readonly Parameter[] =>
  components.once(`list of ${resource.name}`, () => [
    ...pageParameters(components, resource),
    ...orderParameters(components, resource),
    ...fieldParameters(components, resource),
    ...joinParameters(components, resource),
    ...shapeParameters(components, resource),
    ...groupParameters(components, resource),
    ...hostParameters(components, resource),
    ...searchParameters(components, resource),
    ...filterParameters(components, resource),
  ])

function searchParameters(components: Components, resource: Resource): Parameter[] {
  if (resource.search.length === 0) return []
  const names = resource.search.map(({ name }) => `\`${name}\``).join(', ')
  return [
    parameterOfResource(components, resource, {
      name: 'search',
      in: 'query',
      description:
        resource.searchIndex === undefined
          ? `Words, of which each must stand in one of ${names}, in any letter case.`
          : `Words, of which the full-text index over ${names} must find each.`,
      schema: textSchema,
    }),
  ]
}

/** Returns the parameters that select what a single record contains, for GET one, to-one relations and writes. */
export function oneParameters(components: Components, resource: Resource): Parameter[] {
  return [
    ...joinParameters(components, resource),
    ...fieldParameters(components, resource),
    ...shapeParameters(components, resource),
    ...hostParameters(components, resource),
  ]
}

/** Returns the parameters of a DELETE. */
export function removalParameters(components: Components, resource: Resource): Parameter[] {
  const cascade = {
    name: 'cascade_delete',
    in: 'query',
    description: 'Removes the records that depend on this one too, each under its own rules.',
    schema: booleanSchema,
  } as const
  return [
    ...(resource.settings.allowCascadeDelete ? [sharedParameter(components, cascade)] : []),
    ...hostParameters(components, resource),
  ]
}

/** Returns the parameters of a POST: `on_conflict` if upserts are enabled, and those for the returned record. */
export function upsertParameters(components: Components, resource: Resource): Parameter[] {
  const keys = conflictKeys(resource).map(({ names }) => names.join(','))
  return [
    ...oneParameters(components, resource),
    ...(resource.settings.allowUpsert ? [onConflict(components, [...new Set(keys)])] : []),
    ...relationKeys(components, resource),
  ]
}

/** Returns the parameters of a PATCH or PUT of one record. */
export const changeParameters = (components: Components, resource: Resource): Parameter[] => [
  ...oneParameters(components, resource),
  ...relationWriteParameters(components, resource),
]

/** Returns the parameters of a PATCH on the collection: filters, and those for the returned records. */
export const bulkParameters = (components: Components, resource: Resource): Parameter[] => [
  mostAffected(components),
  ...changeParameters(components, resource),
  ...filterParameters(components, resource),
]

/** Returns the parameters of a DELETE on the collection, mainly filters. */
export const bulkRemovalParameters = (components: Components, resource: Resource): Parameter[] => [
  mostAffected(components),
  ...removalParameters(components, resource),
  ...joinParameters(components, resource),
  ...filterParameters(components, resource),
]

const mostAffected = (components: Components): Parameter =>
  sharedParameter(components, {
    name: 'max_affected',
    in: 'query',
    description: 'Refuses the request where it would concern more records than this.',
    schema: { type: 'integer', minimum: 0 },
  })

/** Returns the path parameters of a record: the columns of its key, in order. */
export const keyParameters = (components: Components, resource: Resource): Parameter[] =>
  resource.primaryKey.map((column) => {
    const { name, type } = column
    // A key parameter without a description is the same for all resources.
    const wanted = isPlainKey(column) ? `${name}_${type}` : `${resource.name}.${name}`
    const example = exampleOf(column)
    return components.parameter(`path ${wanted}`, wanted, () => ({
      name,
      in: 'path',
      required: true,
      description: sentence(column.definition.description ?? `\`${name}\` of the record.`),
      schema: keySchema(column),
      ...(example === undefined ? {} : { example }),
    }))
  })

/** Whether the parameter of a key column depends on its name and type alone. */
const isPlainKey = (column: NamedColumn): boolean => {
  const { type, definition } = column
  if (definition.description !== undefined || definition.example !== undefined) return false
  const bare: NamedColumn = { ...column, nullable: false, definition: { type } }
  return JSON.stringify(keySchema(column)) === JSON.stringify(keySchema(bare))
}

const sentence = (words: string): string => (words.endsWith('.') ? words : `${words}.`)

function keySchema(column: NamedColumn): Schema {
  const { description: _, examples: __, ...schema } = responseSchema(column)
  return schema
}

const booleanSchema: Schema = { type: 'boolean' }
const textSchema: Schema = { type: 'string' }

/** Shares a parameter between all resources, or between resources with the same settings, which are then part of `name`. */
export const sharedParameter = (
  components: Components,
  parameter: ParameterObject,
  name: string = parameter.name,
): ReferenceObject => components.parameter(`shared ${name}`, name, () => parameter)

/** Shares a parameter between all routes to the resource. */
const parameterOfResource = (
  components: Components,
  { name: owner }: Resource,
  parameter: ParameterObject,
): ReferenceObject => {
  const key = `${owner} ${parameter.name}`
  return components.parameter(key, `${owner}.${parameter.name}`, () => parameter)
}

const enumOf = (names: readonly string[]): Schema =>
  names.length === 0 ? textSchema : { ...textSchema, enum: [...names] }

/** Returns the schema of a name through relations, recognised by its dot. */
const joinedName = (components: Components): ReferenceObject =>
  components.schema('joined name', 'JoinedName', () => ({
    ...textSchema,
    pattern: '\\.',
    description: '`<relation>.<name>`, through relations that `join` names; also several in a row.',
  }))

/** Returns the schema of the items of `fields` other than columns. */
const outputName = (components: Components): ReferenceObject =>
  components.schema('output name', 'OutputName', () => ({
    ...textSchema,
    pattern: '^[*-]|[.(]',
    description:
      '`*` for all that is sent without `fields`, `-<field>` for all but that column or relation; a column of a joined relation, `<relation>.<column>`; an aggregate of related records with a label, `count(<relation>)|<label>` or `max(<relation>[<conditions>].<column>)`.',
  }))

/** Returns the schema of the names, other than columns, that rows can be ordered by. */
const orderName = (components: Components): ReferenceObject =>
  components.schema('order name', 'OrderName', () => ({
    ...textSchema,
    description:
      'A column of a joined to-one relation, an aggregate of related records such as `count(<relation>)`, a grouping column or a label; a leading `-` turns the order, `.nullsfirst` and `.nullslast` place nulls.',
  }))

/** Returns the schema of the names, other than columns, that rows can be grouped by. */
const groupName = (components: Components): ReferenceObject =>
  components.schema('group name', 'GroupName', () => ({
    ...textSchema,
    pattern: '[.(]',
    description: '`year(x)`, `month(x)` or `day(x)` of a date; a column of a joined relation.',
  }))

/** Returns the schema of the column names. */
const columnNames = (components: Components, resource: Resource): ReferenceObject =>
  components.schema(`columns of ${resource.name}`, `${resource.name}Column`, () =>
    enumOf(queryColumns(resource).map((column) => column.name)),
  )

function joinParameters(components: Components, resource: Resource): Parameter[] {
  const relations = [...resource.relations.keys()]
  if (!resource.settings.allowJoin || relations.length === 0) return []
  return [
    listOf(components, resource, {
      name: 'join',
      description: 'Relations to join; their columns can then be filtered, ordered by and chosen.',
      names: enumOf(relations),
      others: joinedName(components),
    }),
    sharedParameter(components, {
      name: 'join_type',
      in: 'query',
      description: 'How `join` joins; `outer` is another word for `left`.',
      schema: { type: 'string', enum: ['inner', 'left', 'outer', 'right'], default: 'inner' },
    }),
  ]
}

function fieldParameters(components: Components, resource: Resource): Parameter[] {
  if (!resource.settings.allowSelectFields) return []
  return [
    listOf(components, resource, {
      name: 'fields',
      description: 'Only these columns are returned, and no relations.',
      names: columnNames(components, resource),
      others: outputName(components),
    }),
  ]
}

function groupParameters(components: Components, resource: Resource): Parameter[] {
  const { allowGroupby, allowAggregation } = resource.settings
  return [
    ...(allowGroupby
      ? [
          listOf(components, resource, {
            name: 'groupby',
            description: 'Columns to group by; without aggregates the unique combinations.',
            names: columnNames(components, resource),
            others: groupName(components),
          }),
        ]
      : []),
    ...(allowAggregation
      ? [
          sharedParameter(components, {
            name: 'aggregate',
            in: 'query',
            explode: false,
            description: `Aggregates, as \`<column>|<label>__<function>\`; the label may be left out. A filter on a label, as \`total__gt=100\`, chooses groups. Each may also be a parameter of its own: \`price__sum=1\`. Over a joined to-many relation they count joined rows, as SQL does.`,
            schema: {
              type: 'array',
              items: { ...textSchema, pattern: `__(${aggregateFunctions.join('|')})$` },
            },
          }),
        ]
      : []),
  ]
}

function orderParameters(components: Components, resource: Resource): Parameter[] {
  const { allowOrderBy, allowJoin, allowGroupby } = resource.settings
  if (!allowOrderBy) return []
  const others = (allowJoin && resource.relations.size > 0) || allowGroupby
  return [
    listOf(components, resource, {
      name: 'order_by',
      description: 'The order; `-` before a column turns it. The key ends every order.',
      names: sortableNames(components, resource, others),
      others: others ? orderName(components) : undefined,
    }),
    listOf(components, resource, {
      name: 'distinct_on',
      description:
        'Of the records that are equal in these columns, only the first by the order is returned. The order must begin with them.',
      names: columnNames(components, resource),
      others: undefined,
    }),
  ]
}

/** Returns the schema of the columns in `order_by`: `price`, `-price`, `-price.nullslast`. `others`: whether it also takes other names. */
function sortableNames(
  components: Components,
  resource: Resource,
  others: boolean,
): Schema | ReferenceObject {
  const columns = queryColumns(resource)
  const sortable = columns.filter(isSortable)
  // Names of joined columns and labels are added by `orderName`, whose description explains `-` and `.nullsfirst`.
  if (others) {
    return sortable.length === columns.length
      ? columnNames(components, resource)
      : enumOf(sortable.map(({ name }) => name))
  }
  return enumOf(
    sortable.flatMap(({ name, nullable }) => {
      const ends = nullable ? ['', '.nullsfirst', '.nullslast'] : ['']
      return ['', '-'].flatMap((sign) => ends.map((end) => `${sign}${name}${end}`))
    }),
  )
}

/** A parameter whose value is a list of names of columns or relations. */
interface NameList {
  readonly name: string
  readonly description: string
  /** The schema of the names in this resource. */
  readonly names: Schema | ReferenceObject
  /** Further names that the parameter takes, in a schema that all resources share; undefined if there are none. */
  readonly others: ReferenceObject | undefined
}

/** Returns a parameter whose value is a list of names, separated by commas. */
const listOf = (
  components: Components,
  resource: Resource,
  { name, description, names, others }: NameList,
): ReferenceObject =>
  parameterOfResource(components, resource, {
    name,
    in: 'query',
    explode: false,
    description,
    schema: { type: 'array', items: others === undefined ? names : { anyOf: [names, others] } },
  })

/** Returns `on_conflict` with the unique keys of a resource; resources with the same keys share the parameter. */
const onConflict = (components: Components, keys: readonly string[]): ReferenceObject =>
  sharedParameter(
    components,
    {
      name: 'on_conflict',
      in: 'query',
      description:
        'The unique columns that decide whether a record is there already: then it is changed, else created.',
      schema: enumOf(keys),
    },
    ['on_conflict', ...keys].join('.').replaceAll(',', '-'),
  )

/** `page`, `limit`, `paging`, `after`, `before`, `count` */
function pageParameters(components: Components, resource: Resource): Parameter[] {
  const { pageSizeDefault, pageSizeMax, count } = resource.settings
  // The most expensive first: a request may choose a cheaper way to count than the setting, if there is one.
  const modes = ['exact', 'capped', 'none']
  const cheaper = modes.slice(modes.indexOf(count))
  return [
    sharedParameter(components, {
      name: 'page',
      in: 'query',
      description: 'Number of the page, from 1.',
      schema: { type: 'integer', minimum: 1, default: 1 },
    }),
    sharedParameter(
      components,
      {
        name: 'limit',
        in: 'query',
        description: 'Records of a page.',
        schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault },
      },
      `limit_${pageSizeDefault}_of_${pageSizeMax}`,
    ),
    sharedParameter(components, {
      name: 'paging',
      in: 'query',
      description: '`cursor` makes `next_url` and `previous_url` lead by `after` and `before`.',
      schema: { type: 'string', enum: ['cursor'] },
    }),
    ...(['after', 'before'] as const).map((name) =>
      sharedParameter(components, {
        name,
        in: 'query',
        description: `Records ${name} this place, which a link of an earlier answer names; instead of \`page\`.`,
        schema: textSchema,
      }),
    ),
    ...(cheaper.length < 2
      ? []
      : [
          sharedParameter(
            components,
            {
              name: 'count',
              in: 'query',
              description: 'How `total_count` is obtained: exactly, exactly up to 10,000, or not.',
              schema: { type: 'string', enum: cheaper, default: count },
            },
            `count_${count}`,
          ),
        ]),
  ]
}

/** `dump`, `dump_relationships`, the options of relations, `include_deleted` */
function shapeParameters(components: Components, resource: Resource): Parameter[] {
  const { addRelations, serializationType, softDelete } = resource.settings
  const dump: ParameterObject = {
    name: 'dump',
    in: 'query',
    description:
      'Related records as URLs, embedded, embedded where `join` names them, or embedded where there is one.',
    schema: {
      type: 'string',
      enum: ['url', 'json', 'dynamic', 'hybrid'],
      default: serializationType,
    },
  }
  const shown = addRelations && resource.relations.size > 0
  return [
    ...(shown ? [sharedParameter(components, dump, `dump_${serializationType}`)] : []),
    ...(shown
      ? [
          sharedParameter(components, {
            name: 'dump_relationships',
            in: 'query',
            description: '`false` leaves all relations out.',
            schema: { type: 'boolean', default: true },
          }),
          ...relationOptionParameters(components, resource),
        ]
      : []),
    ...(softDelete === null
      ? []
      : [
          sharedParameter(components, {
            name: 'include_deleted',
            in: 'query',
            description: '`true` shows deleted records too.',
            schema: { type: 'boolean', default: false },
          }),
        ]),
  ]
}

/** Returns the parameters of the host (API_ADDITIONAL_QUERY_PARAMS) for the requests to a resource. */
const hostParameters = (components: Components, resource: Resource): Parameter[] =>
  resource.settings.additionalQueryParams.map((name) =>
    parameterOfResource(components, resource, hostParameter(name)),
  )

/** Returns the parameters of the host (API_ADDITIONAL_QUERY_PARAMS) of an operation that belongs to no resource, such as the index. */
export const serviceParameters = (
  components: Components,
  { additionalQueryParams }: Pick<ApiSettings, 'additionalQueryParams'>,
): readonly Parameter[] =>
  additionalQueryParams.map((name) =>
    sharedParameter(components, hostParameter(name), `Service.${name}`),
  )

const hostParameter = (name: string): ParameterObject => ({
  name,
  in: 'query',
  description: 'Read by this installation itself.',
  schema: textSchema,
})
