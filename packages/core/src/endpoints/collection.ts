// GET on a collection: parse → plan → scope → compile → execute → serialize.

import type { Call } from '../call.ts'
import { readPage } from '../execute/read.ts'
import type { Result } from '../http/envelope.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import { planList } from '../plan/read-plan.ts'
import type { Resource } from '../registry/resource.ts'
import { planRead } from './planned-read.ts'
import { listResult } from './read-stages.ts'

/** `GET /api/books?price__ge=30&order_by=-price` → a page of books. */
export function getMany(call: Call, resource: Resource): MaybePromise<Result> {
  const read = planRead(call, { resource, plan: (ast, reach) => planList(resource, ast, reach) })
  return andThen(read, async ({ plan, statements, connection }) =>
    listResult(call, resource, plan, await readPage(connection, statements, plan)),
  )
}
