// Recognises BEGIN, COMMIT and ROLLBACK by their SQL, because Kysely sends them itself, on a connection that a lease bounds.

import type { CompiledQuery } from 'kysely'

type Statement = Pick<CompiledQuery, 'sql'>

/** BEGIN without options. */
export const isBegin = ({ sql }: Statement): boolean => /^\s*begin\s*;?\s*$/i.test(sql)

export const isCommit = ({ sql }: Statement): boolean => /^\s*commit\b/i.test(sql)

/** ROLLBACK, also to a savepoint. */
export const isRollback = ({ sql }: Statement): boolean => /^\s*rollback\b/i.test(sql)

/** ROLLBACK of the whole transaction, not `rollback to savepoint a`. */
export const isWholeRollback = ({ sql }: Statement): boolean =>
  /^\s*rollback(?:\s+work)?\s*;?\s*$/i.test(sql)
