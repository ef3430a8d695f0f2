// noteWritten: tells of a record that a statement has written. Each step that stores a record calls it.

import type { Resource } from '../../model/registry/resource.ts'
import type { Values } from '../nodes/node.ts'
import type { WriteContext } from './write-context.ts'

type Noting = Pick<WriteContext, 'changes' | 'users' | 'written'>

/** Notes a written record, as `ChangeLog.note` says, for the callbacks of the host, for the rules of its model, and for what ends with a user. */
export function noteWritten(
  { changes, users, written }: Noting,
  resource: Resource,
  before: Values | null,
  after: Values,
  path: string | null,
): void {
  changes?.note(resource, before, after, path)
  users?.changed(resource, before, after)
  if (resource.exclusions.length > 0) written.note(resource, before, after, path)
}

/** Whether each written record of the resource must be noted. */
export const isNoted = ({ changes, users }: Noting, resource: Resource): boolean =>
  changes !== undefined ||
  resource.exclusions.length > 0 ||
  (users?.columnsOf(resource).size ?? 0) > 0
