/** Makes a dialect with which each step of a write has statements of its own, as `write/fusion` calls them. */
import type { InternalDialect } from '../../packages/core/src/dialect/internal-dialect.ts'

export function stepwiseDialect(own: InternalDialect): InternalDialect {
  const stepwise = (dialect: InternalDialect): InternalDialect => ({
    ...dialect,
    shortcuts: { ...dialect.shortcuts, fusesWrites: false },
  })
  return {
    ...stepwise(own),
    connect: async (...about) => stepwise((await own.connect?.(...about)) ?? own),
  }
}
