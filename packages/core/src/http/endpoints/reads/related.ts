// GET on a relation of one record: reads the parent, then the related rows; the query has the parameters of the target.

import { scopeStatement } from '../../../access/policies/scope.ts'
import { recordNotFound } from '../../../errors.ts'
import type { ResolvedRelation } from '../../../model/registry/resource.ts'
import { compilePage, compileRead } from '../../../query/compile/read-program.ts'
import { lacksCursorValues, withCursorRow } from '../../../query/cursor-row.ts'
import { pathKey } from '../../../query/plan/conditions/path-key.ts'
import { withRowTag } from '../../../query/plan/order/row-tag.ts'
import { planParent, planRelated, withParentKey } from '../../../query/plan/read-plan.ts'
import { type LoadedPage, readOne, readPage, readParentKey } from '../../../query/run/read-rows.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { openRequestDatabase } from './database/request-database.ts'
import { oneResult } from './item.ts'
import { listResult } from './read-result.ts'
import { parseRead } from './request-query.ts'
import { scopePlan } from './scope-plan.ts'

/**
 * `GET /api/authors/1/books` → a page of books; 404 if the author does not exist, an empty list if the author has no books. `keyStrings` is
 * the key of the parent as the path has it.
 */
export async function getRelated(
  call: Call,
  relation: ResolvedRelation,
  keyStrings: readonly string[],
): Promise<Result> {
  const { source, target: related } = relation
  const ast = parseRead(call, related)
  const planned = planRelated(relation, ast, call.reach)
  // After the query was planned, so that a mistake in it is 400 whether or not the parent exists.
  const parent = pathKey(source, keyStrings)
  if (parent === undefined) throw recordNotFound()
  const opened = await openRequestDatabase(call)
  const { lease } = opened
  const parentPlan = planParent(relation, ast, parent)
  const parentTarget = await scopeStatement(call, opened, parentPlan)
  const { plan: scoped, target } = await scopePlan(call, opened, planned, ast)
  const parentProgram = compileRead(parentTarget, { rows: parentPlan, embeds: [], links: [] })
  const key = await readParentKey(lease, parentProgram, relation.from)
  if (key === undefined) throw recordNotFound()
  // `key` is null if the parent exists but its join column is null.
  const plan = withParentKey(scoped, key ?? [])
  if (relation.cardinality === 'one') {
    if (key === null) throw recordNotFound()
    const tagged = withRowTag(plan)
    const row = await readOne(lease, compileRead(target, tagged))
    return oneResult(call, related, { plan: tagged, rows: row })
  }
  if (key === null) return listResult(call, related, plan, emptyPage)
  // A cursor leaves out long values of its row: they are read first.
  const paged = lacksCursorValues(plan) ? await withCursorRow(lease, target, plan) : plan
  const page = await readPage(lease, compilePage(target, paged))
  return listResult(call, related, paged, page)
}

/** The page if a column of the parent's join key is null, so that no rows are related. */
const emptyPage: LoadedPage = {
  rows: [],
  total: 0,
  capped: false,
  hasNext: false,
  hasPrevious: false,
  first: undefined,
  last: undefined,
}
