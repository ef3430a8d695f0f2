// lockForChanges: which lock the changes of records need. It is taken with the look-up of the records, before the changes are checked.

import type { Resource } from '../../model/registry/resource.ts'
import type { RecordNode } from '../nodes/node.ts'
import type { LockedFor } from '../statements/statements.ts'
import type { WriteContext } from '../store/write-context.ts'

interface LockOptions {
  /** Whether the nodes are those of PUT, which also sets the fields that were not sent. */
  readonly replace?: boolean
  /** The fields that identify the records, which stay the same. */
  readonly identifying?: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/**
 * The lock for records that these nodes change: `anyChange` if a unique key may change, otherwise the weaker `otherThanKeys`, with which
 * others can store references to the records meanwhile. A foreign key can refer to any unique columns, and a callback can set any column.
 * Lists of links need the stronger lock, so that nobody inserts a link of the record between their look-up and their INSERT. If an UPDATE
 * changes a key nevertheless, as of a unique index that the model does not declare, the database takes the stronger lock for the UPDATE.
 */
export function lockForChanges(
  { hooks }: WriteContext,
  resource: Resource,
  nodes: readonly RecordNode[],
  { replace = false, identifying = none }: LockOptions = {},
): LockedFor {
  if (hooks.has(resource, 'update')) return 'anyChange'
  for (const columns of resource.uniqueKeys) {
    for (const { name } of columns) {
      if (replace && !resource.primaryKey.some((column) => column.name === name)) return 'anyChange'
      // The value of an identifying field is the stored one.
      const maySend = !identifying.has(name)
      for (let i = 0; i < nodes.length; i++) {
        if (mayChange(nodes[i] as RecordNode, name, maySend)) return 'anyChange'
      }
    }
  }
  return nodes.some(({ children }) => children.length > 0) ? 'anyChange' : 'otherThanKeys'
}

/** Whether a node may change a column: by a value of the body, where that counts (`maySend`), or by the key of a nested parent. */
const mayChange = ({ values, parents }: RecordNode, name: string, maySend: boolean): boolean =>
  (maySend && name in values) ||
  (parents.length > 0 &&
    parents.some(({ relation }) => relation.from.some((column) => column.name === name)))
