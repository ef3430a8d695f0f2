// insertRecord, updateRecord, removeRecord: send the one statement of a fused write (`fused-write.ts`): checks of access and references are
// conditions of the INSERT, UPDATE or DELETE. If the database refuses the statement, nothing was written, and the write is made step by
// step in a transaction.

import type { QueryResult } from 'kysely'
import { cellOf, type RawRow } from '../../database/cell.ts'
import { unknownOutcome } from '../../database/leases/in-transaction.ts'
import { withRetries } from '../../database/statements/retry.ts'
import type { Sendable } from '../../database/statements/sendable.ts'
import { asUnavailable } from '../../database/statements/unavailable.ts'
import type { Dialect } from '../../dialect/dialect.ts'
import type { SingleWriteEcho } from '../../dialect/shared/sql/single-writes.ts'
import { ApiError } from '../../errors.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { valueOfJson } from '../../query/plan/conditions/value.ts'
import type { Output, RowPlan, Value } from '../../query/plan/plan.ts'
import { recordKey } from '../../query/plan/record.ts'
import { type LoadedRow, loadRows } from '../../query/run/loaded-row.ts'
import { keyOutputOf } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import { type WriteRefusal, writeRefusalOf } from '../refusals/refusal.ts'
import { exactMatches, keyIn, keyMatches } from '../resolve/look-up-records.ts'
import type { CompiledWrite } from '../statements/statements.ts'
import type { SingleWriteStatements } from '../statements/stored-single-writes.ts'
import { runWriteForRows } from '../store/run-write.ts'
import { isCounter, splitGeneratedKey, withInsertId } from '../store/save.ts'
import type { WriteContext } from '../store/write-context.ts'

/** The context of a single-statement write: its connection, and the compiled statements. */
export interface SingleWriteContext extends Pick<WriteContext, 'lease'> {
  readonly statements: SingleWriteStatements
  /** Whether the connection is in a transaction. An error of the statement then ends the transaction. */
  readonly inTransaction: boolean
  /** Whether the change may have moved the record out of the caller's scope. */
  readonly mayHide: boolean
  /** Whether an INSERT stores nothing unless the caller sees the records that the new one refers to. */
  readonly checksReferences: boolean
}

/** How the written record is read. */
export interface SingleWriteRead {
  readonly echo: SingleWriteEcho
  /** What is read: a plan of the record's table alone, including the key. */
  readonly rows: RowPlan
}

/**
 * What was written. `row` is absent until the record is read. It is undefined if a concurrent request has deleted the record, or if
 * the scope of the policy hides it.
 */
export interface Written {
  readonly key: readonly Value[]
  readonly row?: LoadedRow | undefined
}

/** No columns. A constant, because compiled statements are cached by this array. */
const noColumns: readonly Output[] = []

/**
 * Inserts a record; undefined if the database reports a conflict, or if the generated key could not be known. With references, also
 * undefined if one of them is hidden, or the database refuses: a hidden reference is reported before other mistakes.
 */
export async function insertRecord(
  context: SingleWriteContext,
  resource: Resource,
  values: Values,
  read: SingleWriteRead,
): Promise<Written | undefined> {
  const { generated, insertValues } = splitGeneratedKey(resource, values)
  const isNumber = ({ type }: NamedColumn): boolean => columnTypes[type].number === 'whole'
  const isKeyKnown = generated.every(read.echo === 'returned' ? isNumber : isCounter)
  if (!isKeyKnown || generated.length > 1 || Object.keys(insertValues).length === 0)
    return undefined
  const output = read.echo === 'returned' ? read.rows.output : noColumns
  const statement = context.statements.insert(resource, insertValues, output)
  const { readers } = statement
  const step = { step: 'insert', resource, path: '', values: insertValues, key: null } as const
  return writeAndRead(context, resource, read, async (own) => {
    const { checksReferences } = context
    const isExpected = checksReferences ? isRefusedOrConflict : isConflict
    const result = await sendUnless(own, statement.statement, step, isExpected)
    if (result === undefined) return undefined
    const [raw] = result.rows
    if (raw !== undefined && readers.length > 0) {
      return { key: keyOfRaw(resource, readers, raw), row: shownRow(statement, raw) }
    }
    // No row is returned: the INSERT has stored none, because the caller does not see a reference.
    const returnsNone = checksReferences && readers.length > 0
    if (returnsNone || result.numAffectedRows === 0n) return undefined
    const key = keyIn(resource, withInsertId(resource, insertValues, generated, result.insertId))
    if (key === undefined) throw new Error(`The key of a new ${resource.name} is not known.`)
    return { key }
  })
}

/** Updates a record; undefined if the database refused, or no record was found. */
export async function updateRecord(
  context: SingleWriteContext,
  resource: Resource,
  key: readonly Value[],
  values: Values,
  read: SingleWriteRead,
): Promise<Written | undefined> {
  const isReturned = read.echo === 'returned'
  const output = isReturned ? read.rows.output : noColumns
  const matches = exactMatches(resource, key)
  const statement = context.statements.update(resource, values, matches, output)
  const step = { step: 'update', resource, path: '', values, key } as const
  const written = await writeAndRead(context, resource, read, async (own) => {
    const result = await sendUnless(own, statement.statement, step, isRefusedOrConflict)
    if (result === undefined) return undefined
    const [raw] = result.rows
    if (isReturned) return raw && { key, row: shownRow(statement, raw) }
    return (result.numAffectedRows ?? 0n) === 0n ? undefined : { key }
  })
  // If a SELECT does not find the record, although the change cannot have hidden it, another request has deleted it: undefined.
  return isReturned || context.mayHide || written?.row !== undefined ? written : undefined
}

/** Sends the statement of a write; undefined if it has written nothing. */
type SendWrite = (context: SingleWriteContext) => Promise<Written | undefined>

/** Sends the statement of a write, and reads the record if the statement does not return it. */
const writeAndRead = (
  context: SingleWriteContext,
  resource: Resource,
  { echo, rows }: SingleWriteRead,
  sendWrite: SendWrite,
): Promise<Written | undefined> =>
  echo === 'returned' ? sendWrite(context) : writeThenRead(context, resource, rows, sendWrite)

/**
 * Both statements use one connection, because the pool may connect to several servers, some of which lag. A failed read is retried
 * on another connection; the write is not, because it is stored.
 */
async function writeThenRead(
  context: SingleWriteContext,
  resource: Resource,
  rows: RowPlan,
  sendWrite: SendWrite,
): Promise<Written | undefined> {
  const { lease } = context
  const { dialect } = lease
  let failure: unknown
  const stored = await lease.onOneConnection(async (connection) => {
    const own = { ...context, lease: connection }
    const written = await sendWrite(own)
    if (written === undefined || 'row' in written) return written
    try {
      return { ...written, row: await readStored(own, resource, rows, written.key) }
    } catch (error) {
      failure = error
      return written
    }
  })
  if (stored === undefined || 'row' in stored) return stored
  if (context.inTransaction || !isTemporaryFailure(dialect, failure)) throw failure
  try {
    const readAgain = () => readStored(context, resource, rows, stored.key)
    return {
      ...stored,
      row: await withRetries(readAgain, (error) => isTemporaryFailure(dialect, error)),
    }
  } catch (error) {
    throw isTemporaryFailure(dialect, error) ? unknownOutcome(error) : error
  }
}

/** Whether a read failed for a temporary reason. */
const isTemporaryFailure = (dialect: Dialect, error: unknown): boolean =>
  error instanceof ApiError && asUnavailable(dialect, error.cause) !== undefined

/** Deletes a record, or sets the soft-delete values `mark`; false if the database refused, or no record was found. */
export async function removeRecord(
  context: SingleWriteContext,
  resource: Resource,
  key: readonly Value[],
  mark: Values | null,
  echo: SingleWriteEcho,
): Promise<boolean> {
  const { statements } = context
  const matches = exactMatches(resource, key)
  const isCounted = mark === null && echo === 'read'
  const { statement } =
    mark === null
      ? statements.remove(resource, matches, !isCounted)
      : statements.update(resource, mark, matches, keyOutputOf(resource))
  const step = mark === null ? 'delete' : 'update'
  const refusal = { step, resource, path: '', values: mark ?? {}, key } as const
  const result = await sendUnless(context, statement, refusal, isRefusedOrConflict)
  if (isCounted) return (result?.numAffectedRows ?? 0n) > 0n
  return (result?.rows.length ?? 0) > 0
}

/** The key of a row that a plan of `withKeyAndTag` reads, without decoding the other values. */
const keyOfRaw = (
  { primaryKey }: Resource,
  readers: CompiledWrite['readers'],
  raw: RawRow,
): readonly Value[] =>
  primaryKey.map((column) => {
    const own = recordKey(column.name)
    const reader =
      readers.find(({ key }) => key === own) ?? readers.find(({ key }) => key === column.name)
    return valueOfJson(column, reader?.decode(cellOf(raw, reader)))
  }) as readonly Value[]

/** The row that a write returned; undefined if the row says that the caller may not read the record. */
const shownRow = (
  { readers, inScope }: Pick<CompiledWrite, 'readers' | 'inScope'>,
  raw: RawRow,
): LoadedRow | undefined =>
  inScope === undefined || Number(cellOf(raw, inScope)) === 1 ? loadRow(readers, raw) : undefined

const loadRow = (readers: CompiledWrite['readers'], raw: RawRow): LoadedRow | undefined =>
  loadRows(readers, [raw])[0]

/**
 * Runs a statement. Outside of a transaction, returns undefined if it fails with an error that `isExpected` accepts: a transaction then
 * makes the write, or finds the error for the client. The statement commits by itself, so if the connection breaks, the row may be
 * stored; the statement is not sent again.
 */
function sendUnless(
  context: SingleWriteContext,
  statement: Sendable,
  step: Omit<WriteRefusal, 'failure'>,
  isExpected: (context: SingleWriteContext, error: unknown) => boolean,
): Promise<QueryResult<RawRow> | undefined> {
  const running = runWriteForRows(context, statement, step)
  if (context.inTransaction) return running
  return running.catch((error: unknown) => {
    if (isExpected(context, error)) return undefined
    const isLost = context.lease.dialect.classify(error).lost === true
    throw isLost ? unknownOutcome(error) : error
  })
}

/** Whether the statement failed because of a conflict with another transaction. */
const isConflict = ({ lease }: SingleWriteContext, error: unknown): boolean =>
  error instanceof ApiError && lease.dialect.classify(error.cause).kind === 'retry'

/** Whether the statement was refused, or failed because of a conflict with another transaction. */
const isRefusedOrConflict = (context: SingleWriteContext, error: unknown): boolean =>
  writeRefusalOf(error) !== undefined || isConflict(context, error)

/** Reads the stored record, with FOR UPDATE, because a proxy may send plain SELECTs to a replica that lags behind. */
async function readStored(
  { lease, statements }: SingleWriteContext,
  resource: Resource,
  plan: RowPlan,
  key: readonly Value[],
): Promise<LoadedRow | undefined> {
  const { statement, readers } = statements.locked(plan, keyMatches(resource, key))
  const [raw] = await lease.rawRows(statement)
  return raw && loadRow(readers, raw)
}
