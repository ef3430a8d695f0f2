// setUpdatedTimes: sets the `updated` columns of existing records whose links have changed, so that their ETags change
// (docs/guide/writing.md).

import type { Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { setsTimestamps, updatedTimestamps } from '../check/defaults.ts'
import type { Values } from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'
import { knownValues, type WriteNode } from '../nodes/write-node.ts'
import { compileUpdateByKeys } from '../statements/statements-by-keys.ts'
import { keyOfWritten } from '../store/change-log.ts'
import { ChangedRow } from '../store/rows/rows.ts'
import { runWrite } from '../store/run-write.ts'
import type { WriteContext } from '../store/write-context.ts'

/** Sets the columns with few statements, in the records where the write has not set them already. */
export async function setUpdatedTimes(
  context: WriteContext,
  resource: Resource,
  records: readonly WriteNode[],
): Promise<void> {
  if (!setsTimestamps(resource)) return
  const times = updatedTimestamps(context, resource)
  const dueRecords = records.filter((record) => isDue(resource, times, record))
  const [first, ...others] = dueRecords
  if (first === undefined) return
  const path = others.length === 0 ? first.path : ''
  const keys = dueRecords.map((node) => keyOfWritten(resource, knownValues(node)))
  for (const keyChunk of keyChunks(context.target.dialect, keys, resource.primaryKey)) {
    const statement = compileUpdateByKeys(context.target, resource, times, keyChunk)
    const step = { step: 'update', resource, path, values: times, key: null } as const
    await runWrite(context, statement, step)
  }
  for (const node of dueRecords) {
    const known = knownValues(node)
    context.changes?.note(resource, known, known, node.path)
  }
}

/** Whether the write has left the columns as they were, and the time is another one by now. */
function isDue(
  resource: Resource,
  times: Values,
  { stored: before = {}, row }: WriteNode,
): boolean {
  const saved = row instanceof ChangedRow ? { ...row.stored, ...row.written } : before
  const columns = Object.keys(times).flatMap((name) => resource.allColumns.get(name) ?? [])
  const isSame = (values: Values, other: Values): boolean =>
    columns.every((column) => {
      const { name } = column
      return sameValue(column, values[name] ?? null, other[name] ?? null)
    })
  return isSame(saved, before) && !isSame(times, before)
}
