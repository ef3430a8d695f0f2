// The statements that begin and end a transaction, as drivers write them.

import type { CompiledQuery } from 'kysely'

type Text = Pick<CompiledQuery, 'sql'>

/** BEGIN without options. */
export const isBegin = ({ sql }: Text): boolean => /^\s*begin\s*;?\s*$/i.test(sql)

export const isCommit = ({ sql }: Text): boolean => /^\s*commit\b/i.test(sql)

/** Whether it is ROLLBACK, to a savepoint, too. */
export const isRollback = ({ sql }: Text): boolean => /^\s*rollback\b/i.test(sql)
