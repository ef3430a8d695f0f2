/** Makes a dialect that reads back every single-statement write by a SELECT, as on MySQL, which has no RETURNING. */
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
