/** A dialect whose single-statement writes are all read back by a SELECT, as on MySQL where RETURNING is missing. */
import type { InternalDialect } from '../../packages/core/src/dialect/internal-dialect.ts'

export function readBackDialect(own: InternalDialect): InternalDialect {
  return {
    ...own,
    connect: async (...about) => {
      const connected = (await own.connect?.(...about)) ?? own
      const shortcuts = {
        ...connected.shortcuts,
        lookUpSingleWrites: async () => () => 'read' as const,
      }
      return { ...connected, shortcuts }
    },
  }
}
