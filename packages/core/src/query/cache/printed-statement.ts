// printedStatement: SQL from the statement store with the parameters of this request, in the form that a `Lease` sends.

import type { PrintedStatement } from '../../database/statements/sendable.ts'
import { printedQuery } from '../../lib/sql/print.ts'

export const printedStatement = (
  sql: string,
  parameters: readonly unknown[],
): PrintedStatement => ({ printed: printedQuery(sql, parameters) })
