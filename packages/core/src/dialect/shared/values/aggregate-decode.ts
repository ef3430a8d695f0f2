// Decodes the results of aggregates: exact sums and averages from the text that the dialects select for them, such as `10.50/3`.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import { verbatimNumber } from '../../../lib/json/verbatim.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { AggregateFunction } from '../../../model/query-words/operators.ts'
import {
  decimalUnits,
  digitsOfUnits,
  printedDecimal,
  quotient,
  roundedFloat,
  specialNumber,
} from './decimal.ts'
import { type Decoder, decoderOf, textOf } from './decode.ts'

/** A sum as digits, and the number of its terms for an average. */
export interface Total {
  readonly sum: string
  readonly count: string
}

/** Reads `sum/count`, the text that the dialects select for exact averages. */
function sumAndCount(raw: unknown): Total {
  const [sum = '', count = '1'] = textOf(raw).split('/')
  return { sum, count }
}

/**
 * Returns the decoder of an aggregate. `total` splits the text that the dialect selects for sums and averages of integers, bigints
 * and decimals, by default `sum/count`; `minMax` decodes min and max, by default as the column.
 */
export function aggregateDecoderOf(
  fn: AggregateFunction,
  column: DialectColumn,
  total: (raw: unknown) => Total = sumAndCount,
  minMax: Decoder = decoderOf(column),
): Decoder {
  if (fn === 'min' || fn === 'max') return minMax
  if (fn === 'count') return decoderOf({ name: column.name, type: 'integer', nullable: false })
  const read = fn === 'sum' ? sumOf(column) : averageOf(column)
  if (columnTypes[column.type].number === 'approximate')
    return ifPresent((raw) => roundedFloat(Number(textOf(raw))))
  return ifPresent((raw) => read(total(raw)))
}

/** NULL, such as the sum of no rows, is null. */
function ifPresent(read: Decoder): Decoder {
  return (raw) => (raw === null || raw === undefined ? null : read(raw))
}

/** The sum as JSON: a number for integers, a string of digits for bigints and decimals. */
function sumOf(column: DialectColumn): (total: Total) => JsonValue {
  const { number, json } = columnTypes[column.type]
  if (json === 'number') return ({ sum }) => wholeNumber(sum)
  if (number === 'whole') return ({ sum }) => String(wholeDigits(sum))
  return ({ sum }) => decimalSum(sum, column.scale)
}

/** Returns a whole number that JSON contains with all digits, also beyond the safe integers of JavaScript. */
function wholeNumber(sum: string): JsonValue {
  if (!/^-?[0-9]+$/.test(sum)) return roundedFloat(Number(sum))
  const value = Number(sum)
  return Number.isSafeInteger(value) ? value + 0 : verbatimNumber(String(BigInt(sum)))
}

function decimalSum(sum: string, scale: number | undefined): JsonValue {
  const digits = printedDecimal(sum)
  if (digits === undefined) return specialNumber(sum) ?? null
  if (scale === undefined) return digits
  return digitsOfUnits(decimalUnits(digits, scale), scale)
}

/** The average as JSON: a float for integers; for bigints and decimals, digits with four more than the scale. */
function averageOf(column: DialectColumn): (total: Total) => JsonValue {
  const { number, json } = columnTypes[column.type]
  if (json === 'number') {
    return ({ sum, count }) => Number(sum) / Number(count) + 0
  }
  return ({ sum, count }) => {
    const digits = printedDecimal(sum)
    if (digits === undefined) return specialNumber(sum) ?? null
    const scale = number === 'whole' ? 0 : (column.scale ?? (digits.split('.')[1] ?? '').length)
    return quotient(digits, count, scale, 4)
  }
}

function wholeDigits(sum: string): bigint {
  return BigInt(sum.replace(/\.0*$/, ''))
}
