// writeWithoutLookUp: changes the records of a list without looking them up; the UPDATE itself tells how many of them are stored. It exists
// for speed alone; bench/shortcuts.md says what it saves.

import type { JsonValue } from '../../../json/json-value.ts'
import type { Value } from '../../../plan/plan.ts'
import type { NamedColumn, Resource } from '../../../registry/resource.ts'
import { areIntegers } from '../../compile/statements-by-keys.ts'
import { isNested, type RecordNode, type Values } from '../../plan/node.ts'
import type { WriteContext } from '../context.ts'
import { ChangeStep } from './many-step.ts'
import type { ReturnedRows } from './returned-rows.ts'
import { writeMany } from './write-many.ts'

/** A record to change: its key, and the other fields. */
export interface KeyedChange {
  readonly key: readonly Value[]
  readonly node: RecordNode
}

/**
 * Whether the changes need no look-up. `read` are the columns that the look-up would read (see `columnsToCompare`).
 *
 * One UPDATE must lock the records in the order in which a look-up would. So all nodes must have the same fields, and the statement must
 * lock in the order of its values. The attempt must be one that can be repeated with a look-up.
 */
export function needsNoLookUp(
  { target, access, hosted, setsSavepoints }: WriteContext,
  resource: Resource,
  nodes: readonly RecordNode[],
  read: readonly NamedColumn[] | undefined,
): boolean {
  const { primaryKey } = resource
  const readsKey =
    read?.length === 1 && read[0] === primaryKey[0] && primaryKey.length === 1 && areIntegers(read)
  return (
    readsKey &&
    nodes.length > 1 &&
    !setsSavepoints &&
    !hosted &&
    target.dialect.shortcuts?.updatesInOrder === true &&
    !access.narrows(resource) &&
    haveSameFields(nodes)
  )
}

/** Whether all nodes set the same columns, at least one, and nest nothing. */
function haveSameFields(nodes: readonly RecordNode[]): boolean {
  const names = Object.keys(nodes[0]?.values ?? {})
  if (names.length === 0) return false
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as RecordNode
    if (isNested(node)) return false
    let count = 0
    for (const name in node.values) {
      if (names[count] !== name && !names.includes(name)) return false
      count += 1
    }
    if (count !== names.length) return false
  }
  return true
}

/**
 * Changes the records, in the order of their keys. Returns their keys in the order of `changes`.
 *
 * Throws `SavepointNeeded` if one of the records is not stored, or if the database refuses a value, which nothing else can refuse here:
 * the repeated transaction looks the records up, and finds the error that comes first in the list.
 */
export async function writeWithoutLookUp(
  context: WriteContext,
  resource: Resource,
  changes: readonly KeyedChange[],
  returned: ReturnedRows | undefined,
): Promise<readonly Values[]> {
  const [column] = resource.primaryKey as readonly [NamedColumn]
  const stored: Values[] = []
  const steps: ChangeStep[] = []
  for (let i = 0; i < changes.length; i++) {
    const { key, node } = changes[i] as KeyedChange
    const values = { [column.name]: key[0] as JsonValue }
    stored.push(values)
    steps.push(new ChangeStep(node, values))
  }
  const keyOf = ({ stored: values }: ChangeStep): Value => values[column.name] as Value
  steps.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  await writeMany({ ...context, requiresFound: true }, resource, steps, returned)
  return stored
}
