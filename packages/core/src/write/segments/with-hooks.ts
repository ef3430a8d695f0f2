// withHooks: what a write does before each statement that one of its hooks sends, such as storing the records before the hook's own.

import type { WriteContext } from '../store/write-context.ts'

/**
 * Calls hooks by `call`; `before` runs before each statement that they send through `args.db`, nothing if it is undefined. Calls inside one
 * another are allowed: the innermost `before` counts.
 */
export async function withHooks<T>(
  { beforeHookStatements: statements }: WriteContext,
  before: (() => Promise<void>) | undefined,
  call: () => Promise<T>,
): Promise<T> {
  if (statements === undefined) return call()
  const { work: outerWork } = statements
  statements.work = before
  try {
    return await call()
  } finally {
    statements.work = outerWork
  }
}
