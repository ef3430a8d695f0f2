// Sends one statement that changes rows; a violation is thrown with what was being written, to be explained after the rollback.

import type { QueryResult } from 'kysely'
import { databaseUnavailable } from '../errors.ts'
import type { Fragment } from '../sql/fragment.ts'
import { compileStatement } from '../sql/statement.ts'
import type { NamedRow } from './run.ts'
import { type Refusal, refusedWrite, type WriteContext } from './write-context.ts'

/** Runs a write; `step` says what it is about. */
export async function runWrite(
  { connection }: Pick<WriteContext, 'connection'>,
  statement: Fragment,
  step: Omit<Refusal, 'failure'>,
): Promise<QueryResult<NamedRow>> {
  const { db, dialect } = connection
  try {
    const compiled = compileStatement(db, statement, dialect.textStyle)
    return (await db.executeQuery(compiled)) as QueryResult<NamedRow>
  } catch (error) {
    const failure = dialect.classify(error)
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
