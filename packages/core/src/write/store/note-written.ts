// noteWritten: tells of a record that a statement has written. Each step that stores a record calls it.

import type { Resource } from '../../model/registry/resource.ts'
import type { Values } from '../nodes/node.ts'
import type { WriteContext } from './write-context.ts'

type Noting = Pick<WriteContext, 'changes' | 'written'>

/** Notes a written record, as `ChangeLog.note` says, for the callbacks of the host and for the rules of its model. */
export function noteWritten(
  { changes, written }: Noting,
  resource: Resource,
  before: Values | null,
  after: Values,
  path: string | null,
): void {
  changes?.note(resource, before, after, path)
  if (resource.exclusions.length > 0) written.note(resource, before, after, path)
}

/** Whether each written record of the resource must be noted. */
export const isNoted = ({ changes }: Noting, { exclusions }: Resource): boolean =>
  changes !== undefined || exclusions.length > 0
