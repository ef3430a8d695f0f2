// GET on a collection: parse → plan → scope → compile → execute → serialize.

import type { Call } from '../call.ts'
import { readPage } from '../execute/read.ts'
import type { Result } from '../http/envelope.ts'
import { planList } from '../plan/read-plan.ts'
import type { Resource } from '../registry/resource.ts'
import { listResult, open, parseRead, scoped } from './read-stages.ts'

/** `GET /api/books?price__ge=30&order_by=-price` → a page of books. */
export async function getMany(call: Call, resource: Resource): Promise<Result> {
  const ast = parseRead(call, resource)
  const planned = planList(resource, ast, call.reach)
  const opened = await open(call)
  const { plan, target } = await scoped(call, opened, planned, ast)
  return listResult(call, resource, plan, await readPage(opened.connection, target, plan))
}
