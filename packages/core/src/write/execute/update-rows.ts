// updateRows: updates many records with few statements, each record with its own values. If the database refuses a record, finds out which one.

import { chunks } from '../../execute/chunks.ts'
import { keyText, keyTextIn } from '../../execute/key.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { storedColumns } from '../compile/statements.ts'
import {
  boundTogether,
  compileJoinedUpdate,
  compileUpdateRows,
  type RowUpdate,
  sharedValues,
} from '../compile/update-rows.ts'
import type { Values } from '../plan/node.ts'
import { refusalOf, type WriteContext } from './context.ts'
import { refusalOfFirst } from './first-refusal.ts'
import { hasColumns } from './group-for-insert.ts'
import { keyIn } from './look-up.ts'
import type { ChangedRow } from './pending-writes.ts'
import { addReturned, type ReturnedRows } from './returned-rows.ts'
import { runWrite, runWriteForRows } from './run-step.ts'
import { updateStored } from './save.ts'
import { setSavepoint } from './savepoint.ts'

/** Rows that write the same columns. */
interface Group {
  readonly columns: readonly NamedColumn[]
  readonly rows: BoundRow[]
}

/** A changed row with its values as parameters; undefined if it needs its own statement. */
interface BoundRow {
  readonly row: ChangedRow
  readonly update: RowUpdate | undefined
}

/** CASE compares each row with all keys before its own, so the cost of a statement grows with the square of the number of rows. */
const rowsPerStatement = 100

/**
 * Changes the records; returns their values in the same order. Adds the rows that statements of several records return to
 * `returned`.
 */
export async function updateRows(
  context: WriteContext,
  resource: Resource,
  rows: readonly ChangedRow[],
  returned?: ReturnedRows,
): Promise<readonly Values[]> {
  const changed = rows.filter(({ written }) => Object.keys(written).length > 0)
  if (changed.length === 1 || dependOnOrder(resource, changed)) {
    await updateEach(context, resource, changed)
  } else {
    for (const { columns, rows: all } of groupsOf(context, resource, changed)) {
      for (const some of partsOf(context, resource, columns, all)) {
        await updateOrExplain(context, resource, columns, some, returned)
      }
    }
  }
  // The database may have changed records that refer to one whose key has changed.
  if (changed.some(({ written }) => resource.primaryKey.some(({ name }) => name in written))) {
    returned?.rows.splice(0)
  }
  return rows.map(({ stored, written }) => ({ ...stored, ...written }))
}

/** The rows that one statement changes. */
function partsOf(
  { target }: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  rows: readonly BoundRow[],
): Iterable<readonly BoundRow[]> {
  const updates = updatesOf(rows)
  if (updates === undefined) return rows.map((row) => [row])
  const keys = resource.primaryKey.length
  if (sharedValues(columns, updates).every(Boolean)) return chunks(rows, keys)
  return compileJoinedUpdate(target, resource, columns, updates.slice(0, 2)) === undefined
    ? parts(rows)
    : chunks(rows, keys + columns.length)
}

function* parts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < rows.length; i += rowsPerStatement) yield rows.slice(i, i + rowsPerStatement)
}

/** The updates of one statement; undefined if a row needs its own statement. */
function updatesOf(rows: readonly BoundRow[]): readonly RowUpdate[] | undefined {
  const updates: RowUpdate[] = []
  for (const { update } of rows) {
    if (update === undefined) return undefined
    updates.push(update)
  }
  return updates
}

/** Whether a record gets a unique value that another one had, which becomes free only when that one is changed. */
function dependOnOrder({ uniqueKeys }: Resource, rows: readonly ChangedRow[]): boolean {
  return uniqueKeys.some((columns) => {
    const isWritten = ({ written }: ChangedRow): boolean =>
      columns.some(({ name }) => written[name] !== undefined)
    if (!rows.some(isWritten)) return false
    const text = (values: Values): string => keyTextIn(columns, values) ?? keyText([null])
    const before = new Map(rows.map((row) => [text(row.stored), row]))
    return rows.some((row) => {
      const other = isWritten(row) && before.get(text({ ...row.stored, ...row.written }))
      return other !== undefined && other !== false && other !== row
    })
  })
}

/** Groups rows by the columns that they write. A row is in its own group if a value compiles to more than a parameter, or if its key changes. */
function groupsOf(
  { target }: WriteContext,
  resource: Resource,
  rows: readonly ChangedRow[],
): readonly Group[] {
  const groups = new Map<string, Group>()
  let last: Group | undefined
  for (const [i, row] of rows.entries()) {
    const isLast = last !== undefined && hasColumns(resource, row.written, last.columns)
    const columns = isLast && last ? last.columns : storedColumns(resource, row.written)
    const isRekeyed = columns.some((column) => resource.primaryKey.includes(column))
    const bound = isRekeyed ? undefined : boundTogether(target, columns, row.written)
    const update = bound && { key: keyIn(resource, row.stored) ?? [], bound }
    if (isLast && last && update !== undefined) {
      last.rows.push({ row, update })
      continue
    }
    const name = update === undefined ? `${i}` : columns.map((column) => column.name).join(',')
    const group = groups.get(name) ?? { columns, rows: [] }
    group.rows.push({ row, update })
    groups.set(name, group)
    last = update === undefined ? undefined : group
  }
  return [...groups.values()]
}

async function updateEach(
  context: WriteContext,
  resource: Resource,
  rows: readonly ChangedRow[],
): Promise<void> {
  for (const { stored, written, path } of rows) {
    await updateStored(context, resource, stored, written, path)
  }
}

/** Changes the rows by one statement. If it is refused, throws the refusal of the first row that is refused on its own. */
async function updateOrExplain(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  rows: readonly BoundRow[],
  returned: ReturnedRows | undefined,
): Promise<void> {
  const write = async (some: readonly BoundRow[]): Promise<void> => {
    const changed = some.map(({ row }) => row)
    const updates = some.length === 1 ? undefined : updatesOf(some)
    if (updates === undefined) return updateEach(context, resource, changed)
    await updateTogether(context, resource, columns, updates, returned)
    for (const { stored, written } of changed) {
      context.changes?.note(resource, stored, { ...stored, ...written })
    }
  }
  if (rows.length === 1) return write(rows)
  if (!context.hosted) await setSavepoint(context)
  try {
    await write(rows)
  } catch (error) {
    if (context.hosted || refusalOf(error) === undefined) throw error
    const first = await refusalOfFirst(context, rows, write)
    if (first !== undefined) throw first
  }
}

async function updateTogether(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
  returned: ReturnedRows | undefined,
): Promise<void> {
  const { target } = context
  const step = { step: 'update', resource, path: '', values: {}, key: null } as const
  if (returned?.byUpdate !== true) {
    const { statement } = compileUpdateRows(target, resource, columns, updates)
    await runWrite(context, statement, step)
    return
  }
  const { output } = returned
  const { statement, readers } = compileUpdateRows(target, resource, columns, updates, output)
  const { rows } = await runWriteForRows(context, statement, step)
  addReturned(returned, readers, rows)
}
