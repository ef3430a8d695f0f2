// Creates a statement from cached SQL, in the form that Kysely sends.

import type { PrintedStatement } from '../compile/sendable.ts'
import { printedQuery } from '../sql/print.ts'

export const printedStatement = (
  sql: string,
  parameters: readonly unknown[],
): PrintedStatement => ({ printed: printedQuery(sql, parameters) })
