// Records that a body names by their key: found through the caller's scope, or created under a key that clients choose (contract §8).

import { forbidden, missingReference } from '../errors.ts'
import { keyEquals, planLookUp, planRecords } from '../plan/write-look-up.ts'
import { type LinkNode, pathTo, type Values, type WriteNode } from '../plan/write-node.ts'
import type { Resource } from '../registry/resource.ts'
import { chunks } from './chunks.ts'
import { keyText } from './key.ts'
import { keyIn, readScoped } from './look-up.ts'
import { compareEchoes } from './write-checks.ts'
import type { WriteContext } from './write-context.ts'
import { createRecord } from './write-create.ts'
import type { Partner } from './write-links.ts'

export const writeOrFind = (
  context: WriteContext,
  node: WriteNode,
  filled: Values,
): Promise<Values> =>
  node.kind === 'link' ? findLinked(context, node, filled) : createRecord(context, node, filled)

/** The record a link names, if the caller may see it: else 422, the same as for a missing one. */
async function findLinked(context: WriteContext, node: LinkNode, filled: Values): Promise<Values> {
  const { resource, key, path } = node
  if (!(await mayName(context, node, 'GET_ONE'))) return createInstead(context, node, filled)
  const plan = planLookUp(resource, keyEquals(resource, key), false)
  const [stored] = await readScoped(context, plan, 'GET_ONE', 1)
  if (stored === undefined) return createInstead(context, node, filled)
  compareEchoes(context, resource, node.echoed, stored, path)
  return stored
}

/**
 * Whether a link may look for its record; asked before anything is looked for, so that the answer is the same whether
 * there is one. Who may not, may still create a record under a chosen key: if it is taken, that is 409, as on POST.
 */
export async function mayName(
  { access }: WriteContext,
  { resource, otherwise }: LinkNode,
  action: 'GET_ONE' | 'PATCH',
): Promise<boolean> {
  const may = await access.mayWrite(resource, action)
  if (!may && otherwise === null) throw forbidden()
  return may
}

/** The record that a link with a chosen key makes where there is none; 422 where its key cannot be chosen. */
export async function createInstead(
  context: WriteContext,
  { resource, path, otherwise }: LinkNode,
  filled: Values,
): Promise<Values> {
  if (otherwise !== null) return createRecord(context, otherwise, filled)
  throw missingReference(resource.primaryKey.map(({ name }) => pathTo(path, name)))
}

/** The records that a list of links names, by the text of their key: those that exist are looked for together. */
export async function partnersOf(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
): Promise<ReadonlyMap<string, Partner>> {
  const known = await namedRecords(context, resource, nodes)
  const partners = new Map<string, Partner>()
  // A record that this list has made may be the one that a later object names.
  let made = false
  for (const node of nodes) {
    const found = node.kind === 'link' ? known?.get(keyText(node.key)) : undefined
    if (node.kind === 'link' && found !== undefined) {
      compareEchoes(context, resource, node.echoed, found, node.path)
    }
    const again = made || isCollated(resource)
    const partner =
      found ??
      (node.kind === 'record' || again
        ? await writeOrFind(context, node, {})
        : await createInstead(context, node, {}))
    made ||= found === undefined
    const key = keyIn(resource, partner)
    if (key !== undefined) partners.set(keyText(key), { key, path: node.path })
  }
  return partners
}

/** The records of all links, as far as the caller sees them; undefined where the caller may not look for any. */
async function namedRecords(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
): Promise<ReadonlyMap<string, Values> | undefined> {
  const links = nodes.filter((node) => node.kind === 'link')
  const known = new Map<string, Values>()
  for (const link of links) if (!(await mayName(context, link, 'GET_ONE'))) return undefined
  const keys = links.map(({ key }) => key)
  for (const some of chunks(keys, resource.primaryKey.length)) {
    const rows = await readScoped(context, planRecords(resource, some), 'GET_ONE')
    for (const row of rows) known.set(keyText(keyIn(resource, row) ?? []), row)
  }
  return known
}

/** Whether a key may be found that is written in other letters than the body has. */
const isCollated = ({ primaryKey }: Resource): boolean =>
  primaryKey.some(({ collation }) => collation !== undefined)
