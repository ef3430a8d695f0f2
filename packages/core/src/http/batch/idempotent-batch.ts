// A batch with an Idempotency-Key runs once. The first request stores the results of its operations in its transaction; a repetition returns
// them. Values that its sender might not be allowed to read any more are read again under today's rights.

import type { StoredResponse } from '../../database/own-tables/idempotency-keys.ts'
import { storeLongResponse, withParts } from '../../database/own-tables/idempotency-keys.ts'
import { ApiError, atOperation } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { Opened } from '../../query/scoper.ts'
import type { Call, LatestCall } from '../call/call.ts'
import { callerIdentityOf, type UserIdentity } from '../endpoints/auth/user-identity.ts'
import { parseQueryOf } from '../endpoints/reads/request-query.ts'
import { narrowedToCaller } from '../endpoints/routing/caller-route.ts'
import { runReturnAndTag } from '../endpoints/routing/finish.ts'
import { answerAuthorized } from '../endpoints/routing/serve-call.ts'
import {
  authorityOf,
  claimOf,
  onceFor,
  replay as replayRecords,
  storeOf,
} from '../endpoints/writes/response/idempotent-post.ts'
import type { Result } from '../envelope.ts'
import { splitUrl } from '../route-table.ts'
import type { AdmittedOperation, BatchRequest } from './admit-operations.ts'
import {
  batchResult,
  type OperationResult,
  operationResult,
  resultCounter,
  withJson,
} from './batch-results.ts'
import { OperationValues } from './operation-values.ts'
import { type RunOptions, resolved } from './run-operations.ts'

/** The stored result of an operation. */
interface StoredResult extends StoredResponse {
  readonly id: string
  readonly value: JsonValue
}

/** The key, the body that must be the same for it, and the form of the response. */
interface OnceOptions {
  readonly key: string
  /** The body of the batch as it was sent. */
  readonly bodyJson: JsonValue
  /** Whether the response may be JSON text. */
  readonly asText: boolean
}

/** Runs a batch, or returns the results that are stored under its Idempotency-Key. */
export async function runBatchOnce(
  batch: BatchRequest,
  operations: readonly AdmittedOperation[],
  { key, bodyJson, asText }: OnceOptions,
  run: (beforeCommit: RunOptions['beforeCommit']) => Promise<Result>,
): Promise<Result> {
  const { runtime, request } = batch
  const { query } = splitUrl(request.url)
  const owner = ownerOf(runtime.registry.users, operations)
  const claim = await claimOf(
    { query, body: bodyJson },
    owner,
    runtime.settings.batch?.path ?? '',
    key,
  )
  return onceFor({ runtime, request }, claim, {
    work: (held) =>
      run(async (results, probe) =>
        storeLongResponse(storeOf(batch, probe), held, {
          status: 200,
          headers: {},
          total: results.length,
          many: true,
          // Each stored result has its own keys and authority.
          keys: [],
          authority: '',
          value: (await storedResults(results)) as unknown as JsonValue,
        }),
      ),
    replay: async (own, response) => {
      const { value } = await withParts(storeOf(batch, own), claim, response)
      const results = await replayedResults(
        batch,
        operations,
        own,
        value as unknown as StoredResult[],
      )
      const result = batchResult(results, asText)
      return { ...result, headers: { ...result.headers, 'idempotency-replayed': 'true' } }
    },
  })
}

/** Returns one owner for all operations. Their callers can differ, because endpoints may accept different credentials of the request. */
function ownerOf(
  users: Resource | undefined,
  operations: readonly AdmittedOperation[],
): UserIdentity {
  const callers = new Set(operations.map(({ call }) => call.caller))
  const owners = [...callers].map((caller) => callerIdentityOf(users, caller))
  if (owners.some(({ kind }) => kind === 'unknown')) return { kind: 'unknown' }
  const identities = owners.flatMap((owner) => (owner.kind === 'user' ? [owner.identity] : []))
  const [identity, ...others] = [...new Set(identities)].sort()
  if (identity === undefined) return { kind: 'nobody' }
  return {
    kind: 'user',
    identity: others.length === 0 ? identity : stringify([identity, ...others]),
  }
}

/** Returns the results in the form in which the key stores them. */
async function storedResults(
  results: readonly OperationResult[],
): Promise<readonly StoredResult[]> {
  const authorities = new Map<Call['reach'], Promise<string>>()
  return Promise.all(
    results.map(async ({ id, status, headers, value, call, keys }) => {
      const authority = authorities.get(call.reach) ?? authorityOf(call)
      authorities.set(call.reach, authority)
      return {
        id,
        status,
        headers,
        value,
        total: keys?.length ?? 0,
        many: Array.isArray(value),
        keys: (keys ?? []).map((key) =>
          key.map((part) => (typeof part === 'bigint' ? String(part) : part)),
        ),
        authority: await authority,
      }
    }),
  )
}

/** Returns the results of a repetition: the stored ones, with values that its caller may read now. */
async function replayedResults(
  batch: BatchRequest,
  operations: readonly AdmittedOperation[],
  own: Opened,
  stored: readonly StoredResult[],
): Promise<readonly OperationResult[]> {
  const database = { ...batch.runtime.database, session: () => own.own, replicas: undefined }
  const runtime = { ...batch.runtime, database }
  const values = new OperationValues(runtime.settings.bodyLimit)
  const results: OperationResult[] = []
  const count = resultCounter(runtime.settings)
  const lastDeletion = operations.findLastIndex(({ call }) => call.method === 'DELETE')
  for (const [i, admitted] of operations.entries()) {
    const result = stored[i]
    if (result === undefined) break
    const { call, route } = resolved({ ...batch, runtime }, admitted, values)
    values.set(result.id, result.value)
    const mayBeDeleted = i < lastDeletion
    const now = await replayedResult(call, route, own, result, mayBeDeleted)
    try {
      count(now)
    } catch (error) {
      throw atOperation(error, i)
    }
    results.push(now)
  }
  return results
}

/**
 * Returns the stored result with the value that the caller may read now. `mayBeDeleted`: a later operation may have deleted the
 * records. If they cannot be hidden for any other reason, the stored ones are returned.
 */
async function replayedResult(
  routed: Call,
  route: AdmittedOperation['route'],
  own: Opened,
  stored: StoredResult,
  mayBeDeleted: boolean,
): Promise<OperationResult> {
  const { id, status, headers, keys, value } = stored
  const as = (now: JsonValue): OperationResult => {
    const { etag, ...others } = headers
    // The stored ETag belongs to the stored value alone.
    const isSame = etag === undefined || now === value || stringify(now) === stringify(value)
    const shown = isSame ? headers : others
    const unseen = { text: undefined, keys: undefined }
    return withJson({ id, status, headers: shown, value: now, call: routed, ...unseen })
  }
  const { method } = routed
  if (value === null || method === 'OPTIONS') return as(null)
  if (method === 'GET' || method === 'HEAD') {
    const isSame =
      !hasPoliciesOrCallbacks(routed) && (await authorityIn(routed, route)) === stored.authority
    return as(isSame ? value : await readAgain(routed, route, id))
  }
  if (keys.length === 0) return as(null)
  const call = (await narrowedToCaller(routed, route))?.call ?? routed
  // The filters of a PATCH have chosen the records; the response has them by their keys.
  const ast = { ...parseQueryOf(call, call.resource), where: [] }
  const { return: onReturn, final } = call.hooks
  const isShaped = (onReturn ?? final) !== undefined
  const { value: _, ...withoutValue } = stored
  const response = isShaped ? withoutValue : stored
  // Another session may show other rows, by row-level security.
  const isRoot = call.runtime.database.knownSession(call.request) === call.runtime.database.root
  const keepsDeleted = mayBeDeleted && isRoot && !hasPoliciesOrCallbacks(call)
  const echoed = await replayRecords(call, own, call.resource, ast, response, keepsDeleted)
  if (!isShaped) return as(echoed.value)
  return as((await operationResult(id, call, {}, await runReturnAndTag(call, echoed))).value)
}

/** Whether any resource has a policy or callback, so that a read could now return another value than the stored one. */
const hasPoliciesOrCallbacks = ({ runtime: { access, registry } }: Call): boolean =>
  registry.resources.some(
    (resource) =>
      access.policies.has(resource) ||
      Object.values(resource.settings.hooks).some(
        ({ filter, dump, return: onReturn, final }) =>
          (filter ?? dump ?? onReturn ?? final) !== undefined,
      ),
  )

/** Returns the authority under which the caller would read now: if it equals the stored one, the stored value may be returned. */
async function authorityIn(call: Call, route: AdmittedOperation['route']): Promise<string> {
  return authorityOf((await narrowedToCaller(call, route))?.call ?? call)
}

/** Runs a read again and returns its current value; null if it is refused. */
async function readAgain(
  call: Call,
  route: AdmittedOperation['route'],
  id: string,
): Promise<JsonValue> {
  try {
    const latest: LatestCall = { call }
    const result = await answerAuthorized(call, route, latest)
    return (await operationResult(id, latest.call ?? call, {}, result)).value
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null
    throw error
  }
}
