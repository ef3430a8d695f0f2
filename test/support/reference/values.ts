/** Values in JSON form, compared without a database. */
import type { Column } from '@model-api/core'

/** A stored value in its JSON form; null is NULL. `json` columns hold anything. */
export type Value = unknown

/** What a comparison needs to know of a column or an aggregate. */
export type ValueType = Pick<Column, 'type'> & { readonly scale?: number }

/** Compares by code point: not by UTF-16 code unit, and not by the rules of a language. */
export function compareText(left: string, right: string): number {
  const a = Array.from(left, (char) => char.codePointAt(0) as number)
  const b = Array.from(right, (char) => char.codePointAt(0) as number)
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return Math.sign(difference)
  }
  return Math.sign(a.length - b.length)
}

/** A decimal number as an integer and a scale: `12.50` is 1250 / 10². */
export interface Exact {
  readonly units: bigint
  readonly scale: number
}

export function exact(text: string): Exact {
  const [whole = '', fraction = ''] = text.split('.')
  return { units: BigInt(whole + fraction), scale: fraction.length }
}

export function unitsAt({ units, scale }: Exact, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale)
}

/** The decimal text of a number, with `scale` digits after the point. */
export function exactText({ units, scale }: Exact): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const at = digits.length - scale
  const text = scale === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`
  return units < 0n ? `-${text}` : text
}

/** The quotient rounded to an integer, halves away from zero. */
export function divideHalfUp(numerator: bigint, divisor: bigint): bigint {
  const sign = numerator < 0n ? -1n : 1n
  return sign * ((2n * numerator * sign + divisor) / (2n * divisor))
}

/**
 * The values of PostgreSQL that no number or date of JSON stands for, in their order: before and after all others, which have the
 * rank 0. A NaN equals another, and comes after infinity.
 */
const ranks: ReadonlyMap<string, number> = new Map([
  ['-Infinity', -1],
  ['-infinity', -1],
  ['Infinity', 1],
  ['infinity', 1],
  ['NaN', 2],
])

const rankOf = (value: Value): number => ranks.get(String(value)) ?? 0

/** Orders two values that are not null. */
export function compareValues({ type }: ValueType, left: Value, right: Value): number {
  if (type !== 'string' && type !== 'text' && type !== 'enum') {
    const [own, other] = [rankOf(left), rankOf(right)]
    if (own !== 0 || other !== 0) return Math.sign(own - other)
  }
  switch (type) {
    case 'integer':
    case 'float':
      return Math.sign((left as number) - (right as number))
    case 'bigint':
    case 'decimal': {
      const a = exact(String(left))
      const b = exact(String(right))
      const scale = Math.max(a.scale, b.scale)
      const [x, y] = [unitsAt(a, scale), unitsAt(b, scale)]
      return x < y ? -1 : x > y ? 1 : 0
    }
    case 'boolean':
      return Number(left) - Number(right)
    // Dates, times and datetimes have a fixed width, so that their text is in order of time.
    default:
      return compareText(String(left), String(right))
  }
}

/** Whether a text contains another one, ignoring case by the simple case folding of ECMA-262. */
export function containsFolded(
  text: string,
  part: string,
  where: 'any' | 'start' | 'end',
): boolean {
  const literal = part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const pattern = where === 'start' ? `^${literal}` : where === 'end' ? `${literal}$` : literal
  return new RegExp(pattern, 'iu').test(text)
}

/** Writes JSON text. The keys of stored documents are in the order of code points, all other keys in the order of insertion. */
export function jsonText(value: unknown): string {
  if (value instanceof Document) return sortedJson(value.content)
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`)
      .join(',')}}`
  }
  return JSON.stringify(value)
}

/** Marks the value of a `json` column. */
export class Document {
  readonly content: unknown
  constructor(content: unknown) {
    this.content = content
  }
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => compareText(a, b))
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`).join(',')}}`
  }
  return JSON.stringify(value)
}
