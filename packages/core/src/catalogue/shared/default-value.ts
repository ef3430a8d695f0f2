// The JSON value of a column's default, where the database writes it as a constant: `'new'::text` → `"new"`. Introspection declares it as
// `databaseDefault`, which the OpenAPI document shows.

import { isSymbol, sqlTokens, unwrapped } from '../../dialect/shared/sql/sql-tokens.ts'
import type { Constant } from '../../dialect/shared/values/constant.ts'
import { decimalDigits } from '../../dialect/shared/values/decimal.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { ColumnType } from '../../model/column.ts'
import type { ColumnShape } from './catalogue.ts'

/** Reads `'new'::text`, `-1`, `(0)`, `true`; undefined for an expression that must be computed. */
export function constantDefault(
  expression: string,
  backslash: 'escapes' | 'plain',
): Constant | undefined {
  const tokens = unwrapped(sqlTokens(expression, backslash))
  const isNegative = isSymbol(tokens[0], '-')
  const [value, ...cast] = isNegative || isSymbol(tokens[0], '+') ? tokens.slice(1) : tokens
  const isCast =
    isSymbol(cast[0], '::') &&
    cast.slice(1).every(({ kind }) => kind === 'name' || kind === 'quoted')
  if (value === undefined || (cast.length > 0 && !isCast)) return undefined
  if (value.kind === 'string') {
    return isNegative ? undefined : { text: value.text, isString: true }
  }
  if (value.kind === 'number') {
    return { text: isNegative ? `-${value.text}` : value.text, isString: false }
  }
  const isTruth = value.kind === 'name' && /^(?:true|false)$/.test(value.text)
  return isTruth && !isNegative ? { text: value.text, isString: false } : undefined
}

/** Converts the constant to the JSON that responses would contain for the column; undefined if that is not certain. */
export const jsonOfConstant = (
  shape: ColumnShape | undefined,
  constant: Constant,
): JsonValue | undefined => shape && readers[shape.type](constant, shape)

/** Returns the JSON value of a constant in a column of one type; undefined if that is not certain. */
type ReadConstant = (constant: Constant, shape: ColumnShape) => JsonValue | undefined

/** For types whose defaults databases store in forms that responses do not have. */
const unknown: ReadConstant = () => undefined

const text: ReadConstant = ({ text, isString }) => (isString ? text : undefined)

const textLike =
  (form: RegExp): ReadConstant =>
  ({ text, isString }) =>
    isString && form.test(text) ? text : undefined

/** The only JSON defaults that are read. Databases may store other defaults in another form than they were written in. */
const emptyJson: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['{}', {}],
  ['[]', []],
])

const readers: Readonly<Record<ColumnType, ReadConstant>> = {
  integer: ({ text }) => (/^-?[0-9]{1,15}$/.test(text) ? Number(text) : undefined),
  float: ({ text }) => (/^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text) ? Number(text) : undefined),
  bigint: ({ text }) => (/^-?[0-9]{1,19}$/.test(text) ? decimalDigits(text) : undefined),
  decimal({ text }, { scale, storage }) {
    if (storage === 'text') return undefined
    const digits = decimalDigits(text, scale)
    const fraction = digits?.split('.')[1] ?? ''
    // More digits than the column has would be rounded.
    return scale === undefined || fraction.length <= scale ? digits : undefined
  },
  boolean({ text, isString }) {
    if (isString) return undefined
    if (text === '1' || text === 'true') return true
    return text === '0' || text === 'false' ? false : undefined
  },
  string: text,
  text,
  uuid: textLike(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  enum: ({ text, isString }, shape) =>
    isString && shape.enum?.includes(text) === true ? text : undefined,
  date: textLike(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/),
  datetime: unknown,
  time: unknown,
  json: ({ text }) => emptyJson.get(text),
  binary: unknown,
  list: unknown,
  opaque: unknown,
}
