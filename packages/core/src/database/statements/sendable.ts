// Sendable: a statement to send, as a fragment that must still be printed or as printed SQL.

import type { CompiledQuery } from 'kysely'
import type { Statement } from '../../lib/sql/statement.ts'

export type Sendable = Statement | PrintedStatement

/** A statement whose SQL is printed already, in the form that the driver takes. */
export interface PrintedStatement {
  readonly printed: CompiledQuery
}
