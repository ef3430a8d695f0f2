// programOf: the statements of a scoped plan, which `read` then runs. If the plan is cached, each statement is compiled once, stored with
// the plan, and later sent again with other values; otherwise it is compiled to be sent once, without shortcuts.

import { combinedSlotValues, makeFromStore } from './cache/stored-read.ts'
import type { ReadPlan } from './plan/plan.ts'
import type { ReadRequest } from './read-request.ts'
import type { Opened } from './scoper.ts'
import type { ScopedPlan, TextPlan } from './text-plan.ts'

/** Compiles the program of a read, or takes its statements from the store. */
export function programOf<P extends ReadPlan, G, R>(
  { compile, databaseJson }: ReadRequest<P, G, R>,
  { cached }: TextPlan<P>,
  { plan, scopes, printed }: ScopedPlan<P>,
  { lease, target: unscopedTarget }: Opened,
): G {
  // Not cached, or a scope whose SQL cannot be stored: compiled to be sent once.
  if (cached === undefined || printed === undefined) {
    return compile({ ...unscopedTarget, scopes }, plan)
  }
  const target = { ...unscopedTarget, scopes: printed.scopes }
  const statements = cached.prepared.statements(target.dialect, printed.forms)
  const json = statements.hadUnexpectedJson ? undefined : databaseJson(plan)
  const values =
    printed.values.size === 0 ? cached.values : combinedSlotValues(cached.values, printed.values)
  return compile(target, plan, {
    shortcuts: { joins: true, ...(json && { json }) },
    make: makeFromStore({ target, store: statements.store, values, lease }),
    // The database has built JSON that cannot be sent: later requests of this cached plan read plain values.
    onUnexpectedJson: () => {
      statements.hadUnexpectedJson = true
    },
  })
}
