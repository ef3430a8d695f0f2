// GET on one record by its key.

import { recordNotFound } from '../../../errors.ts'
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { compileRead, type ReadProgram } from '../../../query/compile/read-program.ts'
import { withRowTag } from '../../../query/plan/order/row-tag.ts'
import type { ReadPlan, Value } from '../../../query/plan/plan.ts'
import { planOne } from '../../../query/plan/read-plan.ts'
import { readOne } from '../../../query/run/read.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { type PlannedRead, planRead } from './planned-read.ts'
import { type Content, recordContent } from './read-stages.ts'

/** `GET /api/books/1` → the book, or 404. `key` is undefined if the path is not a possible key of the resource. */
export function getOne(
  call: Call,
  resource: Resource,
  key: readonly Value[] | undefined,
): MaybePromise<Result> {
  const read = planRead(call, {
    resource,
    ...(key && { key }),
    plan: (ast, reach) => {
      // The query is checked first, so that a mistake in it is 400 whether or not the record exists.
      const planned = planOne(resource, ast, key ?? [], reach)
      if (key === undefined) throw recordNotFound()
      return planned
    },
    complete: withRowTag,
    compile: compileRead,
  })
  return andThen(read, (planned) => oneResult(call, resource, planned))
}

/** Runs a program that reads one row, and builds the response; throws 404 if there is none. */
export function oneResult(
  call: Call,
  resource: Resource,
  { plan, program, lease }: PlannedRead<ReadPlan, ReadProgram>,
): Promise<Result> {
  return readOne(lease, program).then((row) => {
    if (row === undefined) throw recordNotFound()
    return andThen(recordContent(call, resource, plan, row), (content) => okResult(content, plan))
  })
}

const okResult = (content: Content, plan: ReadPlan): Result => ({
  ...content,
  status: 200,
  total: 1,
  plan,
})
