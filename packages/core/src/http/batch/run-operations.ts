// Runs the operations of a batch, which are admitted and authorised, in one transaction: all of them are stored, or none. `resolved` puts the
// values of references into an operation, also when `idempotent-batch.ts` repeats stored results.

import { runAfterCommit, runBeforeCommit } from '../../access/hooks/commit.ts'
import { type HookConnection, hookConnection } from '../../database/leases/hook-connection.ts'
import { Lease } from '../../database/leases/lease.ts'
import { requestBounds } from '../../database/statements/bounds.ts'
import type { DatabaseFailure } from '../../dialect/dialect.ts'
import { atOperation, notInBatch } from '../../errors.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import { operationAt } from '../../lib/operation-at.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import type { Registry } from '../../model/registry/resource.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { Change } from '../../model/settings/access/hook-types.ts'
import { errorForClient, type WarningSink } from '../../write/refusals/explained-error.ts'
import type { RefusalConnection } from '../../write/refusals/refusal.ts'
import { refuseDeferred } from '../../write/refusals/refused-commit.ts'
import type { WriteContext } from '../../write/store/write-context.ts'
import { type AnyAttempt, inAttempts, type RepeatAs } from '../../write/transaction/attempts.ts'
import type { Call, LatestCall, Runtime } from '../call/call.ts'
import { servesMany } from '../endpoints/reads/serves-many.ts'
import { factsOf } from '../endpoints/routing/route-facts.ts'
import { answerAuthorized, finishResult, optionsOf } from '../endpoints/routing/serve-call.ts'
import type { Result } from '../envelope.ts'
import { splitUrl } from '../route-table.ts'
import {
  type AdmittedOperation,
  type BatchRequest,
  operationRequest,
  routeOperation,
} from './admit-operations.ts'
import type { Operation } from './batch-body.ts'
import { type BatchValues, resolvedBody, resolvedUrl } from './batch-references.ts'
import { type OperationResult, operationResult, resultCounter } from './batch-results.ts'
import { TimeLimit } from './batch-time-limit.ts'
import { explaining, inBatchTransaction, probeOn } from './batch-transaction.ts'
import { mergedChanges } from './merge-changes.ts'
import { OperationValues } from './operation-values.ts'

/** A failed operation. */
export interface FailedOperation {
  /** Its index in the list. */
  readonly at: number
  /** Undefined only before the first operation has begun. */
  readonly call: Call | undefined
}

/** How a batch runs. */
export interface RunOptions {
  /** Whether everything is rolled back at the end. */
  readonly dryRun: boolean
  /** Called inside the transaction, when all operations have succeeded; stores the results of a batch with an Idempotency-Key. */
  readonly beforeCommit: (
    results: readonly OperationResult[],
    probe: RefusalConnection,
  ) => Promise<void>
  /** Called with the operation whose error is thrown. */
  readonly failed: (operation: FailedOperation) => void
}

/** Thrown at the end of a dry run, so that its transaction is rolled back. */
class DryRunEnded extends Error {
  override readonly name = 'DryRunEnded'
  readonly results: readonly OperationResult[]

  constructor(results: readonly OperationResult[]) {
    super('A dry run is rolled back.')
    this.results = results
  }
}

/** What an operation has written, noted until the callbacks before and after COMMIT. */
interface NotedWrite {
  readonly call: Parameters<typeof runAfterCommit>[0]
  readonly changes: readonly Change[]
  /** The index of the operation. */
  readonly at: number
  /** Reads the written records again and makes the operation's response of them; undefined for a write without a transaction. */
  readonly rebuildResponse: (() => Promise<Result>) | undefined
}

/** What the operations have written whose models share one commit callback. */
type ChangesForCallback = Pick<NotedWrite, 'call' | 'changes'>

/** How far an attempt has got. */
interface Progress extends LatestCall {
  /** The index of the running operation; undefined before the first one and after the last one. */
  at: number | undefined
  readonly noted: NotedWrite[]
  /** The writes whose records are checked before COMMIT, after the database has refused that of an earlier attempt. */
  readonly unchecked: (RunningOperation & { readonly context: WriteContext })[]
}

/** An operation that runs. */
type RunningOperation = Pick<Progress, 'at' | 'call'>

const newProgress = (): Progress => ({ at: undefined, call: undefined, noted: [], unchecked: [] })

/**
 * Runs the operations and commits; returns their results. After a conflict, all of them are run again.
 *
 * Finding the field for an error of the database needs queries inside the transaction, which PostgreSQL allows after an error
 * only with a savepoint. A savepoint costs two statements for each operation, so the batch first runs without savepoints. If the
 * database refuses a statement, the batch runs again, with savepoints from that operation on.
 */
export async function runOperations(
  batch: BatchRequest,
  operations: readonly AdmittedOperation[],
  options: RunOptions,
): Promise<readonly OperationResult[]> {
  const { runtime, request } = batch
  const { dryRun, failed } = options
  const own = await runtime.database.session(request)
  const dialect = await runtime.database.dialect(own)
  const timeLimit = new TimeLimit(runtime.settings.batch?.timeout ?? 0)
  const { statementTimeout } = runtime.settings
  const bounds = requestBounds(statementTimeout, request, timeLimit.until)
  const lease = new Lease({
    db: withoutPlugins(own),
    dialect,
    bounds,
  })
  let progress = newProgress()
  const first: BatchAttempt = { explainsFrom: Number.POSITIVE_INFINITY, deferred: undefined }
  return inAttempts<BatchAttempt, readonly OperationResult[]>(
    first,
    async (attempt, repeatAs) => {
      const hosted = own.isTransaction
      const work = async (inside: Lease, transaction: AnyDatabase) => {
        progress = newProgress()
        const how = { attempt, repeatAs, options }
        const hooks = hookConnection(transaction, [
          ...(runtime.signIn.given?.trail ?? []),
          'a batch',
        ])
        const openAttempt = {
          lease: inside,
          transaction,
          hooks,
          hosted,
          timeLimit,
          progress,
          ...how,
        }
        return runAll(batch, operations, openAttempt).finally(() => hooks.nested.end())
      }
      try {
        const results = await inBatchTransaction(lease, own, work)
        runAfterCommits(batch, progress.noted, !hosted)
        return results
      } catch (error) {
        if (error instanceof DryRunEnded && dryRun) return error.results
        throw error
      }
    },
    async (error) => {
      const { at, call } = progress
      const explained = timeLimit.explained(error, dialect)
      if (at === undefined) throw explained
      failed({ at, call })
      throw atOperation(explained, at)
    },
  )
}

/** How a batch is attempted. */
interface BatchAttempt extends AnyAttempt {
  /** The first operation before which a savepoint is set. */
  readonly explainsFrom: number
}

/** What the operations of one attempt share. */
interface OpenAttempt {
  /** The lease of the transaction. */
  readonly lease: Lease
  readonly transaction: AnyDatabase
  /** The connection that hooks receive. */
  readonly hooks: HookConnection
  /** Whether the host application has begun the transaction. */
  readonly hosted: boolean
  readonly timeLimit: TimeLimit
  readonly progress: Progress
  readonly attempt: BatchAttempt
  readonly repeatAs: RepeatAs<BatchAttempt>
  readonly options: RunOptions
}

/** On in-process databases, a batch yields to the event loop after this many milliseconds. */
const maxBlockingMs = 5

/** Runs the operations of one attempt inside the transaction, then the callbacks before COMMIT. */
async function runAll(
  batch: BatchRequest,
  operations: readonly AdmittedOperation[],
  openAttempt: OpenAttempt,
): Promise<readonly OperationResult[]> {
  const { lease, timeLimit, progress, attempt, repeatAs, options } = openAttempt
  const { explainsFrom, deferred } = attempt
  const { dialect } = lease
  const probe = probeOn(lease)
  const own: BatchRequest = { ...batch, runtime: runtimeIn(batch.runtime, openAttempt) }
  const results: OperationResult[] = []
  const count = resultCounter(batch.runtime.settings)
  const values = new OperationValues(batch.runtime.settings.bodyLimit)
  let turnAt = performance.now() + maxBlockingMs
  for (const [at, admitted] of operations.entries()) {
    progress.at = at
    progress.call = admitted.call
    const now = timeLimit.check()
    if (dialect.capabilities.blocksEventLoop && now >= turnAt) {
      await yieldToEventLoop()
      turnAt = performance.now() + maxBlockingMs
    }
    const run = () => runOperation(own, admitted, values, progress)
    const repeat = at < explainsFrom ? () => repeatAs({ explainsFrom: at }) : undefined
    const result = await explaining(batch.runtime.host, { ...probe, repeat }, run)
    count(result)
    results.push(result)
    // A value that others refer to is never text (`wantsText`).
    if (result.text === undefined) values.set(result.id, result.value)
  }
  // An error from here on belongs to no operation.
  progress.at = undefined
  const { request } = batch
  for (const { call, changes } of changesFor(
    'beforeCommit',
    progress.noted,
    batch.runtime.registry,
  )) {
    await runBeforeCommit({ ...call, runtime: own.runtime, request }, changes)
  }
  await rebuildResponses(operations, progress, results)
  progress.at = undefined
  await options.beforeCommit(results, probe)
  await openAttempt.hooks.nested.settled()
  if (deferred !== undefined) await checkWritten(batch.runtime.host, probe, progress, deferred)
  timeLimit.check()
  if (options.dryRun) {
    // A COMMIT would check deferred constraints, and a dry run has none.
    await lease.checkDeferred()
    throw new DryRunEnded(results)
  }
  return results
}

/**
 * Replaces the responses of writes in `results` after the callback before COMMIT, which may have changed their records. A response with a
 * record that a later operation has written stays as it was.
 */
async function rebuildResponses(
  operations: readonly AdmittedOperation[],
  progress: Progress,
  results: OperationResult[],
): Promise<void> {
  const later = new Set<string>()
  for (const { call, changes, at, rebuildResponse } of [...progress.noted].reverse()) {
    const written = changes.map(({ model, key }) => JSON.stringify([model.name, key]))
    const isLast = !written.some((record) => later.has(record))
    for (const record of written) later.add(record)
    const [admitted, before] = [operations[at], results[at]]
    const hasCallback = call.hooks.beforeCommit !== undefined && written.length > 0
    if (!isLast || !hasCallback || rebuildResponse === undefined || !admitted || !before) continue
    Object.assign(progress, { at, call: before.call })
    const result = await finishResult(before.call, admitted.route, await rebuildResponse())
    results[at] = await operationResult(before.id, before.call, admitted.headers, result)
  }
}

/** Throws the error of the operation that was the last to write a record which violates a deferred constraint. */
async function checkWritten(
  warnings: WarningSink,
  probe: RefusalConnection,
  progress: Progress,
  failure: DatabaseFailure,
): Promise<void> {
  try {
    await refuseDeferred(progress.unchecked, failure, ({ at, call }) =>
      Object.assign(progress, { at, call }),
    )
  } catch (error) {
    throw await errorForClient(warnings, probe, error)
  }
}

/** Returns the runtime of the operations, whose only connection is the transaction. */
const runtimeIn = (
  runtime: Runtime,
  { lease: { level }, transaction, hooks, progress, hosted, attempt: { deferred } }: OpenAttempt,
): Runtime => ({
  ...runtime,
  database: { ...runtime.database, session: () => transaction, replicas: undefined },
  batch: {
    hooks,
    level,
    hosted,
    note(call, changes, rebuildResponse) {
      const { at: index = 0 } = progress
      const at = operationAt(index)
      const own = changes.map((change) => ({ ...change, at }))
      progress.noted.push({ call, changes: own, at: index, rebuildResponse })
    },
    deferred: deferred && {
      failure: deferred,
      add(context) {
        const { at, call } = progress
        progress.unchecked.push({ at, call, context })
      },
    },
  },
})

/** Runs one operation as the request that it is, on the transaction. */
function runOperation(
  batch: BatchRequest,
  admitted: AdmittedOperation,
  values: BatchValues,
  progress: Progress,
): MaybePromise<OperationResult> {
  const { operation, headers } = admitted
  const { call, route } = resolved(batch, admitted, values)
  progress.call = call
  const { method } = call
  const answered = method === 'OPTIONS' ? optionsOf(route) : answerAuthorized(call, route, progress)
  return andThen(answered, (result) =>
    operationResult(operation.id, progress.call ?? call, headers, result),
  )
}

/** Returns the operation's call and route after replacing references with their values; on a repetition, those of the stored results. */
export function resolved(
  batch: BatchRequest,
  { operation, call: admitted, route, facts }: AdmittedOperation,
  values: BatchValues,
): Pick<AdmittedOperation, 'call' | 'route'> {
  const { runtime } = batch
  const transaction = runtime.batch?.hooks.db
  const { refers, body } = operation
  const requestTo = (filled: Operation, url: string): ApiRequest =>
    Object.assign(operationRequest(batch, filled, url), { user: admitted.request.user })
  const filled =
    refers.inBody && body !== undefined
      ? { ...operation, body: resolvedBody(body, values) }
      : operation
  if (!refers.inUrl) {
    const request = refers.inBody ? requestTo(filled, admitted.request.url) : admitted.request
    const many = servesMany(route, admitted.action, request)
    return { route, call: { ...admitted, runtime, request, transaction, many } }
  }
  const request = requestTo(filled, resolvedUrl(operation.url, values))
  const found = routeOperation(batch, operation, request)
  // The caller was admitted to the route of the URL with placeholders, so the final URL must have the same route.
  if (factsOf(found.route).methods.get(found.call.method) !== facts) {
    throw notInBatch(splitUrl(request.url).path)
  }
  const { caller, reach } = admitted
  return { route: found.route, call: { ...found.call, caller, reach, transaction } }
}

/** Groups the changes of all operations by callback of this kind, because each callback is called once per batch. */
function changesFor(
  kind: 'beforeCommit' | 'afterCommit',
  noted: readonly NotedWrite[],
  registry: Registry,
): Iterable<ChangesForCallback> {
  const byCallback = new Map<unknown, ChangesForCallback & { readonly changes: Change[] }>()
  for (const { call, changes } of noted) {
    const callback = call.hooks[kind]
    const known = byCallback.get(callback)
    if (known !== undefined) known.changes.push(...changes)
    else if (callback !== undefined) byCallback.set(callback, { call, changes: [...changes] })
  }
  return [...byCallback.values()].map(({ call, changes }) => ({
    call,
    changes: mergedChanges(registry, changes),
  }))
}

/** Calls each after-commit callback with the changes of all operations. `committed`: false in a transaction of the host. */
function runAfterCommits(
  { runtime, request }: BatchRequest,
  noted: readonly NotedWrite[],
  committed: boolean,
): void {
  for (const { call, changes } of changesFor('afterCommit', noted, runtime.registry)) {
    runAfterCommit({ ...call, runtime, request, transaction: undefined }, changes, { committed })
  }
}
