// Creates a statement from cached SQL, in the form that Kysely sends.

import { createQueryId, type RootOperationNode } from 'kysely'
import type { PrintedStatement } from '../compile/sendable.ts'

/** Like `CompiledQuery.raw`, but without building a query tree, which nothing reads here. */
export const printedStatement = (
  sql: string,
  parameters: readonly unknown[],
): PrintedStatement => ({
  printed: { query: emptyQuery, queryId: createQueryId(), sql, parameters },
})

const emptyQuery = {
  kind: 'RawNode',
  sqlFragments: [],
  parameters: [],
} as unknown as RootOperationNode
