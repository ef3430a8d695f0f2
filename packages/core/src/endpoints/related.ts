// GET on a relation of one record: the parent first, then its related rows with the target's own query language.

import type { Call } from '../call.ts'
import { compilePage, compileRead } from '../compile/read-program.ts'
import { recordNotFound } from '../errors.ts'
import { type LoadedPage, readPage, readParentKey } from '../execute/read.ts'
import type { Result } from '../http/envelope.ts'
import { pathKey } from '../plan/path-key.ts'
import { planParent, planRelated, withParentKey } from '../plan/read-plan.ts'
import { withRowTag } from '../plan/row-tag.ts'
import type { ResolvedRelation } from '../registry/resource.ts'
import { oneResult } from './item.ts'
import { listResult, open, parseRead, scoped, scopedRows } from './read-stages.ts'

/** `GET /api/authors/1/books` → a page of books; a missing parent is 404, a parent without books an empty list. */
export async function getRelated(
  call: Call,
  relation: ResolvedRelation,
  texts: readonly string[],
): Promise<Result> {
  const { source, target: related } = relation
  const ast = parseRead(call, related)
  const planned = planRelated(relation, ast, call.reach)
  const parent = pathKey(source, texts)
  if (parent === undefined) throw recordNotFound()
  const opened = await open(call)
  const { connection } = opened
  const parentPlan = planParent(relation, ast, parent)
  const parentTarget = await scopedRows(call, opened, parentPlan)
  const { plan: unlinked, target } = await scoped(call, opened, planned, ast)
  const parentProgram = compileRead(parentTarget, { rows: parentPlan, embeds: [], links: [] })
  const key = await readParentKey(connection, parentProgram, relation.from)
  if (key === undefined) throw recordNotFound()
  const plan = withParentKey(unlinked, key ?? [])
  if (relation.cardinality === 'one') {
    if (key === null) throw recordNotFound()
    const tagged = withRowTag(plan)
    const program = compileRead(target, tagged)
    return oneResult(call, related, { plan: tagged, program, connection })
  }
  const page = key === null ? emptyPage : await readPage(connection, compilePage(target, plan))
  return listResult(call, related, plan, page)
}

/** What a parent with a null in its key is related to. */
const emptyPage: LoadedPage = {
  rows: [],
  total: 0,
  capped: false,
  more: false,
  earlier: false,
  first: undefined,
  last: undefined,
}
