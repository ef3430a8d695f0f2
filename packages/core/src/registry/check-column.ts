// Checks the options of one column against its type and against each other.

import {
  boolean,
  type Check,
  callable,
  either,
  integer,
  object,
  oneOf,
  shown,
  text,
} from '../config/checks.ts'
import type { Problems } from '../config/problems.ts'
import type { Column, ColumnType, ColumnTypes } from '../model/column.ts'
import type { ComputedColumn } from '../model/define-model.ts'
import { fits } from '../model/fits.ts'
import { validatorNames } from '../model/validator-names.ts'
import { didYouMean } from '../naming/suggest.ts'

// A Record, so that a missing column type is a compile error.
const columnTypes: Readonly<Record<keyof ColumnTypes, true>> = {
  integer: true,
  bigint: true,
  float: true,
  decimal: true,
  boolean: true,
  string: true,
  text: true,
  date: true,
  datetime: true,
  time: true,
  uuid: true,
  json: true,
  binary: true,
  enum: true,
}

const anything: Check = () => undefined

/** The name of a built-in validator. */
const validatorName: Check = (value) => text(value) ?? oneOf(...validatorNames)(value)

const members: Check = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((member) => typeof member === 'string') &&
  new Set(value).size === value.length
    ? undefined
    : 'expected a list of at least one string, without duplicates.'

type Checks<T> = { readonly [K in keyof T]-?: Check }

const columnChecks: Checks<Column> = {
  type: oneOf(...Object.keys(columnTypes)),
  primaryKey: boolean,
  generated: (value) => (value === 'uuid' ? undefined : boolean(value)),
  nullable: boolean,
  unique: boolean,
  maxLength: integer(1),
  precision: integer(1),
  scale: integer(0),
  enum: members,
  column: text,
  collation: oneOf('database'),
  storage: oneOf('text'),
  hidden: boolean,
  readOnly: boolean,
  managed: oneOf('created', 'updated'),
  default: anything,
  hasDefault: boolean,
  description: text,
  format: text,
  validator: either(either(validatorName, callable), object),
  validator_message: text,
  example: anything,
}

const { type, nullable, enum: enumCheck, precision, scale, hidden } = columnChecks
const { description, format, example } = columnChecks

const computedChecks: Checks<ComputedColumn> = {
  ...{ type, nullable, enum: enumCheck, precision, scale, hidden, description, format, example },
  expression: callable,
}

/** The column types that support an option. */
const onlyFor: { readonly [K in keyof Column]?: readonly ColumnType[] } = {
  enum: ['enum'],
  maxLength: ['string', 'text', 'binary'],
  precision: ['decimal'],
  scale: ['decimal'],
  storage: ['decimal'],
  collation: ['string', 'text', 'enum', 'uuid'],
  managed: ['datetime', 'date'],
}

/** Reports the problems of a declared column. */
export function checkColumn(column: Column, at: string, problems: Problems): void {
  if (checkOptions(column, columnChecks, at, problems)) {
    for (const wrong of contradictions(column)) problems.add(at, wrong)
  }
}

/** Reports the problems of a computed column. */
export function checkComputed(column: ComputedColumn, at: string, problems: Problems): void {
  checkOptions(column, computedChecks, at, problems)
  if (column.expression === undefined) problems.add(at, 'needs an expression.')
}

/** Checks each option by itself; returns whether all are valid. */
function checkOptions(
  column: Column | ComputedColumn,
  checks: Readonly<Record<string, Check>>,
  at: string,
  problems: Problems,
): boolean {
  const before = problems.list.length
  for (const [option, value] of Object.entries(column)) {
    if (value === undefined) continue
    const check = Object.hasOwn(checks, option) ? checks[option] : undefined
    const types = onlyFor[option as keyof Column]
    const wrong =
      check === undefined
        ? `unknown option.${didYouMean(option, Object.keys(checks))}`
        : (check(value) ??
          (types === undefined || types.includes(column.type)
            ? undefined
            : `only a column of type ${types.join(', ')} can have it.`))
    if (wrong !== undefined) problems.add(`${at}.${option}`, wrong)
  }
  if (column.type === undefined) problems.add(at, 'needs a type.')
  if (column.type === 'enum' && column.enum === undefined) {
    problems.add(at, "a column of type enum needs its members: enum: ['…'].")
  }
  return problems.list.length === before
}

/** Options that contradict each other. */
function* contradictions(column: Column): Generator<string> {
  const { generated, hasDefault, managed } = column
  if (column.primaryKey && column.nullable) yield 'a primary key column cannot be nullable.'
  if (column.primaryKey && (column.type === 'json' || column.type === 'binary')) {
    yield `a column of type ${column.type} cannot be a key.`
  }
  if (generated === 'uuid' && !['uuid', 'string', 'text'].includes(column.type)) {
    yield "generated: 'uuid' needs a column of type uuid, string or text."
  }
  const fills = Object.entries({
    generated: generated === true || generated === 'uuid',
    managed: managed !== undefined,
    default: column.default !== undefined,
    hasDefault: hasDefault === true && generated === undefined,
  }).flatMap(([option, given]) => (given ? [option] : []))
  if (fills.length > 1) yield `${fills.join(' and ')} exclude each other.`
  const value = column.default
  if (value === undefined || typeof value === 'function') return
  if (value === null ? !column.nullable : !fits(column, value)) {
    yield `the default ${shown(value)} is not a value of type ${column.type}.`
  }
}
