// Sends one statement that changes rows; a violation is thrown with what was being written, to be explained after the rollback.

import type { CompiledQuery, QueryResult } from 'kysely'
import type { RawRow } from '../compile/cell.ts'
import type { Sendable } from '../compile/sendable.ts'
import type { Fragment } from '../sql/fragment.ts'
import { compileStatement, type Statement } from '../sql/statement.ts'
import { arrayText, type Connection, execute, type NamedRow } from './run.ts'
import { unavailable } from './unavailable.ts'
import { type Refusal, refusedWrite, type WriteContext } from './write-context.ts'

/** Runs a write; `step` says what it is about. */
export const runWrite = async (
  context: Pick<WriteContext, 'connection'>,
  statement: Fragment,
  step: Omit<Refusal, 'failure'>,
): Promise<QueryResult<NamedRow>> =>
  (await send(context, statement, step, false)) as QueryResult<NamedRow>

/** As `runWrite`; the rows that it gives back come as arrays where the driver can. */
export const runWriteForRows = (
  context: Pick<WriteContext, 'connection'>,
  statement: Sendable,
  step: Omit<Refusal, 'failure'>,
): Promise<QueryResult<RawRow>> => send(context, statement, step, true)

async function send(
  { connection }: Pick<WriteContext, 'connection'>,
  statement: Sendable,
  step: Omit<Refusal, 'failure'>,
  rows: boolean,
): Promise<QueryResult<RawRow>> {
  const { dialect } = connection
  try {
    const sent = 'printed' in statement ? statement.printed : compiled(connection, statement, rows)
    return (await execute(connection, sent)) as QueryResult<RawRow>
  } catch (error) {
    const failure = dialect.classify(error)
    switch (failure.kind) {
      case 'unavailable':
      case 'timeout':
      case 'retry':
      case 'locked':
        throw unavailable(error)
      case 'other':
        throw error
      default:
        throw refusedWrite({ failure, ...step }, error)
    }
  }
}

function compiled({ db, dialect }: Connection, statement: Statement, rows: boolean): CompiledQuery {
  const plain = compileStatement(db, statement, dialect.shortcuts?.textStyle)
  return rows ? { ...plain, sql: arrayText(dialect, plain.sql) } : plain
}
