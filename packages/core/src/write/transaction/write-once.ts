// writeOnce: one attempt of a write, in its transaction: the records are stored, the callback before COMMIT is called and the response is
// made. `writer.ts` repeats it if it has to be made in another way, or may succeed now.

import type { HookConnection } from '../../database/leases/hook-connection.ts'
import type { Lease, Work } from '../../database/leases/lease.ts'
import type { DatabaseFailure } from '../../dialect/dialect.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import type { Change } from '../../model/settings/access/hook-types.ts'
import { refuseOverlaps } from '../check/overlaps.ts'
import { refuseDeletedMeanwhile } from '../check/referred-records.ts'
import type { FusionFacts } from '../fusion/fusion-of.ts'
import type { FusedAttempt, OneRecord } from '../fusion/one-record.ts'
import { explainRefusal } from '../refusals/explain-refusal.ts'
import type { WarningSink } from '../refusals/explained-error.ts'
import {
  type RefusalConnection,
  refusedWrite,
  type WriteRefusal,
  writeRefusalOf,
} from '../refusals/refusal.ts'
import { type DeferredCheck, refuseDeferred } from '../refusals/refused-commit.ts'
import { changesOf } from '../resolve/stored-changes.ts'
import { inSavepoint } from '../store/savepoint.ts'
import type { WriteContext } from '../store/write-context.ts'
import type { HookResults } from './hook-results.ts'

/** A write in its transaction. */
export interface OpenWrite {
  readonly context: WriteContext
  /** The connection that hooks use. */
  readonly hooks: HookConnection
}

/** A transaction, or the connection of a driver without transactions. */
export interface TransactionDatabase {
  readonly lease: Lease
  /** The host's own instance with its plugins; policies and hooks receive it. */
  readonly own: AnyDatabase
}

/** What the transaction of a write needs of the request; `W` is the write in it, `R` the response. */
export interface WriteRequest<W extends OpenWrite, R> extends WarningSink {
  /** The host's own instance, or the transaction that the host or the batch has begun. */
  readonly own: AnyDatabase
  /** The connection outside of the transaction. */
  readonly outside: RefusalConnection
  /** Whether a savepoint undoes the write if it fails, because its transaction goes on. */
  readonly inSavepoint: boolean
  /** The batch whose transaction the write runs in. */
  readonly batch: { readonly deferred: DeferredCheck | undefined } | undefined
  /** Whether callbacks before or after COMMIT receive what the write has changed. */
  readonly needsChanges: boolean
  /** Finds out what decides whether one statement makes the write of a record. */
  fusionFacts(oneRecord: OneRecord): FusionFacts
  /** Makes the context of an attempt in its transaction, or on its connection if one statement makes the write. */
  writingIn(inside: TransactionDatabase, attempt: AttemptFacts): W
  /** Runs the steps of the response that belong to the transaction. */
  finish(writing: W, written: R): MaybePromise<R>
  /** Calls the callback before COMMIT; `changes` is empty unless `needsChanges`. */
  beforeCommit(writing: W, changes: readonly Change[]): Promise<void>
  /**
   * Ends the tokens and API keys of users that the write has removed or made inactive. Called after the callback before COMMIT; in a batch,
   * when the write has ended.
   */
  endUsers(writing: W): MaybePromise<void>
  /** Called after COMMIT; in a batch, when the write has ended. `again` makes the response anew, as long as the transaction is open. */
  noteChanges(changes: readonly Change[], again: (() => Promise<R>) | undefined): void
}

/** Makes the response of a write whose records are stored. */
export type Respond<R> = () => MaybePromise<R>

/** What is known of a write before its first attempt. */
export interface AttemptOptions {
  /** The record, if the request writes one and the response shows nothing else: one statement may then make the write. */
  readonly oneRecord?: OneRecord | undefined
  /** Returns whether a concurrent transaction may have caused a refusal, so that the transaction is repeated. Default: no. */
  readonly retryOn?: (refusal: WriteRefusal) => boolean
}

/** What the context of an attempt depends on. */
export interface AttemptFacts {
  /** `repeat` of WriteContext. */
  readonly repeat: (() => never) | undefined
  /** How the database refused COMMIT; the attempt finds the record before it commits. */
  readonly deferred: DatabaseFailure | undefined
  /** What hooks have returned in this write. */
  readonly results: HookResults
  /** Given if one statement makes the write. */
  readonly fused: FusedAttempt | undefined
}

/** What an attempt has written. */
export interface Attempted<R> {
  readonly result: R
  readonly changes: readonly Change[]
  /** Makes the response of an operation of a batch anew. */
  readonly again?: (() => Promise<R>) | undefined
}

/**
 * Runs a write (`work`), the callback before COMMIT and the response in one transaction. `isAtomic`: one statement can make the write, so
 * it needs no transaction if the driver has none.
 */
export function writeOnce<W extends OpenWrite, R>(
  request: WriteRequest<W, R>,
  work: (writing: W) => Promise<Respond<R>>,
  facts: AttemptFacts,
  isAtomic: boolean,
): Promise<Attempted<R>> {
  const { batch, own, outside } = request
  const { deferred, results, fused } = facts
  if (fused?.fusion.inTransaction === false) return writeAlone(request, work, facts)
  const insideTransaction = async (lease: Lease, transaction: AnyDatabase) => {
    const writing = request.writingIn({ lease, own: transaction }, facts)
    return inWriting(writing, transaction).finally(() => {
      // Statements fail that hooks send after this, on a connection which may serve another request by then. A batch ends them itself.
      if (batch === undefined) writing.hooks.nested.end()
    })
  }
  /** The stages of the write, with its context in the transaction. */
  const inWriting = async (writing: W, transaction: AnyDatabase): Promise<Attempted<R>> => {
    const { context, hooks } = writing
    results.begin(() => hooks.sentStatements)
    const respond = await work(writing)
      .finally(() => endHookStatements(context))
      .catch((error: unknown) => explainedInside(context, error))
    // The write is complete, so statements of later hooks need no work before.
    hooks.statements = undefined
    // Without a transaction, the records are stored already.
    if (transaction.isTransaction) await refuseDeletedMeanwhile(context)
    await refuseOverlaps(context)
    const changes = request.needsChanges ? await changesOf(context) : []
    // Before the response is made, which shows what the callback has written.
    await request.beforeCommit(writing, changes)
    await request.endUsers(writing)
    const response = async (): Promise<R> => request.finish(writing, await respond())
    const result = await response()
    // Waits for the requests that hooks make in the transaction (`args.as`).
    await hooks.nested.settled()
    if (deferred !== undefined) {
      if (batch?.deferred === undefined) await refuseDeferred([{ context }], deferred)
      else batch.deferred.add(context)
    }
    return { result, changes, again: batch === undefined ? undefined : response }
  }
  const inOwnSavepoint: Work<Attempted<R>> = (lease, transaction) =>
    inSavepoint(lease, 'request', (inside) => insideTransaction(inside, transaction))
  const working = request.inSavepoint ? inOwnSavepoint : insideTransaction
  // One statement needs no isolation level of its own, which saves the statement that sets it.
  const isolation = fused === undefined ? 'read committed' : 'of the connection'
  return isAtomic
    ? outside.lease.inTransactionIfSupported(working, own)
    : outside.lease.inTransaction(working, own, isolation)
}

/** Runs a write whose one statement needs no transaction, and which calls no callback. */
function writeAlone<W extends OpenWrite, R>(
  request: WriteRequest<W, R>,
  work: (writing: W) => Promise<Respond<R>>,
  facts: AttemptFacts,
): Promise<Attempted<R>> {
  const { own, outside } = request
  facts.results.begin()
  const working = work(request.writingIn({ lease: outside.lease, own }, facts))
  return working.then(async (respond) => ({ result: await respond(), changes: noChanges }))
}

/** The changes of a write that calls no callback: by this list itself, `writeRequest` sees that there is nothing to note. */
export const noChanges: readonly Change[] = []

/**
 * Explains a refusal before the rollback, because the conflicting record may have been written by the same request. PostgreSQL
 * accepts no statement between a refusal and the rollback, so there it is explained afterwards.
 */
async function explainedInside(context: WriteContext, error: unknown): Promise<never> {
  const refusal = writeRefusalOf(error)
  if (refusal === undefined || refusal.explained !== undefined) throw error
  try {
    // Fails if the transaction accepts no more statements.
    await context.lease.rows(sql`select 1 as ${sql.id('one')}`)
  } catch {
    throw error
  }
  throw refusedWrite({ ...refusal, explained: await explainRefusal(context, refusal) }, error)
}

/** Notes that the write has ended, so that no hook waits for its statements any more. */
function endHookStatements({ beforeHookStatements }: WriteContext): void {
  if (beforeHookStatements !== undefined) beforeHookStatements.isOver = true
}
