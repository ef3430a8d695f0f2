/** The whole answer of the reference to one query: records, projections or groups, with count and links. */
import type { AnyModel } from '@model-api/core'
import { aggregated, aggregateType } from './aggregates.ts'
import {
  type Aggregate,
  defaultLabel,
  type FieldRef,
  fieldText,
  type GroupColumn,
  groupColumnKeyText,
  isRelated,
  type Order,
  type Query,
  queryString,
  type RelatedAggregate,
  type RelationOption,
} from './query.ts'
import {
  all,
  cell,
  compareKeys,
  type Joined,
  joinedPaths,
  joinRows,
  meets,
  meetsHaving,
  type OrderKey,
  type Row,
  related,
  relatedType,
  relatedValue,
  tieBreaks,
  typeAt,
  type World,
} from './rows.ts'
import {
  declaredOf,
  endpoints,
  isInverse,
  isToOne,
  modelNamed,
  primaryKey,
  type Relation,
  relationOf,
} from './schema.ts'
import { Document, jsonText, type Value, type ValueType } from './values.ts'

type Result = Record<string, unknown>

const defaultLimit = 20

/** The path that the query is sent to. */
export function pathOf(world: World, query: Query): string {
  if (query.parent === undefined) return `/api/${endpoints[query.base]}`
  const { model, relation } = query.parent
  return relationUrl(modelNamed(model), parentRow(world, query), relation)
}

export function urlOf(world: World, query: Query): string {
  const text = queryString(query)
  return text === '' ? pathOf(world, query) : `${pathOf(world, query)}?${text}`
}

/** The body, byte for byte, at the time of the tests' frozen clock. */
export function answerText(world: World, query: Query, depth: number | undefined): string {
  const results = resultsOf(world, query, depth)
  const { page = 1, limit = defaultLimit } = query
  const total = results.length
  const lastPage = Math.max(1, Math.ceil(total / limit))
  const link = (number: number): string => {
    const kept = queryString({ ...query, page: undefined as never, limit: undefined as never })
    const pairs = [...(kept === '' ? [] : [kept]), `limit=${limit}`, `page=${number}`]
    return `${pathOf(world, query)}?${pairs.join('&')}`
  }
  // Without a count, the last page is unknown.
  const before = query.count === 'none' ? page - 1 : Math.min(page - 1, lastPage)
  return jsonText({
    datetime: '2026-01-02T03:04:05.678+00:00',
    api_version: '1.0.0',
    status_code: 200,
    response_ms: 0,
    ...(query.count === 'none' ? {} : { total_count: total }),
    next_url: page * limit < total ? link(page + 1) : null,
    previous_url: page > 1 ? link(before) : null,
    errors: null,
    value: results.slice((page - 1) * limit, page * limit),
  })
}

/** Returns the results of a query on all pages. */
export function resultsOf(world: World, query: Query, depth: number | undefined): Result[] {
  const { projection } = query
  const rows = matching(world, query)
  if (projection.kind === 'groups') return groups(query, projection, rows)
  if (projection.kind === 'fields') return projected(world, query, projection.fields, rows)
  const base = modelNamed(query.base)
  const distinct = new Map(rows.map((joined) => [joined.get(''), joined]))
  const keys = primaryKey(base).map((column) => ({ path: [], column }))
  const embeds = plannedEmbeds(query, projection.options, depth)
  return ordered(world, query, [...distinct.values()], keys).map((joined) =>
    serialise(world, base, joined.get('') as Row, embeds),
  )
}

/** Returns the combinations of rows that meet every condition. Below a parent, these are only the parent's records. */
function matching(world: World, query: Query): Joined[] {
  const base = modelNamed(query.base)
  const { parent } = query
  const children =
    parent === undefined
      ? undefined
      : related(
          world,
          modelNamed(parent.model),
          relationOf(modelNamed(parent.model), parent.relation),
          parentRow(world, query),
        )
  return joinRows(world, query, world.rows[query.base] ?? [])
    .filter((joined) => children?.includes(joined.get('') as Row) ?? true)
    .filter((joined) => all(query.where.map((item) => meets(world, base, joined, item))) === true)
}

function parentRow(world: World, { parent }: Query): Row {
  const row = parent === undefined ? undefined : world.rows[parent.model]?.[parent.row]
  if (row === undefined) throw new Error('no such parent')
  return row
}

function ordered(
  world: World,
  query: Query,
  rows: readonly Joined[],
  last: readonly FieldRef[],
): Joined[] {
  const base = modelNamed(query.base)
  const terms = [
    ...query.order.map((term) => ({ ...term, by: termOf(query, term) })),
    ...last.map((by) => ({ by, descending: false })),
  ]
  const keysOf = (joined: Joined): OrderKey[] =>
    terms.map(({ by }) => ({ type: typeOf(base, by), value: valueFor(world, base, joined, by) }))
  const sorted = [...rows].sort((a, b) => compareKeys(keysOf(a), keysOf(b), terms))
  return query.distinctOn === undefined ? sorted : firstOfEach(sorted, query.distinctOn)
}

/** The first row of those that are equal in the columns of the base. */
function firstOfEach(rows: readonly Joined[], columns: readonly string[]): Joined[] {
  const found = new Set<string>()
  return rows.filter((joined) => {
    const values = columns.map((column) => cell(joined, { path: [], column }))
    return found.size < found.add(keyOf(values)).size
  })
}

/** JSON has no NaN and no infinities. */
const keyOf = (values: readonly Value[]): string =>
  JSON.stringify(values, (_, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? { special: String(value) } : value,
  )

/** What a term orders by, which may be the label of an aggregate among the fields. */
function termOf({ projection }: Query, { by }: Order): FieldRef | RelatedAggregate {
  if (typeof by !== 'string') return by
  const fields = projection.kind === 'fields' ? projection.fields.filter(isRelated) : []
  const found = fields.find((one) => (one.label ?? defaultLabel(one)) === by)
  if (found === undefined) throw new Error(`no label ${by}`)
  return found
}

const typeOf = (base: AnyModel, one: FieldRef | RelatedAggregate): ValueType =>
  isRelated(one) ? relatedType(base, one) : typeAt(base, one)

const valueFor = (
  world: World,
  base: AnyModel,
  joined: Joined,
  one: FieldRef | RelatedAggregate,
): Value =>
  isRelated(one) ? relatedValue(world, base, joined.get('') ?? null, one) : cell(joined, one)

function projected(
  world: World,
  query: Query,
  fields: readonly (FieldRef | RelatedAggregate)[],
  rows: readonly Joined[],
): Result[] {
  const base = modelNamed(query.base)
  const last = tieBreaks(query, joinedPaths(query))
  const keys = keysFor(
    fields.map((field) => {
      if (!isRelated(field)) return { name: field.column, text: fieldText(field) }
      const label = field.label ?? defaultLabel(field)
      return { name: label, text: label }
    }),
  )
  return ordered(world, query, rows, last).map((joined) =>
    Object.fromEntries(
      fields.map((field, i) => [
        keys[i],
        shown(typeOf(base, field), valueFor(world, base, joined, field)),
      ]),
    ),
  )
}

/** Returns the column names, or the client's text if two columns have the same name. */
function keysFor(names: readonly { readonly name: string; readonly text: string }[]): string[] {
  return names.map(({ name, text }) =>
    names.filter((other) => other.name === name).length > 1 ? text : name,
  )
}

const shown = ({ type }: ValueType, value: Value): unknown =>
  type === 'json' && value !== null ? new Document(value) : value

// Groups

type Groups = Extract<Query['projection'], { kind: 'groups' }>

/** The keys of the grouping columns in the results. */
export function groupKeys(columns: readonly GroupColumn[]): string[] {
  return keysFor(
    columns.map((column) => {
      const text = groupColumnKeyText(column)
      const name = column.label ?? (column.bucket === undefined ? column.column : text)
      return { name, text: column.label ?? text }
    }),
  )
}

/** The label of a path into a document is that of its last name. */
export const labelOf = ({ column, function: name, label }: Aggregate): string =>
  label ?? `${column.split('.').at(-1)}_${name}`

function groups(query: Query, projection: Groups, rows: readonly Joined[]): Result[] {
  const base = modelNamed(query.base)
  const { columns, aggregates, having } = projection
  const keys = groupKeys(columns)
  const valuesOf = (joined: Joined): Value[] =>
    columns.map((column) => bucketOf(column.bucket, cell(joined, column)))
  const members = new Map<string, { readonly values: Value[]; readonly group: Joined[] }>()
  if (columns.length === 0) members.set('', { values: [], group: [...rows] })
  for (const joined of columns.length === 0 ? [] : rows) {
    const values = valuesOf(joined)
    const key = keyOf(values)
    const known = members.get(key) ?? { values, group: [] }
    known.group.push(joined)
    members.set(key, known)
  }
  const types: Record<string, ValueType> = {}
  columns.forEach((column, i) => {
    const { bucket } = column
    types[keys[i] as string] =
      bucket === undefined
        ? typeAt(base, column)
        : { type: bucket === 'year' ? 'integer' : 'string' }
  })
  for (const aggregate of aggregates) {
    types[labelOf(aggregate)] = aggregateType(aggregate.function, typeAt(base, aggregate))
  }
  const results = [...members.values()].map(({ values, group }): Result => {
    const result: Result = Object.fromEntries(keys.map((name, i) => [name, values[i]]))
    for (const aggregate of aggregates) {
      const given = group.map((joined) => cell(joined, aggregate)).filter((v) => v !== null)
      result[labelOf(aggregate)] = aggregated(aggregate.function, typeAt(base, aggregate), given)
    }
    return result
  })
  const terms = [
    ...query.order.map((term) => ({ ...term, key: keyOfTerm(term, columns, keys) })),
    ...keys.map((key) => ({ key, descending: false })),
  ]
  const orderKeys = (result: Result): OrderKey[] =>
    terms.map(({ key }) => ({ type: types[key] as ValueType, value: result[key] }))
  return results
    .filter((result) => all(having.map((item) => meetsHaving(types, result, item))) === true)
    .sort((a, b) => compareKeys(orderKeys(a), orderKeys(b), terms))
}

function keyOfTerm(
  { by }: Order,
  columns: readonly GroupColumn[],
  keys: readonly string[],
): string {
  if (typeof by === 'string') return by
  if (isRelated(by)) throw new Error('groups are not ordered by related records')
  const at = columns.findIndex(
    (column) => column.bucket === undefined && fieldText(column) === fieldText(by),
  )
  return keys[at] as string
}

function bucketOf(bucket: GroupColumn['bucket'], value: Value): Value {
  if (bucket === undefined || value === null) return value
  const text = String(value)
  if (bucket === 'year') return Number(text.slice(0, 4))
  return text.slice(0, bucket === 'month' ? 7 : 10)
}

// Records

/** Which relations are embedded below one object, and how. */
interface Embeds {
  readonly relations: ReadonlyMap<string, Embeds>
  readonly option?: RelationOption
  /** Whether relations are shown at all. */
  readonly show: boolean
}

export function plannedEmbeds(
  query: Query,
  options: readonly RelationOption[],
  depth: number | undefined,
): Embeds {
  const mode = query.dump ?? 'url'
  const show = query.dumpRelationships !== false
  const joined = new Set(joinedPaths(query).map((path) => path.join('.')))
  const at = (
    model: AnyModel,
    path: readonly string[],
    arrived: { readonly relation: Relation; readonly source: AnyModel } | undefined,
  ): Embeds => {
    const option = options.find((candidate) => candidate.path.join('.') === path.join('.'))
    const relations = new Map<string, Embeds>()
    const shows = show && option?.fields === undefined
    for (const [key, relation] of Object.entries(shows ? model.relations : {})) {
      const next = [...path, key]
      const back = arrived !== undefined && isInverse(arrived.relation, arrived.source, relation)
      const deep = path.length < (depth ?? 1) && !back
      const embed =
        (mode === 'json' && deep) ||
        (mode === 'hybrid' && deep && isToOne(relation)) ||
        (mode === 'dynamic' && joined.has(next.join('.')))
      if (embed) {
        relations.set(key, at(modelNamed(relation.target), next, { relation, source: model }))
      }
    }
    return { relations, show: shows, ...(option === undefined ? {} : { option }) }
  }
  return at(modelNamed(query.base), [], undefined)
}

/** The paths that are embedded, from which options may be chosen. */
export function embeddedPaths({ relations }: Embeds, path: readonly string[] = []): string[][] {
  return [...relations].flatMap(([key, below]) => [
    [...path, key],
    ...embeddedPaths(below, [...path, key]),
  ])
}

function serialise(world: World, model: AnyModel, row: Row, embeds: Embeds): Result {
  const declared = declaredOf(model)
  const fields = embeds.option?.fields ?? [
    ...Object.keys(model.columns),
    ...declared.filter(({ sent }) => sent).map((one) => one.declared),
  ]
  const object: Result = Object.fromEntries(
    fields.map((field) => {
      if (typeof field !== 'string') {
        const value = relatedValue(world, model, row, field)
        return [field.label ?? defaultLabel(field), shown(relatedType(model, field), value)]
      }
      const aggregate = declared.find((one) => one.declared === field)
      if (aggregate !== undefined) return [field, relatedValue(world, model, row, aggregate)]
      return [field, shown(model.columns[field] as ValueType, row[field])]
    }),
  )
  if (!embeds.show) return object
  for (const [key, relation] of Object.entries(model.relations)) {
    const below = embeds.relations.get(key)
    const target = modelNamed(relation.target)
    if (below === undefined) {
      const keys = relation.kind === 'belongsTo' ? [relation.key].flat() : []
      const none = keys.some((field) => row[field] === null)
      object[key] = none ? null : relationUrl(model, row, key)
      continue
    }
    const rows = chosen(world, target, related(world, model, relation, row), below.option)
    const objects = rows.map((child) => serialise(world, target, child, below))
    object[key] = isToOne(relation) ? (objects[0] ?? null) : objects
  }
  return object
}

/** Returns the records of one parent that the options of a relation select. */
function chosen(
  world: World,
  model: AnyModel,
  rows: readonly Row[],
  { where = [], order = [], fields = [], limit = rows.length }: RelationOption = { path: [] },
): Row[] {
  const related = fields.filter((field) => typeof field !== 'string')
  const projection = { kind: 'fields', fields: related }
  const query = { base: model.name, order, projection } as unknown as Query
  const keys = primaryKey(model).map((column) => ({ path: [], column }))
  const joined = rows.map((row): Joined => new Map([['', row]]))
  return ordered(
    world,
    query,
    joined.filter((row) => all(where.map((item) => meets(world, model, row, item))) === true),
    keys,
  )
    .map((row) => row.get('') as Row)
    .slice(0, limit)
}

/** `/api/works/1/order-lines` */
function relationUrl(model: AnyModel, row: Row, key: string): string {
  const id = primaryKey(model).map((field) => encodeURIComponent(String(row[field])))
  return `/api/${endpoints[model.name]}/${id.join(',')}/${key.replaceAll('_', '-')}`
}
