// Writes of one record that are one statement each, without a transaction; what the database refuses has not happened.

import type { QueryResult } from 'kysely'
import { cellOf, type RawRow } from '../compile/cell.ts'
import type { Sendable } from '../compile/sendable.ts'
import type { SingleWriteStatements } from '../compile/single-write.ts'
import { type CompiledWrite, compileDeleteReturning } from '../compile/write-query.ts'
import type { Dialect } from '../dialect/dialect.ts'
import type { SingleWriteEcho } from '../dialect/shared/writes.ts'
import { ApiError } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { Output, RowPlan, Value } from '../plan/plan.ts'
import { keyNames, keyOfRow } from '../plan/write-echo.ts'
import { keyOutputOf } from '../plan/write-look-up.ts'
import type { Values } from '../plan/write-node.ts'
import type { Resource } from '../registry/resource.ts'
import { type LoadedRow, loadRows } from './loaded-row.ts'
import { keyIn, keyMatches } from './look-up.ts'
import { onOneConnection } from './one-connection.ts'
import { retried } from './retry.ts'
import { runRows } from './run.ts'
import { unknownOutcome } from './transaction.ts'
import { unavailableBecause } from './unavailable.ts'
import { type Refusal, refusalOf, type WriteContext } from './write-context.ts'
import { keyToInsert, withCounter } from './write-create.ts'
import { runWriteForRows } from './write-run.ts'

/** Where a context statement runs: a connection outside any transaction. */
export interface SingleWriteContext extends Pick<WriteContext, 'connection' | 'target'> {
  readonly statements: SingleWriteStatements
}

/** How the written record becomes known. */
export interface SingleWriteAnswer {
  readonly echo: SingleWriteEcho
  /** What is read of it: a plan that reads its table alone, the key included. */
  readonly rows: RowPlan
}

/** What was written; `row` is undefined where somebody has removed it since. */
export interface Written {
  readonly key: readonly Value[]
  readonly row: LoadedRow | undefined
}

/** One for all, so that what is known of it is found again. */
const nothing: readonly Output[] = []

/** Inserts a record; undefined where the database asks for another try, or would not tell the key. */
export async function insertRecord(
  context: SingleWriteContext,
  resource: Resource,
  values: Values,
  answer: SingleWriteAnswer,
): Promise<Written | undefined> {
  const { made, given } = keyToInsert(resource, values)
  const counted = made.every(({ type }) => type === 'integer' || type === 'bigint')
  if (!counted || made.length > 1 || Object.keys(given).length === 0) return undefined
  const output = answer.echo === 'returned' ? answer.rows.output : nothing
  const { statement, readers } = context.statements.insert(resource, given, output)
  const step = { step: 'insert', resource, path: '', values: given, key: null } as const
  return answered(context, resource, answer, async (own) => {
    const result = await sent(own, statement, step, isAskedAgain)
    if (result === undefined) return undefined
    const [raw] = result.rows
    if (raw !== undefined && readers.length > 0) {
      return { key: keyOfRaw(resource, readers, raw), row: loadRow(readers, raw) }
    }
    if (result.numAffectedRows === 0n) return undefined
    const key = keyIn(resource, withCounter(resource, given, made, result.insertId))
    if (key === undefined) throw new Error(`The key of a new ${resource.name} is not known.`)
    return { key }
  })
}

/** Changes a record; undefined where the database refused, or no record was found. */
export async function updateRecord(
  context: SingleWriteContext,
  resource: Resource,
  key: readonly Value[],
  values: Values,
  answer: SingleWriteAnswer,
): Promise<Written | undefined> {
  const isReturned = answer.echo === 'returned'
  const output = isReturned ? answer.rows.output : nothing
  const matches = keyMatches(resource, key)
  const { statement, readers } = context.statements.update(resource, values, matches, output)
  const step = { step: 'update', resource, path: '', values, key } as const
  const written = await answered(context, resource, answer, async (own) => {
    const result = await sent(own, statement, step, isRefused)
    if (result === undefined) return undefined
    const [raw] = result.rows
    if (isReturned) return raw && { key, row: loadRow(readers, raw) }
    return (result.numAffectedRows ?? 0n) === 0n ? undefined : { key }
  })
  return isReturned || written?.row !== undefined ? written : undefined
}

/** What a statement has written; without `row` where the record is still to be read. */
type Stored = Pick<Written, 'key'> & Partial<Pick<Written, 'row'>>

/**
 * Runs the statement of a write and reads the record where the statement does not give it back: both on one connection,
 * since behind the pool there may be several hosts, some of which lag behind. A read that fails is repeated on another
 * connection, the write never is: it is stored.
 */
async function answered(
  context: SingleWriteContext,
  resource: Resource,
  { echo, rows }: SingleWriteAnswer,
  write: (context: SingleWriteContext) => Promise<Stored | undefined>,
): Promise<Written | undefined> {
  const { connection } = context
  if (echo === 'returned') {
    const stored = await write(context)
    return stored && { row: undefined, ...stored }
  }
  const { dialect } = connection
  let failure: unknown
  // Each statement is bounded by its connection.
  const { statementTimeout: _, ...unbounded } = connection
  const stored = await onOneConnection(connection.db, connection, async (db) => {
    const own = { ...context, connection: { ...unbounded, db } }
    const written = await write(own)
    if (written === undefined || 'row' in written) return written
    try {
      return { ...written, row: await rowOf(own, resource, rows, written.key) }
    } catch (error) {
      failure = error
      return written
    }
  })
  if (stored === undefined || 'row' in stored) return stored as Written | undefined
  if (!isPassing(dialect, failure)) throw failure
  try {
    const again = () => rowOf(context, resource, rows, stored.key)
    return { ...stored, row: await retried(again, (error) => isPassing(dialect, error)) }
  } catch (error) {
    throw isPassing(dialect, error) ? unknownOutcome(error) : error
  }
}

/** Whether a read failed for a reason that may be over soon. */
const isPassing = (dialect: Dialect, error: unknown): boolean =>
  error instanceof ApiError && unavailableBecause(dialect, error.cause) !== undefined

/** Removes a record, or marks it with `mark`; false where the database refused, or no record was found. */
export async function removeRecord(
  context: SingleWriteContext,
  resource: Resource,
  key: readonly Value[],
  mark: Values | null,
): Promise<boolean> {
  const { target, statements } = context
  const matches = keyMatches(resource, key)
  const output = keyOutputOf(resource)
  const statement =
    mark === null
      ? compileDeleteReturning(target, resource.table, matches)
      : statements.update(resource, mark, matches, output).statement
  const step = mark === null ? 'delete' : 'update'
  const what = { step, resource, path: '', values: mark ?? {}, key } as const
  const result = await sent(context, statement, what, isRefused)
  return (result?.rows.length ?? 0) > 0
}

/** The key alone, since nobody else may ask for the values. */
function keyOfRaw(
  resource: Resource,
  readers: CompiledWrite['readers'],
  raw: RawRow,
): readonly Value[] {
  const inKey = keyNames(resource)
  const values: Record<string, JsonValue> = {}
  for (const reader of readers) {
    if (inKey.includes(reader.key)) values[reader.key] = reader.decode(cellOf(raw, reader))
  }
  return keyOfRow(resource, values)
}

const loadRow = (readers: CompiledWrite['readers'], raw: RawRow): LoadedRow | undefined =>
  loadRows(readers, [raw])[0]

/**
 * Runs a statement; undefined where it has done nothing for a reason that a transaction will find out about. It
 * commits by itself, so where its connection broke it may be stored, and is not sent again.
 */
async function sent(
  context: SingleWriteContext,
  statement: Sendable,
  step: Omit<Refusal, 'failure'>,
  leaves: (context: SingleWriteContext, error: unknown) => boolean,
): Promise<QueryResult<RawRow> | undefined> {
  try {
    return await runWriteForRows(context, statement, step)
  } catch (error) {
    if (leaves(context, error)) return undefined
    const isLost = context.connection.dialect.classify(error).lost === true
    throw isLost ? unknownOutcome(error) : error
  }
}

/** Whether the database asks for another try. */
const isAskedAgain = ({ connection }: SingleWriteContext, error: unknown): boolean =>
  error instanceof ApiError && connection.dialect.classify(error.cause).kind === 'retry'

/** Whether it refused, or asks for another try. */
const isRefused = (context: SingleWriteContext, error: unknown): boolean =>
  refusalOf(error) !== undefined || isAskedAgain(context, error)

/** The record as it is stored now. Read under a lock, because a proxy may send other reads to a replica that lags behind. */
async function rowOf(
  { connection, statements }: SingleWriteContext,
  resource: Resource,
  plan: RowPlan,
  key: readonly Value[],
): Promise<LoadedRow | undefined> {
  const { statement, readers } = statements.locked(plan, keyMatches(resource, key))
  const [raw] = await runRows(connection, statement)
  return raw && loadRow(readers, raw)
}
