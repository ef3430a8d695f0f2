// GET on one record by its key.

import type { Call } from '../call.ts'
import { recordNotFound } from '../errors.ts'
import { readOne } from '../execute/read.ts'
import type { Result } from '../http/envelope.ts'
import type { ReadPlan } from '../plan/plan.ts'
import { planOne } from '../plan/read-plan.ts'
import type { Resource } from '../registry/resource.ts'
import { objectsOf, open, parse, pathKey } from './read-stages.ts'

/** `GET /api/books/1` → the book, or 404 where no row has this key. */
export async function getOne(
  call: Call,
  resource: Resource,
  texts: readonly string[],
): Promise<Result> {
  const ast = parse(call, resource)
  const key = pathKey(resource, texts)
  // The query is checked first: a mistake in it is a mistake whether or not the record exists.
  const plan = planOne(resource, ast, key ?? [], call.reach)
  if (key === undefined) throw recordNotFound()
  return oneResult(call, resource, plan)
}

/** Reads the one row of a plan and answers it. */
export async function oneResult(call: Call, resource: Resource, plan: ReadPlan): Promise<Result> {
  const { connection, target } = await open(call)
  const row = await readOne(connection, target, plan)
  if (row === undefined) throw recordNotFound()
  const [value = null] = await objectsOf(call, resource, plan, [row])
  return { status: 200, value, total: 1 }
}
