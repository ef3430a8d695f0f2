// runWrite: runs one statement that changes rows. If the database refuses the statement, throws the error of `refusedWrite`.

import type { CompiledQuery, QueryResult } from 'kysely'
import type { RawRow } from '../../database/cell.ts'
import {
  type Connection,
  execute,
  type NamedRow,
  run,
  sqlForArrays,
} from '../../database/statements/run.ts'
import type { Sendable } from '../../database/statements/sendable.ts'
import { unavailable } from '../../database/transactions/unavailable.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { compileStatement, type Statement } from '../../lib/sql/statement.ts'
import { type Refusal, refusedWrite } from '../refusals/refusal.ts'
import type { WriteContext } from './context.ts'

/** Runs a statement; `step` describes it for the Refusal. */
export const runWrite = async (
  context: Pick<WriteContext, 'connection'>,
  statement: Fragment,
  step: Omit<Refusal, 'failure'>,
): Promise<QueryResult<NamedRow>> =>
  (await send(context, statement, step, false)) as QueryResult<NamedRow>

/** `runWrite`, but the returned rows are arrays if the driver supports that. */
export const runWriteForRows = (
  context: Pick<WriteContext, 'connection'>,
  statement: Sendable,
  step: Omit<Refusal, 'failure'>,
): Promise<QueryResult<RawRow>> => send(context, statement, step, true)

async function send(
  { connection }: Pick<WriteContext, 'connection'>,
  statement: Sendable,
  step: Omit<Refusal, 'failure'>,
  asArrays: boolean,
): Promise<QueryResult<RawRow>> {
  const { dialect } = connection
  try {
    const sent =
      'printed' in statement ? statement.printed : compiled(connection, statement, asArrays)
    const result = (await execute(connection, sent)) as QueryResult<RawRow>
    return hasExactKey(result) ? result : await withExactKey(connection, result)
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
  connection: Connection,
  result: QueryResult<RawRow>,
): Promise<QueryResult<RawRow>> {
  const { insertId } = connection.dialect
  if (insertId === undefined) return result
  const [row] = await run(connection, sql`select ${insertId} as ${sql.id('key')}`)
  return { ...result, insertId: BigInt(String(row?.key)) }
}

function compiled(
  { db, dialect }: Connection,
  statement: Statement,
  asArrays: boolean,
): CompiledQuery {
  const plain = compileStatement(db, statement, dialect.shortcuts?.textStyle)
  return asArrays ? { ...plain, sql: sqlForArrays(dialect, plain.sql) } : plain
}
