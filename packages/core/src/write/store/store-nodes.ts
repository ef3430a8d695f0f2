// storeNodes: stores the new and changed records of nodes with few statements; `rows/remove-rows.ts` removes records. The step after the
// hooks, which have set `row` of each node.

import type { Resource } from '../../model/registry/resource.ts'
import { prepareRecords } from '../check/overlaps.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import { insertRows } from './rows/insert-rows.ts'
import type { ReturnedRows } from './rows/returned-rows.ts'
import { ChangedRow, NewRow } from './rows/rows.ts'
import { updateRows } from './rows/update-rows.ts'
import type { WriteContext } from './write-context.ts'

/** A changed record for the rules of its model. */
const changeOf = ({ stored, written, path }: ChangedRow) => ({
  stored,
  values: { ...stored, ...written },
  path,
})
/** A new record for the rules of its model. */
const newOf = ({ values, path }: NewRow) => ({ stored: null, values, path })

/** Stores changed records, then new ones, and sets `written` of each node. `returned` collects the rows that the statements return. */
export async function storeNodes(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
  returned: ReturnedRows | undefined,
): Promise<void> {
  const changed: ChangedRow[] = []
  const made: NewRow[] = []
  for (let i = 0; i < nodes.length; i++) {
    const { row } = nodes[i] as WriteNode
    if (row instanceof NewRow) made.push(row)
    else if (row instanceof ChangedRow) changed.push(row)
  }
  if (resource.exclusions.length > 0) {
    await prepareRecords(context, resource, [...changed.map(changeOf), ...made.map(newOf)])
  }
  const updated = changed.length === 0 ? [] : await updateRows(context, resource, changed, returned)
  const inserted =
    made.length === 0
      ? []
      : await insertRows(context, resource, made, returned?.byInsert ? returned : undefined)
  // The next index in `updated` and in `inserted`, which have the order of the nodes.
  let [u, n] = [0, 0]
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as WriteNode
    if (node.row instanceof NewRow) node.written = inserted[n++]
    else if (node.row instanceof ChangedRow) node.written = updated[u++]
    else node.written = node.stored
  }
}
