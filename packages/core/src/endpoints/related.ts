// GET on a relation of one record: the parent first, then its related rows with the target's own query language.

import type { Call } from '../call.ts'
import { recordNotFound } from '../errors.ts'
import { type LoadedPage, readPage, readParentKey } from '../execute/read.ts'
import type { Result } from '../http/envelope.ts'
import { planParent, planRelated } from '../plan/read-plan.ts'
import type { ResolvedRelation } from '../registry/resource.ts'
import { oneResult } from './item.ts'
import { listResult, open, parse, pathKey } from './read-stages.ts'

/** `GET /api/authors/1/books` → a page of books; a missing parent is 404, a parent without books an empty list. */
export async function getRelated(
  call: Call,
  relation: ResolvedRelation,
  texts: readonly string[],
): Promise<Result> {
  const { source, target: related } = relation
  const ast = parse(call, related)
  planRelated(relation, ast, [], call.reach)
  const parent = pathKey(source, texts)
  if (parent === undefined) throw recordNotFound()
  const { connection, target } = await open(call)
  const parentPlan = planParent(relation, ast, parent)
  const key = await readParentKey(connection, target, parentPlan, relation.from)
  if (key === undefined) throw recordNotFound()
  const plan = planRelated(relation, ast, key ?? [], call.reach)
  if (relation.cardinality === 'one') {
    if (key === null) throw recordNotFound()
    return oneResult(call, related, plan)
  }
  const page = key === null ? emptyPage : await readPage(connection, target, plan)
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
