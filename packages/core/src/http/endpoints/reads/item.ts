// GET on one record by its key, called by `routing/answer-route.ts` for an authorised call.

import { recordNotFound } from '../../../errors.ts'
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { compileRead } from '../../../query/compile/read-program.ts'
import { withRowTag } from '../../../query/plan/order/row-tag.ts'
import type { ReadPlan, Value } from '../../../query/plan/plan.ts'
import { planOne } from '../../../query/plan/read-plan.ts'
import { type ReadRows, read } from '../../../query/read.ts'
import type { LoadedRow } from '../../../query/run/loaded-row.ts'
import { readOne } from '../../../query/run/read-rows.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { type ResponseContent, recordContent } from './read-result.ts'
import { databaseJson, readerOf, readName } from './reader-of.ts'
import { parseRead } from './request-query.ts'

/** `GET /api/books/1` → the book, or 404. `key` is undefined if the path is not a possible key of the resource. */
export function getOne(
  call: Call,
  resource: Resource,
  key: readonly Value[] | undefined,
): MaybePromise<Result> {
  const record = read(
    {
      name: readName(call, resource),
      text: call.query,
      ...(key && { key }),
      parse: () => parseRead(call, resource),
      plan: (ast, reach) => {
        // The query is checked first, so that a mistake in it is 400 whether or not the record exists.
        const planned = planOne(resource, ast, key ?? [], reach)
        if (key === undefined) throw recordNotFound()
        return planned
      },
      complete: withRowTag,
      databaseJson: (plan) => databaseJson(call, plan, 'record'),
      compile: (target, plan, options) => compileRead(target, plan, options),
      run: readOne,
    },
    readerOf(call),
  )
  return andThen(record, (found) => oneResult(call, resource, found))
}

/** Returns the result with one loaded record; throws 404 if there is none. */
export function oneResult(
  call: Call,
  resource: Resource,
  { plan, rows: row }: ReadRows<ReadPlan, LoadedRow | undefined>,
): MaybePromise<Result> {
  if (row === undefined) throw recordNotFound()
  return andThen(recordContent(call, resource, plan, row), okResult)
}

const okResult = (content: ResponseContent): Result => ({
  ...content,
  status: 200,
  total: 1,
})
