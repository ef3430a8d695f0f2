// GET on a collection, called by `routing/answer-route.ts` for an authorised call. `query/read.ts` runs the stages from parse to run with
// the functions given here, or takes a cached plan.

import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { compilePage } from '../../../query/compile/read-program.ts'
import { planList } from '../../../query/plan/read-plan.ts'
import { read } from '../../../query/read.ts'
import { readPage } from '../../../query/run/read-rows.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { listResult } from './read-result.ts'
import { databaseJson, readerOf, readName } from './reader-of.ts'
import { parseRead } from './request-query.ts'

/** `GET /api/books?price__ge=30&order_by=-price` → a page of books. */
export function getMany(call: Call, resource: Resource): MaybePromise<Result> {
  const page = read(
    {
      name: readName(call, resource),
      text: call.query,
      parse: () => parseRead(call, resource),
      plan: (ast, reach) => planList(resource, ast, reach),
      databaseJson: (plan) => databaseJson(call, plan, 'list'),
      compile: compilePage,
      run: readPage,
    },
    readerOf(call),
  )
  return andThen(page, ({ plan, rows }) => listResult(call, resource, plan, rows))
}
