// PATCH and PUT on one record, called by `routing/answer-route.ts` for an authorised call: reads and checks the body, then changes the record
// in a transaction, or by one statement if `write/fusion` can.

import { transformHost, validatorHost } from '../../../access/hooks/model-functions.ts'
import { recordNotFound } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { nestedInMergePatch } from '../../../problems.ts'
import { pathKey } from '../../../query/plan/conditions/path-key.ts'
import { type InputProblems, inputProblems } from '../../../write/body/input-problems.ts'
import { readNode } from '../../../write/body/read-body.ts'
import { refuseUnstorable } from '../../../write/body/storable-values.ts'
import { isMergePatch } from '../../../write/body/text/request-body.ts'
import { withStoredForms } from '../../../write/body/transform.ts'
import { addOtherForms } from '../../../write/check/write-checks.ts'
import { oneRecordOf } from '../../../write/fusion/fusion-of.ts'
import { nestsSeveral, type RecordNode } from '../../../write/nodes/node.ts'
import { optionsForChange, WriteNode } from '../../../write/nodes/write-node.ts'
import { keyIn } from '../../../write/resolve/look-up-records.ts'
import { resolveUniqueNames } from '../../../write/resolve/resolve-unique-names.ts'
import { writeNodes } from '../../../write/writer.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { parseQueryOf } from '../reads/request-query.ts'
import { childChangesOf } from './request/child-changes.ts'
import { relationKeysOf, retriesNames } from './request/relation-keys.ts'
import { bodyOf } from './request/write-body.ts'
import { preconditionOf, refuseIdempotencyKey } from './request/write-headers.ts'
import { refuseOtherParameters } from './request/write-parameters.ts'
import { cachedEchoPlan } from './response/echo.ts'
import { writtenResult } from './response/written-result.ts'
import { inWrite } from './write-stages.ts'

/**
 * `PATCH /api/books/1` with the fields to change, or a JSON Merge Patch, which also merges the documents of json columns; `PUT`
 * with all fields → 200 and the changed record.
 */
export async function update(
  call: Call,
  resource: Resource,
  keyStrings: readonly string[],
): Promise<Result> {
  const replace = call.method === 'PUT'
  const ast = parseQueryOf(call, resource)
  refuseOtherParameters(ast)
  refuseIdempotencyKey(call)
  const echo = cachedEchoPlan(call, resource, ast, 'one')
  const problems = inputProblems()
  const body = bodyOf(call, problems, { mayMerge: !replace })
  const isMerge = !replace && isMergePatch(call.request)
  const relationKeys = relationKeysOf(resource, ast)
  const mode = replace ? 'replace' : 'update'
  const childChanges = childChangesOf(resource, ast, { replace })
  const place = { path: '', mode, isMergePatch: isMerge, relationKeys, childChanges } as const
  const read = readNode(resource, body, place, problems, validatorHost(call))
  const sent = read instanceof Promise ? await read : read
  if (isMerge) refuseNested(sent, problems)
  const key = pathKey(resource, keyStrings)
  // If some checks need the stored record, all problems are reported together after it is read.
  const needsStored =
    sent.wholeRecordChecks.length > 0 ||
    Object.keys(sent.sentBack.fields).length > 0 ||
    Object.keys(sent.sentBack.otherForms).length > 0
  if (key === undefined || (!needsStored && problems.any)) addOtherForms(problems, [sent])
  if (!needsStored || key === undefined) problems.refuse()
  if (key === undefined) throw recordNotFound()
  // Before the functions of the model are called, because a malformed header is refused.
  const precondition = preconditionOf(call, resource)
  const host = transformHost(call)
  const held = refuseUnstorable([sent], problems, host)
  if (held instanceof Promise) await held
  const stored = withStoredForms([sent], problems, host)
  const [node = sent] = stored instanceof Promise ? await stored : stored
  const options = optionsForChange(resource, { replace, isOfPath: true, precondition })
  const change = (asFound: RecordNode) => new WriteNode(options, { path: '', key, asFound })
  return inWrite(
    call,
    resource,
    async (writing) => {
      const { context } = writing
      const [asFound = node] =
        relationKeys.size === 0 ? [node] : await resolveUniqueNames(context, [node], writeNodes)
      const one = change(asFound)
      const [changed = {}] = await writeNodes(context, [one])
      // A callback may have changed the key.
      const keys = [keyIn(resource, changed) ?? key]
      const shown = { row: one.shown, plan: echo }
      return () => writtenResult(writing, resource, ast, { keys, many: false, status: 200, shown })
    },
    {
      oneRecord: oneRecordOf(change(node), ast, echo),
      problems,
      isBulk: relationKeys.size > 0 || nestsSeveral(node),
      retryOn: retriesNames(resource, relationKeys),
    },
  )
}

/**
 * Adds a problem for each nested object or list. A merge patch (RFC 7396) would have to change the related records, while a plain PATCH
 * creates records or refers to them.
 */
function refuseNested({ parents, children }: RecordNode, problems: InputProblems): void {
  for (const { relation } of [...parents, ...children]) {
    problems.add(relation.name, nestedInMergePatch)
  }
}
