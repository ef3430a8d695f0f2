// The whole read: parse → plan, in which values are converted, → scope → program → run. `query/serialize` then writes the rows.

import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { ReadPlan } from './plan/plan.ts'
import { programOf } from './program.ts'
import type { Reader, ReadRequest } from './read-request.ts'
import { planText, scopePlanned } from './text-plan.ts'

/** What a read returns: its rows, and the plan by which they are serialised. */
export interface ReadRows<P extends ReadPlan, R> {
  readonly plan: P
  readonly rows: R
}

/**
 * Reads what the text of a query asks for. If only values differ from an earlier query, takes its plan and its statements, and binds
 * the new values.
 *
 * Throws 400 for a mistake in the query before any policy is asked, and 403 if a policy refuses.
 */
export function read<P extends ReadPlan, G, R>(
  request: ReadRequest<P, G, R>,
  reader: Reader,
): MaybePromise<ReadRows<P, R>> {
  const planned = planText(request, reader)
  return andThen(reader.connect(), (opened) =>
    andThen(scopePlanned(planned, reader.scoper, opened), async (scoped) => {
      const program = programOf(request, planned, scoped, opened)
      return { plan: scoped.plan, rows: await request.run(opened.lease, program) }
    }),
  )
}
