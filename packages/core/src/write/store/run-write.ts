// runWrite: runs one statement that changes rows. If the database refuses the statement, throws the error of `refusedWrite`, from which
// `refusals/` later finds the reason. All INSERTs, UPDATEs and DELETEs of records are sent here.

import type { QueryResult } from 'kysely'
import type { RawRow } from '../../database/cell.ts'
import type { Lease, NamedRow } from '../../database/leases/lease.ts'
import type { Sendable } from '../../database/statements/sendable.ts'
import { unavailable } from '../../database/statements/unavailable.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { refusedWrite, type WriteRefusal } from '../refusals/refusal.ts'
import type { WriteContext } from './write-context.ts'

/**
 * Runs a statement; `step` says, for the error of a refusal, what it writes: which record, with which values. Returned rows are objects.
 */
export const runWrite = async (
  context: Pick<WriteContext, 'lease'>,
  statement: Fragment,
  step: Omit<WriteRefusal, 'failure'>,
): Promise<QueryResult<NamedRow>> =>
  (await sendWrite(context, statement, step, 'objects')) as QueryResult<NamedRow>

/** `runWrite`, but the returned rows are arrays if the driver supports that. */
export const runWriteForRows = (
  context: Pick<WriteContext, 'lease'>,
  statement: Sendable,
  step: Omit<WriteRefusal, 'failure'>,
): Promise<QueryResult<RawRow>> => sendWrite(context, statement, step, 'arrays if possible')

/** Sends the statement, and turns an error of the driver into an API error or the error of a refusal. */
async function sendWrite(
  { lease }: Pick<WriteContext, 'lease'>,
  statement: Sendable,
  step: Omit<WriteRefusal, 'failure'>,
  form: 'objects' | 'arrays if possible',
): Promise<QueryResult<RawRow>> {
  const { dialect } = lease
  try {
    const result = await lease.send<RawRow>(statement, form === 'arrays if possible')
    return hasExactKey(result) ? result : await withExactKey(lease, result)
  } catch (error) {
    const failure = dialect.classify(error)
    switch (failure.kind) {
      case 'unavailable':
      case 'timeout':
      case 'retry':
      case 'locked':
        throw unavailable(error, failure.kind)
      case 'other':
        throw error
      // The other kinds say why the database refused the statement.
      default:
        throw refusedWrite({ failure, ...step }, error)
    }
  }
}

const largestExact = BigInt(Number.MAX_SAFE_INTEGER)

/** Drivers round insert ids beyond the safe integers, or return them as negative numbers. */
const hasExactKey = ({ insertId }: QueryResult<RawRow>): boolean =>
  insertId === undefined || (insertId >= 0n && insertId <= largestExact)

/** The result with the exact insert id, if the database can return it as text. */
async function withExactKey(
  lease: Lease,
  result: QueryResult<RawRow>,
): Promise<QueryResult<RawRow>> {
  const { insertId } = lease.dialect
  if (insertId === undefined) return result
  const [row] = await lease.rows(sql`select ${insertId} as ${sql.id('key')}`)
  return { ...result, insertId: BigInt(String(row?.key)) }
}
