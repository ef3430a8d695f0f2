// Creates a statement from cached SQL, in the form that Kysely sends.

import type { PrintedStatement } from '../../database/statements/sendable.ts'
import { printedQuery } from '../../lib/sql/print.ts'

export const printedStatement = (
  sql: string,
  parameters: readonly unknown[],
): PrintedStatement => ({ printed: printedQuery(sql, parameters) })
