// Comparisons, lists and keys of columns in SQLite, adapted to the formats in which columns store their values. Where a column has several,
// a condition consists of two tests: one of the plain column (`near`), which finds the rows by an index, and an exact one of the value in
// a single format.
// Values of requests are `Param`s (`lib/sql/param.ts`): `map` converts one, `share` does so once for several parameters, and `decide`
// answers a question on which the SQL depends.

import type { SqlBool } from 'kysely'
import { sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { Comparison } from '../../model/query-words/operators.ts'
import type { PlanValue } from '../dialect.ts'
import type { KeyList, KeyPair } from '../internal-dialect.ts'
import {
  inList,
  isText,
  type KeySides,
  natural,
  paddedItems,
  plainCompare,
  type Ref,
  type SqlTest,
} from '../shared/sql/sql-parts.ts'
import { blankForm } from '../shared/values/calendar-text.ts'
import { bindOperand, collatedBy, operand } from './operand.ts'
import type { KnownForms } from './stored/canonical-columns.ts'
import { exactForm, hasForms, servedForm, sqliteTypes } from './stored/sqlite-types.ts'
import { isStoredNumber } from './stored/stored-forms.ts'
import { compareStored, storedNear } from './stored/stored-ranges.ts'
import { averageBound, sumBound } from './sums.ts'

/** Longer lists are bound as one JSON array. */
const maxSeparateParameters = 8

/** Whether the values of a list are separate parameters. */
export const hasSeparateParameters = (values: Param<readonly unknown[]>): boolean =>
  values.decide(({ length }) => length <= maxSeparateParameters)

const isCalendar = ({ type }: DialectColumn): boolean => sqliteTypes[type].calendar !== false

/** Comparisons of columns whose types may be stored in several formats. `sqlite-dialect.ts` makes its members of them. */
export interface Comparisons {
  compare(column: DialectColumn, ref: Ref, operator: Comparison, value: Param<PlanValue>): SqlTest
  /** `filter` of the dialect. */
  filter: Comparisons['compare']
  oneOf(
    column: DialectColumn,
    ref: Ref,
    values: Param<readonly PlanValue[]>,
    negated: boolean,
  ): SqlTest
  /** `keyList` of the dialect. */
  keyList(columns: readonly DialectColumn[]): KeyList | undefined
  /** The expression for ORDER BY and for cursors. */
  ordered(column: DialectColumn, ref: Ref): Ref
  sameKey(pair: KeyPair): SqlTest
  /** `equalsValue` of the dialect. */
  equalsValue(column: DialectColumn, ref: Ref, value: Ref): SqlTest | undefined
  /** Both sides of a comparison of keys, for `keysIn` of the dialect. */
  keySides(pair: KeyPair): KeySides
}

/** `known` says in which formats the columns store their values. */
export function comparisonsOf(known: KnownForms): Comparisons {
  const isPlain = (column: DialectColumn): boolean =>
    column.comparable === true || !hasForms(column) || known.ordered.has(column)

  /**
   * Tests whether a value that a range includes is of the column's type, as far as its place in the order tells: SQLite sorts numbers
   * before texts, and texts before blobs. Undefined if no other value is included.
   */
  const ofType = (column: DialectColumn, ref: Ref, operator: Comparison): SqlTest | undefined => {
    if (column.comparable || operator === 'eq' || operator === 'ne') return undefined
    const isUpper = operator === 'lt' || operator === 'le'
    // The texts of dates and times begin with a digit; `:` is the character after `9`.
    if (isCalendar(column))
      return isUpper ? sql<SqlBool>`${ref} >= '0'` : sql<SqlBool>`${ref} < ':'`
    if (isUpper || columnTypes[column.type].number === false || column.storage === 'text')
      return undefined
    // A column of another affinity may contain a number as text.
    return known.numbers.has(column)
      ? sql<SqlBool>`${ref} < ''`
      : sql<SqlBool>`${isStoredNumber(ref)}`
  }

  /** Whether to search a uuid column for two spellings, in lower and in upper case, because no stored value mixes the cases. */
  const hasSpellings = (column: DialectColumn): boolean =>
    sqliteTypes[column.type].ignoresCase && column.comparable !== true && known.narrow.has(column)

  const exact = (column: DialectColumn, ref: Ref): Ref =>
    isPlain(column) ? operand(column, ref) : exactForm(column, ref)

  /** Whether the column itself has the values of a list, or their spellings, apart from its collation. */
  const isAsStored = (column: DialectColumn): boolean =>
    hasSpellings(column) || (isPlain(column) && column.comparedBy === undefined)

  /** The expression that is compared with a list of values, or of their spellings. */
  const listedBy = (column: DialectColumn, ref: Ref): Ref =>
    hasSpellings(column) ? operand(column, ref) : exact(column, ref)

  const compare: Comparisons['compare'] = (column, ref, operator, value) => {
    if (column.aggregate !== undefined) {
      return plainCompare(ref, operator, boundOf(column, value))
    }
    if (isCalendar(column)) {
      return compareStored(column, ref, operator, value.map(String), !known.narrow.has(column))
    }
    if (hasSpellings(column) && (operator === 'eq' || operator === 'ne')) {
      return inList(operand(column, ref), bothSpellings(value), operator === 'ne')
    }
    return plainCompare(exact(column, ref), operator, bindOperand(column, value))
  }

  const oneOf: Comparisons['oneOf'] = (column, ref, values, negated) => {
    if (column.aggregate !== undefined) {
      return inList(
        ref,
        paddedItems(values).map((value) => boundOf(column, value)),
        negated,
      )
    }
    if (isCalendar(column)) {
      const texts = values.map((all) => all.map(String))
      const exact = shownIn(column, ref, texts, negated)
      if (negated || column.comparable === true) return exact
      const isWide = !known.narrow.has(column)
      const near = storedNear(column, ref, texts, isWide, known.indexed.get(column))
      return near === undefined ? exact : sql<SqlBool>`(${near} and ${exact})`
    }
    const by = listedBy(column, ref)
    const all = hasSpellings(column)
      ? values.share<readonly PlanValue[]>((some) => some.flatMap(spellings))
      : values
    if (sqliteTypes[column.type].isJsonItem && !hasSeparateParameters(values))
      return inJsonList(by, all, negated)
    return inList(
      by,
      paddedItems(all).map((value) => bindOperand(column, value)),
      negated,
    )
  }

  const keyList: Comparisons['keyList'] = (columns) => {
    if (!columns.every(({ type }) => sqliteTypes[type].isJsonKey)) return undefined
    const parts = columns.map((_, i) => sql`json_extract(value, '$[${natural(i)}]')`)
    // SQLite reads the whole table for an OR of tests whose texts have a collation, whatever index the table has.
    return {
      mostGroups: 1,
      test: (refs, keys) => {
        const spelt = (all: readonly (readonly PlanValue[])[]) =>
          columns.reduce(
            (some, column, i) =>
              hasSpellings(column) ? some.flatMap((key) => spellKey(key, i)) : some,
            all,
          )
        const json = keys.map((all) => keysJson(spelt(all)))
        const list = sql`select ${sql.join(parts)} from json_each(${json})`
        const by = columns.map((column, i) => listedBy(column, refs[i] as Ref))
        const exact = sql<SqlBool>`(${sql.join(by)}) in (${list})`
        if (!columns.some(isText)) return exact
        // SQLite looks up a list of rows in an index only under the collations of the columns, which may also find other texts.
        const near = columns.map((column, i) => (isAsStored(column) ? refs[i] : by[i]))
        return sql<SqlBool>`((${sql.join(near)}) in (${list}) and ${exact})`
      },
    }
  }

  /**
   * Whether both sides of a key are known to be stored in the same format. For a junction, `column` and `otherColumn` are both the
   * linked record's column, and the format in the junction table is unknown.
   */
  const isOneForm = ({ column, otherColumn }: KeyPair): boolean =>
    !hasForms(column) ||
    // Two ordered datetime columns may store different formats.
    (sqliteTypes[column.type].calendar !== 'datetime' &&
      column !== otherColumn &&
      known.ordered.has(column) &&
      known.ordered.has(otherColumn))

  return {
    compare,
    filter(column, ref, operator, value) {
      const test = compare(column, ref, operator, value)
      const typed = ofType(column, ref, operator)
      return typed === undefined ? test : sql<SqlBool>`(${test} and ${typed})`
    },
    oneOf,
    keyList,
    ordered: exact,
    sameKey(pair) {
      const { column, ref, otherRef } = pair
      if (isOneForm(pair)) {
        return sql<SqlBool>`${keyOperand(known, pair, ref)} = ${otherRef}`
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
      return sqliteTypes[column.type].isTextKey
        ? sql<SqlBool>`${operand(column, ref)} = ${value}`
        : undefined
    },
    keySides(pair) {
      const { column, ref, otherRef } = pair
      return isOneForm(pair)
        ? { ofTable: ref, ofRow: keyOperand(known, pair, otherRef) }
        : { ofTable: exactForm(column, ref), ofRow: exactForm(column, otherRef) }
    },
  }
}

/**
 * The left side of a comparison of keys: SQLite compares by its collation, the column's own if both columns are declared to be compared
 * by theirs. Where these differ, that of the column to which the other one refers.
 */
function keyOperand(
  { collationBetween }: KnownForms,
  { column, otherColumn }: Omit<KeyPair, 'ref' | 'otherRef'>,
  ref: Ref,
): Ref {
  if (!isText(column)) return ref
  const collation = collationBetween(column, otherColumn)
  if (collation !== undefined) return collatedBy(collation, ref)
  return otherColumn.collation === 'database' || column.collation !== 'database'
    ? operand(column, ref)
    : sql`${ref} collate binary`
}

/** Returns a range of the plain column, which can use its index. The range contains every value that equals the other column's value. */
function near(column: DialectColumn, ref: Ref, otherRef: Ref): Ref {
  const other = exactForm(column, otherRef)
  switch (sqliteTypes[column.type].calendar) {
    case 'date':
      return sql`${ref} >= ${other} and ${ref} < ${other} || '~' and `
    case 'time':
      return sql`${ref} >= substr(${other}, 1, 5) and ${ref} < substr(${other}, 1, 5) || '~' and `
    case 'datetime':
      return sql`${ref} >= ifnull(date(${other}, '-1 day'), ${other}) and ${ref} < ifnull(date(${other}, '+2 days'), ${other} || '~') and `
    case false:
      return sql``
  }
}

/** Returns a uuid in lower and in upper case. */
const spellings = (value: PlanValue): readonly string[] => [
  String(value),
  String(value).toUpperCase(),
]

/** A uuid in lower and in upper case, as parameters: `spellings` of a parameter. */
export const bothSpellings = (value: Param<PlanValue>): readonly Param<string>[] => [
  value.map(String),
  value.map((uuid) => String(uuid).toUpperCase()),
]

const boundOf = ({ aggregate, scale = 0 }: DialectColumn, value: Param<PlanValue>): Param<string> =>
  value.map((number) =>
    aggregate === 'sum' ? sumBound(number, scale) : averageBound(number, scale),
  )

/**
 * Tests whether responses show one of the values; of a value that the statement computes, the digits beyond those of responses are
 * left out.
 */
function shownIn(
  column: DialectColumn,
  ref: Ref,
  values: Param<readonly string[]>,
  negated: boolean,
): SqlTest {
  const { calendar } = sqliteTypes[column.type]
  const texts =
    calendar === 'datetime' ? values.share<readonly string[]>((all) => all.map(blankForm)) : values
  const length = calendar === 'datetime' ? 23 : calendar === 'time' ? 8 : 10
  const shown = column.comparable
    ? sql`substr(${ref}, 1, ${natural(length)})`
    : servedForm(column, ref)
  return hasSeparateParameters(texts)
    ? inList(shown, paddedItems(texts), negated)
    : inJsonList(shown, texts, negated)
}

function inJsonList(ref: Ref, values: Param<readonly PlanValue[]>, negated: boolean): SqlTest {
  const not = negated ? sql`not ` : sql``
  return sql<SqlBool>`${ref} ${not}in (select value from json_each(${values.map(jsonList)}))`
}

/** Writes a list of any length as one parameter; SQLite's JSON keeps 64-bit integers exact. */
function jsonList(values: readonly PlanValue[]): string {
  return `[${values.map(jsonItem).join()}]`
}

/** Writes keys as one parameter: `[[1,"a"],[2,"b"]]`. */
export const keysJson = (keys: readonly (readonly PlanValue[])[]): string =>
  `[${keys.map(jsonList).join()}]`

const jsonItem = (value: PlanValue): PlanValue =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : typeof value === 'boolean'
      ? Number(value)
      : value

/** A key with each of the two spellings of the uuid at `i`. */
const spellKey = (key: readonly PlanValue[], i: number): readonly (readonly PlanValue[])[] =>
  spellings(key[i] as PlanValue).map((uuid) => key.map((part, j) => (j === i ? uuid : part)))
