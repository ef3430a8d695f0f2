// Converts strings of the query or the path strictly to values of a column's type; a string that does not convert is a 400 and
// never reaches SQL (docs/reference/query-language.md).

import { invalidValue } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { Conversion, TypedColumn } from '../../../model/type-definition.ts'
import type { Value } from '../plan.ts'

/** Converts a string by the column's type, or says what was expected. */
export function convertText(column: TypedColumn, text: string): Conversion {
  const usual = columnTypes[column.type].fromText(text, column)
  if ('value' in usual) return usual
  // `special`: values outside of the usual form, such as `infinity`; some of them only responses may contain.
  if (column.special?.isOnlyShown?.(text) === true) return usual
  const special = column.special?.read(text)
  return special === undefined ? usual : { value: special }
}

/**
 * Converts a string of the request, or throws the 400 that names the field and what was expected.
 *
 * `field` is the column as the client wrote it, `at` the whole query parameter or filter that contains the value.
 *
 * `price__gt=cheap` → 400 `"cheap" is not a value of price: expected a decimal number such as 12.50.`
 */
export function planValue(column: TypedColumn, text: string, field: string, at: string): Value {
  const conversion = convertText(column, text)
  if ('value' in conversion) return conversion.value
  throw invalidValue(text, field, conversion.expected.text, at, nullHint(text, field))
}

/** Whether the text is a value of the column's type. */
export const isValueOf = (column: TypedColumn, text: string): boolean =>
  'value' in convertText(column, text)

/** Returns the filter for NULL, which no other filter finds, if the text names it. */
const nullHint = (text: string, field: string): string =>
  /^null$/i.test(text)
    ? ` Rows without a value are found by "${excerpt(field)}__isnull=true", the others by "${excerpt(field)}__isnull=false".`
    : ''

/**
 * Converts a canonical JSON value to the value that `planValue` returns for the same text; undefined for null, objects and arrays.
 * Removes the trailing zeros of a decimal: `'3.50'` → `'3.5'`.
 */
export function valueOfJson({ type }: TypedColumn, json: JsonValue | undefined): Value | undefined {
  if (typeof json === 'string') return columnTypes[type].queryValue(json)
  return typeof json === 'number' || typeof json === 'boolean' ? json : undefined
}

/** Whether a text can be a part of a key or a cursor: no column can store one with NUL or half of a surrogate pair. */
export const isStorable = (text: string): boolean =>
  !text.includes('\0') && !/\p{Surrogate}/u.test(text)

/** Converts a part of a key in a path; undefined if no row can have such a key. */
export function keyValue(column: TypedColumn, text: string): Value | undefined {
  if (!isStorable(text)) return undefined
  const conversion = convertText(column, text)
  return 'value' in conversion ? conversion.value : undefined
}
