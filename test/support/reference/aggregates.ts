/** Aggregates of the reference: their types and values. */
import type { Aggregate } from './query.ts'
import {
  compareValues,
  divideHalfUp,
  exact,
  exactText,
  unitsAt,
  type Value,
  type ValueType,
} from './values.ts'

type Name = Aggregate['function']

/** The type that a label is compared as. */
export function aggregateType(name: Name, type: ValueType): ValueType {
  if (name === 'count') return { type: 'integer' }
  if (name === 'min' || name === 'max') return type
  if (name === 'sum') return type
  if (type.type === 'integer' || type.type === 'float') return { type: 'float' }
  return { type: 'decimal', scale: (type.scale ?? 0) + 4 }
}

/** The aggregate of values that are not null. */
export function aggregated(name: Name, type: ValueType, given: readonly Value[]): Value {
  if (name === 'count') return given.length
  if (given.length === 0) return null
  if (name === 'min' || name === 'max') {
    const wanted = name === 'min' ? -1 : 1
    return given.reduce((best, value) =>
      compareValues(type, value, best) === wanted ? value : best,
    )
  }
  if (type.type === 'integer' || type.type === 'float') {
    const sum = (given as number[]).reduce((total, value) => total + value, 0)
    const result = name === 'sum' ? sum : sum / given.length
    // A sum or average without a JSON number is NULL.
    if (!Number.isFinite(result)) return null
    return type.type === 'float' ? Number(result.toPrecision(12)) : result
  }
  const scale = type.scale ?? 0
  const units = given.reduce<bigint>(
    (total, value) => total + unitsAt(exact(String(value)), scale),
    0n,
  )
  if (name === 'sum') return exactText({ units, scale })
  const more = units * 10n ** 4n
  return exactText({ units: divideHalfUp(more, BigInt(given.length)), scale: scale + 4 })
}
