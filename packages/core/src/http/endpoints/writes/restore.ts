// restore: `POST /api/books/1/restore` undoes a soft delete.

import { recordNotFound } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { pathKey } from '../../../query/plan/conditions/path-key.ts'
import { optionsForRestore, WriteNode } from '../../../write/nodes/write-node.ts'
import { writeNodes } from '../../../write/writer.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { parseQueryOf, refuseRelationWrites } from '../reads/request-query.ts'
import { refuseFields } from './request/write-body.ts'
import { preconditionOf, refuseIdempotencyKey } from './request/write-headers.ts'
import { refuseOtherParameters } from './request/write-parameters.ts'
import { cachedEchoPlan } from './response/echo.ts'
import { writtenResult } from './response/written-result.ts'
import { inWrite } from './write-stages.ts'

/** `POST /api/books/1/restore` → 200 and the record; 409 if it is not deleted. */
export async function restore(
  call: Call,
  resource: Resource,
  keyStrings: readonly string[],
): Promise<Result> {
  const ast = parseQueryOf(call, resource)
  refuseOtherParameters(ast)
  refuseRelationWrites(ast, 'in a restore')
  refuseIdempotencyKey(call)
  // Only for its 400s, before anything is written.
  cachedEchoPlan(call, resource, ast, 'one')
  refuseFields(call, 'empty: restore takes no fields')
  const key = pathKey(resource, keyStrings)
  if (key === undefined || resource.settings.softDelete === null) throw recordNotFound()
  const options = optionsForRestore(resource, preconditionOf(call, resource))
  return inWrite(call, resource, async (writing) => {
    await writeNodes(writing.context, [new WriteNode(options, { path: '', key })])
    return () => writtenResult(writing, resource, ast, { keys: [key], many: false, status: 200 })
  })
}
