// remove: DELETE on one record.

import { featureDisabled, invalidParameter, notHere, recordNotFound } from '../../../errors.ts'
import { writesOthers } from '../../../model/registry/relations/dependents.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import { pathKey } from '../../../query/plan/conditions/path-key.ts'
import { parseBoolean } from '../../../query/plan/conditions/value.ts'
import { removing, WriteNode } from '../../../write/nodes/write-node.ts'
import { write } from '../../../write/writer.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { parse } from '../reads/request-query.ts'
import { preconditionOf, refuseIdempotencyKey } from './request/write-headers.ts'
import { refuseAllBut } from './request/write-parameters.ts'
import { noteRemoved } from './response/changed.ts'
import { removed, removeInOneStatement, writeOneRecord } from './write-one-record.ts'

/** `DELETE /api/books/1` → 200 without a value. */
export async function remove(
  call: Call,
  resource: Resource,
  keyStrings: readonly string[],
): Promise<Result> {
  const ast = parse(call, resource)
  refuseAllBut(ast, 'cascade_delete')
  refuseConditions(ast)
  refuseIdempotencyKey(call)
  const cascade = cascadeParameter(resource, ast)
  noteRemoved(call, resource, cascade)
  const key = pathKey(resource, keyStrings)
  if (key === undefined) throw recordNotFound()
  const precondition = preconditionOf(call, resource)
  const isConditional = precondition !== undefined || resource.settings.requireIfMatch
  const options = { cascade, precondition: isConditional } as const
  return writeOneRecord(
    call,
    resource,
    (place) => removeInOneStatement(place, resource, key, options),
    async ({ context }) => {
      const removal = {
        cascade,
        inRounds: false,
        readsAgain: false,
        whenMissing: 'refuse',
      } as const
      const how = removing(resource, removal, { version: 'of the request', precondition })
      await write(context, [new WriteNode(how, { path: '', key })])
      return removed
    },
    { isBulk: writesOthers(call.registry, resource, cascade) },
  )
}

/** The value of `cascade_delete`, false without one. Throws 400 if the setting does not allow it. */
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

function refuseConditions({ raw, where: [first] }: QueryAst): void {
  if (first === undefined) return
  const at = raw.slice(first.span.start, first.span.end)
  throw notHere(at, 'on a single record; it belongs to the collection', at)
}
