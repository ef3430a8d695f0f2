/** Random data and random queries, decoded from lists of small numbers so that failures shrink well. */
import type { AnyModel, Column } from '@model-api/core'
import fc from 'fast-check'
import { aggregateType } from './aggregates.ts'
import { embeddedPaths, groupKeys, labelOf, plannedEmbeds } from './answer.ts'
import {
  type Aggregate,
  type Condition,
  defaultLabel,
  type FieldRef,
  type Filter,
  fieldText,
  type GroupColumn,
  groupColumnText,
  type Having,
  isRelated,
  type Operator,
  type Order,
  orderName,
  type Projection,
  type Query,
  type RelatedAggregate,
  type RelatedFilter,
  type RelationOption,
} from './query.ts'
import type { Row, World } from './rows.ts'
import { relatedType, typeAt } from './rows.ts'
import {
  declaredOf,
  isToOne,
  modelAt,
  models,
  pathIsToOne,
  pathsOf,
  primaryKey,
  queryColumns,
  relationOf,
} from './schema.ts'
import { compareText, type ValueType } from './values.ts'

/** A list of numbers, each of which makes one choice. After the last number, every choice takes the first option. */
class Tape {
  readonly #numbers: readonly number[]
  #at = 0

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  below(count: number): number {
    const number = this.#numbers[this.#at] ?? 0
    this.#at += 1
    return number % count
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T
  }

  /** True in `tenths` of ten cases. */
  chance(tenths: number): boolean {
    return this.below(10) >= 10 - tenths
  }
}

const tape = (length: number): fc.Arbitrary<number[]> =>
  fc.array(fc.nat(9999), { minLength: length, maxLength: length, size: 'max' })

const tapes = (length: number, count: number, least = 0): fc.Arbitrary<number[][]> =>
  fc.array(tape(length), { minLength: least, maxLength: count, size: 'max' })

/** `usual` in four of five cases, otherwise `rare`. */
const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 1, arbitrary: rare }, { weight: 4, arbitrary: usual })

/** At least `count - 2` rows in four of five cases, otherwise any number up to `count`. */
const table = (length: number, count: number): fc.Arbitrary<number[][]> =>
  mostly(tapes(length, count, count - 2), tapes(length, count))

// Data

const texts = [
  'a',
  'A',
  'ab',
  'aB',
  '',
  'a ',
  ' a',
  'b',
  'é',
  'É',
  'e\u0301',
  'Ža',
  'ža',
  '%',
  'a_b',
  'a%b',
  '\\',
  '😀',
  'z😀',
  '\uFF5E',
  "'",
  '"q"',
  '(x)',
  '[y]',
  'a,b',
  'Ωω',
  'ωΩ',
  'null',
  '10',
  '9',
  'a\tb',
  'ZZ',
]
/** Keys that every database distinguishes, even if it compares them without case. */
const codes = ['x', 'a,b/', 'é%', '10', '😀', '9', '_', 'y z']
const uuids = [
  '00000000-0000-4000-8000-000000000000',
  '0a0b0c0d-0000-4000-8000-00000000000a',
  'a0000000-0000-4000-8000-000000000001',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  '12345678-9abc-4def-8123-456789abcdef',
  '12345678-9abc-4def-9123-456789abcdef',
]
const bigints = ['0', '-1', '10', '9', '9007199254740993', '9007199254740992', '-9007199254740993']

/** Values of a type that may be stored, besides NULL. */
function pool({ type, scale = 0 }: ValueType): readonly unknown[] {
  switch (type) {
    case 'integer':
      return [1, 0, 2, 3, -1, 10, 2147483647, -2147483648]
    case 'bigint':
      return bigints
    case 'float':
      return [0.5, 0, -0.25, 1, 2.5, 100, -3]
    case 'decimal':
      return ['0', '1', '-0.01', '12.5', '9', '10', '-3', '999999.99'].map((text) =>
        fixed(text, scale),
      )
    case 'boolean':
      return [true, false]
    case 'enum':
      return ['novel', 'Poem', 'play']
    case 'date':
      return ['2024-02-29', '2024-02-28', '1999-12-31', '0001-01-01', '9999-12-31', '2023-02-28']
    case 'time':
      return ['00:00:00', '23:59:59', '09:30:00', '10:00:00']
    case 'datetime':
      return [
        '2024-02-29T23:59:59.999Z',
        '2024-03-01T00:00:00.000Z',
        '1969-12-31T23:59:59.500Z',
        '2024-02-01T12:00:00.120Z',
        '2023-02-01T12:00:00.000Z',
      ]
    case 'uuid':
      return uuids
    case 'json':
      return [
        {},
        [],
        { b: 1, a: [true, null, 'é'] },
        'text',
        0,
        { Z: { y: 1, x: 2 }, '😀': 0, '\uFF5E': 1 },
        { n: 1, r: 0.5, a: { t: 'a', 'b-1': true } },
        { n: 2, r: 3, a: { t: 'A', 'b-1': false } },
        { n: -1, r: -0.25, a: { t: '😀' } },
        { n: 10, r: 100, a: { t: '' } },
        // Documents with values of other types than declared at the declared paths.
        { n: '1', r: true, a: { t: 1, 'b-1': 'true' } },
        { n: 2.5, r: '0.5', a: { t: null, 'b-1': 0 } },
        { n: null, a: [{ t: 'a' }] },
      ]
    case 'binary':
      return ['AA==', '', '/+8A', 'YWJj']
    case 'string':
    case 'text':
      return texts
    default:
      throw new Error(`a column of type ${type} needs values in pool (reference/arbitrary.ts)`)
  }
}

function fixed(text: string, scale: number): string {
  const [whole, fraction = ''] = text.split('.')
  const digits = fraction.slice(0, scale).padEnd(scale, '0')
  const result = scale === 0 ? `${whole}` : `${whole}.${digits}`
  return /^-0(\.0*)?$/.test(result) ? result.slice(1) : result
}

const counts: Readonly<Record<string, number>> = {
  Author: 5,
  Work: 6,
  Label: 4,
  OrderLine: 5,
  Badge: 4,
  Remark: 4,
}

/** A small world: few rows, few values, many NULLs and equal values. */
export const worlds: fc.Arbitrary<World> = fc
  .record({
    Author: table(5, counts.Author as number),
    Work: table(18, counts.Work as number),
    Label: table(3, counts.Label as number),
    OrderLine: table(6, counts.OrderLine as number),
    Badge: table(5, counts.Badge as number),
    Remark: table(6, counts.Remark as number),
    friendships: table(2, 6),
    work_labels: table(2, 8),
  })
  .map(decodeWorld)

/** Worlds in which some floats have no JSON number, as PostgreSQL stores them. */
export const worldsWithSpecialFloats: fc.Arbitrary<World> = fc
  .record({ world: worlds, choices: tape(10) })
  .map(({ world, choices }) => {
    const tape = new Tape(choices)
    const rows = Object.fromEntries(
      models.map(({ name, columns }) => {
        const floats = Object.keys(columns).filter((field) => columns[field]?.type === 'float')
        const special = (row: Row): Row => ({
          ...row,
          ...Object.fromEntries(
            floats.map((field) => [field, tape.of([Number.NaN, Infinity, -Infinity, row[field]])]),
          ),
        })
        return [name, floats.length === 0 ? world.rows[name] : world.rows[name]?.map(special)]
      }),
    )
    return { ...world, rows: rows as World['rows'] }
  })

function decodeWorld(given: Readonly<Record<string, number[][]>>): World {
  const rows: Record<string, Row[]> = {}
  for (const model of models) {
    rows[model.name] = (given[model.name] ?? []).map((numbers, i) =>
      plainRow(model, new Tape(numbers), i),
    )
  }
  rows.OrderLine = unique(rows.OrderLine ?? [], ({ order_code, line }) => `${order_code} ${line}`)
  const authors = given.Author?.map((numbers) => new Tape(numbers.slice(-1))) ?? []
  const reference = (choices: Tape, name: string): Row | undefined => {
    const candidates = rows[name] ?? []
    return candidates[choices.below(candidates.length + 1)]
  }
  rows.Author = (rows.Author ?? []).map((row, i) => ({
    ...row,
    mentor_id: reference(authors[i] as Tape, 'Author')?.id ?? null,
  }))
  rows.Work = (rows.Work ?? []).map((row, i) => {
    const choices = new Tape(given.Work?.[i]?.slice(-2) ?? [])
    return {
      ...row,
      author_id: reference(choices, 'Author')?.id ?? null,
      editor_id: reference(choices, 'Author')?.id ?? null,
    }
  })
  rows.OrderLine = rows.OrderLine.map((row, i) => {
    const choices = new Tape(given.OrderLine?.[i]?.slice(-1) ?? [])
    return { ...row, work_id: reference(choices, 'Work')?.id ?? null }
  })
  const wearers = new Set<unknown>()
  rows.Badge = (rows.Badge ?? []).map((row, i) => {
    const choices = new Tape(given.Badge?.[i]?.slice(-2) ?? [])
    const wearer = reference(choices, 'Author')?.id ?? null
    const taken = wearers.has(wearer)
    wearers.add(wearer)
    return {
      ...row,
      author_id: taken ? null : wearer,
      label_code: reference(choices, 'Label')?.code ?? null,
    }
  })
  rows.Remark = (rows.Remark ?? []).map((row, i) => {
    const choices = new Tape(given.Remark?.[i]?.slice(-2) ?? [])
    const line = reference(choices, 'OrderLine')
    // A composite key of which one part is NULL refers to no record.
    const half = choices.chance(2)
    return {
      ...row,
      line_code: line?.order_code ?? null,
      line_no: half ? null : (line?.line ?? null),
    }
  })
  const link = (name: string, from: string, to: string, left: string, right: string): Row[] =>
    unique(
      (given[name] ?? []).flatMap((numbers) => {
        const [a, b] = [rows[left] ?? [], rows[right] ?? []]
        const choices = new Tape(numbers)
        if (a.length === 0 || b.length === 0) return []
        return [{ [from]: choices.of(a).id, [to]: choices.of(b).id }]
      }),
      (row) => JSON.stringify(row),
    )
  return {
    rows,
    links: {
      friendships: link('friendships', 'author_id', 'friend_id', 'Author', 'Author'),
      work_labels: link('work_labels', 'work_id', 'label_id', 'Work', 'Label'),
    },
  }
}

function plainRow(model: AnyModel, choices: Tape, index: number): Row {
  const row: Record<string, unknown> = {}
  for (const [field, column] of Object.entries(model.columns)) {
    if (field.endsWith('_id') || field === 'label_code' || field.startsWith('line_'))
      row[field] = null
    else if (column.primaryKey === true || column.unique === true)
      row[field] = keyValue(field, column, index, choices)
    else row[field] = choices.chance(2) ? null : choices.of(pool(column))
  }
  return row
}

function keyValue(field: string, { type }: Column, index: number, choices: Tape): unknown {
  if (field === 'order_code') return choices.of(codes)
  if (field === 'line') return choices.of([1, 2, 10])
  if (type === 'bigint') return bigints[index]
  if (type === 'uuid') return uuids[index]
  return type === 'integer' ? index + 1 : codes[index]
}

function unique<T>(rows: readonly T[], key: (row: T) => string): T[] {
  return [...new Map(rows.map((row) => [key(row), row])).values()]
}

// Queries

export interface Asked {
  readonly query: Query
  /** API_SERIALIZATION_DEPTH */
  readonly depth: number | undefined
}

export const depths = [undefined, 0, 1, 2, 3] as const

interface Parts {
  readonly head: number[]
  readonly where: number[][]
  readonly joins: number[][]
  readonly order: number[][]
  readonly fields: number[][]
  readonly related: number[][]
  readonly aggregates: number[][]
  readonly having: number[][]
  readonly options: number[][]
}

/** Random parts of a query, which `decodeQuery` turns into a query about a world. */
export const queryParts: fc.Arbitrary<Parts> = fc.record({
  head: tape(16),
  where: mostly(tapes(30, 1), tapes(30, 3)),
  joins: tapes(1, 2),
  order: tapes(16, 3),
  related: tapes(14, 2),
  fields: tapes(4, 4),
  aggregates: tapes(4, 3),
  having: mostly(tapes(12, 1), tapes(12, 2)),
  options: tapes(24, 2),
})

const kinds = ['records', 'records', 'fields', 'groups'] as const

export function decodeQuery(world: World, parts: Parts): Asked {
  const head = new Tape(parts.head)
  const kind = head.of(kinds)
  const base = head.of(models)
  const depth = head.of(depths)
  const paths = pathsOf(base, 2)
  const joins = unique(
    parts.joins.map((numbers) => new Tape(numbers).of(paths)),
    (path) => path.join('.'),
  )
  const reach = unique(
    [[], ...joins.flatMap((path) => path.map((_, i) => path.slice(0, i + 1)))],
    (path) => path.join('.'),
  )
  const where = parts.where.map((numbers) => condition(base, reach, new Tape(numbers), 0))
  const joinType = head.of([undefined, 'inner', 'left', 'outer', 'right'] as const)
  const parent = parentOf(world, base, head)
  const common = {
    base: base.name,
    where,
    joins,
    ...(joins.length > 0 && joinType !== undefined ? { joinType } : {}),
    ...(parent === undefined ? {} : { parent }),
    ...optional('page', head.of([undefined, undefined, 1, 2, 3])),
    ...optional('limit', head.of([undefined, 1, 2, 3, 5, 100])),
    ...optional(
      'count',
      head.of([undefined, undefined, undefined, 'exact', 'capped', 'none'] as const),
    ),
  }
  if (kind === 'groups') return { query: groupQuery(base, reach, parts, head, common), depth }
  const fields =
    kind === 'fields'
      ? [
          ...unique(
            parts.fields.map((numbers) => field(base, reach, new Tape(numbers))),
            fieldText,
          ),
          ...relatedFields(base, parts.related),
        ]
      : []
  const orderPaths = fields.length > 0 ? reach : reach.filter((path) => pathIsToOne(base, path))
  const order = unique(
    parts.order.map((numbers) => rowOrder(base, orderPaths, fields.filter(isRelated), numbers)),
    orderName,
  )
  const distinctOn = distinctColumns(base, joins, joinType, order, head)
  const rows = { ...common, order, ...optional('distinctOn', distinctOn) }
  if (fields.length > 0) {
    return { query: { ...rows, projection: { kind: 'fields', fields } }, depth }
  }
  const records: Query = {
    ...rows,
    projection: { kind: 'records', options: [] },
    ...optional('dump', head.of([undefined, 'json', 'dynamic', 'hybrid', 'url'] as const)),
    ...(head.chance(1) ? { dumpRelationships: false } : {}),
  }
  const options = decodeOptions(base, records, depth, parts.options)
  return { query: { ...records, projection: { kind: 'records', options } }, depth }
}

/** The columns of the base that begin the order, or some of them; undefined with joins that give several rows for one record. */
function distinctColumns(
  base: AnyModel,
  joins: readonly string[][],
  joinType: Query['joinType'],
  order: readonly Order[],
  head: Tape,
): string[] | undefined {
  if (!head.chance(3)) return undefined
  if (
    joins.length > 0 &&
    (joinType === 'right' || joins.some((path) => !pathIsToOne(base, path)))
  ) {
    return undefined
  }
  const columns: string[] = []
  for (const { by } of order) {
    if (typeof by === 'string' || isRelated(by) || by.path.length > 0) break
    columns.push(by.column)
  }
  return columns.length === 0 ? undefined : columns.slice(0, 1 + head.below(columns.length))
}

function optional<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: T }
}

function parentOf(world: World, base: AnyModel, head: Tape): Query['parent'] {
  if (!head.chance(2)) return undefined
  const ways = models.flatMap((model) =>
    Object.entries(model.relations)
      .filter(([, relation]) => relation.target === base.name && !isToOne(relation))
      .map(([relation]) => ({ model: model.name, relation })),
  )
  const way = ways.length === 0 ? undefined : head.of(ways)
  const rows = way === undefined ? 0 : (world.rows[way.model]?.length ?? 0)
  return way === undefined || rows === 0 ? undefined : { ...way, row: head.below(rows) }
}

function field(base: AnyModel, reach: readonly string[][], choices: Tape): FieldRef {
  const path = choices.of(reach)
  const column = choices.of(Object.keys(queryColumns(modelAt(base, path))))
  return { path, column }
}

const orderable = ({ type }: ValueType): boolean => type !== 'json' && type !== 'binary'

function comparableField(base: AnyModel, reach: readonly string[][], choices: Tape): FieldRef {
  const path = choices.of(reach)
  const columns = queryColumns(modelAt(base, path))
  const names = Object.keys(columns).filter((name) => orderable(columns[name] as Column))
  return { path, column: choices.of(names) }
}

function columnOrder(base: AnyModel, reach: readonly string[][], choices: Tape): Order {
  return { by: comparableField(base, reach, choices), ...direction(choices) }
}

/** An order of rows: by a column, by an aggregate of related records, or by the label of one among the fields. */
function rowOrder(
  base: AnyModel,
  reach: readonly string[][],
  labelled: readonly RelatedAggregate[],
  numbers: readonly number[],
): Order {
  const choices = new Tape(numbers)
  const order = columnOrder(base, reach, choices)
  if (!choices.chance(3)) return order
  const [first] = labelled
  if (first !== undefined && choices.chance(5)) {
    return { ...order, by: first.label ?? defaultLabel(first) }
  }
  return { ...order, by: relatedAggregate(base, choices) ?? order.by }
}

/** Aggregates of related records among the fields, with labels that differ. */
function relatedFields(base: AnyModel, given: readonly number[][]): RelatedAggregate[] {
  const taken = new Set<string>()
  return given.flatMap((numbers, i) => {
    const choices = new Tape(numbers)
    const aggregate = relatedAggregate(base, choices)
    if (aggregate === undefined) return []
    if (aggregate.declared !== undefined && taken.has(aggregate.declared)) return []
    const free = !taken.has(defaultLabel(aggregate)) && choices.chance(5)
    taken.add(defaultLabel(aggregate))
    return [free || aggregate.declared !== undefined ? aggregate : { ...aggregate, label: `r${i}` }]
  })
}

function relatedAggregate(base: AnyModel, choices: Tape): RelatedAggregate | undefined {
  const paths = pathsOf(base, 2).filter((path) => !pathIsToOne(base, path))
  if (paths.length === 0) return undefined
  const declared = declaredOf(base)
  if (declared.length > 0 && choices.chance(3)) return choices.of(declared)
  const path = choices.of(paths)
  const end = modelAt(base, path)
  const where = choices.chance(5) ? [condition(end, [[]], choices, 2)] : []
  if (choices.chance(4)) return { function: 'count', path, where }
  const columns = queryColumns(end)
  const column = choices.of(Object.keys(columns))
  const names = functionsOf(columns[column] as ValueType).filter((name) => name !== 'count')
  if (names.length === 0) return { function: 'count', path, where }
  return { function: choices.of(names), path, where, column }
}

function direction(choices: Tape): Pick<Order, 'descending' | 'nulls'> {
  const descending = choices.chance(5)
  const nulls = choices.of([undefined, undefined, 'first', 'last'] as const)
  return { descending, ...(nulls === undefined ? {} : { nulls }) }
}

const filters = ['filter', 'filter', 'filter', 'filter'] as const

function condition(
  base: AnyModel,
  reach: readonly string[][],
  choices: Tape,
  level: number,
): Condition {
  const kind = choices.of(
    level < 2
      ? ([...filters, 'or', 'and', 'not', 'exists', 'missing', 'related'] as const)
      : (['filter', 'filter', 'exists'] as const),
  )
  if (kind === 'related') {
    const related = relatedFilter(base, choices)
    if (related !== undefined) return related
  }
  if (kind === 'filter' || kind === 'related') return filter(base, reach, choices)
  if (kind === 'exists' || kind === 'missing') {
    const path = choices.of(pathsOf(base, 2))
    const end = modelAt(base, path)
    const filters = Array.from({ length: choices.below(3) }, () =>
      level < 2 && choices.chance(2)
        ? (relatedFilter(end, choices) ?? filter(end, [[]], choices))
        : filter(end, [[]], choices),
    )
    return { kind, path, filters }
  }
  const length = 1 + choices.below(3)
  const items = Array.from({ length }, () => condition(base, reach, choices, level + 1))
  return { kind, items }
}

function relatedFilter(base: AnyModel, choices: Tape): RelatedFilter | undefined {
  const of = relatedAggregate(base, choices)
  if (of === undefined) return undefined
  return { kind: 'related', of, ...test(relatedType(base, of), choices) }
}

function filter(base: AnyModel, reach: readonly string[][], choices: Tape): Filter {
  const ref = field(base, reach, choices)
  return { kind: 'filter', ...ref, ...test(typeAt(base, ref), choices) }
}

const equality = ['eq', 'ne', 'in', 'nin', 'isnull'] as const
const ranges = ['lt', 'le', 'gt', 'ge', 'between'] as const
const likes = [
  'like',
  'ilike',
  'nlike',
  'nilike',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
] as const

/** An operator that fits the type, and an operand. */
function test(type: ValueType, choices: Tape): { operator: Operator; operand: unknown } {
  const operators: readonly Operator[] =
    type.type === 'json' || type.type === 'binary'
      ? ['isnull']
      : type.type === 'boolean'
        ? equality
        : ['string', 'text', 'enum'].includes(type.type)
          ? [...equality, ...ranges, ...likes]
          : [...equality, ...ranges]
  const operator = choices.of(operators)
  const value = (): unknown => choices.of(operands(type))
  if (operator === 'isnull') return { operator, operand: choices.chance(5) }
  if (operator === 'in' || operator === 'nin') {
    return { operator, operand: Array.from({ length: choices.below(4) }, value) }
  }
  if (operator === 'between') return { operator, operand: [value(), value()] }
  if ((likes as readonly string[]).includes(operator)) {
    return {
      operator,
      operand: choices.of(['a', 'B', '', 'É', '%', '_', '\\', '😀', 'žA', ' ', 'o', 'ω']),
    }
  }
  return { operator, operand: value() }
}

/** Values to compare with: those that may be stored, and for numbers others between them. */
function operands(type: ValueType): readonly unknown[] {
  if (type.type === 'decimal') return [...pool(type), '12.5', '0.1', '-3', '1.0']
  if (type.type === 'float') return [...pool(type), 1.25]
  return pool(type)
}

function decodeOptions(
  base: AnyModel,
  query: Query,
  depth: number | undefined,
  given: readonly number[][],
): RelationOption[] {
  const options: RelationOption[] = []
  for (const numbers of given) {
    const choices = new Tape(numbers)
    const paths = embeddedPaths(plannedEmbeds(query, options, depth)).filter(
      (path) => !options.some((other) => other.path.join('.') === path.join('.')),
    )
    if (paths.length === 0) break
    const path = choices.of(paths)
    const source = modelAt(base, path.slice(0, -1))
    const many = !isToOne(relationOf(source, path.at(-1) ?? ''))
    const target = modelAt(base, path)
    const names = [
      ...Object.keys(target.columns),
      ...declaredOf(target).map(({ declared }) => declared),
    ]
    const choice = choices.below(4)
    const aggregate =
      choice === 2 && choices.chance(5) ? relatedAggregate(target, choices) : undefined
    const labelled = aggregate?.declared === undefined ? aggregate : undefined
    const option: RelationOption = {
      path,
      ...(many && choice < 2 ? { limit: 1 + choices.below(2) } : {}),
      ...(many && choice === 1 ? { order: [columnOrder(target, [[]], choices)] } : {}),
      ...(choice === 2
        ? {
            fields: [
              ...unique([choices.of(names), choices.of(names)], String),
              ...(labelled === undefined ? [] : [{ ...labelled, label: 'r' }]),
            ],
          }
        : {}),
      ...(many && labelled !== undefined && choices.chance(5)
        ? { order: [{ by: 'r', ...direction(choices) }] }
        : {}),
      ...(choice === 3 || choice === 0 ? { where: [condition(target, [[]], choices, 1)] } : {}),
    }
    if (Object.keys(option).length > 1) options.push(option)
  }
  // A relation with `fields` embeds no further relations, so options of relations below it are omitted.
  const left = embeddedPaths(plannedEmbeds(query, options, depth)).map((path) => path.join('.'))
  return options.filter(({ path }) => left.includes(path.join('.')))
}

// Groups

function groupQuery(
  base: AnyModel,
  reach: readonly string[][],
  parts: Parts,
  head: Tape,
  common: Omit<Query, 'projection' | 'order'>,
): Query {
  const columns = unique(
    parts.fields.slice(0, 2).map((numbers, i) => groupColumn(base, reach, new Tape(numbers), i)),
    groupColumnText,
  )
  const taken = new Set<string>()
  const aggregates = parts.aggregates.map((numbers, i) => {
    const aggregate = aggregateOf(base, reach, new Tape(numbers), i)
    const label = labelOf(aggregate)
    const free = !taken.has(label)
    taken.add(label)
    return free ? aggregate : { ...aggregate, label: `again${i}` }
  })
  const used: Aggregate[] =
    columns.length + aggregates.length > 0
      ? aggregates
      : [{ path: [], column: primaryKey(base)[0] as string, function: 'count' }]
  const labels = used.map((aggregate): [string, ValueType] => [
    labelOf(aggregate),
    aggregateType(aggregate.function, typeAt(base, aggregate)),
  ])
  const having =
    labels.length === 0 ? [] : parts.having.map((n) => havingOf(labels, new Tape(n), 0))
  const keys = groupKeys(columns)
  const sortable: (FieldRef | string)[] = [
    ...columns.flatMap((column): (FieldRef | string)[] => {
      if (column.label !== undefined) return [column.label]
      return column.bucket === undefined ? [{ path: column.path, column: column.column }] : []
    }),
    ...labels.map(([label]) => label),
  ]
  const order =
    sortable.length === 0 || keys.length === 0
      ? []
      : unique(
          parts.order.map((numbers): Order => {
            const choices = new Tape(numbers)
            return { by: choices.of(sortable), ...direction(choices) }
          }),
          orderName,
        )
  const spelling = head.of(['pairs', 'groupby', 'aggregate'] as const)
  const projection: Projection = { kind: 'groups', columns, aggregates: used, having, spelling }
  return { ...common, order, projection }
}

function groupColumn(
  base: AnyModel,
  reach: readonly string[][],
  choices: Tape,
  index: number,
): GroupColumn {
  const ref = comparableField(base, reach, choices)
  const { type } = typeAt(base, ref)
  const dated = type === 'date' || type === 'datetime'
  const bucket = dated ? choices.of([undefined, 'year', 'month', 'day'] as const) : undefined
  const labelled = bucket !== undefined && choices.chance(5)
  return {
    ...ref,
    ...(bucket === undefined ? {} : { bucket }),
    ...(labelled ? { label: `b${index}` } : {}),
  }
}

function aggregateOf(
  base: AnyModel,
  reach: readonly string[][],
  choices: Tape,
  index: number,
): Aggregate {
  const ref = field(base, reach, choices)
  const names = functionsOf(typeAt(base, ref))
  const label = choices.chance(5) ? `a${index}` : undefined
  return { ...ref, function: choices.of(names), ...(label === undefined ? {} : { label }) }
}

/** The functions that fit a type. */
function functionsOf({ type }: ValueType): readonly Aggregate['function'][] {
  const numeric = ['integer', 'bigint', 'float', 'decimal'].includes(type)
  const ordered = !['json', 'binary', 'boolean'].includes(type)
  if (numeric) return ['sum', 'avg', 'count', 'min', 'max']
  return ordered ? ['count', 'min', 'max'] : ['count']
}

function havingOf(labels: readonly [string, ValueType][], choices: Tape, level: number): Having {
  const kind = level < 1 ? choices.of(['filter', 'filter', 'or', 'and', 'not'] as const) : 'filter'
  if (kind !== 'filter') {
    const length = 1 + choices.below(2)
    return { kind, items: Array.from({ length }, () => havingOf(labels, choices, level + 1)) }
  }
  const [label, type] = choices.of(labels)
  return { kind: 'filter', label, ...test(type, choices) }
}

/** One world with rows in every table, for tests that are not about the data. */
export const someWorld: World = decodeWorld(
  Object.fromEntries(
    [...models.map((model) => model.name), 'friendships', 'work_labels'].map((name, table) => [
      name,
      Array.from({ length: 5 }, (_, row) =>
        Array.from({ length: 20 }, (_, i) => (table + 1) * (row + 3) * (i + 7)),
      ),
    ]),
  ),
)

/** A world as a short text, from which it can be rebuilt by hand. */
export function describeWorld({ rows, links }: World): string {
  const lines = Object.entries({ ...rows, ...links }).flatMap(([name, list]) =>
    list.map((row) => {
      const given = Object.entries(row).filter(([, value]) => value !== null)
      return `  ${name} ${JSON.stringify(Object.fromEntries(given))}`
    }),
  )
  return lines.length === 0 ? '  (no rows)' : lines.sort(compareText).join('\n')
}
