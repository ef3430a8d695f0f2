// A statement that was printed before, as Kysely sends it.

import { createQueryId, type RootOperationNode } from 'kysely'
import type { Ready } from '../compile/sendable.ts'

/** As `CompiledQuery.raw`, which would build a tree that nobody looks at. */
export const readyOf = (sql: string, parameters: readonly unknown[]): Ready => ({
  ready: { query: noTree, queryId: createQueryId(), sql, parameters },
})

const noTree = { kind: 'RawNode', sqlFragments: [], parameters: [] } as unknown as RootOperationNode
