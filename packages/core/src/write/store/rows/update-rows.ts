// updateRows: updates the changed records of a segment with few statements, each record with its own values. If the database refuses a
// record, finds out which one. `remove-rows.ts` marks records with the parts of `partsOf`.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { NamedColumn, Resource } from '../../../model/registry/resource.ts'
import { chunks, keyChunks } from '../../../query/compile/chunks.ts'
import { keyText, keyTextIn } from '../../../query/run/key.ts'
import { hidesDetails } from '../../nodes/hides-details.ts'
import { isEmpty, type Values } from '../../nodes/node.ts'
import { refusalOfFirst } from '../../refusals/first-refusal.ts'
import { writeRefusalOf } from '../../refusals/refusal.ts'
import { compileUpdateRows, mostCases } from '../../statements/compile-update-rows.ts'
import { type CompiledWrite, storedColumns } from '../../statements/statements.ts'
import { isNoted, noteWritten } from '../note-written.ts'
import { runWrite, runWriteForRows } from '../run-write.ts'
import { updateStored } from '../save.ts'
import { setSavepoint } from '../savepoint.ts'
import type { WriteContext } from '../write-context.ts'
import { hasColumns } from './group-for-insert.ts'
import { addReturned, type ReturnedRows } from './returned-rows.ts'
import { ChangedRow } from './rows.ts'

/** Rows that write the same columns. */
interface UpdateGroup {
  readonly columns: readonly NamedColumn[]
  readonly rows: ChangedRow[]
}

/** Rows of a group that the statement `compiled` changes; it is absent if the part has one row, which takes the UPDATE of one record. */
interface UpdatePart {
  readonly rows: readonly ChangedRow[]
  readonly compiled?: CompiledWrite
}

/**
 * Changes the records; returns the values that identify them, in the same order. If a statement changes several records, adds the rows
 * of its RETURNING to `returned`.
 */
export async function updateRows(
  context: WriteContext,
  resource: Resource,
  rows: readonly ChangedRow[],
  returned?: ReturnedRows,
): Promise<readonly Values[]> {
  const changed = rows.filter(isChanged)
  const names = writtenNames(changed)
  if (changed.length === 1 || dependOnOrder(resource, changed, names)) {
    await updateEach(context, resource, changed)
  } else if (changed.length > 0) {
    await updateOrExplain(context, resource, changed, returned)
  }
  const isRekeyed = resource.primaryKey.some(({ name }) => names.has(name))
  // If a key has changed, the database may have changed the foreign keys of other returned rows (ON UPDATE CASCADE).
  if (isRekeyed) returned?.rows.splice(0)
  return isRekeyed || resource.settings.softDelete !== null
    ? rows.map(({ stored, written }) => ({ ...stored, ...written }))
    : rows.map(storedOf)
}

/** Whether the row writes a value. */
const isChanged = ({ written }: ChangedRow): boolean => !isEmpty(written)
const storedOf = ({ stored }: ChangedRow): Values => stored

/** The fields into which one of the rows writes a value. */
function writtenNames(rows: readonly ChangedRow[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (let i = 0; i < rows.length; i++) {
    const { written } = rows[i] as ChangedRow
    for (const name in written) if (written[name] !== undefined) names.add(name)
  }
  return names
}

/** What the statements of a group have in common. */
interface GroupContext {
  readonly context: WriteContext
  readonly resource: Resource
  readonly columns: readonly NamedColumn[]
  readonly returned: ReturnedRows | undefined
}

/** Divides the rows of a group among as few statements as possible. */
export function* partsOf(group: GroupContext, rows: readonly ChangedRow[]): Generator<UpdatePart> {
  const { context, resource, columns } = group
  const { primaryKey } = resource
  const isShared = columns.every(({ name }) => haveSame(name, rows))
  // Each column may need a second value in each row: a flag that says whether the row changes the column.
  const parts = isShared
    ? keyChunks(context.target.dialect, rows, primaryKey)
    : chunks(rows, primaryKey.length + 2 * columns.length)
  for (const chunk of parts) yield* compiledParts(group, chunk)
}

/** Whether all rows write the same value into the column. */
function haveSame(name: string, rows: readonly ChangedRow[]): boolean {
  const first = rows[0]?.written[name]
  return rows.every(({ written }) => written[name] === first)
}

/** The rows as one part, if one statement can change all of them; otherwise in smaller parts. */
function* compiledParts(group: GroupContext, rows: readonly ChangedRow[]): Generator<UpdatePart> {
  const compiled = rows.length === 1 ? undefined : compiledFor(group, rows)
  if (compiled !== undefined || rows.length === 1) {
    yield { rows, ...(compiled && { compiled }) }
    return
  }
  const size = rows.length > mostCases ? mostCases : 1
  for (let i = 0; i < rows.length; i += size) yield* compiledParts(group, rows.slice(i, i + size))
}

/** One UPDATE for all of these rows; undefined if one cannot change all of them. */
const compiledFor = (
  { context, resource, columns, returned }: GroupContext,
  rows: readonly ChangedRow[],
): CompiledWrite | undefined =>
  compileUpdateRows(
    context.target,
    resource,
    columns,
    rows,
    returned?.byUpdate === true ? returned.output : [],
  )

/**
 * Whether an UPDATE may set columns to the values that they have already. False if the table has triggers that can see which columns an
 * UPDATE sets; `singleWrites` is undefined for such a table. Those of MySQL and MariaDB see only values.
 */
export const maySetUnchangedColumns = (
  { shortcuts }: WriteContext['target']['dialect'],
  resource: Resource,
): boolean => shortcuts?.singleWrites?.('update', resource) !== undefined

/**
 * Whether a record gets a unique value that another record of the list still has, so that the list must be written in its order:
 * `[{"id": 1, "rank": 3}, {"id": 2, "rank": 1}]`, where record 1 has the rank 1.
 */
function dependOnOrder(
  { uniqueKeys }: Resource,
  rows: readonly ChangedRow[],
  names: ReadonlySet<string>,
): boolean {
  return uniqueKeys.some((columns) => {
    if (!columns.some(({ name }) => names.has(name))) return false
    const isWritten = ({ written }: ChangedRow): boolean =>
      columns.some(({ name }) => written[name] !== undefined)
    const uniqueText = (values: Values): string => keyTextIn(columns, values) ?? keyText([null])
    const before = new Map(rows.map((row) => [uniqueText(row.stored), row]))
    return rows.some((row) => {
      const other = isWritten(row) && before.get(uniqueText({ ...row.stored, ...row.written }))
      return other !== undefined && other !== false && other !== row
    })
  })
}

/**
 * The rows as one group if one statement may change them; otherwise by the columns that they write. Where a statement cannot change a
 * column in some rows and keep it in others, rows whose body has the stored value write it, so that bodies with the same fields are one
 * group.
 */
function groupsOf(
  context: WriteContext,
  resource: Resource,
  rows: readonly ChangedRow[],
): readonly UpdateGroup[] {
  const groups = groupsByColumns(resource, rows)
  const { dialect } = context.target
  if (groups.length < 2 || !maySetUnchangedColumns(dialect, resource)) return groups
  const written = new Set(groups.flatMap(({ columns }) => columns))
  const columns = [...resource.allColumns.values()].filter((column) => written.has(column))
  if (columns.some((column) => resource.primaryKey.includes(column))) return groups
  if (dialect.shortcuts?.keepsByCase !== true) {
    const shownInFull = columns.filter((column) => !hidesDetails(column))
    return groupsByColumns(
      resource,
      rows.map((row) => withEqualValues(row, shownInFull)),
    )
  }
  const group = { context, resource, columns, returned: undefined }
  return compiledFor(group, rows) === undefined ? groups : [{ columns, rows: [...rows] }]
}

/** The row with the requested values of these columns also where they equal the stored ones. */
function withEqualValues(row: ChangedRow, columns: readonly NamedColumn[]): ChangedRow {
  const { stored, written, path, requested, filled } = row
  const all: Record<string, JsonValue> = { ...written }
  for (const { name } of columns) {
    const value = requested[name]
    if (all[name] === undefined && value !== undefined) all[name] = value
  }
  return new ChangedRow(stored, all, path, requested, filled)
}

/** Groups rows by the columns that they write. A row whose key changes is in its own group. */
function groupsByColumns(resource: Resource, rows: readonly ChangedRow[]): readonly UpdateGroup[] {
  const groups = new Map<string, UpdateGroup>()
  let last: UpdateGroup | undefined
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as ChangedRow
    if (last === undefined || !hasColumns(resource, row.written, last.columns)) {
      const columns = storedColumns(resource, row.written)
      const isRekeyed = columns.some((column) => resource.primaryKey.includes(column))
      const name = isRekeyed ? `${groups.size}` : columns.map((column) => column.name).join(',')
      last = groups.get(name) ?? { columns, rows: [] }
      groups.set(name, last)
    }
    last.rows.push(row)
  }
  return [...groups.values()]
}

/** Changes each row by its own statement. */
async function updateEach(
  context: WriteContext,
  resource: Resource,
  rows: readonly ChangedRow[],
): Promise<void> {
  for (const { stored, written, path, filled } of rows) {
    await updateStored(context, resource, stored, written, path, filled)
  }
}

/** Changes the rows. If a statement is refused, throws the refusal of the first row of the list that is refused even alone. */
async function updateOrExplain(
  context: WriteContext,
  resource: Resource,
  rows: readonly ChangedRow[],
  returned: ReturnedRows | undefined,
): Promise<void> {
  if (!context.hosted) await setSavepoint(context)
  try {
    await updateGroups(context, resource, rows, returned)
  } catch (error) {
    if (context.hosted || writeRefusalOf(error) === undefined) throw error
    // The rows of earlier statements are rolled back too.
    returned?.rows.splice(0)
    const updateSome = (someRows: readonly ChangedRow[]): Promise<void> =>
      someRows.length === 1
        ? updateEach(context, resource, someRows)
        : updateGroups(context, resource, someRows, undefined)
    const first = await refusalOfFirst(context, rows, updateSome)
    if (first !== undefined) throw first
  }
}

/** Changes the rows by groups, and notes them. */
async function updateGroups(
  context: WriteContext,
  resource: Resource,
  rows: readonly ChangedRow[],
  returned: ReturnedRows | undefined,
): Promise<void> {
  for (const { columns, rows: all } of groupsOf(context, resource, rows)) {
    const group: GroupContext = { context, resource, columns, returned }
    for (const { rows: partRows, compiled } of partsOf(group, all)) {
      if (compiled === undefined) {
        await updateEach(context, resource, partRows)
        continue
      }
      await updateTogether(group, compiled)
      for (const { stored, written, path } of isNoted(context, resource) ? partRows : []) {
        noteWritten(context, resource, stored, { ...stored, ...written }, path)
      }
    }
  }
}

/** Sends the UPDATE of several rows, and adds the rows that it returns to `returned`. */
async function updateTogether(
  { context, resource, returned }: GroupContext,
  { statement, readers }: CompiledWrite,
): Promise<void> {
  const step = { step: 'update', resource, path: '', values: {}, key: null } as const
  if (returned?.byUpdate !== true) {
    await runWrite(context, statement, step)
    return
  }
  const { rows } = await runWriteForRows(context, statement, step)
  addReturned(returned, readers, rows)
}
