// Refuses values that the column of the database does not hold, although their model accepts them: the database would round or cut them.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { pathTo, type RecordNode, type WriteNode } from '../nodes/node.ts'
import type { InputProblems } from './problems.ts'
import type { ValidatorHost } from './validators.ts'
import { outsideLimits } from './value-limits.ts'

/** Says what was expected, if a column does not hold the value. */
type HeldTest = (value: JsonValue) => string | undefined

/** The tests of the columns that hold less than their models say, by field. */
type HeldTests = ReadonlyMap<string, HeldTest>

/**
 * Throws 400 if a column does not hold a value of these records or of nested ones. A body with problems is left to them, because it is
 * refused without the database.
 */
export function refuseUnheld(
  nodes: readonly RecordNode[],
  problems: InputProblems,
  { dialect }: Pick<ValidatorHost, 'dialect'>,
): MaybePromise<void> {
  if (problems.any) return undefined
  return andThen(dialect(), (known) => {
    if (known.holds === undefined) return
    const check = checkHeld(known, problems)
    for (let i = 0; i < nodes.length; i++) check(nodes[i] as RecordNode)
    problems.refuse()
  })
}

/** Returns a function that adds a problem for each value of a record, and of its nested records, that its column does not hold. */
function checkHeld(
  dialect: InternalDialect,
  problems: Pick<InputProblems, 'add'>,
): (node: RecordNode) => void {
  const known = new Map<Resource, HeldTests>()
  const testsOf = (resource: Resource): HeldTests => {
    const tests = known.get(resource) ?? testsOfColumns(dialect, resource)
    known.set(resource, tests)
    return tests
  }
  const check = ({ resource, path, values, parents, children }: RecordNode): void => {
    for (const [name, test] of testsOf(resource)) {
      const value = values[name]
      const expected = value === undefined || value === null ? undefined : test(value)
      if (expected !== undefined) problems.add(pathTo(path, name), expected)
    }
    for (const { node } of parents) checkNode(node)
    for (const { nodes } of children) for (const node of nodes) checkNode(node)
  }
  const checkNode = (node: WriteNode): void => {
    const record = node.kind === 'record' ? node : node.otherwise
    if (record !== null) check(record)
  }
  return check
}

function testsOfColumns(dialect: InternalDialect, { bodyColumns }: Resource): HeldTests {
  const tests = new Map<string, HeldTest>()
  for (const [name, column] of bodyColumns) {
    const test = testOf(dialect, column)
    if (test !== undefined) tests.set(name, test)
  }
  return tests
}

/** The test of a column; undefined if it holds every value that its model accepts, or holds another form of the value. */
function testOf(dialect: InternalDialect, column: NamedColumn): HeldTest | undefined {
  const { type, definition, scale } = column
  const held = definition.transform === undefined ? dialect.holds?.(column) : undefined
  if (held === undefined) return undefined
  const { digits, length, floatDigits } = held
  if (type === 'datetime' && digits !== undefined && digits < 3) {
    return (value) => (fractionOf(value, 'Z') > digits ? momentOf(digits) : undefined)
  }
  if (type === 'decimal' && digits !== undefined && digits < (scale ?? 30)) {
    return (value) => (fractionOf(value, '') > digits ? decimalOf(digits) : undefined)
  }
  if (type === 'float' && floatDigits !== undefined) {
    return (value) => (typeof value === 'number' ? singleProblem(value, floatDigits) : undefined)
  }
  const isText = type === 'string' || type === 'text'
  if (!isText || length === undefined || length >= (definition.maxLength ?? Infinity)) {
    return undefined
  }
  const limited = { type, maxLength: length }
  return (value) => (endsInBlank(value) ? outsideLimits(limited, value) : undefined)
}

/** The problem with a number that a 32-bit float rounds: it is shown as the shortest decimal of that float, of at most `digits` digits. */
function singleProblem(value: number, digits: number): string | undefined {
  const single = Math.fround(value)
  // The database refuses a number that is too large.
  if (!Number.isFinite(single)) return undefined
  let shown = single
  for (let some = 1; some <= digits; some++) {
    shown = Number(single.toPrecision(some))
    if (shown === value) return undefined
    if (Math.fround(shown) === single) break
  }
  return `Expected a number that a 32-bit float holds, such as ${shown}.`
}

/** Whether the database may cut the text: it refuses long texts, but cuts blanks at their end. */
const endsInBlank = (value: JsonValue): boolean => typeof value === 'string' && value.endsWith(' ')

/** The digits after the point of a canonical value with this end, without zeros at their end. */
function fractionOf(value: JsonValue, end: '' | 'Z'): number {
  const text = String(value)
  const point = text.lastIndexOf('.')
  if (point < 0 || !text.endsWith(end)) return 0
  let last = text.length - end.length
  while (text[last - 1] === '0') last -= 1
  return last - point - 1
}

const inDigits = (digits: number): string => `at most ${digits} digit${digits === 1 ? '' : 's'}`

const momentOf = (digits: number): string =>
  digits === 0
    ? 'Expected a date and time without a fraction of a second.'
    : `Expected a date and time with ${inDigits(digits)} after the second.`

const decimalOf = (digits: number): string =>
  digits === 0
    ? 'Expected a decimal number without digits after the point.'
    : `Expected a decimal number with ${inDigits(digits)} after the point.`
