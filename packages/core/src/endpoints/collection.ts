// GET on a collection: parse → plan → scope → compile → execute → serialize.

import type { Call } from '../call.ts'
import { compilePage } from '../compile/read-program.ts'
import { readPage } from '../execute/read.ts'
import type { Result } from '../http/envelope.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { Reach } from '../plan/context.ts'
import { planList } from '../plan/read-plan.ts'
import type { Resource } from '../registry/resource.ts'
import { planRead } from './planned-read.ts'
import { listResult } from './read-stages.ts'

/** `GET /api/books?price__ge=30&order_by=-price` → a page of books. */
export function getMany(call: Call, resource: Resource): MaybePromise<Result> {
  const plan = (ast: QueryAst, reach: Reach) => planList(resource, ast, reach)
  const read = planRead(call, { resource, plan, compile: compilePage })
  return andThen(read, async ({ plan, program, connection }) =>
    listResult(call, resource, plan, await readPage(connection, program)),
  )
}
