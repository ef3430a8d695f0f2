// refuseUnstorable: refuses values that the column of the database does not hold, although their model accepts them, because the database
// would round or cut them. An endpoint calls it when the body has no other problem, before its transaction begins.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { type NestedNode, pathTo, type RecordNode, recordsOf } from '../nodes/node.ts'
import type { InputProblems } from './input-problems.ts'
import { type StorableTest, storableTestOf } from './storable-test.ts'
import type { ValidatorHost } from './validators.ts'

/** The tests of the columns that hold less than their models say, by field. */
type StorableTests = ReadonlyMap<string, StorableTest>

/**
 * Throws 400 if a column does not hold a value of these records or of nested ones. A body that has other problems is not tested: it is
 * refused without the database.
 */
export function refuseUnstorable(
  nodes: readonly RecordNode[],
  problems: InputProblems,
  { dialect }: Pick<ValidatorHost, 'dialect'>,
): MaybePromise<void> {
  if (problems.any) return undefined
  return andThen(dialect(), (ofConnection) => {
    // Without `holds`, the columns of this database hold all that their models accept.
    if (ofConnection.holds === undefined) return
    const check = checkStorable(ofConnection, problems)
    for (let i = 0; i < nodes.length; i++) check(nodes[i] as RecordNode)
    problems.refuse()
  })
}

/** Returns a function that adds a problem for each value of a record, and of its nested records, that its column does not hold. */
function checkStorable(
  dialect: InternalDialect,
  problems: Pick<InputProblems, 'add'>,
): (node: RecordNode) => void {
  const known = new Map<Resource, StorableTests>()
  const testsOf = (resource: Resource): StorableTests => {
    const tests = known.get(resource) ?? testsOfColumns(dialect, resource)
    known.set(resource, tests)
    return tests
  }
  const check = ({ resource, path, values, parents, children }: RecordNode): void => {
    for (const [name, test] of testsOf(resource)) {
      const value = values[name]
      if (value !== undefined) checkValue(test, value, pathTo(path, name))
    }
    for (const { node } of parents) checkNode(node)
    for (const { nodes } of children) for (const node of nodes) checkNode(node)
  }
  const checkValue = (test: StorableTest, value: JsonValue, path: string): void => {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) checkValue(test, item, `${path}[${i}]`)
    } else if (value !== null) {
      const problem = test(value)
      if (problem !== undefined) problems.add(path, problem)
    }
  }
  const checkNode = (node: NestedNode): void => {
    for (const record of recordsOf(node)) check(record)
  }
  return check
}

function testsOfColumns(dialect: InternalDialect, { bodyColumns }: Resource): StorableTests {
  const tests = new Map<string, StorableTest>()
  for (const [name, column] of bodyColumns) {
    // A transformed column holds another form of the value.
    const held = column.definition.transform === undefined ? dialect.holds?.(column) : undefined
    const test = held && storableTestOf(held, column)
    if (test !== undefined) tests.set(name, test)
  }
  return tests
}
