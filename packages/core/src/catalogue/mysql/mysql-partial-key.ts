// MySQL has no partial indexes. A unique index over a marker, a generated column that is NULL for some rows, has the same effect. This file reads
// such an index from the catalogue, and describes one in a message.

import {
  constantOf,
  otherRows,
  type RowCondition,
  rowCondition,
  rowConditionText,
} from '../../dialect/shared/sql/row-condition.ts'
import {
  closingOf,
  isKeyword,
  isSymbol,
  type SqlToken,
  splitTokens,
  sqlTokens,
  unwrapped,
} from '../../dialect/shared/sql/sql-tokens.ts'
import type { PartialKey } from '../shared/catalogue.ts'

/** A generated column that is NULL unless `rows` holds. */
interface Marker {
  readonly rows: RowCondition
  /** The column whose value it has then; undefined if it has a constant. */
  readonly column: string | undefined
}

/**
 * Returns the partial key that a unique index stands for; undefined if it contains no marker. Since NULL is never equal to NULL, the index
 * is unique only for the rows in which the marker is not NULL. `expressions` are those of the generated columns, by their names.
 *
 * `unique (organisation_id, name, live)`, `live` being `if(deleted_at is null, 1, null)` → a key (organisation_id, name) where
 * deleted_at is null
 */
export function mysqlPartialKey(
  name: string,
  columns: readonly string[],
  expressions: ReadonlyMap<string, string>,
): PartialKey | undefined {
  const parts = columns.map((column) => ({
    column,
    marker: readMarker(expressions.get(column) ?? ''),
  }))
  const conditions = parts.flatMap(({ marker }) => marker?.rows ?? [])
  const [rows] = conditions
  if (rows === undefined) return undefined
  const condition = rowConditionText(rows)
  if (!conditions.every((other) => rowConditionText(other) === condition)) return undefined
  const own = parts.flatMap(({ column, marker }) =>
    marker === undefined ? [column] : (marker.column ?? []),
  )
  return { name, columns: own, condition, rows }
}

/** Reads `if(deleted_at is null, name, null)`, also as `case when deleted_at is null then name end`; undefined for other expressions. */
function readMarker(expression: string): Marker | undefined {
  const tokens = unwrapped(sqlTokens(expression, 'escapes'))
  const [condition, value, other] = branchesOf(tokens) ?? []
  const rows = condition && rowCondition(withoutTruth(condition))
  if (rows === undefined || value === undefined || other === undefined) return undefined
  if (isNull(other)) return markerOf(rows, value)
  return isNull(value) ? markerOf(otherRows(rows), other) : undefined
}

/** MySQL prints `deleted is true` as `(0 <> deleted) is true`. */
function withoutTruth(condition: readonly SqlToken[]): readonly SqlToken[] {
  const tokens = unwrapped(condition)
  const end = closingOf(tokens, 0)
  if (!isSymbol(tokens[0], '(') || !isKeyword(tokens[end + 1], 'is')) return condition
  const [zero, operator, ...column] = unwrapped(tokens.slice(0, end + 1))
  const isTruth = zero?.kind === 'number' && zero.text === '0' && isSymbol(operator, '<>')
  return isTruth ? [...tokens.slice(0, 1), ...column, ...tokens.slice(end)] : condition
}

/** Makes the marker that has `value` in these rows; undefined if the value is neither a constant nor a column. */
function markerOf(rows: RowCondition | undefined, value: readonly SqlToken[]): Marker | undefined {
  if (rows === undefined) return undefined
  if (constantOf(value) !== undefined) return { rows, column: undefined }
  const [token, ...more] = unwrapped(value)
  return token?.kind === 'quoted' && more.length === 0 ? { rows, column: token.text } : undefined
}

const isNull = (tokens: readonly SqlToken[]): boolean => {
  const [token, ...more] = unwrapped(tokens)
  return isKeyword(token, 'null') && more.length === 0
}

const noValue: readonly SqlToken[] = [{ kind: 'name', text: 'null', raw: 'null' }]

/** Returns the condition, the value if it holds, and the value otherwise. */
function branchesOf(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] | undefined {
  if (isKeyword(tokens[0], 'if') && closingOf(tokens, 1) === tokens.length - 1) {
    const parts = splitTokens(tokens.slice(2, -1), (token) => isSymbol(token, ','))
    return parts.length === 3 ? parts : undefined
  }
  if (!isKeyword(tokens[0], 'case') || !isKeyword(tokens.at(-1), 'end')) return undefined
  const words = /^(?:when|then|else)$/
  const isWord = (token: SqlToken): boolean => token.kind === 'name' && words.test(token.text)
  const order = tokens.filter(isWord).map(({ text }) => text)
  const [before = [], ...parts] = splitTokens(tokens.slice(1, -1), isWord)
  if (before.length > 0 || !/^when then(?: else)?$/.test(order.join(' '))) return undefined
  return parts.length === 2 ? [...parts, noValue] : parts
}

/** `a generated column such as live boolean as (if(deleted_at is null, true, null)) and a unique index on (name, live)` */
export const markerIndexText = (columns: readonly string[], rows: RowCondition): string =>
  `a generated column such as live boolean as (${markerText(rows)}) and a unique index on (${[...columns, 'live'].join(', ')})`

/** `if(state = 'gone', null, true)` for `state is not 'gone'`: MySQL allows `is not` only before NULL and truth values. */
function markerText(rows: RowCondition): string {
  if (rows.operator !== 'is not') return `if(${rowConditionText(rows)}, true, null)`
  return `if(${rowConditionText({ ...rows, operator: '=' })}, null, true)`
}
