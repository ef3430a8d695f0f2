// POST on the batch route (API_BATCH): reads the body, admits and authorises its operations, then has them run in one transaction.

import { authorize } from '../../access/authorize.ts'
import type { Caller } from '../../access/roles/roles.ts'
import { ApiError, atOperation, preconditionOnBatch } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { type ApiRequest, header } from '../../model/request.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import { inputProblems } from '../../write/body/input-problems.ts'
import { bodyLimitOf, readBody } from '../../write/body/text/request-body.ts'
import type { Call, Runtime } from '../call/call.ts'
import { sendsPosition, withPosition } from '../endpoints/reads/database/write-position.ts'
import { type Admitted, admit } from '../endpoints/routing/admit.ts'
import { optionsResult } from '../endpoints/routing/own-methods.ts'
import { refuseParameters } from '../endpoints/routing/refuse-parameters.ts'
import type { Result } from '../envelope.ts'
import { headersForOperations } from '../inherited-headers.ts'
import { type AdmittedOperation, type BatchRequest, operationAdmitter } from './admit-operations.ts'
import { type BatchBody, type Operation, readOperations } from './batch-body.ts'
import { batchResult } from './batch-results.ts'
import { runBatchOnce } from './idempotent-batch.ts'
import { type RunOptions, runOperations } from './run-operations.ts'

/** What the response to a batch depends on. */
export interface BatchParts extends Pick<Call, 'stamp'> {
  /** Whether the caller of the API needs the response only as text to send. */
  readonly wantsText: boolean
  /** Headers of the response, also of an error. */
  readonly always: Record<string, string>
  /** Called with the caller of each operation. */
  readonly identified: (caller: Caller) => void
  /** Called with the operation that failed. */
  readonly failed: (operation: Call) => void
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
  const count = batchCounter(runtime, request, parts)
  const { batch, body, bodyJson, operations, key, asText } = await admitBatch(
    runtime,
    request,
    parts,
    count,
  ).catch(async (error: unknown) => {
    // An operation that is over its own limit has been refused for its number already.
    if (!(error instanceof ApiError && error.status === 429)) await count()
    throw error
  })
  const run = async (beforeCommit: RunOptions['beforeCommit']): Promise<Result> => {
    const results = await runOperations(batch, operations, {
      dryRun: body.dryRun,
      beforeCommit,
      failed: ({ call }) => {
        if (call !== undefined) parts.failed(call)
      },
    })
    return batchResult(results, asText)
  }
  const result =
    key === undefined
      ? await run(async () => {})
      : await runBatchOnce(batch, operations, { key, bodyJson, asText }, run)
  return sendsPosition(runtime) && !body.dryRun
    ? withPosition({ runtime, request }, result)
    : result
}

type CountBatch = (countAgain?: Admitted['countAgain']) => Promise<void>

/**
 * Returns a function that counts the batch against API_RATE_LIMIT when it is first called: with the caller of an operation,
 * else by the sender's address. The operations are also counted, each against the limit of its route.
 */
function batchCounter(
  { settings, signIn }: Pick<Runtime, 'settings' | 'signIn'>,
  request: ApiRequest,
  { always }: BatchParts,
): CountBatch {
  const { rateWindows } = settings
  const limit = { route: 'batch:POST', windows: rateWindows, strategies: [], required: false }
  let isCounted = rateWindows.length === 0
  return async (countAgain) => {
    if (isCounted) return
    isCounted = true
    const counting =
      countAgain?.(limit) ?? admit(signIn, request, limit).then((admitted) => admitted.headers)
    Object.assign(always, await counting)
  }
}

/** A batch that may run. */
interface AdmittedBatch {
  readonly batch: BatchRequest
  readonly body: BatchBody
  /** The body as it was sent. */
  readonly bodyJson: JsonValue
  readonly operations: readonly AdmittedOperation[]
  /** The Idempotency-Key; undefined if there is none, and for a dry run. */
  readonly key: string | undefined
  /** Whether the values of operations may be JSON text. */
  readonly asText: boolean
}

/** Reads a batch and admits its operations. */
async function admitBatch(
  runtime: Runtime,
  request: ApiRequest,
  parts: BatchParts,
  count: CountBatch,
): Promise<AdmittedBatch> {
  const { stamp, always, wantsText } = parts
  const { signIn } = runtime
  refuseIgnored(runtime.settings, request)
  const problems = inputProblems()
  const bodyJson = readBody(request, bodyLimitOf(runtime.settings), problems)
  const body = readOperations(runtime.settings, bodyJson, problems)
  // A dry run stores nothing, so there is nothing to repeat.
  const key = body.dryRun ? undefined : header(request, 'idempotency-key')
  const asText = wantsText && runtime.settings.hooks.final === undefined
  const batch: BatchRequest = {
    runtime: { ...runtime, signIn: { ...signIn, auth: signIn.auth.forBatch(request) } },
    request,
    inherited: headersForOperations(request),
    parts: { stamp },
    // A value that others refer to, or that an Idempotency-Key stores, must be an object.
    wantsText: ({ id }: Operation) => asText && key === undefined && !body.referredTo.has(id),
    always,
  }
  const operations = await admitAll(batch, body, parts, count)
  return { batch, body, bodyJson, operations, key, asText }
}

/** Throws 400 for parameters and headers that would change a separate request, but have no meaning for a batch. */
function refuseIgnored(
  { additionalQueryParams }: Pick<ApiSettings, 'additionalQueryParams'>,
  request: ApiRequest,
): void {
  const hint = ' A batch has no parameters; "dry_run" is a member of its body.'
  refuseParameters(request, additionalQueryParams, hint)
  if (header(request, 'if-match') !== undefined) throw preconditionOnBatch('If-Match')
  if (header(request, 'if-none-match') !== undefined) throw preconditionOnBatch('If-None-Match')
}

/** Admits and authorises the operations; counts the batch once the caller of the first one is known, before the others. */
async function admitAll(
  batch: BatchRequest,
  { operations }: BatchBody,
  { failed, identified }: BatchParts,
  count: CountBatch,
): Promise<readonly AdmittedOperation[]> {
  const admitNext = operationAdmitter(batch)
  const all: AdmittedOperation[] = []
  for (const [at, operation] of operations.entries()) {
    let call: Call | undefined
    const errorOfOperation = (error: unknown): unknown => {
      if (call !== undefined) failed(call)
      return atOperation(error, at)
    }
    let admitted: AdmittedOperation
    try {
      const admitting = admitNext(operation, (routed) => {
        call = routed
      })
      admitted = admitting instanceof Promise ? await admitting : admitting
    } catch (error) {
      throw errorOfOperation(error)
    }
    identified(admitted.call.caller)
    if (at === 0) await count(admitted.countAgain)
    try {
      if (admitted.facts !== undefined) authorize(admitted.call.caller, admitted.facts.checks)
    } catch (error) {
      throw errorOfOperation(error)
    }
    all.push(admitted)
  }
  return all
}
