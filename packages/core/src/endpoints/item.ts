// GET on one record by its key.

import type { Call } from '../call.ts'
import type { Target } from '../compile/target.ts'
import { recordNotFound } from '../errors.ts'
import { readOne } from '../execute/read.ts'
import type { Connection } from '../execute/run.ts'
import type { Result } from '../http/envelope.ts'
import { hashOfText } from '../http/etag.ts'
import type { ReadPlan } from '../plan/plan.ts'
import { planOne } from '../plan/read-plan.ts'
import { withRowTag } from '../plan/row-tag.ts'
import type { Resource } from '../registry/resource.ts'
import { tagText } from '../serialize/tag-text.ts'
import { contentOf, open, parseRead, pathKey, scoped } from './read-stages.ts'

/** `GET /api/books/1` → the book, or 404 where no row has this key. */
export async function getOne(
  call: Call,
  resource: Resource,
  texts: readonly string[],
): Promise<Result> {
  const ast = parseRead(call, resource)
  const key = pathKey(resource, texts)
  // The query is checked first: a mistake in it is a mistake whether or not the record exists.
  const planned = planOne(resource, ast, key ?? [], call.reach)
  if (key === undefined) throw recordNotFound()
  const opened = await open(call)
  const { plan, target } = await scoped(call, opened, planned, ast)
  return oneResult(call, resource, plan, opened.connection, target)
}

/** Reads the one row of a scoped plan and answers it. */
export async function oneResult(
  call: Call,
  resource: Resource,
  plan: ReadPlan,
  connection: Connection,
  target: Target,
): Promise<Result> {
  const tagged = withRowTag(plan)
  const row = await readOne(connection, target, tagged)
  if (row === undefined) throw recordNotFound()
  const rowTag = hashOfText(tagText(resource, row))
  return {
    status: 200,
    ...(await contentOf(call, resource, tagged, [row], 'one')),
    total: 1,
    rowTag,
  }
}
