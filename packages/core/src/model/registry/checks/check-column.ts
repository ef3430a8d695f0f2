// Checks the options of one declared column, computed column or aggregate at start-up: each by itself, against the type, and against each other. A
// `Check` returns what is wrong with a value; `at` is the place in messages, such as `models.Book.columns.price`.

import { compareDigits } from '../../../lib/json/compare-digits.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { DeclaredAggregate } from '../../aggregates/declared-aggregate.ts'
import type { Column } from '../../column.ts'
import { columnTypes, fits, isColumnType, itemTypes, namesOfTypes } from '../../column-types.ts'
import type { ComputedColumn } from '../../define-model.ts'
import { isObject } from '../../query-words/condition-text.ts'
import { aggregateFunctions } from '../../query-words/operators.ts'
import { roleRule } from '../../settings/access/role-rule.ts'
import {
  boolean,
  type Check,
  callable,
  either,
  integer,
  object,
  oneOf,
  shownValue,
  text,
} from '../../settings/setting-checks.ts'
import type { Problems } from '../../settings/setting-problems.ts'
import type { TypeOption } from '../../type-definition.ts'
import { canBeKey } from '../../type-rules.ts'
import { validatorNames } from '../../validator-names.ts'

const anything: Check = () => undefined

/** Checks `read` or `write`: a role rule, or a function that decides. */
const right: Check = (value) => {
  if (typeof value === 'function') return undefined
  if (value === false)
    return 'nobody could use it; for that, declare hidden: true, or readOnly: true.'
  const wrong = roleRule(value)
  return wrong && `${wrong} A function of the hook arguments may decide, too.`
}

/** Checks the name of a built-in validator. */
const validatorName: Check = (value) => text(value) ?? oneOf(...validatorNames)(value)

/** Checks the members of an enum. */
const members: Check = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((member) => typeof member === 'string') &&
  new Set(value).size === value.length
    ? undefined
    : 'expected a list of at least one string, without duplicates.'

/** Checks a bound: a number, or its decimal digits as text. */
const bound: Check = (value) =>
  // `compareDigits` is undefined for a text that is no number.
  Number.isFinite(value) || (typeof value === 'string' && compareDigits(value, value) === 0)
    ? undefined
    : `expected a number, or its digits as a string such as '0.01', got ${shownValue(value)}.`

type Checks<T> = { readonly [K in keyof T]-?: Check }

const columnChecks: Checks<Column> = {
  type: oneOf(...Object.keys(columnTypes)),
  primaryKey: boolean,
  generated: (value) => (value === 'uuid' ? undefined : boolean(value)),
  nullable: boolean,
  unique: boolean,
  maxLength: integer(1),
  minLength: integer(1),
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  unsigned: boolean,
  precision: integer(1),
  scale: integer(0),
  items: oneOf(...Object.keys(itemTypes)),
  enum: members,
  json: object,
  column: text,
  collation: oneOf('database'),
  storage: oneOf('text'),
  hidden: boolean,
  readOnly: boolean,
  immutable: boolean,
  writeOnly: boolean,
  transform: callable,
  read: right,
  write: right,
  managed: oneOf('created', 'updated'),
  default: anything,
  hasDefault: boolean,
  databaseDefault: anything,
  description: text,
  format: text,
  validator: either(either(validatorName, callable), object),
  validator_message: text,
  example: anything,
}

const { type, nullable, items, enum: enumCheck, precision, scale, hidden } = columnChecks
const { description, format, example } = columnChecks

const computedChecks: Checks<ComputedColumn> = {
  ...{
    type,
    nullable,
    items,
    enum: enumCheck,
    precision,
    scale,
    hidden,
    description,
    format,
    example,
  },
  read: right,
  expression: callable,
}

const aggregateChecks: Checks<DeclaredAggregate> = {
  function: oneOf(...aggregateFunctions),
  of: text,
  where: object,
  sent: boolean,
  read: right,
  description,
}

/** The options that only some types have; a Record, so that a missing one is a compile error. */
const typeOptions: Readonly<Record<TypeOption, true>> = {
  items: true,
  enum: true,
  maxLength: true,
  minLength: true,
  minimum: true,
  maximum: true,
  exclusiveMinimum: true,
  exclusiveMaximum: true,
  unsigned: true,
  precision: true,
  scale: true,
  storage: true,
  collation: true,
  managed: true,
  json: true,
}

const isTypeOption = (option: string): option is TypeOption => Object.hasOwn(typeOptions, option)

/** Returns a message that says which types have an option, if the type of the column has not. */
function unfit(option: string, { type }: Column | ComputedColumn): string | undefined {
  if (!isTypeOption(option)) return undefined
  if (isColumnType(type) && columnTypes[type].options.includes(option)) return undefined
  return `only a column of type ${namesOfTypes(({ options }) => options.includes(option))} can have it.`
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

/** Reports the problems of a declared aggregate, except those of its path and conditions. */
export function checkAggregate(aggregate: DeclaredAggregate, at: string, problems: Problems): void {
  if (!isObject(aggregate) || aggregate.function === undefined || aggregate.of === undefined) {
    problems.add(
      at,
      `expected the result of ${aggregateFunctions.join(', ')}, such as count('books').`,
    )
    return
  }
  for (const [option, value] of Object.entries(aggregate)) {
    const check = Object.hasOwn(aggregateChecks, option)
      ? aggregateChecks[option as keyof DeclaredAggregate]
      : undefined
    // An option that is undefined counts as absent, except `read`: it may be a misspelt reference to a rule, which `right` refuses.
    const wrong =
      check === undefined
        ? `unknown option.${didYouMean(option, Object.keys(aggregateChecks))}`
        : value === undefined && option !== 'read'
          ? undefined
          : check(value)
    if (wrong !== undefined) problems.add(`${at}.${option}`, wrong)
  }
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
    if (value === undefined) {
      // It may be a misspelt reference to a rule.
      if (option === 'read' || option === 'write') {
        problems.add(
          `${at}.${option}`,
          'is undefined, which would allow everybody. Leave it out for that.',
        )
      }
      continue
    }
    const check = Object.hasOwn(checks, option) ? checks[option] : undefined
    const wrong =
      check === undefined
        ? `unknown option.${didYouMean(option, Object.keys(checks))}`
        : (check(value) ?? unfit(option, column))
    if (wrong !== undefined) problems.add(`${at}.${option}`, wrong)
  }
  if (column.type === undefined) problems.add(at, 'needs a type.')
  if (column.type === 'list' && column.items === undefined) {
    problems.add(at, "a column of type list needs the type of its items: items: 'string'.")
  }
  const hasMembers = column.type === 'enum' || column.items === 'enum'
  if (hasMembers && column.enum === undefined) {
    problems.add(at, "a column of type enum needs its members: enum: ['…'].")
  }
  return problems.list.length === before
}

/** Yields a message for each contradiction between options. */
function* contradictions(column: Column): Generator<string> {
  const { generated, hasDefault, managed } = column
  if (column.primaryKey && column.nullable) yield 'a primary key column cannot be nullable.'
  if (columnTypes[column.type].isOnlyRead && column.readOnly !== true) {
    yield `a column of type ${column.type} is only read: add readOnly: true.`
  }
  if (column.primaryKey && !canBeKey(column)) {
    yield `a column of type ${column.type} cannot be a key.`
  }
  if (generated === 'uuid' && !columnTypes[column.type].holdsUuid) {
    yield `generated: 'uuid' needs a column of one of the types ${namesOfTypes(({ holdsUuid }) => holdsUuid)}.`
  }
  if (column.primaryKey && column.read !== undefined) {
    yield 'a primary key column cannot have read: the key is in the URL of every record. Use write, or access_policy for the records.'
  }
  // Why no client can write it.
  const never = Object.entries({
    'readOnly: true': column.readOnly === true,
    generated: generated === true || generated === 'uuid',
    managed: managed !== undefined,
  }).find(([, applies]) => applies)
  if (never !== undefined) {
    const decisions = { write: column.write !== undefined, immutable: column.immutable === true }
    for (const [option, isDeclared] of Object.entries(decisions)) {
      if (isDeclared)
        yield `no client can write it (${never[0]}), so that ${option} decides nothing; leave ${option} out.`
    }
  }
  if (column.hidden && column.readOnly !== false && column.immutable) {
    yield 'no client can write it (hidden: true), so that immutable decides nothing; leave immutable out, or let a relation set it with readOnly: false.'
  }
  yield* writeOnlyContradictions(column)
  if (column.primaryKey && column.immutable) {
    yield 'a primary key never changes, so that immutable decides nothing; leave immutable out.'
  }
  const fills = Object.entries({
    generated: generated === true || generated === 'uuid',
    managed: managed !== undefined,
    default: column.default !== undefined,
    hasDefault: hasDefault === true && generated === undefined,
  }).flatMap(([option, isDeclared]) => (isDeclared ? [option] : []))
  if (fills.length > 1) yield `${fills.join(' and ')} exclude each other.`
  yield* limitContradictions(column)
  if (column.databaseDefault !== undefined) {
    if (hasDefault !== true) yield 'databaseDefault says which default it is: add hasDefault: true.'
    yield* notFitting(column, 'databaseDefault', column.databaseDefault)
  }
  if (typeof column.default !== 'function') yield* notFitting(column, 'default', column.default)
}

/** Yields a message for each option that cannot be that of a write-only column, and for a transform of another column. */
function* writeOnlyContradictions(column: Column): Generator<string> {
  const { type, writeOnly, generated } = column
  if (writeOnly !== true) {
    if (column.transform !== undefined) {
      yield 'responses would show what transform returns: add writeOnly: true, or leave transform out.'
    }
    return
  }
  if (column.hidden === true) yield 'writeOnly: true hides it already; leave hidden: true out.'
  if (column.hidden === false) {
    yield 'writeOnly: true hides it, against hidden: false; leave one of them out.'
  }
  if (column.readOnly === true) {
    yield 'nobody could use it with both writeOnly: true and readOnly: true; for that, declare hidden: true.'
  }
  if (column.read !== undefined) {
    yield 'nobody reads it (writeOnly: true), so that read decides nothing; leave read out.'
  }
  if (generated === true || generated === 'uuid' || column.managed !== undefined) {
    const by = column.managed === undefined ? 'generated' : 'managed'
    yield `clients do not send what is ${by}; declare hidden: true instead of writeOnly: true.`
  }
  if (column.primaryKey) {
    yield 'the URL of each record contains its key, so a primary key column cannot be write-only; leave writeOnly out.'
  }
  if (column.unique) yield `${conflictRevealsValue} Leave unique or writeOnly out.`
  const { json, isOnlyRead } = columnTypes[type]
  if (json === 'any' || isOnlyRead) {
    yield `a column of type ${type} cannot be write-only; declare type: 'text', or hidden: true instead of writeOnly.`
  }
}

/** Why unique values cannot be write-only. */
export const conflictRevealsValue =
  'the 409 of a duplicate would tell whether a value is stored, so a unique column cannot be write-only.'

/** Yields a message if a default is no value of the column. */
function* notFitting(
  column: Column,
  option: 'default' | 'databaseDefault',
  value: unknown,
): Generator<string> {
  if (value === undefined || (value === null ? column.nullable : fits(column, value))) return
  yield `the ${option} ${shownValue(value)} is not a value of type ${column.type}.`
}

/** Yields a message for limits that exclude every value. */
function* limitContradictions(column: Column): Generator<string> {
  const { minLength, maxLength } = column
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
    yield `minLength ${minLength} is more than maxLength ${maxLength}.`
  }
  for (const low of ['minimum', 'exclusiveMinimum'] as const) {
    for (const high of ['maximum', 'exclusiveMaximum'] as const) {
      const [from, to] = [column[low], column[high]]
      if (from === undefined || to === undefined) continue
      const order = compareDigits(String(from), String(to)) ?? 0
      const isOpen = low === 'exclusiveMinimum' || high === 'exclusiveMaximum'
      if (order > 0 || (order === 0 && isOpen))
        yield `no number fits ${low} ${from} and ${high} ${to}.`
    }
  }
}
