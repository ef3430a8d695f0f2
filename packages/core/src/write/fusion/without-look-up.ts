// writeWithoutLookUp: changes the records of a list without looking them up; the UPDATE itself tells how many of them are stored. It exists
// for speed alone; bench/shortcuts.md says what it saves. The writer calls it in place of the steps after `requireRights`, for
// `PATCH /api/books [{"id": 1, "price": 5}, {"id": 2, "price": 6}]`.

import { ApiError } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { chunks } from '../../query/compile/chunks.ts'
import { isNested, type RecordNode, type Values } from '../nodes/node.ts'
import { nodesThatChange, type WriteNode } from '../nodes/write-node.ts'
import { writeRefusalOf } from '../refusals/refusal.ts'
import { hasOnlyValues, independentChanges } from '../resolve/requested-changes.ts'
import { compileValuesUpdate, type RowUpdate } from '../statements/compile-update-rows.ts'
import { storedColumns } from '../statements/statements.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import { runWrite } from '../store/run-write.ts'
import type { WriteContext } from '../store/write-context.ts'

/**
 * Whether the changes need no look-up. If the look-up would read the key alone (see `columnsToRead`), no hook receives the records
 * and nothing depends on their values.
 *
 * The UPDATE must lock the records in the order in which the look-up would, and write them in the order of the list. So all records
 * must have the same fields, the list must be in the order of its keys, and the table must be one of `orderedUpdates`. The attempt must
 * be one that can be repeated with a look-up.
 */
export function needsNoLookUp(
  context: WriteContext,
  resource: Resource,
  changes: readonly WriteNode[],
): boolean {
  const { target, access, hosted, repeat } = context
  const [column, ...otherKeyColumns] = resource.primaryKey
  return (
    column !== undefined &&
    otherKeyColumns.length === 0 &&
    changes.length > 1 &&
    repeat !== undefined &&
    !hosted &&
    !access.narrows(resource) &&
    target.dialect.shortcuts?.fusesWrites !== false &&
    target.dialect.shortcuts?.orderedUpdates?.(resource, column.dbName) === true &&
    areUniform(changes) &&
    columnsToRead(context, resource, { kind: 'change', nodes: nodesThatChange(changes) })
      ?.length === 1
  )
}

/** Whether the keys are numbers and increase, and all records set the same columns, at least one, compare none and nest nothing. */
function areUniform(changes: readonly WriteNode[]): boolean {
  const first = changes[0]?.asFound
  const names = first?.kind === 'record' ? Object.keys(first.values) : []
  let last = Number.NEGATIVE_INFINITY
  for (let i = 0; i < changes.length; i++) {
    const { key, asFound: record } = changes[i] as WriteNode
    const number = key?.[0]
    if (typeof number !== 'number' || number <= last || record?.kind !== 'record') return false
    if (isNested(record) || !hasOnlyValues(record)) return false
    last = number
    let count = 0
    for (const name in record.values) {
      if (names[count] !== name && !names.includes(name)) return false
      count += 1
    }
    if (count !== names.length) return false
  }
  return names.length > 0
}

/** A class, as `WriteNode` says. */
class KeyedUpdate implements RowUpdate {
  readonly stored: Values
  readonly written: Values

  constructor(stored: Values, written: Values) {
    this.stored = stored
    this.written = written
  }
}

/**
 * Changes the records.
 *
 * Repeats the transaction if one of the records is not stored, or if the database refuses the statement: the repeated transaction looks
 * the records up, and finds the error that comes first in the list.
 */
export async function writeWithoutLookUp(
  context: WriteContext,
  resource: Resource,
  changes: readonly WriteNode[],
): Promise<void> {
  const [column] = resource.primaryKey as readonly [NamedColumn]
  const updates: RowUpdate[] = []
  for (let i = 0; i < changes.length; i++) {
    const node = changes[i] as WriteNode
    const written = independentChanges(context, node.asFound as RecordNode, {
      replace: false,
    })
    node.stored = { [column.name]: node.key?.[0] as JsonValue }
    updates.push(new KeyedUpdate(node.stored, written instanceof Promise ? await written : written))
  }
  const columns = storedColumns(resource, updates[0]?.written ?? {})
  for (const updateChunk of chunks(updates, 1 + columns.length)) {
    await updateAll(context, resource, columns, updateChunk)
  }
}

/** Changes all of these records by one statement. */
async function updateAll(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
): Promise<void> {
  const statement = compileValuesUpdate(context.target, resource, columns, updates)
  if (statement === undefined) return repeat(context)
  const step = { step: 'update', resource, path: '', values: {}, key: null } as const
  try {
    const { numAffectedRows } = await runWrite(context, statement, step)
    if (numAffectedRows !== BigInt(updates.length)) return repeat(context)
  } catch (error) {
    const isFinal = error instanceof ApiError && writeRefusalOf(error) === undefined
    if (isFinal) throw error
    return repeat(context)
  }
}

/** Ends the attempt; the next one makes the steps. */
function repeat({ repeat: repeatBySteps }: WriteContext): never {
  if (repeatBySteps === undefined) {
    throw new Error('A write without a look-up must be repeatable.')
  }
  return repeatBySteps()
}
