// PATCH and PUT on one record.

import type { Call } from '../../call.ts'
import { parse } from '../../endpoints/read-stages.ts'
import { recordNotFound } from '../../errors.ts'
import type { Result } from '../../http/envelope.ts'
import { inputProblems } from '../../input/problems.ts'
import { readNode } from '../../input/read-body.ts'
import { pathKey } from '../../plan/path-key.ts'
import type { Resource } from '../../registry/resource.ts'
import { changeRecord } from '../execute/change.ts'
import { cachedEchoPlan } from './echo.ts'
import { writtenResult } from './result.ts'
import { changeInOneStatement } from './single-statement.ts'
import { bodyOf, inWrite, preconditionOf, refuseOtherParameters, validatorHost } from './stages.ts'

/** `PATCH /api/books/1` with the fields to change; `PUT` with all of them → 200 and the changed record. */
export async function update(
  call: Call,
  resource: Resource,
  keyStrings: readonly string[],
): Promise<Result> {
  const replace = call.method === 'PUT'
  const ast = parse(call, resource)
  refuseOtherParameters(ast)
  const echo = cachedEchoPlan(call, resource, ast)
  const problems = inputProblems()
  const body = bodyOf(call, problems)
  const mode = replace ? 'replace' : 'update'
  const read = readNode(resource, body, { path: '', mode }, problems, validatorHost(call))
  const node = read instanceof Promise ? await read : read
  const key = pathKey(resource, keyStrings)
  // If some checks need the stored record, all problems are reported together after it is read.
  const needsStored =
    node.wholeRecordChecks.length > 0 ||
    Object.keys(node.sentBack.fields).length > 0 ||
    Object.keys(node.sentBack.otherForms).length > 0
  if (!needsStored || key === undefined) problems.refuse()
  if (key === undefined) throw recordNotFound()
  const precondition = preconditionOf(call, resource)
  const request = { replace, precondition: precondition !== undefined } as const
  const { result, isSingle } = await changeInOneStatement(call, node, key, echo, request)
  if (result !== undefined) return result
  const action = replace ? 'PUT' : 'PATCH'
  return inWrite(
    call,
    async (writing) => {
      const options = { action, replace, precondition } as const
      await changeRecord(writing.context, node, key, options)
      return writtenResult(writing, resource, ast, { keys: [key], many: false, status: 200 })
    },
    { problems, isSingle },
  )
}
