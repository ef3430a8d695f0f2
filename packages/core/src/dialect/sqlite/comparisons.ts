// Comparisons, lists and keys of columns, adapted to the formats in which columns store their values.

import type { SqlBool } from 'kysely'
import { sql } from '../../sql/fragment.ts'
import type { DialectColumn, PlanValue } from '../dialect.ts'
import type { KeyPair } from '../internal-dialect.ts'
import { blankForm } from '../shared/calendar-text.ts'
import {
  type Comparison,
  inList,
  isText,
  type KeySides,
  natural,
  padded,
  plainCompare,
  type Ref,
  type Test,
} from '../shared/sql-parts.ts'
import type { KnownForms } from './canonical-columns.ts'
import { bind, operand } from './operand.ts'
import { exactForm, hasForms, servedForm } from './stored-forms.ts'
import { compareStored, storedNear } from './stored-ranges.ts'
import { averageBound, sumBound } from './sums.ts'

/** Longer lists are bound as one JSON array. */
export const maxSeparateParameters = 8

const isCalendar = ({ type }: DialectColumn): boolean =>
  type === 'datetime' || type === 'date' || type === 'time'

/** Comparisons of columns whose types may be stored in several formats. */
export interface Comparisons {
  compare(column: DialectColumn, ref: Ref, operator: Comparison, value: PlanValue): Test
  oneOf(column: DialectColumn, ref: Ref, values: readonly PlanValue[], negated: boolean): Test
  /** The expression for ORDER BY and for cursors. */
  ordered(column: DialectColumn, ref: Ref): Ref
  sameKey(pair: KeyPair): Test
  /** `equalsValue` of the dialect. */
  equalsValue(column: DialectColumn, ref: Ref, value: Ref): Test | undefined
  keySides(pair: KeyPair): KeySides
}

export function comparisonsOf(known: KnownForms): Comparisons {
  const isPlain = (column: DialectColumn): boolean =>
    column.comparable === true || !hasForms(column) || known.ordered.has(column)

  /** Whether to search a uuid column for two spellings, in lower and in upper case, because no stored value mixes the cases. */
  const hasSpellings = (column: DialectColumn): boolean =>
    column.type === 'uuid' && column.comparable !== true && known.narrow.has(column)

  const exact = (column: DialectColumn, ref: Ref): Ref =>
    isPlain(column) ? operand(column, ref) : exactForm(column, ref)

  const compare: Comparisons['compare'] = (column, ref, operator, value) => {
    if (column.aggregate !== undefined) {
      return plainCompare(ref, operator, boundOf(column, value))
    }
    if (isCalendar(column)) {
      return compareStored(column, ref, operator, String(value), !known.narrow.has(column))
    }
    if (hasSpellings(column) && (operator === 'eq' || operator === 'ne')) {
      return inList(operand(column, ref), spellings(value), operator === 'ne')
    }
    return plainCompare(exact(column, ref), operator, bind(column, value))
  }

  const oneOf: Comparisons['oneOf'] = (column, ref, values, negated) => {
    if (column.aggregate !== undefined) {
      return inList(
        ref,
        padded(values).map((value) => boundOf(column, value)),
        negated,
      )
    }
    if (isCalendar(column)) {
      const texts = values.map(String)
      const exact = shownIn(column, ref, texts, negated)
      if (negated || column.comparable === true) return exact
      const isWide = !known.narrow.has(column)
      const near = storedNear(column, ref, texts, isWide, known.indexed.get(column))
      return near === undefined ? exact : sql<SqlBool>`(${near} and ${exact})`
    }
    const by = hasSpellings(column) ? operand(column, ref) : exact(column, ref)
    const all = hasSpellings(column) ? values.flatMap(spellings) : values
    if (
      values.length > maxSeparateParameters &&
      (column.type === 'integer' || column.type === 'bigint' || isText(column))
    ) {
      return inJsonList(by, all, negated)
    }
    return inList(
      by,
      padded(all).map((value) => bind(column, value)),
      negated,
    )
  }

  /**
   * Whether both sides of a key are known to be stored in the same format. For a junction, `column` and `otherColumn` are both the
   * linked record's column, and the format in the junction table is unknown.
   */
  const isOneForm = ({ column, otherColumn }: KeyPair): boolean =>
    !hasForms(column) ||
    // Two ordered datetime columns may store different formats.
    (column.type !== 'datetime' &&
      column !== otherColumn &&
      known.ordered.has(column) &&
      known.ordered.has(otherColumn))

  return {
    compare,
    oneOf,
    ordered: exact,
    sameKey(pair) {
      const { column, ref, otherRef } = pair
      if (isOneForm(pair)) {
        return sql<SqlBool>`${isText(column) ? operand(column, ref) : ref} = ${otherRef}`
      }
      const other = exactForm(column, otherRef)
      if (hasSpellings(column)) {
        return sql<SqlBool>`${operand(column, ref)} in (lower(${otherRef}), upper(${otherRef}), ${otherRef})`
      }
      return sql<SqlBool>`(${near(column, ref, otherRef)}${exactForm(column, ref)} = ${other})`
    },
    equalsValue(column, ref, value) {
      if (hasSpellings(column)) {
        return sql<SqlBool>`${operand(column, ref)} in (${value}, upper(${value}))`
      }
      return column.type === 'string' || column.type === 'text'
        ? sql<SqlBool>`${operand(column, ref)} = ${value}`
        : undefined
    },
    keySides(pair) {
      const { column, ref, otherRef } = pair
      return isOneForm(pair)
        ? { own: ref, other: isText(column) ? operand(column, otherRef) : otherRef }
        : { own: exactForm(column, ref), other: exactForm(column, otherRef) }
    },
  }
}

/** Returns a range of the plain column, which can use its index. The range contains every value that equals the other column's value. */
function near(column: DialectColumn, ref: Ref, otherRef: Ref): Ref {
  const other = exactForm(column, otherRef)
  switch (column.type) {
    case 'date':
      return sql`${ref} >= ${other} and ${ref} < ${other} || '~' and `
    case 'time':
      return sql`${ref} >= substr(${other}, 1, 5) and ${ref} < substr(${other}, 1, 5) || '~' and `
    case 'datetime':
      return sql`${ref} >= ifnull(date(${other}, '-1 day'), ${other}) and ${ref} < ifnull(date(${other}, '+2 days'), ${other} || '~') and `
    default:
      return sql``
  }
}

/** Returns a uuid in lower and in upper case. */
export const spellings = (value: PlanValue): readonly string[] => [
  String(value),
  String(value).toUpperCase(),
]

const boundOf = ({ aggregate, scale = 0 }: DialectColumn, value: PlanValue): string =>
  aggregate === 'sum' ? sumBound(value, scale) : averageBound(value, scale)

/**
 * Tests whether responses show one of the values; of a value that the statement computes, the digits beyond those of responses are
 * left out.
 */
function shownIn(
  column: DialectColumn,
  ref: Ref,
  values: readonly string[],
  negated: boolean,
): Test {
  const texts = column.type === 'datetime' ? values.map(blankForm) : values
  const length = column.type === 'datetime' ? 23 : column.type === 'time' ? 8 : 10
  const shown = column.comparable
    ? sql`substr(${ref}, 1, ${natural(length)})`
    : servedForm(column, ref)
  return texts.length > maxSeparateParameters
    ? inJsonList(shown, texts, negated)
    : inList(shown, padded(texts), negated)
}

function inJsonList(ref: Ref, values: readonly PlanValue[], negated: boolean): Test {
  const not = negated ? sql`not ` : sql``
  return sql<SqlBool>`${ref} ${not}in (select value from json_each(${jsonList(values)}))`
}

/** Writes a list of any length as one parameter; SQLite's JSON keeps 64-bit integers exact. */
function jsonList(values: readonly PlanValue[]): string {
  return `[${values.map(jsonItem).join()}]`
}

const jsonItem = (value: PlanValue): PlanValue =>
  typeof value === 'string' ? JSON.stringify(value) : value
