// Creates records: to-one objects first, then the record, then what holds its key; all of it in the caller's transaction (contract §8).

import { compileInsert } from '../compile/write-query.ts'
import { forbidden } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import { columnsOf, keyEquals, planLookUp } from '../plan/write-look-up.ts'
import { pathTo, type RecordNode, type Values, type WriteNode } from '../plan/write-node.ts'
import { unwritable } from '../registry/field-rules.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../registry/resource.ts'
import { keyIn, lockedRecord, readUnscoped, valuesOf } from './look-up.ts'
import { load } from './run.ts'
import { changeStored } from './write-change.ts'
import { checkFilled, compareEchoes, demand, refuseUnseenReferences } from './write-checks.ts'
import type { WriteContext } from './write-context.ts'
import { newRecord } from './write-defaults.ts'
import { createInstead, mayName, partnersOf, writeOrFind } from './write-linked.ts'
import { writeLinks } from './write-links.ts'
import { runWrite } from './write-run.ts'

/** Inserts a record with everything below it; answers what is known of it, the key at least. */
export async function createRecord(
  context: WriteContext,
  node: RecordNode,
  filled: Values,
): Promise<Values> {
  const { resource, path } = node
  await demand(context, resource, 'POST')
  const keys = { ...filled, ...(await parentKeys(context, node)) }
  const data = { ...(await newRecord(context, node)), ...keys }
  await refuseUnseenReferences(context, resource, node.values, data, path)
  await checkFilled(context, resource, keys, data, path)
  if (!(await context.access.canCreate(resource, data))) throw forbidden()
  const saved = await context.hooks.add(resource, data)
  const stored = await insert(context, resource, saved, path)
  await writeChildren(context, node, stored, false)
  return stored
}

/** Writes or finds the to-one objects; answers the foreign keys they give. */
export async function parentKeys(context: WriteContext, node: RecordNode): Promise<Values> {
  const keys: Record<string, JsonValue> = {}
  for (const { relation, node: parent } of node.parents) {
    const stored = await writeOrFind(context, parent, {})
    const known = await withColumns(context, relation.target, stored, relation.to)
    relation.from.forEach((column, i) => {
      keys[column.name] = known[relation.to[i]?.name ?? ''] ?? null
    })
  }
  return keys
}

/** The insert itself; the key comes from the values, from the statement, or from the database's counter. */
async function insert(
  context: WriteContext,
  resource: Resource,
  values: Values,
  path: string,
): Promise<Values> {
  const { connection, target } = context
  const { made, given } = keyToInsert(resource, values)
  const returns = connection.db.getExecutor().adapter.supportsReturning === true
  const output = returns ? columnsOf(resource, made) : []
  const { statement, readers } = compileInsert(target, resource, given, output)
  const step = { step: 'insert', resource, path, values: given, key: null } as const
  const { rows, insertId } = await runWrite(context, statement, step)
  const [row] = rows
  if (row !== undefined && readers.length > 0) return { ...given, ...load(readers, row).values }
  return withCounter(resource, given, made, insertId)
}

/** The columns of the key that the database makes, and the values without them. */
export function keyToInsert(
  resource: Resource,
  values: Values,
): { readonly made: readonly NamedColumn[]; readonly given: Values } {
  const made = resource.primaryKey.filter(({ name }) => (values[name] ?? null) === null)
  if (!made.some(({ name }) => name in values)) return { made, given: values }
  const names = new Set(made.map(({ name }) => name))
  const given = Object.entries(values).filter(([name]) => !names.has(name))
  return { made, given: Object.fromEntries(given) }
}

/** The values with what the database's counter says of their key. */
export function withCounter(
  resource: Resource,
  given: Values,
  made: readonly NamedColumn[],
  insertId: bigint | undefined,
): Values {
  const [counter, ...others] = made
  if (counter === undefined) return given
  if (others.length > 0 || insertId === undefined) {
    throw new Error(`The database does not tell the key of a new ${resource.name}.`)
  }
  const id = counter.type === 'bigint' ? String(insertId) : Number(insertId)
  return { ...given, [counter.name]: id }
}

/** What is known of a record, read again where a column is missing that the database filled. */
async function withColumns(
  context: WriteContext,
  resource: Resource,
  known: Values,
  columns: readonly NamedColumn[],
): Promise<Values> {
  if (columns.every(({ name }) => known[name] !== undefined)) return known
  const key = keyIn(resource, known)
  if (key === undefined) return known
  const plan = planLookUp(resource, keyEquals(resource, key), true)
  const [stored] = await readUnscoped(context, plan, 1)
  return stored ?? known
}

/** Writes what holds this record's key, and its links; `changed`: the record was there before. */
export async function writeChildren(
  context: WriteContext,
  node: RecordNode,
  known: Values,
  changed: boolean,
): Promise<void> {
  for (const { relation, nodes } of node.children) {
    const stored = await withColumns(context, node.resource, known, relation.from)
    const own = relation.through && valuesOf(relation.from, stored)
    if (own !== undefined) {
      const path = pathTo(node.path, relation.name)
      const mayExist = changed || mayBeLinked(node, relation)
      const wanted = await partnersOf(context, relation.target, nodes)
      await writeLinks(context, { relation, own, path, mayExist }, wanted, changed)
    } else for (const child of nodes) await writeChild(context, relation, child, stored)
  }
}

/** Whether a new record can have links: nobody could know a key that was just made, unless another list has made some. */
function mayBeLinked({ resource, children }: RecordNode, { through }: ResolvedRelation): boolean {
  const chosen = !resource.primaryKey.some(({ definition }) => definition.generated)
  const lists = children.filter(({ relation }) => relation.through?.table === through?.table)
  return chosen || lists.length > 1
}

async function writeChild(
  context: WriteContext,
  relation: ResolvedRelation,
  node: WriteNode,
  stored: Values,
): Promise<void> {
  const filled: Record<string, JsonValue> = {}
  relation.to.forEach((column, i) => {
    filled[column.name] = stored[relation.from[i]?.name ?? ''] ?? null
  })
  if (node.kind === 'record') {
    await createRecord(context, node, filled)
    return
  }
  // An existing child is moved to this record: a change of its own, with its own permission.
  const { resource, key, path } = node
  const may = await mayName(context, node, 'PATCH')
  const child = may ? await lockedRecord(context, resource, key, 'PATCH') : undefined
  if (child === undefined) {
    await createInstead(context, node, filled)
    return
  }
  compareEchoes(context, resource, node.echoed, child, path)
  const fixed = relation.to.find((column) => unwritable(resource, column, 'update') !== undefined)
  if (fixed !== undefined) {
    context.problems.add(path, `The record cannot be moved here: its "${fixed.name}" is read-only.`)
    return
  }
  await checkFilled(context, resource, filled, { ...child, ...filled }, path, child)
  await changeStored(context, resource, child, filled, path)
}
