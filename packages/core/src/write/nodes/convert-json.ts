// Converts values of a JSON body strictly to the canonical JSON form of their columns, or says what was expected
// (docs/reference/serialisation.md, docs/guide/writing.md). The values that functions of the host return (defaults, callbacks) are
// converted in the same way. canonicalTest is the test of `body/plain-record.ts` for values that are in this form already.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { Converted, ReadText } from '../../model/type-definition.ts'
import { convertText } from '../../query/plan/conditions/value.ts'

/**
 * Converts one value of a body.
 *
 * `convertJson({ type: 'decimal', scale: 2, … }, 12.5)` → `{ value: '12.5' }`; for `'abc'` it returns `{ expected: … }`, with the problem.
 */
export const convertJson = (column: NamedColumn, json: JsonValue): Converted =>
  columnTypes[column.type].fromJson(json, column, convertedText)

/**
 * Returns a quick test for values that `convertJson` would return unchanged: true means unchanged, and false means unknown. For some
 * types the test always returns false.
 *
 * `canonicalTest({ type: 'integer', … })(5)` → true
 */
export const canonicalTest = (column: NamedColumn): ((json: JsonValue) => boolean) =>
  columnTypes[column.type].canonicalTest(column)

/** How a type reads a string of a body that filters could contain as well, such as a special value of the database: `infinity`. */
const convertedText: ReadText = (column, text) => {
  const converted = convertText(column, text)
  if ('expected' in converted) return converted
  const { value } = converted
  return { value: typeof value === 'bigint' ? String(value) : value }
}
