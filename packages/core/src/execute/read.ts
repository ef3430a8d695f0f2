// Reads what a ReadPlan asks for: rows, their number, their embedded relations; the stage that awaits the database.

import { compileCount, compileRows } from '../compile/row-query.ts'
import type { Target } from '../compile/target.ts'
import type { ReadPlan, RowPlan, Value } from '../plan/plan.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { NamedColumn } from '../registry/resource.ts'
import { loadEmbeds } from './embed.ts'
import { keysOf } from './key.ts'
import type { LoadedRow } from './loaded-row.ts'
import { type Connection, load, run } from './run.ts'

/** A page of rows and what is known of the whole set. */
export interface LoadedPage {
  readonly rows: readonly LoadedRow[]
  /** Undefined when the plan asks for no count. */
  readonly total: number | undefined
  /** Whether counting stopped before the end. */
  readonly capped: boolean
  /** Whether rows follow this page. */
  readonly more: boolean
}

const mostCounted = 10_000

/** Reads one page, and the total unless the page itself tells it. */
export async function readPage(
  connection: Connection,
  target: Target,
  plan: ListPlan,
): Promise<LoadedPage> {
  const { page } = plan
  // Without a count, one row more tells whether a next page exists.
  const extra = plan.count === 'none' ? 1 : 0
  const compiled = compileRows(target, plan.rows, {
    limit: page.limit + extra,
    offset: page.offset,
  })
  const raw = await run(connection, compiled.rows)
  const rows = raw.slice(0, page.limit).map((row) => load(compiled.readers, row))
  await loadEmbeds(connection, target, plan.embeds, rows, budgetOf(plan.rows))
  if (plan.count === 'none') {
    return { rows, total: undefined, capped: false, more: raw.length > page.limit }
  }
  const { total, capped } = await count(connection, target, plan, rows.length)
  return { rows, total, capped, more: capped || page.offset + rows.length < total }
}

async function count(
  connection: Connection,
  target: Target,
  plan: ListPlan,
  read: number,
): Promise<{ total: number; capped: boolean }> {
  const { limit, offset } = plan.page
  const capped = plan.count === 'capped'
  const proven = read < limit && (read > 0 || offset === 0)
  let total = offset + read
  if (!proven) {
    const [row] = await run(
      connection,
      compileCount(target, plan.rows, capped ? mostCounted + 1 : null),
    )
    total = Number(row?.total ?? 0)
  }
  return capped && total > mostCounted
    ? { total: mostCounted, capped: true }
    : { total, capped: false }
}

/** Reads the one row of the plan, or undefined. */
export async function readOne(
  connection: Connection,
  target: Target,
  plan: ReadPlan,
): Promise<LoadedRow | undefined> {
  const compiled = compileRows(target, plan.rows, { limit: 1, offset: 0 })
  const [raw] = await run(connection, compiled.rows)
  if (raw === undefined) return undefined
  const row = load(compiled.readers, raw)
  await loadEmbeds(connection, target, plan.embeds, [row], budgetOf(plan.rows))
  return row
}

/** The parent's join key: undefined when there is no such parent, null when a part of the key is null. */
export async function readParentKey(
  connection: Connection,
  target: Target,
  plan: RowPlan,
  from: readonly NamedColumn[],
): Promise<readonly Value[] | null | undefined> {
  const compiled = compileRows(target, plan, { limit: 1, offset: 0 })
  const [raw] = await run(connection, compiled.rows)
  return raw === undefined ? undefined : (keysOf(from, load(compiled.readers, raw).values) ?? null)
}

function budgetOf(plan: RowPlan): { limit: number; left: number } {
  const limit = plan.from.resource.settings.limits.embeddedRows
  return { limit, left: limit }
}
