// remove: DELETE on one record, `DELETE /api/books/1`; a soft delete if the model has a column for it. `bulk.ts` also uses
// `cascadeParameter`.

import { featureDisabled, invalidParameter, notHere, recordNotFound } from '../../../errors.ts'
import { writesOthers } from '../../../model/registry/relations/dependents.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import { parseBoolean } from '../../../model/types/boolean-type.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import { pathKey } from '../../../query/plan/conditions/path-key.ts'
import { oneRecordOf } from '../../../write/fusion/fusion-of.ts'
import { optionsForRemoval, WriteNode } from '../../../write/nodes/write-node.ts'
import { writeNodes } from '../../../write/writer.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { parseQueryOf } from '../reads/request-query.ts'
import { preconditionOf, refuseIdempotencyKey } from './request/write-headers.ts'
import { refuseAllBut } from './request/write-parameters.ts'
import { inWrite } from './write-stages.ts'

/** `DELETE /api/books/1` → 200 without a value. */
export async function remove(
  call: Call,
  resource: Resource,
  keyStrings: readonly string[],
): Promise<Result> {
  const ast = parseQueryOf(call, resource)
  refuseAllBut(ast, 'cascade_delete')
  refuseConditions(ast)
  refuseIdempotencyKey(call)
  const cascade = cascadeParameter(resource, ast)
  const key = pathKey(resource, keyStrings)
  if (key === undefined) throw recordNotFound()
  const precondition = preconditionOf(call, resource)
  const how = { cascade, inRounds: false, readsAgain: false, whenMissing: 'refuse' } as const
  const options = optionsForRemoval(resource, how, { isOfPath: true, precondition })
  return inWrite(
    call,
    resource,
    async ({ context }) => {
      await writeNodes(context, [new WriteNode(options, { path: '', key })])
      return () => ({ status: 200, value: null, total: 1 })
    },
    {
      // null: the response shows no record.
      oneRecord: oneRecordOf(new WriteNode(options, { path: '', key }), ast, null),
      isBulk: writesOthers(call.registry, resource, { cascade }),
    },
  )
}

/** The value of `cascade_delete`; false if the query has none. Throws 400 if the setting does not allow it. */
export function cascadeParameter({ settings }: Resource, ast: QueryAst): boolean {
  const text = ast.single.cascade_delete?.text
  if (text === undefined) return false
  const cascade = parseBoolean(text)
  if (cascade === undefined) throw invalidParameter('cascade_delete', text, 'true or false')
  if (cascade && !settings.allowCascadeDelete) {
    const at = `cascade_delete=${text}`
    throw featureDisabled('Removing dependents', settingNames.allowCascadeDelete, at)
  }
  return cascade
}

/** Throws 400 for filters: they choose records of a list only. */
function refuseConditions({ raw, where: [first] }: QueryAst): void {
  if (first === undefined) return
  const at = raw.slice(first.span.start, first.span.end)
  throw notHere(at, 'on a single record; it belongs to the collection', at)
}
