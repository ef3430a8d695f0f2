// withHooks: what happens before the statements that hooks send.

import type { WriteContext } from '../store/write-context.ts'

/** Calls hooks; `before` runs before each statement that they send through `args.db`. */
export async function withHooks<T>(
  { beforeHookStatements: statements }: WriteContext,
  before: (() => Promise<void>) | undefined,
  call: () => Promise<T>,
): Promise<T> {
  if (statements === undefined) return call()
  const { work } = statements
  statements.work = before
  try {
    return await call()
  } finally {
    statements.work = work
  }
}
