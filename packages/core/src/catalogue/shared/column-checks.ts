// columnChecks: the rules of CHECK constraints for one column → the limits and members of its declaration: `price >= 0 and price < 100` →
// `{ limits: { minimum: 0, exclusiveMaximum: 100 } }`. The catalogue readers call it for each column.

import { columnTypes } from '../../model/column-types.ts'
import type { ColumnChecks, ColumnLimits, ColumnShape } from './catalogue.ts'
import type { CheckRule } from './check-rules.ts'

/** Properties of a column, besides its shape, that decide how its rules apply. */
export interface CheckedColumn {
  /** Undefined for a column that no type fits, to which no rules apply. */
  readonly shape: ColumnShape | undefined
  /** Whether only identical strings compare as equal. */
  readonly isExact: boolean
  /** True for a 32-bit float: the database compares its 64-bit value, whose digits differ from the digits that responses contain. */
  readonly isSingle?: boolean
  /** True for a string that is padded with spaces to its declared length. */
  readonly isPadded?: boolean
}

/** Combines the rules of all constraints on one column; undefined if they set neither limits nor members. */
export function columnChecks(
  { shape, isExact, isSingle, isPadded }: CheckedColumn,
  rules: readonly CheckRule[],
): ColumnChecks | undefined {
  if (shape === undefined) return undefined
  const { text, number, json } = columnTypes[shape.type]
  if (text === 'any') {
    const length = isPadded === true ? {} : lengthLimits(rules)
    const members = membersOf(rules)
    const isFilled = members?.every(
      (member) => isPadded !== true || [...member].length === shape.maxLength,
    )
    const types = rules.flatMap((rule) => (rule.kind === 'members' ? rule.types : []))
    const list =
      members === undefined || isFilled === false
        ? {}
        : { members, isExact: isExact && !types.includes('citext') }
    return present({ ...list, limits: length })
  }
  if (number === false) return undefined
  const bounds = rules.filter(
    (rule) =>
      rule.kind === 'bound' &&
      (!rule.asDouble || number === 'approximate') &&
      (isSingle !== true || Math.fround(Number(rule.number)) === Number(rule.number)),
  )
  return present({
    limits: boundLimits(bounds, json === 'number'),
  })
}

/** Undefined in place of checks that say nothing. */
const present = (checks: ColumnChecks): ColumnChecks | undefined =>
  checks.members === undefined && Object.keys(checks.limits).length === 0 ? undefined : checks

/** Returns the members that all lists have in common; undefined without a list, or if no member is left. */
function membersOf(rules: readonly CheckRule[]): readonly string[] | undefined {
  const lists = rules.flatMap((rule) => (rule.kind === 'members' ? [rule.members] : []))
  const [first, ...others] = lists
  const common = first?.filter((member) => others.every((list) => list.includes(member)))
  return common?.length === 0 ? undefined : common
}

/** Returns the strictest limits of the length in characters; a character has one to four bytes. */
function lengthLimits(rules: readonly CheckRule[]): ColumnLimits {
  const least: number[] = []
  const most: number[] = []
  for (const rule of rules) {
    if (rule.kind !== 'length') continue
    const { comparison, length, unit } = rule
    if (comparison === '<' || comparison === '<=') most.push(length - (comparison === '<' ? 1 : 0))
    else {
      const from = length + (comparison === '>' ? 1 : 0)
      least.push(unit === 'bytes' ? Math.ceil(from / 4) : from)
    }
  }
  const [min, max] = [Math.max(...least), Math.min(...most)]
  return {
    ...(least.length === 0 || min < 1 ? {} : { minLength: min }),
    ...(most.length === 0 || max < 1 ? {} : { maxLength: max }),
  }
}

const limitNames = {
  '>=': 'minimum',
  '>': 'exclusiveMinimum',
  '<=': 'maximum',
  '<': 'exclusiveMaximum',
} as const

/** Returns the strictest bound of each kind. A number with more than 15 digits is kept as text, or omitted for columns of JSON numbers. */
function boundLimits(rules: readonly CheckRule[], asNumbers: boolean): ColumnLimits {
  const limits: Partial<Record<(typeof limitNames)[keyof typeof limitNames], number | string>> = {}
  for (const rule of rules) {
    if (rule.kind !== 'bound') continue
    const { comparison, number } = rule
    const digits = number.replace(/^-|\./g, '').length
    const isExact = digits <= 15
    if (asNumbers && !isExact) continue
    const key = limitNames[comparison]
    const known = limits[key]
    const value = isExact ? Number(number) : number
    const isStricter =
      known === undefined ||
      (comparison.startsWith('>') ? Number(value) > Number(known) : Number(value) < Number(known))
    if (isStricter) limits[key] = value
  }
  return limits
}
