// noteWritten: adds a record that a statement has written to the lists that the end of the write reads. Each step that stores a record
// calls it. isNoted tells whether any of these lists needs the record.

import type { Resource } from '../../model/registry/resource.ts'
import type { Values } from '../nodes/node.ts'
import type { WriteContext } from './write-context.ts'

type Noting = Pick<WriteContext, 'changes' | 'users' | 'ruled'>

/**
 * Notes a written record, as `ChangeLog.note` says: in `changes` for the commit callbacks, in `users` because tokens of an inactive user
 * end, and in `ruled` for the rules of its model (`exclude`).
 */
export function noteWritten(
  { changes, users, ruled }: Noting,
  resource: Resource,
  before: Values | null,
  after: Values,
  path: string | null,
): void {
  changes?.note(resource, before, after, path)
  users?.changed(resource, before, after)
  if (resource.exclusions.length > 0) ruled.note(resource, before, after, path)
}

/** Whether each written record of the resource must be noted. */
export const isNoted = ({ changes, users }: Noting, resource: Resource): boolean =>
  changes !== undefined ||
  resource.exclusions.length > 0 ||
  (users?.columnsOf(resource).size ?? 0) > 0
