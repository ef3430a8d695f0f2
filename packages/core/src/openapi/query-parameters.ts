// The query parameters of each kind of operation: those it supports and the settings enable (contract §4).

import type { ParameterObject, ReferenceObject } from 'openapi3-ts/oas31'
import { aggregateFunctions } from '../parse/operators.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import type { Components } from './components.ts'
import {
  aggregateParameters,
  columnFilters,
  freeFilters,
  relationOptions,
} from './filter-parameters.ts'
import type { Schema } from './schema.ts'
import { readSchema } from './value-schemas.ts'

type Parameter = ParameterObject | ReferenceObject

/**
 * The parameters of a list: the enabled parts of the query language, with the filters of columns last. They are the same on
 * the collection and on every relation to it.
 */
export const listParameters = (components: Components, resource: Resource): readonly Parameter[] =>
  components.once(`list of ${resource.name}`, () => [
    ...pageParameters(components, resource),
    ...orderParameters(components, resource),
    ...fieldParameters(components, resource),
    ...joinParameters(components, resource),
    ...shapeParameters(components, resource),
    ...groupParameters(components, resource),
    ...hostParameters(components, resource),
    ...freeFilters(components, resource),
    ...columnFilters(components, resource),
    ...aggregateParameters(components, resource),
  ])

/** The parameters that select what a single record contains: of GET one, of to-one relations, and of writes. */
export function oneParameters(components: Components, resource: Resource): Parameter[] {
  return [
    ...joinParameters(components, resource),
    ...fieldParameters(components, resource),
    ...shapeParameters(components, resource),
    ...hostParameters(components, resource),
  ]
}

/** The parameters of a DELETE. */
export function removalParameters(components: Components, resource: Resource): Parameter[] {
  const cascade = {
    name: 'cascade_delete',
    in: 'query',
    description: 'Removes the records that depend on this one too, each under its own rules.',
    schema: truth,
  } as const
  return [
    ...(resource.settings.allowCascadeDelete ? [shared(components, cascade)] : []),
    ...hostParameters(components, resource),
  ]
}

/** The parameters of a POST, besides those for the returned record. */
export function upsertParameters(components: Components, resource: Resource): Parameter[] {
  const keys = [
    resource.primaryKey,
    ...[...resource.columns.values()].flatMap((column) =>
      column.definition.unique === true ? [[column]] : [],
    ),
  ].map((columns) => columns.map(({ name }) => name).join(','))
  return [
    ...oneParameters(components, resource),
    ofResource(components, resource, {
      name: 'on_conflict',
      in: 'query',
      description:
        'The unique columns that decide whether a record is there already: then it is changed, else created.',
      schema: { type: 'string', enum: [...new Set(keys)] },
    }),
  ]
}

/** The parameters of a PATCH on the collection: filters, and those for the returned records. */
export const bulkParameters = (components: Components, resource: Resource): Parameter[] => [
  mostAffected(components),
  ...oneParameters(components, resource),
  ...freeFilters(components, resource),
  ...columnFilters(components, resource),
]

/** The parameters of a DELETE on the collection: filters. */
export const bulkRemovalParameters = (components: Components, resource: Resource): Parameter[] => [
  mostAffected(components),
  ...removalParameters(components, resource),
  ...joinParameters(components, resource),
  ...freeFilters(components, resource),
  ...columnFilters(components, resource),
]

const mostAffected = (components: Components): Parameter =>
  shared(components, {
    name: 'max_affected',
    in: 'query',
    description: 'Refuses the request where it would concern more records than this.',
    schema: { type: 'integer', minimum: 0 },
  })

/** The path parameters of a record: the columns of its key, in order. */
export const keyParameters = (resource: Resource): ParameterObject[] =>
  resource.primaryKey.map((column) => ({
    name: column.name,
    in: 'path',
    required: true,
    description: `${column.definition.description ?? `\`${column.name}\` of the record`}.`.replace(
      /\.\.$/,
      '.',
    ),
    schema: keySchema(column),
  }))

function keySchema(column: NamedColumn): Schema {
  const { description: _, ...schema } = readSchema(column)
  return schema
}

const truth: Schema = { type: 'boolean' }
const text: Schema = { type: 'string' }

/** A parameter that is the same everywhere, shared as a component. */
const shared = (components: Components, parameter: ParameterObject): ReferenceObject =>
  components.parameter(`shared ${parameter.name}`, parameter.name, () => parameter)

/** A parameter that is the same on every route to the resource. */
const ofResource = (
  components: Components,
  { name: owner }: Resource,
  parameter: ParameterObject,
): ReferenceObject => {
  const key = `${owner} ${parameter.name}`
  return components.parameter(key, `${owner}.${parameter.name}`, () => parameter)
}

function joinParameters(components: Components, resource: Resource): Parameter[] {
  const relations = [...resource.relations.keys()]
  if (!resource.settings.allowJoin || relations.length === 0) return []
  return [
    ofResource(components, resource, {
      name: 'join',
      in: 'query',
      style: 'form',
      explode: false,
      description: `Relations to join, so that their columns can be filtered, ordered by and chosen. Dotted names lead further: \`${relations[0]}.…\`. Of this resource: ${listed(relations)}.`,
      schema: { type: 'array', items: text, examples: [[relations[0]]] },
    }),
    shared(components, {
      name: 'join_type',
      in: 'query',
      description: 'How `join` joins; `outer` is another word for `left`.',
      schema: { type: 'string', enum: ['inner', 'left', 'outer', 'right'], default: 'inner' },
    }),
  ]
}

function fieldParameters(components: Components, resource: Resource): Parameter[] {
  const { allowSelectFields, allowJoin } = resource.settings
  if (!allowSelectFields) return []
  const columns = [...resource.columns.keys()]
  const joined = allowJoin && resource.relations.size > 0
  return [
    ofResource(components, resource, {
      name: 'fields',
      in: 'query',
      style: 'form',
      explode: false,
      description: `Only these columns are returned, and no relations.${joined ? ' Columns of joined relations are written `<relation>.<column>`.' : ''}`,
      schema: {
        type: 'array',
        items: joined ? text : { type: 'string', enum: columns },
        examples: [columns.slice(0, 2)],
      },
    }),
  ]
}

function groupParameters(components: Components, resource: Resource): Parameter[] {
  const { allowGroupby, allowAggregation } = resource.settings
  const [column = 'id'] = resource.columns.keys()
  const groupby: ParameterObject = {
    name: 'groupby',
    in: 'query',
    style: 'form',
    explode: false,
    description:
      'Columns to group by, `year(x)`, `month(x)` or `day(x)` of a date; without aggregates the unique combinations. Filters narrow rows before they are grouped; a filter on a label, as `total__gt=100`, chooses groups.',
    schema: { type: 'array', items: text, examples: [[column]] },
  }
  const aggregate: ParameterObject = {
    name: 'aggregate',
    in: 'query',
    style: 'form',
    explode: false,
    description: `Aggregates, as \`<column>|<label>__<function>\`; the label may be left out. Functions: ${listed(aggregateFunctions)}. Over a joined to-many relation they count joined rows, as SQL does.`,
    schema: { type: 'array', items: text, examples: [[`${column}|n__count`]] },
  }
  return [
    ...(allowGroupby ? [ofResource(components, resource, groupby)] : []),
    ...(allowAggregation ? [ofResource(components, resource, aggregate)] : []),
  ]
}

function orderParameters(components: Components, resource: Resource): Parameter[] {
  const { allowOrderBy, allowJoin, allowGroupby } = resource.settings
  if (!allowOrderBy) return []
  const [column = 'id'] = resource.columns.keys()
  const more = [
    ...(allowJoin ? ['columns of joined to-one relations'] : []),
    ...(allowGroupby ? ['grouping columns', 'labels'] : []),
  ]
  return [
    ofResource(components, resource, {
      name: 'order_by',
      in: 'query',
      style: 'form',
      explode: false,
      description: `Columns to order by${more.length === 0 ? '' : `, also ${more.join(' and ')}`}; a leading \`-\` turns the order, \`.nullsfirst\` and \`.nullslast\` place nulls. The key ends every order. Also written \`orderby\`.`,
      schema: { type: 'array', items: text, examples: [[`-${column}`]] },
    }),
  ]
}

function pageParameters(components: Components, resource: Resource): Parameter[] {
  const { pageSizeDefault, pageSizeMax, count } = resource.settings
  const modes = ['exact', 'capped', 'none']
  const cheaper = modes.slice(modes.indexOf(count))
  return [
    shared(components, {
      name: 'page',
      in: 'query',
      description: 'Number of the page, from 1.',
      schema: { type: 'integer', minimum: 1, default: 1 },
    }),
    ofResource(components, resource, {
      name: 'limit',
      in: 'query',
      description: 'Records of a page.',
      schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault },
    }),
    shared(components, {
      name: 'paging',
      in: 'query',
      description: '`cursor` makes `next_url` and `previous_url` lead by `after` and `before`.',
      schema: { type: 'string', enum: ['cursor'] },
    }),
    ...(['after', 'before'] as const).map((name) =>
      shared(components, {
        name,
        in: 'query',
        description: `Records ${name} this place, which a link of an earlier answer names; instead of \`page\`.`,
        schema: text,
      }),
    ),
    ...(cheaper.length < 2
      ? []
      : [
          ofResource(components, resource, {
            name: 'count',
            in: 'query',
            description: 'How `total_count` is obtained: exactly, exactly up to 10,000, or not.',
            schema: { type: 'string', enum: cheaper, default: count },
          }),
        ]),
  ]
}

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
    ...(shown ? [ofResource(components, resource, dump)] : []),
    ...(shown
      ? [
          shared(components, {
            name: 'dump_relationships',
            in: 'query',
            description: '`false` leaves all relations out.',
            schema: { type: 'boolean', default: true },
          }),
          ...relationOptions(components, resource),
        ]
      : []),
    ...(softDelete === null
      ? []
      : [
          shared(components, {
            name: 'include_deleted',
            in: 'query',
            description: '`true` shows deleted records too.',
            schema: { type: 'boolean', default: false },
          }),
        ]),
  ]
}

/** The host's own parameters. */
const hostParameters = (components: Components, resource: Resource): Parameter[] =>
  resource.settings.additionalQueryParams.map((name) =>
    ofResource(components, resource, {
      name,
      in: 'query',
      description: 'Read by this installation itself.',
      schema: text,
    }),
  )

const listed = (names: readonly string[]): string => names.map((one) => `\`${one}\``).join(', ')
