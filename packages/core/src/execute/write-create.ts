// Creates records: to-one objects first, then the record, then what holds its key; all of it in the caller's transaction (contract §8).

import { compileDelete, compileInsert, compileLink, compileLinks } from '../compile/write-query.ts'
import { forbidden, missingReference } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { Value } from '../plan/plan.ts'
import { columnsOf, keyEquals, planLookUp } from '../plan/write-look-up.ts'
import {
  type LinkNode,
  pathTo,
  type RecordNode,
  type Values,
  type WriteNode,
} from '../plan/write-node.ts'
import { planValueOf } from '../plan/write-value.ts'
import { unwritable } from '../registry/field-rules.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../registry/resource.ts'
import {
  keyIn,
  type keyMatches,
  lockedRecord,
  readScoped,
  readUnscoped,
  valuesOf,
} from './look-up.ts'
import { load, run } from './run.ts'
import { changeStored } from './write-change.ts'
import { checkFilled, compareEchoes, demand, refuseUnseenReferences } from './write-checks.ts'
import type { WriteContext } from './write-context.ts'
import { newRecord } from './write-defaults.ts'
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
  await writeChildren(context, node, stored)
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

const writeOrFind = (context: WriteContext, node: WriteNode, filled: Values): Promise<Values> =>
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
async function mayName(
  { access }: WriteContext,
  { resource, otherwise }: LinkNode,
  action: 'GET_ONE' | 'PATCH',
): Promise<boolean> {
  const may = await access.mayWrite(resource, action)
  if (!may && otherwise === null) throw forbidden()
  return may
}

/** The record that a link with a chosen key makes where there is none; 422 where its key cannot be chosen. */
async function createInstead(
  context: WriteContext,
  { resource, path, otherwise }: LinkNode,
  filled: Values,
): Promise<Values> {
  if (otherwise !== null) return createRecord(context, otherwise, filled)
  throw missingReference(resource.primaryKey.map(({ name }) => pathTo(path, name)))
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

/** Writes what holds this record's key, and its links. */
export async function writeChildren(
  context: WriteContext,
  node: RecordNode,
  known: Values,
): Promise<void> {
  for (const { relation, nodes } of node.children) {
    const stored = await withColumns(context, node.resource, known, relation.from)
    if (relation.through !== undefined) await linkAll(context, relation, nodes, stored)
    else for (const child of nodes) await writeChild(context, relation, child, stored)
  }
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

/** Makes the links of a record exactly those that are listed; the records behind removed ones stay. */
async function linkAll(
  context: WriteContext,
  relation: ResolvedRelation,
  nodes: readonly WriteNode[],
  stored: Values,
): Promise<void> {
  const { through, from, to, target } = relation
  const own = valuesOf(from, stored)
  if (through === undefined || own === undefined) return
  const mine = from.map((column, i) => ({
    dbName: through.from[i] ?? '',
    column,
    value: own[i] as Value,
  }))
  const wanted = new Map<string, { key: readonly Value[]; path: string }>()
  for (const node of nodes) {
    const partner = await withColumns(context, target, await writeOrFind(context, node, {}), to)
    const key = valuesOf(to, partner)
    if (key !== undefined) wanted.set(textOf(key), { key, path: node.path })
  }
  const ends = to.map((column, i) => ({ dbName: through.to[i] ?? '', column }))
  const existing = await linkedKeys(context, through.table, mine, ends)
  const added = [...wanted].filter(([text]) => !existing.has(text))
  const removed = [...existing].filter(([text]) => !wanted.has(text))
  await demandLinks(context, relation, added.length > 0, removed.length > 0)
  for (const [, key] of removed) {
    const theirs = ends.map((end, i) => ({ ...end, value: key[i] as Value }))
    const statement = compileDelete(context.target, through.table, [...mine, ...theirs])
    await runWrite(context, statement, {
      step: 'delete',
      resource: target,
      path: '',
      values: {},
      key,
    })
  }
  for (const [, { key, path }] of added) {
    const theirs = ends.map((end, i) => ({ ...end, value: key[i] as Value }))
    const statement = compileLink(context.target, through.table, [...mine, ...theirs])
    const step = { step: 'link', resource: target, path, values: {}, key } as const
    await runWrite(context, statement, step)
  }
}

/** Where the junction is a published model, its own methods and roles decide on links too. */
async function demandLinks(
  context: WriteContext,
  { through }: ResolvedRelation,
  adds: boolean,
  removes: boolean,
): Promise<void> {
  const junction = through?.resource
  if (junction === undefined) return
  if (adds) await demand(context, junction, 'POST')
  if (removes) await demand(context, junction, 'DELETE')
}

async function linkedKeys(
  { connection, target }: WriteContext,
  table: string,
  mine: ReturnType<typeof keyMatches>,
  ends: readonly { readonly dbName: string; readonly column: NamedColumn }[],
): Promise<ReadonlyMap<string, readonly Value[]>> {
  const { statement, readers } = compileLinks(target, table, mine, ends)
  const rows = (await run(connection, statement)).map((row) => load(readers, row).values)
  return new Map(
    rows.map((row) => {
      const key = ends.map(({ column }, i) => planValueOf(column, row[`end_${i}`]) as Value)
      return [textOf(key), key]
    }),
  )
}

const textOf = (key: readonly Value[]): string => JSON.stringify(key.map(String))
