// POST …/<id>/restore: undoes a soft delete.

import type { Call } from '../../call.ts'
import { parse, refuseRelationKeys } from '../../endpoints/read-stages.ts'
import { recordNotFound } from '../../errors.ts'
import type { Result } from '../../http/envelope.ts'
import { pathKey } from '../../plan/path-key.ts'
import type { Resource } from '../../registry/resource.ts'
import { restoreRecord } from '../execute/change.ts'
import { cachedEchoPlan } from './echo.ts'
import { writtenResult } from './result.ts'
import {
  inWrite,
  preconditionOf,
  refuseFields,
  refuseIdempotencyKey,
  refuseOtherParameters,
} from './stages.ts'

/** `POST /api/books/1/restore` → 200 and the record; 409 if it is not deleted. */
export async function restore(
  call: Call,
  resource: Resource,
  keyStrings: readonly string[],
): Promise<Result> {
  const ast = parse(call, resource)
  refuseOtherParameters(ast)
  refuseRelationKeys(ast, 'in a restore')
  refuseIdempotencyKey(call)
  cachedEchoPlan(call, resource, ast, 'one')
  refuseFields(call, 'empty: restore takes no fields')
  const key = pathKey(resource, keyStrings)
  if (key === undefined) throw recordNotFound()
  const precondition = preconditionOf(call, resource)
  return inWrite(call, async (writing) => {
    await restoreRecord(writing.context, resource, key, precondition)
    return writtenResult(writing, resource, ast, { keys: [key], many: false, status: 200 })
  })
}
