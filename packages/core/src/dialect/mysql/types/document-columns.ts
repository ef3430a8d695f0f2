// Columns of the JSON documents from which MySQL and MariaDB read tables of bound values (`mysql-values-table.ts`): the type that
// JSON_TABLE reads, and the values as JSON. `toDocument` of a column type (`mysql-types.ts`) is one of the functions,
// or none.

import { base64 } from '../../../lib/json/base64.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'

/** Longest value of a text column of JSON_TABLE, in characters: 65,535 bytes at four bytes each. JSON_TABLE refuses longer values. */
export const longestText = 16_383

/** The type of short texts in a document. */
export const documentText: Fragment = sql`text character set utf8mb4`
const longText = sql`longtext character set utf8mb4`
const whole = sql`bigint`
const unsigned = sql`bigint unsigned`

/** A column of the JSON document. */
export interface DocumentColumn {
  readonly type: Fragment
  readonly values: readonly (string | number | null)[]
  /** Whether the values are base64, which the statement decodes to bytes. */
  readonly isBase64?: boolean
}

/** Makes the document's column of the values of one column; undefined for values that might be stored differently from parameters. */
export type ToDocument = (values: readonly unknown[]) => DocumentColumn | undefined

export const textColumn: ToDocument = (values) => {
  let isLong = false
  for (const value of values) {
    if (value === null) continue
    if (typeof value !== 'string') return undefined
    isLong ||= value.length > longestText
  }
  return { type: isLong ? longText : documentText, values: values as readonly (string | null)[] }
}

const isWholeOrNull = (value: unknown): boolean => value === null || Number.isSafeInteger(value)

export const wholeColumn: ToDocument = (values) =>
  values.every(isWholeOrNull)
    ? { type: whole, values: values as readonly (number | null)[] }
    : undefined

export const floatColumn: ToDocument = (values) =>
  textColumn(values.map((value) => (typeof value === 'number' ? String(value) : value)))

export const bytesColumn: ToDocument = (values) => {
  const texts = textColumn(
    values.map((value) => (value instanceof Uint8Array ? base64(value) : value)),
  )
  return texts && { ...texts, isBase64: true }
}

const largestSigned = 2n ** 63n - 1n

/** Writes whole numbers as text, which JSON_TABLE reads without rounding. */
export const bigintColumn: ToDocument = (values) => {
  let [hasNegative, hasLarge] = [false, false]
  const texts: (string | null)[] = []
  for (const value of values) {
    if (value === null) {
      texts.push(null)
      continue
    }
    const digits = String(value)
    if (!/^-?[0-9]{1,20}$/.test(digits)) return undefined
    hasNegative ||= digits.startsWith('-')
    hasLarge ||= digits.length > 18 && BigInt(digits) > largestSigned
    texts.push(digits)
  }
  if (hasNegative && hasLarge) return undefined
  return { type: hasLarge ? unsigned : whole, values: texts }
}
