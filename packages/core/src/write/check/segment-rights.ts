// requireRights: the rights that a write needs before it looks up stored records. Without this check, the response would tell callers
// without rights which records exist. The first step of the writer; new records are checked after the look-up (`requireCreateAccess`).

import { forbidden } from '../../errors.ts'
import { requireRightToList } from '../links/write-links.ts'
import { isNamed, nodesThatChange, type WriteNode } from '../nodes/write-node.ts'
import type { Level, Segment } from '../segments/level.ts'
import type { WriteContext } from '../store/write-context.ts'
import { requireAccess } from './write-checks.ts'

/** Checks once for a level whether the caller may look up and change its records; throws 403. Sets `level.mayFind` for `resolve`. */
export async function requireRights(context: WriteContext, { level }: Segment): Promise<void> {
  if (level.mayFind !== undefined) return
  const { whenFound } = level.options
  if (whenFound === 'link' || whenFound === 'move') {
    level.mayFind = await mayLookUp(context, level)
  } else {
    await requireChangeAccess(context, level)
    level.mayFind = true
  }
}

/** Throws 403 unless the caller may change or remove records of the model, and list those that the body nests. */
async function requireChangeAccess(
  context: WriteContext,
  { nodes, options, resource }: Level,
): Promise<void> {
  if (!nodes.some(mayBeFound)) return
  await requireAccess(context, resource, options.action, options.removal && commonPath(nodes))
  await requireRightToList(context, nodesThatChange(nodes))
}

/** The path of records that are removed from one list; empty for several lists. */
function commonPath(nodes: readonly WriteNode[]): string {
  const path = nodes[0]?.path ?? ''
  return nodes.every((node) => node.path === path) ? path : ''
}

/** Whether the node may name a stored record. */
const mayBeFound = ({ key, isResolved }: WriteNode): boolean => key !== undefined || isResolved

/**
 * Whether the caller may look up the records that nested objects name. Without this right, an object can still create a record with a key
 * that the client has chosen; 409 if the key exists, as for POST.
 */
async function mayLookUp({ access }: WriteContext, level: Level): Promise<boolean> {
  const references = level.nodes.filter(isNamed)
  if (references.length === 0) return false
  const action = level.options.whenFound === 'move' ? 'PATCH' : 'GET_ONE'
  const isAllowed = await access.mayWrite(level.resource, action)
  const refused = isAllowed ? undefined : references.find(({ asMissing }) => asMissing === null)
  if (refused !== undefined) throw forbidden(refused.path)
  return isAllowed
}
