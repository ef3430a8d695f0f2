// Sends one statement that changes rows; a violation is thrown with what was being written, to be explained after the rollback.

import type { Compilable, QueryResult } from 'kysely'
import { databaseUnavailable } from '../errors.ts'
import type { NamedRow } from './run.ts'
import { type Refusal, refusedWrite, type WriteContext } from './write-context.ts'

/** Runs a write; `step` says what it is about. */
export async function runWrite(
  { connection }: Pick<WriteContext, 'connection'>,
  statement: Compilable,
  step: Omit<Refusal, 'failure'>,
): Promise<QueryResult<NamedRow>> {
  try {
    return (await connection.db.executeQuery(statement.compile())) as QueryResult<NamedRow>
  } catch (error) {
    const failure = connection.dialect.classify(error)
    switch (failure.kind) {
      case 'unavailable':
      case 'timeout':
      case 'retry':
        throw Object.assign(databaseUnavailable(), { cause: error })
      case 'other':
        throw error
      default:
        throw refusedWrite({ failure, ...step }, error)
    }
  }
}
