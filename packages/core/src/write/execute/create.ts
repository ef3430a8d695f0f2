// Creates records with their nested records: first to-one parents, then the record, then children and links (docs/writing.md).

import { forbidden } from '../../errors.ts'
import type { JsonValue } from '../../json/json-value.ts'
import { unwritableKey } from '../../registry/field-rules.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../registry/resource.ts'
import { tableKey } from '../../sql/table-name.ts'
import { columnValues, planLookUp } from '../plan/look-up.ts'
import { pathTo, type RecordNode, type Values, type WriteNode } from '../plan/node.ts'
import {
  compareSentBack,
  refuseInvisibleReferences,
  requireAccess,
  validateFilled,
} from './checks.ts'
import type { WriteContext } from './context.ts'
import { newRecord } from './defaults.ts'
import { createMissing, mayLookUp, partnersOf, writeOrFind } from './linked.ts'
import { writeLinks } from './links.ts'
import { keyIn, lockedRecord, readUnscoped, valuesOf } from './look-up.ts'
import { changeStored, insert } from './save.ts'

/** Inserts a record with its nested records; returns the known values, at least the key. */
export async function createRecord(
  context: WriteContext,
  node: RecordNode,
  filled: Values,
): Promise<Values> {
  const { resource, path } = node
  await requireAccess(context, resource, 'POST')
  const keys = { ...filled, ...(await parentKeys(context, node)) }
  const data = { ...(await newRecord(context, node)), ...keys }
  await refuseInvisibleReferences(context, resource, node.values, data, path)
  await validateFilled(context, resource, keys, data, path)
  if (!(await context.access.canCreate(resource, data))) throw forbidden()
  const saved = await context.hooks.add(resource, data)
  const stored = await insert(context, resource, saved, path)
  await writeChildren(context, node, stored, false)
  return stored
}

/** Creates or finds the to-one parents; returns the foreign keys to them. */
export async function parentKeys(context: WriteContext, node: RecordNode): Promise<Values> {
  const keys: Record<string, JsonValue> = {}
  for (const { relation, node: parent } of node.parents) {
    const stored = await writeOrFind(context, parent, createRecord)
    const known = await withColumns(context, relation.target, stored, relation.to)
    for (const { from, to } of relation.pairs) keys[from.name] = known[to.name] ?? null
  }
  return keys
}

/** The known values of a record; read from the database if one of the columns is missing. */
async function withColumns(
  context: WriteContext,
  resource: Resource,
  known: Values,
  columns: readonly NamedColumn[],
): Promise<Values> {
  if (columns.every(({ name }) => known[name] !== undefined)) return known
  const key = keyIn(resource, known)
  if (key === undefined) return known
  const plan = planLookUp(resource, columnValues(resource.primaryKey, key), true)
  const [stored] = await readUnscoped(context, plan, 1)
  return stored ?? known
}

/** Writes the children and links of a record. `isUpdate`: the record existed before, so lists replace its links. */
export async function writeChildren(
  context: WriteContext,
  node: RecordNode,
  known: Values,
  isUpdate: boolean,
): Promise<void> {
  for (const { relation, nodes } of node.children) {
    const stored = await withColumns(context, node.resource, known, relation.from)
    const own = relation.through && valuesOf(relation.from, stored)
    if (own !== undefined) {
      const path = pathTo(node.path, relation.name)
      const mayExist = isUpdate || mayBeLinked(node, relation)
      const wanted = await partnersOf(context, relation.target, nodes, createRecord)
      const links = { relation, record: known, own, path, mayExist }
      await writeLinks(context, links, wanted, isUpdate)
    } else for (const child of nodes) await writeChild(context, relation, child, stored)
  }
}

/** Whether a new record can have links already: if its key was not generated, or another list of the body uses the same junction. */
function mayBeLinked({ resource, children }: RecordNode, { through }: ResolvedRelation): boolean {
  const keyWasChosen = !resource.primaryKey.some(({ definition }) => definition.generated)
  const junction = through && tableKey(through)
  const lists = children.filter(
    ({ relation }) => relation.through && tableKey(relation.through) === junction,
  )
  return keyWasChosen || lists.length > 1
}

async function writeChild(
  context: WriteContext,
  relation: ResolvedRelation,
  node: WriteNode,
  stored: Values,
): Promise<void> {
  const filled: Record<string, JsonValue> = {}
  for (const { from, to } of relation.pairs) filled[to.name] = stored[from.name] ?? null
  if (node.kind === 'record') {
    await createRecord(context, node, filled)
    return
  }
  // An existing child is moved to this record, which needs permission to change the child.
  const { resource, key, path } = node
  const isAllowed = await mayLookUp(context, node, 'PATCH')
  const child = isAllowed ? await lockedRecord(context, resource, key, 'PATCH') : undefined
  if (child === undefined) {
    await createMissing(context, node, filled, createRecord)
    return
  }
  await compareSentBack(context, resource, node.sentBack, child, path)
  const fixed = relation.to.find(
    (column) => unwritableKey(resource, column, 'update') !== undefined,
  )
  if (fixed !== undefined) {
    const name = fixed.hidden ? 'relation to its parent' : `"${fixed.name}"`
    context.problems.add(path, `The record cannot be moved here: its ${name} is read-only.`)
    return
  }
  await validateFilled(context, resource, filled, { ...child, ...filled }, path, child)
  await changeStored(context, resource, child, filled, path)
}
