// insertRows: inserts the new records of a segment with few statements. If the database refuses one of them, finds out which.

import type { MultiRowInserts } from '../../../dialect/internal-dialect.ts'
import { dependentsOf } from '../../../model/registry/relations/dependents.ts'
import type { Registry, Resource } from '../../../model/registry/resource.ts'
import { chunks } from '../../../query/compile/chunks.ts'
import type { Values } from '../../nodes/node.ts'
import { refusalOfFirst } from '../../refusals/first-refusal.ts'
import { writeRefusalOf } from '../../refusals/refusal.ts'
import { isNoted, noteWritten } from '../note-written.ts'
import { insertSingle } from '../save.ts'
import { rollBackTo, setSavepoint } from '../savepoint.ts'
import type { WriteContext } from '../write-context.ts'
import { withDefaultKeys } from './default-keys.ts'
import { groupForInsert, type InsertGroup } from './group-for-insert.ts'
import { insertByOneStatement, insertWithKeys, keysBecomeKnown } from './insert-by-one-statement.ts'
import { referredFirst } from './referrers-first.ts'
import type { ReturnedRows } from './returned-rows.ts'
import type { NewRow } from './rows.ts'

/**
 * Inserts the records in their order; returns their values with their keys. If a statement inserts several records, adds the rows of
 * its RETURNING to `returned`.
 */
export async function insertRows(
  context: WriteContext,
  resource: Resource,
  rows: readonly NewRow[],
  returned?: ReturnedRows,
): Promise<readonly Values[]> {
  const inserts = context.target.dialect.shortcuts?.multiRowInserts
  if (inserts === undefined || rows.length === 1) return insertEach(context, resource, rows)
  const ordered = inInsertOrder(context, resource, rows)
  const stored = await insertGroups(context, resource, ordered, inserts, returned)
  if (ordered === rows) return stored
  const byRow = new Map(ordered.map((row, i) => [row, stored[i] as Values]))
  return rows.map((row) => byRow.get(row) as Values)
}

/**
 * The rows in an order in which each can be inserted after those that it refers to: InnoDB checks foreign keys row by row, and
 * other databases for each statement, of which a long list takes several.
 */
function inInsertOrder(
  { registry }: WriteContext,
  resource: Resource,
  rows: readonly NewRow[],
): readonly NewRow[] {
  if (!refersToItself(registry, resource)) return rows
  const values = rows.map((row) => row.values)
  const ordered = referredFirst(registry, resource, values)
  if (ordered === values) return rows
  const byValues = new Map(rows.map((row) => [row.values, row]))
  return ordered.map((values) => byValues.get(values) as NewRow)
}

const refersToItself = (registry: Registry, resource: Resource): boolean =>
  dependentsOf(registry, resource).some((dependent) => dependent.resource === resource)

/** Inserts the groups of `groupForInsert`, in chunks that one statement can have. */
async function insertGroups(
  context: WriteContext,
  resource: Resource,
  rows: readonly NewRow[],
  inserts: MultiRowInserts,
  returned: ReturnedRows | undefined,
): Promise<readonly Values[]> {
  const stored: Values[] = []
  for (const insertGroup of groupForInsert(resource, rows, inserts)) {
    const group = await withDefaultKeys(context, resource, insertGroup)
    for (const rowChunk of chunks(group.rows, Math.max(group.columns.length, 1))) {
      const part = { ...group, rows: rowChunk }
      const made = await insertOrExplain(context, resource, part, inserts, returned)
      if (stored.length === 0 && part.rows.length === rows.length) return made
      for (const values of made) stored.push(values)
    }
  }
  return stored
}

/** Inserts each row by its own statement. */
async function insertEach(
  context: WriteContext,
  resource: Resource,
  rows: readonly NewRow[],
): Promise<readonly Values[]> {
  const stored: Values[] = []
  for (const { values, path, filled } of rows) {
    stored.push(await insertSingle(context, resource, values, path, { filled }))
  }
  return stored
}

/**
 * Inserts the rows with one statement, or one by one if their keys could not be known. If the statement is refused, throws the
 * refusal of the first row that is refused even alone.
 */
async function insertOrExplain(
  context: WriteContext,
  resource: Resource,
  group: InsertGroup,
  inserts: MultiRowInserts,
  returned: ReturnedRows | undefined,
): Promise<readonly Values[]> {
  const [counter] = group.generated
  const ofView = counter && context.lease.dialect.keysOfView?.(resource, counter)
  const takesOneEach = group.rows.length === 1 || ofView !== undefined || !keysBecomeKnown(group)
  const insertAll = async (): Promise<readonly Values[] | undefined> =>
    takesOneEach
      ? insertEach(context, resource, group.rows)
      : noted(
          context,
          resource,
          group,
          await insertWithKeys(context, resource, group, inserts, returned),
        )
  if (context.hosted) return (await insertAll()) ?? noKeys(resource)
  await setSavepoint(context)
  let stored: readonly Values[] | undefined
  try {
    stored = await insertAll()
  } catch (error) {
    if (writeRefusalOf(error) === undefined) throw error
    const insertSome = (rows: readonly NewRow[]) =>
      rows.length === 1
        ? insertEach(context, resource, rows)
        : insertByOneStatement(context, resource, group.columns, rows)
    throw (await refusalOfFirst(context, group.rows, insertSome)) ?? error
  }
  if (stored !== undefined) return stored
  // The statement did not tell the keys of all rows, so they are inserted again one by one.
  await rollBackTo(context)
  return insertEach(context, resource, group.rows)
}

/** Notes the new records and their keys. */
function noted<S extends readonly Values[] | undefined>(
  context: WriteContext,
  resource: Resource,
  { rows, generated }: InsertGroup,
  stored: S,
): S {
  if (generated.length > 0) {
    for (const values of stored ?? []) context.generatedKeys.add(resource, generated, values)
  }
  if (!isNoted(context, resource)) return stored
  for (const [i, values] of (stored ?? []).entries()) {
    noteWritten(context, resource, null, values, rows[i]?.path ?? null)
  }
  return stored
}

/** Throws, because in a transaction of the host the rows cannot be inserted again one by one. */
function noKeys({ name }: Resource): never {
  throw new Error(`The database does not tell which key belongs to which new ${name}.`)
}
