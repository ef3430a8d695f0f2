// Sendable: a statement that can be sent, either as an SQL fragment that is printed first, or as SQL that was printed for an earlier
// request.

import type { CompiledQuery } from 'kysely'
import type { Statement } from '../../lib/sql/statement.ts'

/** What `lease.rows` and `lease.send` take. */
export type Sendable = Statement | PrintedStatement

/** A statement whose SQL is printed already, in the form that the driver takes. */
export interface PrintedStatement {
  readonly printed: CompiledQuery
}
