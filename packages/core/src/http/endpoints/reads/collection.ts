// GET on a collection: parse → plan → scope → compile → execute → serialize.

import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { compilePage } from '../../../query/compile/read-program.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { Reach } from '../../../query/plan/context.ts'
import { planList } from '../../../query/plan/read-plan.ts'
import { readPage } from '../../../query/run/read.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { planRead } from './planned-read.ts'
import { listResult } from './read-stages.ts'

/** `GET /api/books?price__ge=30&order_by=-price` → a page of books. */
export function getMany(call: Call, resource: Resource): MaybePromise<Result> {
  const plan = (ast: QueryAst, reach: Reach) => planList(resource, ast, reach)
  const read = planRead(call, { resource, plan, compile: compilePage })
  return andThen(read, async ({ plan, program, lease }) =>
    listResult(call, resource, plan, await readPage(lease, program)),
  )
}
