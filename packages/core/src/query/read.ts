// read: runs a GET of a list or of one record: parse → plan, in which values are converted, → scope → program → run. The endpoints
// `http/endpoints/reads/collection.ts` and `item.ts` call it, and give the rows to `query/serialize`.

import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { lacksCursorValues, withCursorRow } from './cursor-row.ts'
import type { ReadPlan } from './plan/plan.ts'
import { programOf } from './program.ts'
import type { ReadingCaller, ReadRequest } from './read-request.ts'
import type { Opened } from './scoper.ts'
import { planText, type ScopedPlan, scopePlanned } from './text-plan.ts'

/** What a read returns: its rows (of the type `R`: a `LoadedPage`, or a `LoadedRow`), and the plan by which they are serialised. */
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
  reader: ReadingCaller,
): MaybePromise<ReadRows<P, R>> {
  const planned = planText(request, reader)
  return andThen(reader.connect(), (opened) =>
    andThen(scopePlanned(planned, reader.scoper, opened), async (scoped) => {
      if (lacksCursorValues(scoped.plan)) return readWithCursorRow(request, scoped, opened)
      const program = programOf(request, planned, scoped, opened)
      return { plan: scoped.plan, rows: await request.run(opened.lease, program) }
    }),
  )
}

/** Reads a page whose cursor leaves out long values: reads these first, then compiles the page, whose statements are not stored. */
async function readWithCursorRow<P extends ReadPlan, G, R>(
  request: ReadRequest<P, G, R>,
  { plan: incomplete, scopes }: ScopedPlan<P>,
  { lease, target }: Opened,
): Promise<ReadRows<P, R>> {
  const scoped = { ...target, scopes }
  const plan = await withCursorRow(lease, scoped, incomplete)
  return { plan, rows: await request.run(lease, request.compile(scoped, plan)) }
}
