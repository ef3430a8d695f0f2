// removeRows: deletes many records, or marks them as deleted, with few statements, and writes those that lose references to them. If the
// database refuses a record, finds out which one. The step after the hooks, which have set `row` of each node.

import {
  type Dependent,
  dependentsOf,
  referredColumns,
} from '../../../model/registry/relations/dependents.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { keyChunks } from '../../../query/compile/chunks.ts'
import type { Value } from '../../../query/plan/plan.ts'
import { keyText, keyTextIn } from '../../../query/run/key.ts'
import { prepareRecords } from '../../check/overlaps.ts'
import { planLookUp } from '../../nodes/look-up-plan.ts'
import type { Values } from '../../nodes/node.ts'
import type { WriteNode } from '../../nodes/write-node.ts'
import { refusalOfFirst } from '../../refusals/first-refusal.ts'
import { writeRefusalOf } from '../../refusals/refusal.ts'
import { keyIn, keyMatches, readUnscoped } from '../../resolve/look-up-records.ts'
import { compileDelete, compileUpdate, storedColumns } from '../../statements/statements.ts'
import {
  compileDeleteByKeys,
  compileUpdateByKeys,
  matchesOf,
  recordsByKeys,
} from '../../statements/statements-by-keys.ts'
import { runWrite } from '../run-write.ts'
import { setSavepoint } from '../savepoint.ts'
import type { WriteContext } from '../write-context.ts'
import { ChangedRow, RemovedLinks, RemovedRow } from './rows.ts'
import { partsOf } from './update-rows.ts'

/** A row to delete, to mark as deleted or to change. A class, as `WriteNode` says. */
class PendingRow {
  readonly resource: Resource
  readonly key: readonly Value[]
  readonly stored: Values
  /** The values to write: those that mark the record as deleted, or its changes; null to delete its row. */
  readonly written: Values | null
  /** Rows are written after those with a smaller height, as `RemovedRow` says. */
  readonly height: number

  constructor(resource: Resource, row: ChangedRow | RemovedRow) {
    const isRemoved = row instanceof RemovedRow
    this.resource = resource
    this.key = keyIn(resource, row.stored) ?? []
    this.stored = row.stored
    this.written = isRemoved ? row.mark : row.written
    this.height = isRemoved ? row.height : changesFirst
  }
}

/** The height of records that are only changed. */
const changesFirst = -1

/** Links to delete, which are records of no model; `resource` is the model of the record that they belong to. */
interface PendingLinks extends RemovedLinks {
  readonly resource: Resource
}

/** Removes the records of nodes. If a statement is refused, throws the refusal of the first node that is refused even alone. */
export async function removeRows(
  context: WriteContext,
  nodes: readonly WriteNode[],
): Promise<void> {
  // Records that lose a reference may come to count for a rule.
  for (const { options, row } of nodes) {
    if (options.resource.exclusions.length === 0 || !(row instanceof ChangedRow)) continue
    const { stored, written, path } = row
    await prepareRecords(context, options.resource, [
      { stored, values: { ...stored, ...written }, path },
    ])
  }
  const all = groupsOf(nodes)
  /** Whether a statement writes several of the nodes, so that its refusal does not tell which one was refused. */
  const isTogether = all.links.length + all.rows.length < nodes.length
  if (!isTogether || context.hosted) return removeGroups(context, all)
  await setSavepoint(context)
  try {
    await removeGroups(context, all)
  } catch (error) {
    if (writeRefusalOf(error) === undefined) throw error
    const removeSome = (someNodes: readonly WriteNode[]) =>
      removeGroups(context, groupsOf(someNodes))
    const first = await refusalOfFirst(context, nodes, removeSome)
    if (first !== undefined) throw first
  }
}

/** Writes all groups: first the links, then the records by their heights. */
async function removeGroups(context: WriteContext, { links, rows }: RemovalGroups): Promise<void> {
  for (const group of links) await removeLinks(context, group)
  for (const group of rows) await storeGroup(context, group)
}

/** Writes the rows of a group: one row by its key, several by few statements. */
async function storeGroup(context: WriteContext, rows: RemovalGroup<PendingRow>): Promise<void> {
  const [first] = rows
  if (rows.length === 1) return storeRow(context, first)
  return first.written === null ? deleteRows(context, rows) : markRows(context, first.written, rows)
}

/** Deletes or changes one row by its key. */
async function storeRow(
  context: WriteContext,
  { resource, key, stored, written }: PendingRow,
): Promise<void> {
  const { target } = context
  const matches = keyMatches(resource, key)
  const step = { resource, path: '', values: { ...stored, ...written }, key } as const
  if (written === null) {
    await emptyOwnReferences(context, resource, [{ key, stored }])
    const statement = compileDelete(target, resource, matches)
    await runWrite(context, statement, { ...step, step: 'delete' })
  } else {
    const { statement } = compileUpdate(target, resource, written, matches)
    await runWrite(context, statement, { ...step, step: 'update' })
  }
}

/** Deletes rows of one model. */
async function deleteRows(context: WriteContext, rows: RemovalGroup<PendingRow>): Promise<void> {
  const [{ resource }] = rows
  await emptyOwnReferences(context, resource, rows)
  for (const rowChunk of keyChunks(context.target.dialect, rows, resource.primaryKey)) {
    const statement = compileDeleteByKeys(
      context.target,
      recordsByKeys(resource, rowChunk.map(keyOf)),
    )
    await runWrite(context, statement, { ...ofMany(resource), step: 'delete' })
  }
}

/**
 * Empties the references of records to themselves, where these would prevent their deletion. One that may not be NULL gets the key of a
 * record that stays; if there is none, the database refuses the deletion.
 */
async function emptyOwnReferences(
  context: WriteContext,
  resource: Resource,
  rows: readonly Pick<PendingRow, 'key' | 'stored'>[],
): Promise<void> {
  const { target } = context
  if (target.dialect.keepsOwnReferences !== true) return
  for (const dependent of dependentsOf(context.registry, resource)) {
    if (dependent.resource !== resource) continue
    const { held } = dependent
    const to = referredColumns(dependent)
    // A collation may find keys equal whose texts differ.
    const isLoose = to.some(({ collation }) => collation !== undefined)
    const own = rows.filter(({ stored }) => {
      const key = keyTextIn(held, stored)
      return key !== undefined && (isLoose || key === keyTextIn(to, stored))
    })
    if (own.length === 0) continue
    const emptied = held.filter(({ nullable }) => nullable).map(({ name }) => [name, null])
    const written =
      emptied.length > 0
        ? Object.fromEntries(emptied)
        : await referenceToAnother(context, resource, dependent, rows)
    if (written === undefined) continue
    for (const keys of keyChunks(target.dialect, own.map(keyOf), resource.primaryKey)) {
      const statement = compileUpdateByKeys(target, resource, written, keys)
      await runWrite(context, statement, { ...ofMany(resource), step: 'delete' })
    }
  }
}

/** A foreign key to a record of the model that is none of `rows`; undefined if there is no such record, or the foreign key is unique. */
async function referenceToAnother(
  context: WriteContext,
  resource: Resource,
  dependent: Dependent,
  rows: readonly Pick<PendingRow, 'key'>[],
): Promise<Values | undefined> {
  const { held } = dependent
  if (resource.uniqueKeys.some((key) => key.every((column) => held.includes(column)))) return
  const to = referredColumns(dependent)
  const read = [...new Set([...resource.primaryKey, ...to])]
  const plan = planLookUp(resource, [], { read, includeDeleted: true })
  const going = new Set(rows.map(({ key }) => keyText(key)))
  for (const row of await readUnscoped(context, plan, rows.length + 1)) {
    const isGoing = going.has(keyTextIn(resource.primaryKey, row) ?? '')
    if (isGoing || keyTextIn(to, row) === undefined) continue
    return Object.fromEntries(held.map(({ name }, i) => [name, row[to[i]?.name ?? ''] ?? null]))
  }
}

/** Marks records as deleted, or empties their references. */
async function markRows(
  context: WriteContext,
  written: Values,
  rows: RemovalGroup<PendingRow>,
): Promise<void> {
  const [{ resource }] = rows
  const byChange = new Map(rows.map((row) => [changeOf(row), row]))
  const columns = storedColumns(resource, written)
  const group = { context, resource, columns, returned: undefined }
  for (const { rows: partRows, compiled } of partsOf(group, [...byChange.keys()])) {
    if (compiled !== undefined) {
      await runWrite(context, compiled.statement, { ...ofMany(resource), step: 'update' })
      continue
    }
    for (const change of partRows) await storeRow(context, byChange.get(change) as PendingRow)
  }
}

/** Deletes the rows of one junction table that belong to removed records. */
async function removeLinks(context: WriteContext, all: RemovalGroup<PendingLinks>): Promise<void> {
  const { target } = context
  const [{ resource, dependent, key }] = all
  const step = { step: 'delete', resource, path: '', values: {} } as const
  if (all.length === 1) {
    const statement = compileDelete(target, dependent, matchesOf(dependent.key, key))
    await runWrite(context, statement, { ...step, key })
    return
  }
  const columns = dependent.key.map(({ column }) => column)
  for (const linkChunk of keyChunks(target.dialect, all, columns)) {
    const rows = { table: dependent, matches: [], parts: dependent.key, keys: linkChunk.map(keyOf) }
    const statement = compileDeleteByKeys(target, rows)
    await runWrite(context, statement, { ...step, key: null })
  }
}

const keyOf = ({ key }: { readonly key: readonly Value[] }): readonly Value[] => key
const changeOf = ({ stored, written }: PendingRow): ChangedRow =>
  new ChangedRow(stored, written ?? {}, '', written ?? {})
/** What the error of a refusal knows about a statement on several records. */
const ofMany = (resource: Resource) => ({ resource, path: '', values: {}, key: null }) as const

/** What one statement writes, or one for each chunk. */
type RemovalGroup<P> = readonly [P, ...P[]]

interface RemovalGroups {
  readonly links: readonly RemovalGroup<PendingLinks>[]
  readonly rows: readonly RemovalGroup<PendingRow>[]
}

/** The groups in the order of their statements: links, which refer to records on both sides, and then records by their heights. */
function groupsOf(nodes: readonly WriteNode[]): RemovalGroups {
  const links = new Map<Dependent, [PendingLinks, ...PendingLinks[]]>()
  const rows = new Map<string, [PendingRow, ...PendingRow[]]>()
  for (const { row, options } of nodes) {
    const { resource } = options
    if (row instanceof RemovedLinks) addToGroup(links, row.dependent, { ...row, resource })
    if (!(row instanceof RemovedRow || row instanceof ChangedRow)) continue
    const pendingRow = new PendingRow(resource, row)
    const { height, written } = pendingRow
    const columns = written === null ? [] : storedColumns(resource, written)
    addToGroup(
      rows,
      [height, resource.name, ...columns.map(({ name }) => name)].join(' '),
      pendingRow,
    )
  }
  const byHeight = [...rows.values()].sort(([a], [b]) => a.height - b.height)
  return { links: [...links.values()], rows: byHeight }
}

function addToGroup<K, P>(groups: Map<K, [P, ...P[]]>, name: K, pending: P): void {
  const known = groups.get(name)
  if (known === undefined) groups.set(name, [pending])
  else known.push(pending)
}
