// POST on the batch route: several requests in one transaction.

import type { Runtime } from '../../call.ts'
import { settingNames } from '../../config/setting-names.ts'
import { atOperation, preconditionOnBatch } from '../../errors.ts'
import type { Result } from '../../http/envelope.ts'
import { type ApiRequest, header } from '../../http/request.ts'
import { readBody } from '../../input/body.ts'
import { inputProblems } from '../../input/problems.ts'
import { admit } from '../admit.ts'
import { optionsResult } from '../own-methods.ts'
import { ownParameters } from '../own-parameters.ts'
import type { RoutedCall } from '../route-request.ts'
import { sendsPosition, withPosition } from '../write-position.ts'
import {
  type AdmittedOperation,
  admission,
  type BatchRequest,
  inheritedHeaders,
} from './admit-operations.ts'
import { runBatchOnce } from './idempotent.ts'
import { type BatchBody, type Operation, readOperations } from './operations.ts'
import { batchResult } from './results.ts'
import { type RunOptions, runOperations } from './run-operations.ts'

/** What the response to a batch depends on. */
export interface BatchParts extends Pick<RoutedCall, 'stamp' | 'timing'> {
  /** Whether the caller of the API needs the response only as text to send. */
  readonly wantsText: boolean
  /** Headers of the response, also of an error. */
  readonly always: Record<string, string>
  /** Called with the operation that failed. */
  readonly failed: (operation: RoutedCall) => void
}

/**
 * `POST /api/batch` with `{ "operations": [{ "id": "a", "method": "POST", "url": "/api/authors", "body": { … } }, …] }` → 200 and
 * a list of `{ id, status, headers, value }`, or the error of the operation that failed, and nothing is stored.
 *
 * Each operation passes all stages of a separate request. It is routed, counted, authenticated and authorised before the
 * transaction begins.
 */
export async function serveBatch(
  runtime: Runtime,
  request: ApiRequest,
  parts: BatchParts,
): Promise<Result> {
  const options = optionsResult(request, ['POST', 'OPTIONS'])
  if (options !== undefined) return options
  const { settings } = runtime
  const { timing, stamp, always } = parts
  Object.assign(always, await countBatch(runtime, request))
  timing?.enter('plan')
  refuseIgnored(runtime, request)
  const body = readBatch(runtime, request)
  // A dry run stores nothing, so there is nothing to repeat.
  const key = body.dryRun ? undefined : header(request, 'idempotency-key')
  const asText = parts.wantsText && settings.hooks.final === undefined
  const batch: BatchRequest = {
    runtime: { ...runtime, auth: runtime.auth.forBatch(request) },
    request,
    inherited: inheritedHeaders(request),
    parts: { timing, stamp },
    // A value that others refer to, or that an Idempotency-Key stores, must be an object.
    wantsText: ({ id }: Operation) => asText && key === undefined && !body.referredTo.has(id),
    always,
  }
  const operations = await admitAll(batch, body, parts)
  const run = async (beforeCommit: RunOptions['beforeCommit']): Promise<Result> => {
    const results = await runOperations(batch, operations, {
      dryRun: body.dryRun,
      beforeCommit,
      failed: ({ call }) => {
        if (call !== undefined) parts.failed(call)
      },
    })
    const changing = body.dryRun ? results.map((one) => ({ ...one, changed: [] })) : results
    return batchResult(changing, asText)
  }
  const result =
    key === undefined
      ? await run(async () => {})
      : await runBatchOnce(batch, operations, { key, asText }, run)
  return sendsPosition(batch) && !body.dryRun
    ? withPosition({ runtime, request, timing }, result)
    : result
}

/** Counts the batch by the sender's address; its operations are also counted, each against the limit of its route. */
async function countBatch(
  runtime: Runtime,
  request: ApiRequest,
): Promise<Readonly<Record<string, string>>> {
  const { rateWindows } = runtime.settings
  const route = { route: 'batch:POST', windows: rateWindows, strategies: [], required: false }
  return (await admit(runtime, request, route)).headers
}

/** Throws 400 for parameters and headers that would change a separate request, but have no meaning for a batch. */
function refuseIgnored({ settings }: Runtime, request: ApiRequest): void {
  const hint = ' A batch has no parameters; "dry_run" is a member of its body.'
  ownParameters(request, [], settings.additionalQueryParams, hint)
  if (header(request, 'if-match') !== undefined) throw preconditionOnBatch('If-Match')
  if (header(request, 'if-none-match') !== undefined) throw preconditionOnBatch('If-None-Match')
}

function readBatch(runtime: Runtime, request: ApiRequest): BatchBody {
  const problems = inputProblems()
  const limit = { bytes: runtime.settings.bodyLimit, setting: settingNames.bodyLimit }
  return readOperations(runtime, readBody(request, limit, problems), problems)
}

async function admitAll(
  batch: BatchRequest,
  { operations }: BatchBody,
  { failed }: BatchParts,
): Promise<readonly AdmittedOperation[]> {
  const admitNext = admission(batch)
  const admitted: AdmittedOperation[] = []
  for (const [at, operation] of operations.entries()) {
    let call: RoutedCall | undefined
    try {
      const admitting = admitNext(operation, (routed) => {
        call = routed
      })
      admitted.push(admitting instanceof Promise ? await admitting : admitting)
    } catch (error) {
      if (call !== undefined) failed(call)
      throw atOperation(error, at)
    }
  }
  return admitted
}
