// Records that a body identifies by key: found through the caller's scope, or created if clients choose the key (docs/writing.md).

import { forbidden, missingReference } from '../../errors.ts'
import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import type { Resource } from '../../registry/resource.ts'
import { columnValues, planLookUp, planRecords } from '../plan/look-up.ts'
import {
  type LinkNode,
  pathTo,
  type RecordNode,
  type Values,
  type WriteNode,
} from '../plan/node.ts'
import { compareSentBack } from './checks.ts'
import type { WriteContext } from './context.ts'
import type { Partner } from './link-store.ts'
import { keyIn, readScoped } from './look-up.ts'

/** `createRecord`, passed as an argument because it calls the functions of this file for nested records. */
type Create = (context: WriteContext, node: RecordNode, filled: Values) => Promise<Values>

export const writeOrFind = (
  context: WriteContext,
  node: WriteNode,
  create: Create,
): Promise<Values> =>
  node.kind === 'link' ? findLinked(context, node, create) : create(context, node, {})

/** The record with the link's key. If the caller may not see it, it is treated like a missing one: created, or 422. */
async function findLinked(context: WriteContext, node: LinkNode, create: Create): Promise<Values> {
  const { resource, key, path } = node
  if (!(await mayLookUp(context, node, 'GET_ONE'))) return createMissing(context, node, {}, create)
  const plan = planLookUp(resource, columnValues(resource.primaryKey, key), false)
  const [stored] = await readScoped(context, plan, 'GET_ONE', 1)
  if (stored === undefined) return createMissing(context, node, {}, create)
  await compareSentBack(context, resource, node.sentBack, stored, path)
  return stored
}

/**
 * Whether the caller may look up the link's record. Checked before the look-up, so that the result does not reveal whether
 * the record exists. Without access, a record with a chosen key may still be created; 409 if the key exists, as on POST.
 */
export async function mayLookUp(
  { access }: WriteContext,
  { resource, otherwise }: LinkNode,
  action: 'GET_ONE' | 'PATCH',
): Promise<boolean> {
  const isAllowed = await access.mayWrite(resource, action)
  if (!isAllowed && otherwise === null) throw forbidden()
  return isAllowed
}

/** Creates the record of a link that was not found; throws 422 if clients cannot choose its key. */
export async function createMissing(
  context: WriteContext,
  { resource, path, otherwise }: LinkNode,
  filled: Values,
  create: Create,
): Promise<Values> {
  if (otherwise !== null) return create(context, otherwise, filled)
  throw missingReference(resource.primaryKey.map(({ name }) => pathTo(path, name)))
}

/** The records of a list of links, by key: reads the existing ones together, and creates the others. */
export async function partnersOf(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
  create: Create,
): Promise<ReadonlyMap<string, Partner>> {
  const known = await existingRecords(context, resource, nodes)
  const partners = new Map<string, Partner>()
  // A later object of the list may refer to a record that an earlier one created.
  let hasCreated = false
  for (const node of nodes) {
    const found = node.kind === 'link' ? known?.get(keyText(node.key)) : undefined
    if (node.kind === 'link' && found !== undefined) {
      await compareSentBack(context, resource, node.sentBack, found, node.path)
    }
    const mustLookUp = hasCreated || isCollated(resource)
    const partner =
      found ??
      (node.kind === 'record' || mustLookUp
        ? await writeOrFind(context, node, create)
        : await createMissing(context, node, {}, create))
    hasCreated ||= found === undefined
    const key = keyIn(resource, partner)
    if (key !== undefined) partners.set(keyText(key), { key, path: node.path })
  }
  return partners
}

/** The records of all links that the caller may see; undefined if the caller may not look them up. */
async function existingRecords(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
): Promise<ReadonlyMap<string, Values> | undefined> {
  const links = nodes.filter((node) => node.kind === 'link')
  const known = new Map<string, Values>()
  for (const link of links) if (!(await mayLookUp(context, link, 'GET_ONE'))) return undefined
  const keys = links.map(({ key }) => key)
  for (const some of chunks(keys, resource.primaryKey.length)) {
    const rows = await readScoped(
      context,
      planRecords(resource, resource.primaryKey, some),
      'GET_ONE',
    )
    for (const row of rows) known.set(keyText(keyIn(resource, row) ?? []), row)
  }
  return known
}

/** Whether the key has a collation, under which keys that differ in case may be equal. */
const isCollated = ({ primaryKey }: Resource): boolean =>
  primaryKey.some(({ collation }) => collation !== undefined)
