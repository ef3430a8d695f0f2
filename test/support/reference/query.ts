/** A random query as data, and the URL that asks it. */

export type Operator =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'le'
  | 'gt'
  | 'ge'
  | 'in'
  | 'nin'
  | 'like'
  | 'ilike'
  | 'nlike'
  | 'nilike'
  | 'startswith'
  | 'istartswith'
  | 'endswith'
  | 'iendswith'
  | 'between'
  | 'isnull'

/** A column of the base (empty path) or of a joined relation. */
export interface FieldRef {
  readonly path: readonly string[]
  readonly column: string
}

export interface Filter extends FieldRef {
  readonly kind: 'filter'
  readonly operator: Operator
  /** In JSON form; a list for `in`, `nin` and `between`. */
  readonly operand: unknown
}

export interface Group<Item> {
  readonly kind: 'or' | 'and' | 'not'
  readonly items: readonly Item[]
}

/** A relation filter; its filters test the record at the end of the path. */
export interface RelationFilter {
  readonly kind: 'exists' | 'missing'
  readonly path: readonly string[]
  readonly filters: readonly (Filter | RelatedFilter)[]
}

/** An aggregate of the records at the end of a path; without `column`, their number. */
export interface RelatedAggregate {
  readonly function: 'sum' | 'count' | 'avg' | 'min' | 'max'
  readonly path: readonly string[]
  readonly where: readonly Condition[]
  readonly column?: string
  readonly label?: string
  /** The name under which the model declares it; queries and results have the name instead of the function. */
  readonly declared?: string
}

/** A filter on an aggregate of related records. */
export interface RelatedFilter {
  readonly kind: 'related'
  readonly of: RelatedAggregate
  readonly operator: Operator
  readonly operand: unknown
}

export type Condition = Filter | Group<Condition> | RelationFilter | RelatedFilter

/** A filter on the label of an aggregate, or a group of these filters. */
export interface LabelFilter {
  readonly kind: 'filter'
  readonly label: string
  readonly operator: Operator
  readonly operand: unknown
}

export type Having = LabelFilter | Group<Having>

export interface Order {
  /** A label, a column, or an aggregate of related records. */
  readonly by: FieldRef | RelatedAggregate | string
  readonly descending: boolean
  readonly nulls?: 'first' | 'last'
}

export interface GroupColumn extends FieldRef {
  readonly bucket?: 'year' | 'month' | 'day'
  readonly label?: string
}

export interface Aggregate extends FieldRef {
  readonly function: 'sum' | 'count' | 'avg' | 'min' | 'max'
  readonly label?: string
}

/** What the results of a query are: whole records, chosen columns of joined rows, or groups of them. */
export type Projection =
  | { readonly kind: 'records'; readonly options: readonly RelationOption[] }
  | { readonly kind: 'fields'; readonly fields: readonly (FieldRef | RelatedAggregate)[] }
  | {
      readonly kind: 'groups'
      readonly columns: readonly GroupColumn[]
      readonly aggregates: readonly Aggregate[]
      readonly having: readonly Having[]
      readonly spelling: 'pairs' | 'groupby' | 'aggregate'
    }

export interface RelationOption {
  readonly path: readonly string[]
  readonly limit?: number
  /** By columns of the related model, or labels of `fields`. */
  readonly order?: readonly Order[]
  readonly fields?: readonly (string | RelatedAggregate)[]
  readonly where?: readonly Condition[]
}

export interface Query {
  /** The model, or the parent record and the relation that is listed. */
  readonly base: string
  readonly parent?: { readonly model: string; readonly row: number; readonly relation: string }
  readonly where: readonly Condition[]
  readonly joins: readonly (readonly string[])[]
  readonly joinType?: 'inner' | 'left' | 'outer' | 'right'
  readonly projection: Projection
  readonly order: readonly Order[]
  /** Of the rows with equal values in these columns of the base, only the first by the order is a result. */
  readonly distinctOn?: readonly string[]
  readonly page?: number
  readonly limit?: number
  readonly count?: 'exact' | 'capped' | 'none'
  readonly dump?: 'url' | 'json' | 'dynamic' | 'hybrid'
  readonly dumpRelationships?: boolean
}

/** The query string. Percent-encodes every value, and quotes a text if it could be read as structure. */
export function queryString(query: Query): string {
  const { projection } = query
  const pairs: string[] = query.where.map(conditionText)
  const add = (name: string, value: string | number | boolean | undefined): void => {
    if (value !== undefined && value !== '') pairs.push(`${name}=${value}`)
  }
  add('join', query.joins.map((path) => path.join('.')).join(','))
  add('join_type', query.joinType)
  if (projection.kind === 'fields') add('fields', projection.fields.map(outputText).join(','))
  if (projection.kind === 'records') pairs.push(...projection.options.flatMap(optionTexts))
  if (projection.kind === 'groups') {
    const { columns, aggregates, having, spelling } = projection
    const columnTexts = columns.map(groupColumnText)
    const aggregateTexts = aggregates.map(aggregateText)
    const inGroups = spelling === 'groupby' && columns.length > 0
    add('groupby', [...columnTexts, ...(inGroups ? aggregateTexts : [])].join(','))
    if (spelling === 'aggregate') add('aggregate', aggregateTexts.join(','))
    else if (!inGroups) pairs.push(...aggregateTexts.map((text) => `${text}=1`))
    pairs.push(...having.map(conditionText))
  }
  add('order_by', query.order.map(orderText).join(','))
  add('distinct_on', query.distinctOn?.join(','))
  add('page', query.page)
  add('limit', query.limit)
  add('count', query.count)
  add('dump', query.dump)
  add('dump_relationships', query.dumpRelationships)
  return pairs.join('&')
}

export const isRelated = (one: FieldRef | RelatedAggregate): one is RelatedAggregate =>
  'function' in one

/** `sum(works[pages__gt=1].price)` */
export function relatedText(aggregate: RelatedAggregate): string {
  const { function: name, path, where, column, declared } = aggregate
  if (declared !== undefined) return declared
  const conditions = where.length === 0 ? '' : `[${where.map(conditionText).join(',')}]`
  const end = column === undefined ? '' : `.${column}`
  return `${name}(${path.join('.')}${conditions}${end})`
}

/** The label that an aggregate has in results, unless the client gives one. */
export const defaultLabel = ({
  function: name,
  path,
  column,
  declared,
}: RelatedAggregate): string => declared ?? [...path, ...(column?.split('.') ?? []), name].join('_')

function outputText(output: FieldRef | RelatedAggregate): string {
  if (!isRelated(output)) return fieldText(output)
  return relatedText(output) + (output.label === undefined ? '' : `|${output.label}`)
}

/** A term of an order, without its direction. */
export const orderName = ({ by }: Order): string =>
  typeof by === 'string' ? by : isRelated(by) ? relatedText(by) : fieldText(by)

export const fieldText = ({ path, column }: FieldRef): string => [...path, column].join('.')

export function groupColumnText(column: GroupColumn): string {
  const label = column.label === undefined ? '' : `|${column.label}`
  return groupColumnKeyText(column) + label
}

/** As the client writes it, without its label. */
export function groupColumnKeyText(column: GroupColumn): string {
  return column.bucket === undefined ? fieldText(column) : `${column.bucket}(${fieldText(column)})`
}

function aggregateText(aggregate: Aggregate): string {
  const label = aggregate.label === undefined ? '' : `|${aggregate.label}`
  return `${fieldText(aggregate)}${label}__${aggregate.function}`
}

function orderText(order: Order): string {
  const { descending, nulls } = order
  return `${descending ? '-' : ''}${orderName(order)}${nulls === undefined ? '' : `.nulls${nulls}`}`
}

const optionField = (field: string | RelatedAggregate): string =>
  typeof field === 'string' ? field : outputText(field)

function optionTexts({ path, limit, order, fields, where }: RelationOption): string[] {
  const name = path.join('.')
  const texts: string[] = []
  if (limit !== undefined) texts.push(`${name}.limit=${limit}`)
  if (order !== undefined) texts.push(`${name}.order_by=${order.map(orderText).join(',')}`)
  if (fields !== undefined) texts.push(`${name}.fields=${fields.map(optionField).join(',')}`)
  if (where !== undefined) texts.push(`${name}[${where.map(conditionText).join(',')}]`)
  return texts
}

function conditionText(condition: Condition | Having): string {
  switch (condition.kind) {
    case 'filter': {
      const name = 'label' in condition ? condition.label : fieldText(condition)
      return `${name}__${condition.operator}=${operandText(condition.operand)}`
    }
    case 'related':
      return `${relatedText(condition.of)}__${condition.operator}=${operandText(condition.operand)}`
    case 'exists':
    case 'missing': {
      const [first, ...rest] = condition.filters.map(conditionText)
      const path = condition.path.join('.')
      const inner = first === undefined ? path : [`${path}.${first}`, ...rest].join(',')
      return `${condition.kind}(${inner})`
    }
    default:
      return `${condition.kind}[${condition.items.map(conditionText).join(',')}]`
  }
}

function operandText(operand: unknown): string {
  return Array.isArray(operand) ? `(${operand.map(scalarText).join(',')})` : scalarText(operand)
}

/** Quoted when the text could be read as structure. */
function scalarText(value: unknown): string {
  const text = String(value)
  const plain = /^[^\s()[\]|"\\,]+$/u.test(text) && text.trim() === text
  return encodeURIComponent(plain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`)
}
