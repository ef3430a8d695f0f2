// What all endpoints of writes share: the transaction, the WriteContext in it, and the error if the database refuses the write.

import { methodOf } from '../../../access/action.ts'
import { hookCallerOf, recordArgs } from '../../../access/hook-args.ts'
import { atRecord } from '../../../access/hooks/at-record.ts'
import { needsChanges, runAfterCommit, runBeforeCommit } from '../../../access/hooks/commit.ts'
import { writeHooks } from '../../../access/hooks/write-hooks.ts'
import { mayAct } from '../../../access/reach.ts'
import { withPasswordCost } from '../../../auth/passwords/passwords.ts'
import { refusedCommit } from '../../../database/leases/in-transaction.ts'
import type { Lease } from '../../../database/leases/lease.ts'
import type { DatabaseFailure } from '../../../dialect/dialect.ts'
import {
  conflictingParameters,
  idempotencyKeyNotHere,
  notHere,
  preconditionOnMany,
  wrongBody,
} from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import { withoutPlugins } from '../../../lib/sql/without-plugins.ts'
import { takenBack } from '../../../model/hooks/call-hook.ts'
import type { SingleParameter } from '../../../model/query-words/parameter-names.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { header } from '../../../model/request.ts'
import type { Change } from '../../../model/settings/access/hook-types.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import { recordText } from '../../../query/serialize/tag-text.ts'
import { mergedDocumentProblem } from '../../../write/body/merged-document.ts'
import { type InputProblems, inputProblems } from '../../../write/body/problems.ts'
import { runChecks } from '../../../write/body/read-body.ts'
import {
  type BodyLimit,
  bodyText,
  readBody,
  refuseUnreadable,
} from '../../../write/body/text/body.ts'
import type { TransformHost } from '../../../write/body/transform.ts'
import type { ValidatorHost } from '../../../write/body/validators.ts'
import { refuseDeletedMeanwhile } from '../../../write/check/referred-records.ts'
import {
  counterBehind,
  explainRefusal,
  hiddenValueMissing,
} from '../../../write/refusals/explain-refusal.ts'
import {
  type Probe,
  type Refusal,
  refusalOf,
  refusedWrite,
} from '../../../write/refusals/refusal.ts'
import { refuseDeferred } from '../../../write/refusals/refused-commit.ts'
import { changesOf } from '../../../write/resolve/stored-changes.ts'
import { changeLog } from '../../../write/store/change-log.ts'
import type {
  BeforeHookStatements,
  Precondition,
  ValueSources,
  WriteContext,
} from '../../../write/store/context.ts'
import { GeneratedKeys } from '../../../write/store/generated-keys.ts'
import { RemovedLinkCount } from '../../../write/store/removed-link-count.ts'
import { RepeatNeeded } from '../../../write/store/savepoint.ts'
import type { Call, Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { writeCondition } from '../../etag.ts'
import {
  isHosted,
  type Opened,
  open,
  pastSnapshot,
  refuseRelationKeys,
} from '../reads/read-stages.ts'
import { finishBeforeCommit } from '../routing/finish.ts'
import { writeAccess } from './access.ts'
import { type HookConnection, hookConnection } from './hook-connection.ts'

/** A write in its transaction. */
export interface Writing {
  /** The call with the transaction; hooks receive it as their connection. */
  readonly call: Call
  readonly context: WriteContext
  /** The transaction, for reading the echo. */
  readonly opened: Opened
  /** Absent if hooks receive the transaction itself. */
  readonly hooks: HookConnection | undefined
}

const maxRetries = 3

export interface WriteOptions {
  /**
   * Makes the write with one statement in the transaction. Returns undefined if the statement wrote nothing; several statements then
   * make the write, or find the error. Absent if the write always needs several.
   */
  readonly inOneStatement?: ((writing: Writing) => MaybePromise<Result | undefined>) | undefined
  /** Whether a concurrent transaction may have caused the refusal, so that the transaction is repeated. */
  readonly retryOn?: (refusal: Refusal) => boolean
  /** Problems of the body so far, to report together with those that depend on the stored record. */
  readonly problems?: InputProblems
  /** One statement makes the whole write, so the write can also run if the driver has no transactions. */
  readonly isSingle?: boolean
  /** The write stores many records after their hooks were called. */
  readonly isBulk?: boolean
  /** Filters choose the records that the body describes, so it names none of them. */
  readonly byFilters?: boolean
}

/** Thrown if `inOneStatement` wrote nothing: the transaction is rolled back, and a second one makes the write with several statements. */
class SeveralNeeded extends Error {}

/** How a write is attempted. */
interface Attempt {
  readonly inOneStatement: WriteOptions['inOneStatement']
  readonly setsSavepoints: boolean
  /** How the database refused COMMIT; the next attempt finds the record before it commits. */
  readonly deferred?: DatabaseFailure | undefined
}

/** Runs a write to `resource`, the model in the path, in one transaction. If the database refuses a statement, finds out why after the rollback. */
export async function inWrite(
  call: Call,
  resource: Resource,
  work: (writing: Writing) => Promise<Result>,
  options: WriteOptions = {},
): Promise<Result> {
  const opened = await open(call)
  const { batch } = call.runtime
  const { inOneStatement, retryOn } = options
  let attempt: Attempt = {
    inOneStatement,
    setsSavepoints: batch !== undefined,
    deferred: batch?.deferred?.failure,
  }
  let refusals = 0
  for (;;) {
    try {
      const { result, changes } = await writeOnce(call, resource, opened, work, options, attempt)
      if (batch) batch.note(call, changes)
      else runAfterCommit(call, changes, !opened.own.isTransaction)
      return result
    } catch (error) {
      const other = otherAttempt(attempt, error)
      if (other !== undefined) {
        attempt = other
        continue
      }
      refusals += 1
      const refusal = refusalOf(error)
      const mayRetry =
        refusal !== undefined && (isRepeatedLink(refusal) || retryOn?.(refusal) === true)
      if (!mayRetry || opened.own.isTransaction || refusals > maxRetries) {
        throw await explainedError(call, opened, error)
      }
    }
  }
}

/** Whether a request from the other end may have made the link meanwhile; the next attempt finds it. */
const isRepeatedLink = ({ step, failure }: Refusal): boolean =>
  step === 'link' && failure.kind === 'unique'

/** Returns how to attempt the write after an error that asks for another way; undefined for every other error. */
function otherAttempt(attempt: Attempt, error: unknown): Attempt | undefined {
  if (error instanceof SeveralNeeded) return { ...attempt, inOneStatement: undefined }
  const deferred = attempt.deferred === undefined ? refusedCommit(error) : undefined
  if (deferred !== undefined) return { ...attempt, inOneStatement: undefined, deferred }
  return error instanceof RepeatNeeded && !attempt.setsSavepoints
    ? { ...attempt, setsSavepoints: true }
    : undefined
}

/** Runs the write, and the callbacks before COMMIT, in one transaction. */
function writeOnce(
  call: Call,
  resource: Resource,
  opened: Opened,
  work: (writing: Writing) => Promise<Result>,
  options: WriteOptions,
  attempt: Attempt,
): Promise<{ readonly result: Result; readonly changes: readonly Change[] }> {
  const { batch } = call.runtime
  const { inOneStatement, deferred } = attempt
  const insideTransaction = async (lease: Lease, transaction: AnyDatabase) => {
    const inside = { lease, own: transaction }
    const writing = writingIn(call, resource, opened, inside, options, attempt)
    const { context, hooks } = writing
    const working =
      inOneStatement === undefined ? work(writing) : workByOne(inOneStatement, writing)
    const written = await working
      .finally(() => endHookStatements(context))
      .catch((error: unknown) => explainedInside(context, error))
    if (hooks !== undefined) hooks.statements = undefined
    // Without a transaction, the records are stored already.
    if (transaction.isTransaction) await refuseDeletedMeanwhile(context)
    const result = await finishBeforeCommit(writing.call, written)
    const changes = needsChanges(call.hooks) ? await changesOf(context) : []
    if (batch === undefined) await runBeforeCommit(writing.call, changes)
    if (deferred !== undefined) {
      if (batch?.deferred === undefined) await refuseDeferred(context, deferred)
      else batch.deferred.add(context)
    }
    return { result, changes }
  }
  const isolation = inOneStatement === undefined ? 'read committed' : 'of the connection'
  const { lease, own } = opened
  return options.isSingle === true
    ? lease.inTransactionIfSupported(insideTransaction, own, isolation)
    : lease.inTransaction(insideTransaction, own, isolation)
}

async function workByOne(
  inOneStatement: NonNullable<WriteOptions['inOneStatement']>,
  writing: Writing,
): Promise<Result> {
  const written = await inOneStatement(writing)
  if (written === undefined) throw new SeveralNeeded()
  return written
}

/**
 * Explains a refusal before the rollback, because the conflicting record may have been written by the same request. PostgreSQL
 * accepts no statement between a refusal and the rollback, so there it is explained afterwards.
 */
async function explainedInside(context: WriteContext, error: unknown): Promise<never> {
  const refusal = refusalOf(error)
  if (refusal === undefined || refusal.explained !== undefined) throw error
  try {
    await context.lease.rows(sql`select 1 as ${sql.id('one')}`)
  } catch {
    throw error
  }
  throw refusedWrite({ ...refusal, explained: await explainRefusal(context, refusal) }, error)
}

/**
 * Turns a refusal of the database into the API error that explains it; returns other errors unchanged. In a batch it returns all errors
 * unchanged, because the batch explains them.
 */
export const explainedError = async (
  call: Call,
  opened: Opened,
  error: unknown,
): Promise<unknown> =>
  call.runtime.batch === undefined ? explained(call.runtime, opened, error) : error

/** `explainedError`, also for a batch. `opened` is the connection for the queries that find the reason. */
export async function explained(
  runtime: Pick<Runtime, 'warn'>,
  opened: Probe,
  error: unknown,
): Promise<unknown> {
  const refusal = refusalOf(error)
  if (refusal === undefined) return error
  const behind = await counterBehind(opened, refusal)
  if (behind !== undefined) runtime.warn(behind)
  const missing = await hiddenValueMissing(opened, refusal)
  if (missing !== undefined) runtime.warn(missing)
  const explanation = refusal.explained ?? (await explainRefusal(opened, refusal))
  return Object.assign(explanation, { cause: error })
}

function writingIn(
  call: Call,
  resource: Resource,
  outside: Opened,
  { lease, own: transaction }: Pick<Opened, 'lease' | 'own'>,
  { problems: before, isBulk = false, byFilters = false }: WriteOptions,
  { setsSavepoints, deferred }: Attempt,
): Writing {
  const notesChanges = needsChanges(call.hooks) || deferred !== undefined
  const beforeHookStatements: BeforeHookStatements | undefined = isBulk
    ? { work: undefined, isOver: false }
    : undefined
  const hosted = isHosted(call, outside.own)
  const hooks =
    call.runtime.batch?.hooks ?? (isBulk || hosted ? hookConnection(transaction) : undefined)
  if (hooks !== undefined) hooks.statements = beforeHookStatements
  const inside: Call = { ...call, transaction: hooks?.db ?? transaction }
  const target = { ...pastSnapshot(call, outside).target, db: lease.db }
  const opened: Opened = { lease, target, own: transaction }
  const problems = inputProblems(before)
  const context: WriteContext = {
    lease,
    target,
    registry: call.registry,
    access: writeAccess(inside, opened),
    hooks: writeHooks(inside),
    base: call.base,
    ...valueSourcesOf(inside),
    changes: notesChanges ? changeLog(byFilters ? null : '') : undefined,
    validate: (checks) => runChecks(checks, problems, validatorHost(inside)),
    mergedDocumentProblem: (stored, merged) =>
      mergedDocumentProblem(stored, merged, bodyLimitOf(call.runtime)),
    problems,
    unlocked: [],
    generatedKeys: new GeneratedKeys(),
    removedLinks: new RemovedLinkCount(resource),
    hosted,
    setsSavepoints,
    beforeHookStatements,
  }
  return { call: inside, context, opened, hooks }
}

function endHookStatements({ beforeHookStatements }: WriteContext): void {
  if (beforeHookStatements !== undefined) beforeHookStatements.isOver = true
}

/** The arguments of the models' validators. API_SESSION_GETTER is called before the first of them. */
export function validatorHost(call: Call): ValidatorHost {
  const { transaction, runtime, request } = call
  const sources = valueSourcesOf(call)
  return {
    callHook: hookCallerOf(call),
    sources: {
      ...sources,
      now() {
        const now = sources.now()
        toldTimes.set(call.stamp, now)
        return now
      },
    },
    args: (resource, before) =>
      andThen(transaction ?? runtime.session(request), () => recordArgs(call, resource, before)),
    dialect: () =>
      andThen(transaction ?? runtime.session(request), (db) => runtime.dialect(withoutPlugins(db))),
  }
}

/** How the `transform` functions of the models are called, and when not. */
export const transformHost = (call: Call): TransformHost => ({
  ...validatorHost(call),
  args: (resource, before) =>
    andThen(validatorHost(call).args(resource, before), (args) =>
      withPasswordCost(args, call.runtime.settings.auth.passwordCost),
    ),
  mayCreate: (resource) => mayAct(resource, 'POST', call.caller),
  isClientGone: () => call.request.signal?.aborted === true,
  atRecord,
})

/** The time of a request, if a validator has received it before the write began; by the `stamp` of the request, which no other one has. */
const toldTimes = new WeakMap<Call['stamp'], string>()

/** Gives the time, UUIDs and function defaults to a write. The time is read on first use, and is the same for the whole write. */
export function valueSourcesOf(call: Call): ValueSources {
  const { clock } = call.runtime
  let now: string | undefined
  return {
    now: () => {
      now ??= toldTimes.get(call.stamp) ?? new Date(clock.now()).toISOString()
      return now
    },
    uuid: () => crypto.randomUUID(),
    defaultOf(resource, column, make) {
      const name = `default of ${resource.name}.${column.name}`
      const made = hookCallerOf(call)(name, () => make(recordArgs(call, resource)))
      return andThen(made, (value) => takenBack(name, value))
    },
    deletedValueOf(resource, make, stored) {
      const name = `soft-delete value of ${resource.name}`
      const made = hookCallerOf(call)(name, () => make(recordArgs(call, resource, stored)))
      return andThen(made, (value) => takenBack(name, value))
    },
  }
}

/** Reads the body of the request as JSON; adds syntax problems to `problems`. `mayMerge`: it may be a merge patch. */
export const bodyOf = (
  { request, runtime }: Call,
  problems: InputProblems,
  mayMerge = false,
): JsonValue => readBody(request, bodyLimitOf(runtime), problems, mayMerge)

/**
 * Throws 400 for a body with content on a request that takes none. An empty object is accepted, because some clients always send one.
 */
export function refuseFields({ request, runtime }: Call, expected: string): void {
  const { body } = request
  if (body === undefined || body === null) return
  const limit = bodyLimitOf(runtime)
  refuseUnreadable(request, limit)
  const isText = typeof body === 'string' || body instanceof Uint8Array
  const isEmpty = isText
    ? /^(?:\{\s*\}|null|)$/.test(bodyText(body, limit).trim())
    : typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0
  if (!isEmpty) throw wrongBody(expected)
}

const bodyLimitOf = ({ settings }: Runtime): BodyLimit => ({
  bytes: settings.bodyLimit,
  setting: settingNames.bodyLimit,
})

/** Throws 400 for If-Match and If-None-Match on a write that names no record in its path. */
export function refusePrecondition({ request }: Call): void {
  if (header(request, 'if-match') !== undefined) throw preconditionOnMany('If-Match')
  if (header(request, 'if-none-match') !== undefined) throw preconditionOnMany('If-None-Match')
}

/** Throws 400 for an Idempotency-Key on a write that would not repeat its response. */
export function refuseIdempotencyKey({ request, action }: Call): void {
  if (header(request, 'idempotency-key') === undefined) return
  throw idempotencyKeyNotHere(action === 'RESTORE' ? 'restore' : methodOf(action))
}

/**
 * `If-Match` and `If-None-Match` as a check of the stored record; undefined without these headers. If the caller may not read the record,
 * no ETag matches: a caller who knows all fields but one could otherwise compute the ETag for each guess of that field.
 */
export function preconditionOf(
  { request, caller, reach }: Call,
  resource: Resource,
): Precondition | undefined {
  const condition = writeCondition(request)
  if (condition === undefined) return undefined
  const { namesVersion, needsRecord, holdsFor } = condition
  const isReadable = reach(resource) || mayAct(resource, 'GET_ONE', caller)
  return {
    namesVersion,
    columns: isReadable && needsRecord ? [...resource.columns.values()] : [],
    holdsFor: (stored) => holdsFor(isReadable ? recordText(resource, stored) : undefined),
  }
}

/** Throws 400 for query parameters that this write does not have. */
export function refuseOtherParameters(ast: QueryAst, ...own: readonly SingleParameter[]): void {
  const known: readonly string[] = [...echoParameters, ...own]
  for (const [name, node] of Object.entries(ast.single)) {
    if (!known.includes(name)) throw notHere(name, 'in a write', `${name}=${node?.text ?? ''}`)
  }
}

/** The parameters that shape the returned record. */
const echoParameters: readonly SingleParameter[] = [
  'dump',
  'dump_relationships',
  'include_deleted',
  'join_type',
]

/** Throws 400 for all query parameters but these: the response of a removal has no record that they could shape. */
export function refuseAllBut(ast: QueryAst, ...own: readonly SingleParameter[]): void {
  for (const [name, node] of Object.entries(ast.single)) {
    if (!(own as readonly string[]).includes(name)) {
      throw notHere(name, 'in a removal', `${name}=${node?.text ?? ''}`)
    }
  }
  refuseRelationKeys(ast, 'in a removal')
  const { fields, joins, groupBy, aggregates, order, relationOptions } = ast
  const lists = [fields ?? [], groupBy, aggregates, order, relationOptions, joins].flat()
  const [first] = lists
  if (first !== undefined) {
    const at = ast.raw.slice(first.span.start, first.span.end)
    throw conflictingParameters('A removal answers no record that could be shaped.', at)
  }
}
