// writeWithoutLookUp: changes the records of a list without looking them up; the UPDATE itself tells how many of them are stored. It exists
// for speed alone; bench/shortcuts.md says what it saves.

import { ApiError } from '../../../../errors.ts'
import type { JsonValue } from '../../../../lib/json/json-value.ts'
import type { NamedColumn, Resource } from '../../../../model/registry/resource.ts'
import { chunks } from '../../../../query/compile/chunks.ts'
import type { Value } from '../../../../query/plan/plan.ts'
import { isNested, type RecordNode, type Values } from '../../../nodes/node.ts'
import { refusalOf } from '../../../refusals/refusal.ts'
import { hasOnlyValues, independentChanges } from '../../../resolve/requested-changes.ts'
import { compileValuesUpdate, type RowUpdate } from '../../../statements/compile-update-rows.ts'
import { storedColumns } from '../../../statements/statements.ts'
import { runWrite } from '../../run-write.ts'
import { RepeatNeeded } from '../../savepoint.ts'
import type { WriteContext } from '../../write-context.ts'

/** A record to change: its key, and the other fields. */
export interface KeyedChange {
  readonly key: readonly Value[]
  readonly node: RecordNode
}

/**
 * Whether the changes need no look-up. `read` are the columns that the look-up would read (see `columnsToRead`): if they are the key
 * alone, no hook receives the records and nothing depends on their values.
 *
 * The UPDATE must lock the records in the order in which the look-up would, and write them in the order of the list. So all records
 * must have the same fields, the list must be in the order of its keys, and the table must be one of `orderedUpdates`. The attempt must
 * be one that can be repeated with a look-up.
 */
export function needsNoLookUp(
  { target, access, hosted, setsSavepoints }: WriteContext,
  resource: Resource,
  changes: readonly KeyedChange[],
  read: readonly NamedColumn[] | undefined,
): boolean {
  const [column, ...others] = resource.primaryKey
  return (
    read?.length === 1 &&
    column !== undefined &&
    others.length === 0 &&
    changes.length > 1 &&
    !setsSavepoints &&
    !hosted &&
    !access.narrows(resource) &&
    target.dialect.shortcuts?.orderedUpdates?.(resource, column.dbName) === true &&
    areUniform(changes)
  )
}

/** Whether the keys are numbers and increase, and all records set the same columns, at least one, compare none and nest nothing. */
function areUniform(changes: readonly KeyedChange[]): boolean {
  const names = Object.keys(changes[0]?.node.values ?? {})
  let last = Number.NEGATIVE_INFINITY
  for (let i = 0; i < changes.length; i++) {
    const { key, node } = changes[i] as KeyedChange
    const number = key[0]
    if (typeof number !== 'number' || number <= last || isNested(node) || !hasOnlyValues(node)) {
      return false
    }
    last = number
    let count = 0
    for (const name in node.values) {
      if (names[count] !== name && !names.includes(name)) return false
      count += 1
    }
    if (count !== names.length) return false
  }
  return names.length > 0
}

/** A class, as `CreateStep` says. */
class KeyedUpdate implements RowUpdate {
  readonly stored: Values
  readonly written: Values

  constructor(stored: Values, written: Values) {
    this.stored = stored
    this.written = written
  }
}

/**
 * Changes the records. Returns their keys, in the same order.
 *
 * Throws `RepeatNeeded` if one of the records is not stored, or if the database refuses the statement: the repeated transaction looks
 * the records up, and finds the error that comes first in the list.
 */
export async function writeWithoutLookUp(
  context: WriteContext,
  resource: Resource,
  changes: readonly KeyedChange[],
): Promise<readonly Values[]> {
  const [column] = resource.primaryKey as readonly [NamedColumn]
  const updates: RowUpdate[] = []
  for (let i = 0; i < changes.length; i++) {
    const { key, node } = changes[i] as KeyedChange
    const written = independentChanges(context, node, false)
    updates.push(
      new KeyedUpdate(
        { [column.name]: key[0] as JsonValue },
        written instanceof Promise ? await written : written,
      ),
    )
  }
  const columns = storedColumns(resource, updates[0]?.written ?? {})
  for (const some of chunks(updates, 1 + columns.length)) {
    await updateAll(context, resource, columns, some)
  }
  return updates.map(({ stored }) => stored)
}

/** Changes all of these records by one statement. */
async function updateAll(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
): Promise<void> {
  const statement = compileValuesUpdate(context.target, resource, columns, updates)
  if (statement === undefined) throw new RepeatNeeded()
  const step = { step: 'update', resource, path: '', values: {}, key: null } as const
  try {
    const { numAffectedRows } = await runWrite(context, statement, step)
    if (numAffectedRows !== BigInt(updates.length)) throw new RepeatNeeded()
  } catch (error) {
    const isFinal = error instanceof ApiError && refusalOf(error) === undefined
    throw isFinal ? error : new RepeatNeeded()
  }
}
