/** Joins, filters and order of the reference, over arrays of rows and in three-valued logic. */
import type { AnyModel } from '@model-api/core'
import { aggregated, aggregateType } from './aggregates.ts'
import type {
  Condition,
  FieldRef,
  Having,
  Operator,
  Order,
  Query,
  RelatedAggregate,
} from './query.ts'
import {
  documentPaths,
  isToOne,
  modelAt,
  modelNamed,
  primaryKey,
  queryColumns,
  type Relation,
  relationOf,
} from './schema.ts'
import { compareValues, containsFolded, type Value, type ValueType } from './values.ts'

export type Row = Readonly<Record<string, Value>>

/** The rows of every model, and the pairs of every junction table. */
export interface World {
  readonly rows: Readonly<Record<string, readonly Row[]>>
  readonly links: Readonly<Record<string, readonly Row[]>>
}

/** One combination of rows, by relation path joined with dots; the base has the empty path. */
export type Joined = ReadonlyMap<string, Row | null>

/** True, false, or unknown. */
export type Truth = boolean | null

/** The rows a relation leads to from one row. */
export function related(
  world: World,
  source: AnyModel,
  relation: Relation,
  row: Row | null,
): Row[] {
  if (row === null) return []
  const target = modelNamed(relation.target)
  const rows = world.rows[relation.target] ?? []
  const matching = (targetFields: readonly string[], values: readonly Value[]): Row[] =>
    values.some((value) => value === null)
      ? []
      : rows.filter((other) => targetFields.every((field, i) => other[field] === values[i]))
  if (relation.kind === 'manyToMany') {
    const [own = ''] = primaryKey(source)
    const [other = ''] = primaryKey(target)
    const [from, to] = [String(relation.from), String(relation.to)]
    const keys = (world.links[relation.through] ?? [])
      .filter((link) => link[from] === row[own])
      .map((link) => link[to])
    return rows.filter((candidate) => keys.includes(candidate[other]))
  }
  const keys = [relation.key].flat()
  if (relation.kind === 'belongsTo') {
    const references = [relation.references ?? primaryKey(target)].flat()
    return matching(
      references,
      keys.map((key) => row[key]),
    )
  }
  const references = [relation.references ?? primaryKey(source)].flat()
  return matching(
    keys,
    references.map((field) => row[field]),
  )
}

/** Returns the joined paths, with the paths that lead to them, in the order in which a query first mentions them. */
export function joinedPaths(query: Query): string[][] {
  const paths = new Map<string, string[]>()
  for (const path of query.joins) {
    path.forEach((_, i) => {
      const part = path.slice(0, i + 1)
      paths.set(part.join('.'), part)
    })
  }
  return [...paths.values()]
}

/** All combinations of base rows and joined rows. */
export function joinRows(world: World, query: Query, base: readonly Row[]): Joined[] {
  const model = modelNamed(query.base)
  const projected = query.projection.kind !== 'records'
  const type = query.joinType ?? 'inner'
  const keepBase = type === 'left' || type === 'outer'
  const keepJoined = type === 'right' && projected
  let combinations: Joined[] = base.map((row) => new Map([['', row]]))
  const seen: string[] = ['']
  for (const path of joinedPaths(query)) {
    const from = path.slice(0, -1)
    const source = modelAt(model, from)
    const relation = relationOf(source, path.at(-1) ?? '')
    const name = path.join('.')
    const next: Joined[] = []
    const found = new Set<Row>()
    for (const combination of combinations) {
      const partners = related(world, source, relation, combination.get(from.join('.')) ?? null)
      for (const partner of partners) {
        found.add(partner)
        next.push(new Map([...combination, [name, partner]]))
      }
      if (partners.length === 0 && keepBase) next.push(new Map([...combination, [name, null]]))
    }
    if (keepJoined) {
      for (const row of world.rows[relation.target] ?? []) {
        if (found.has(row)) continue
        const nothing = seen.map((key): [string, null] => [key, null])
        next.push(new Map([...nothing, [name, row]]))
      }
    }
    combinations = next
    seen.push(name)
  }
  return combinations
}

/** Returns a column of a row, or the value at a path of its document; null if the value has another type than the path. */
export function storedAt(row: Row | null, column: string): Value {
  const [field = '', ...keys] = column.split('.')
  let value: unknown = row?.[field] ?? null
  if (keys.length === 0) return value
  for (const key of keys) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    value = isObject ? ((value as Row)[key] ?? null) : null
  }
  const type = documentPaths[keys.join('.') as keyof typeof documentPaths]
  return fits[type]?.(value) === true ? value : null
}

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  float: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
}

export function cell(joined: Joined, { path, column }: FieldRef): Value {
  return storedAt(joined.get(path.join('.')) ?? null, column)
}

export function typeAt(base: AnyModel, { path, column }: FieldRef): ValueType {
  const found = queryColumns(modelAt(base, path))[column]
  if (found === undefined) throw new Error(`no column ${column}`)
  return found
}

/** Whether a combination meets a condition. */
export function meets(world: World, base: AnyModel, joined: Joined, condition: Condition): Truth {
  switch (condition.kind) {
    case 'filter':
      return compare(typeAt(base, condition), cell(joined, condition), condition)
    case 'related': {
      const value = relatedValue(world, base, joined.get('') ?? null, condition.of)
      return compare(relatedType(base, condition.of), value, condition)
    }
    case 'exists':
    case 'missing': {
      const rows = endsOf(world, base, joined.get('') ?? null, condition.path)
      const end = modelAt(base, condition.path)
      const found = rows.some((row) => {
        const one: Joined = new Map([['', row]])
        return all(condition.filters.map((filter) => meets(world, end, one, filter))) === true
      })
      return condition.kind === 'exists' ? found : !found
    }
    default:
      return combine(
        condition.kind,
        condition.items.map((item) => meets(world, base, joined, item)),
      )
  }
}

/** Returns the records at the end of a path; a record may occur more than once. */
function endsOf(world: World, base: AnyModel, row: Row | null, path: readonly string[]): Row[] {
  let rows: Row[] = row === null ? [] : [row]
  path.forEach((key, i) => {
    const source = modelAt(base, path.slice(0, i))
    const relation = relationOf(source, key)
    rows = rows.flatMap((from) => related(world, source, relation, from))
  })
  return rows
}

/** The aggregate of the records at the end of a path that meet the conditions. */
export function relatedValue(
  world: World,
  base: AnyModel,
  row: Row | null,
  { function: name, path, where, column }: RelatedAggregate,
): Value {
  const end = modelAt(base, path)
  const rows = endsOf(world, base, row, path).filter(
    (one) => all(where.map((item) => meets(world, end, new Map([['', one]]), item))) === true,
  )
  if (column === undefined) return rows.length
  const given = rows.map((one) => storedAt(one, column)).filter((value) => value !== null)
  return aggregated(name, typeAt(end, { path: [], column }), given)
}

export const relatedType = (
  base: AnyModel,
  { function: name, path, column }: RelatedAggregate,
): ValueType =>
  column === undefined
    ? { type: 'integer' }
    : aggregateType(name, typeAt(modelAt(base, path), { path: [], column }))

/** HAVING: labels of one group. */
export function meetsHaving(
  types: Readonly<Record<string, ValueType>>,
  values: Readonly<Record<string, Value>>,
  having: Having,
): Truth {
  if (having.kind === 'filter') {
    const type = types[having.label]
    if (type === undefined) throw new Error(`no label ${having.label}`)
    return compare(type, values[having.label] ?? null, having)
  }
  return combine(
    having.kind,
    having.items.map((item) => meetsHaving(types, values, item)),
  )
}

export function combine(kind: 'or' | 'and' | 'not', truths: readonly Truth[]): Truth {
  if (kind === 'or') return truths.includes(true) ? true : truths.includes(null) ? null : false
  const both = all(truths)
  return kind === 'and' || both === null ? both : !both
}

/** AND of any number of truths. */
export function all(truths: readonly Truth[]): Truth {
  return truths.includes(false) ? false : truths.includes(null) ? null : true
}

/** One operator, on one value. */
export function compare(
  type: ValueType,
  value: Value,
  { operator, operand }: { readonly operator: Operator; readonly operand: unknown },
): Truth {
  if (operator === 'isnull') return (value === null) === operand
  const list = operand as readonly unknown[]
  // The result for an empty list does not depend on the value.
  if (operator === 'in' && list.length === 0) return false
  if (operator === 'nin' && list.length === 0) return true
  if (value === null) return null
  const order = (other: unknown): number => compareValues(type, value, other)
  const text = String(value)
  const part = String(operand)
  switch (operator) {
    case 'eq':
      return order(operand) === 0
    case 'ne':
      return order(operand) !== 0
    case 'lt':
      return order(operand) < 0
    case 'le':
      return order(operand) <= 0
    case 'gt':
      return order(operand) > 0
    case 'ge':
      return order(operand) >= 0
    case 'in':
      return list.some((item) => order(item) === 0)
    case 'nin':
      return list.every((item) => order(item) !== 0)
    case 'between':
      return order(list[0]) >= 0 && order(list[1]) <= 0
    case 'like':
      return text.includes(part)
    case 'nlike':
      return !text.includes(part)
    case 'startswith':
      return text.startsWith(part)
    case 'endswith':
      return text.endsWith(part)
    case 'ilike':
      return containsFolded(text, part, 'any')
    case 'nilike':
      return !containsFolded(text, part, 'any')
    case 'istartswith':
      return containsFolded(text, part, 'start')
    case 'iendswith':
      return containsFolded(text, part, 'end')
  }
}

/** One value to order by. */
export interface OrderKey {
  readonly type: ValueType
  readonly value: Value
}

/** Orders by keys; NULLs last ascending, first descending, unless the order says otherwise. */
export function compareKeys(
  left: readonly OrderKey[],
  right: readonly OrderKey[],
  terms: readonly Pick<Order, 'descending' | 'nulls'>[],
): number {
  for (const [i, { type, value: a }] of left.entries()) {
    const b = right[i]?.value ?? null
    const { descending = false, nulls } = terms[i] ?? {}
    if (a === null && b === null) continue
    if (a === null || b === null) {
      const first = nulls === undefined ? descending : nulls === 'first'
      return (a === null) === first ? -1 : 1
    }
    const order = compareValues(type, a, b)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

/** The keys that end every order: those of the base, then those of the joined paths. */
export function tieBreaks(query: Query, paths: readonly (readonly string[])[]): FieldRef[] {
  const base = modelNamed(query.base)
  return [[], ...paths].flatMap((path) =>
    primaryKey(modelAt(base, path)).map((column) => ({ path, column })),
  )
}

export { isToOne }
