// POST, PATCH, PUT and DELETE of one record as a single statement, if no other read, check or write is needed
// (`write/nodes/strategy.ts` decides): in autocommit mode, or in the transaction of a batch, of callbacks or of the host.

import type { Action } from '../../../access/action.ts'
import { needsChanges } from '../../../access/hooks/commit.ts'
import { valueSourcesOf } from '../../../access/hooks/model-functions.ts'
import { baseFilter, hasDump } from '../../../access/hooks/read-hooks.ts'
import { hasCallback } from '../../../access/hooks/write-hooks.ts'
import { type RecordScope, scopeOfRecord } from '../../../access/policies/scope.ts'
import { mayAct } from '../../../access/reach.ts'
import { sqlForArrays } from '../../../database/leases/lease.ts'
import type { SingleWriteEcho } from '../../../dialect/shared/sql/writes.ts'
import { andThen, inTurn, type MaybePromise } from '../../../lib/maybe-promise.ts'
import { actsOnDependents, dependentsOf } from '../../../model/registry/relations/dependents.ts'
import type { ResolvedRelation, Resource } from '../../../model/registry/resource.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { ReadPlan, Value } from '../../../query/plan/plan.ts'
import type { Opened } from '../../../query/scoper.ts'
import { newRecord } from '../../../write/check/defaults.ts'
import type { RecordNode } from '../../../write/nodes/node.ts'
import {
  maySet,
  type PlannedWrite,
  strategyOf,
  type WriteConditions,
} from '../../../write/nodes/strategy.ts'
import { explainedError } from '../../../write/refusals/explained-error.ts'
import { valuesOf } from '../../../write/resolve/look-up-records.ts'
import { independentChanges } from '../../../write/resolve/requested-changes.ts'
import { keyParts, matchesOf } from '../../../write/statements/statements-by-keys.ts'
import {
  type ScopedReference,
  storedSingleWrites,
} from '../../../write/statements/stored-single-writes.ts'
import { deletionMark } from '../../../write/store/deletion-marks.ts'
import {
  insertRecord,
  removeRecord,
  type SingleWriteContext,
  updateRecord,
  type Written,
} from '../../../write/store/single-statement.ts'
import type { WriteHooks } from '../../../write/store/write-context.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { isHosted, open } from '../reads/open-database.ts'
import { recordContent } from '../reads/read-result.ts'
import { recordResult } from './response/result.ts'
import { inWrite, type WriteOptions, type Writing } from './write-stages.ts'

/** The outcome of a write that may be a single statement. */
export interface SingleWrite<T> {
  /** Undefined if nothing was written. A transaction of several statements then makes the write, or finds the error. */
  readonly result: T | undefined
  /** Whether the write changes one record by one statement, so that it is atomic even without a transaction. */
  readonly isSingle: boolean
  /** Whether one statement can make the write, but must run in a transaction, which the caller of the function begins. */
  readonly inTransaction?: boolean
}

/**
 * Makes a write by one statement if that is possible, otherwise by `work` in a transaction. `byOneStatement` is called again inside of
 * the transaction if the one statement needs one.
 */
export async function writeOneRecord(
  call: Call,
  resource: Resource,
  byOneStatement: (place: Place) => MaybePromise<SingleWrite<Result>>,
  work: (writing: Writing) => Promise<Result>,
  options: Pick<WriteOptions, 'problems' | 'isBulk' | 'retryOn'> = {},
): Promise<Result> {
  const { result, isSingle, inTransaction = false } = await byOneStatement({ call })
  if (result !== undefined) return result
  return inWrite(call, resource, work, {
    ...options,
    isSingle,
    inOneStatement: inTransaction
      ? async (writing) => (await byOneStatement(writing)).result
      : undefined,
  })
}

/** Where a write runs: on the connection of its request or, if `opened`, in a transaction. */
type Place = Pick<Writing, 'call'> & Partial<Pick<Writing, 'opened'>>

/** What the request says about the write; `additional` are the parameters that the filter callback receives. */
type OptionsOf<K extends keyof WriteRequest> = Pick<WriteRequest, K | 'additional'>

/** Runs a POST as one INSERT. */
export function createInOneStatement(
  place: Place,
  node: RecordNode,
  echo: ReadPlan,
  options: OptionsOf<'many' | 'idempotencyKey'>,
): MaybePromise<SingleWrite<Result>> {
  const { call } = place
  const { resource } = node
  const write = { ...noParts, change: 'insert', resource, node, echo } as const
  const request = { ...noOptions, ...options, action: 'POST', callback: 'add' } as const
  return andThen(singleWriteFor(place, write, request), async (run) => {
    if ('isSingle' in run) return run
    const read = { echo: run.echo, rows: echo.rows }
    const pending = newRecord(valueSourcesOf(call), node)
    const values = pending instanceof Promise ? await pending : pending
    try {
      const written = await insertRecord(run.context, resource, values, read)
      return { isSingle: true, result: await resultOf(call, echo, 201, written) }
    } catch (error) {
      // In a transaction, the code that began it explains refusals.
      throw place.opened === undefined
        ? await explainedError(call.runtime, run.opened, error)
        : error
    }
  })
}

/** Runs a PATCH or PUT as one UPDATE. */
export function changeInOneStatement(
  place: Place,
  node: RecordNode,
  key: readonly Value[],
  echo: ReadPlan,
  { replace, ...options }: OptionsOf<'precondition'> & { readonly replace: boolean },
): MaybePromise<SingleWrite<Result>> {
  const { call } = place
  const { resource } = node
  const write = { ...noParts, change: 'update', resource, node, echo, replace } as const
  const action = replace ? 'PUT' : 'PATCH'
  const request = { ...noOptions, ...options, action, callback: 'update' } as const
  return andThen(singleWriteFor(place, write, request), async (run) => {
    if ('isSingle' in run) return run
    const read = { echo: run.echo, rows: echo.rows }
    const pending = independentChanges(valueSourcesOf(call), node, replace)
    const values = pending instanceof Promise ? await pending : pending
    const written = await updateRecord(run.context, resource, key, values, read)
    return { isSingle: true, result: await resultOf(call, echo, 200, written) }
  })
}

/** Runs a DELETE as one DELETE or UPDATE. */
export async function removeInOneStatement(
  place: Place,
  resource: Resource,
  key: readonly Value[],
  options: { readonly cascade: boolean; readonly precondition: boolean },
): Promise<SingleWrite<Result>> {
  const { call } = place
  const { softDelete } = resource.settings
  const { cascade, precondition } = options
  const { registry } = call
  const referredTo = softDelete === null && dependentsOf(registry, resource).length > 0
  const dependents = referredTo || actsOnDependents(registry, resource, cascade)
  const change = softDelete === null ? 'delete' : 'update'
  const write = { ...noParts, change, resource, dependents } as const
  const found = singleWriteFor(place, write, {
    ...noOptions,
    additional: [],
    precondition,
    action: 'DELETE',
    callback: 'remove',
  })
  const run = found instanceof Promise ? await found : found
  if ('isSingle' in run) return run
  const mark = softDelete && (await deletionMark(valueSourcesOf(call), resource, softDelete, null))
  const isRemoved = await removeRecord(run.context, resource, key, mark, run.echo)
  return { isSingle: true, result: isRemoved ? removed : undefined }
}

/** The response to a DELETE. */
export const removed: Result = { status: 200, value: null, total: 1 }

const noParts = { node: null, echo: null, replace: false, dependents: false } as const
const noOptions = { many: false, idempotencyKey: false, precondition: false } as const

interface WriteRequest
  extends Pick<WriteConditions, 'many' | 'idempotencyKey' | 'precondition'>,
    Pick<QueryAst, 'additional'> {
  readonly action: Action
  readonly callback: Parameters<WriteHooks['has']>[1]
}

/** The context of a write by one statement; the result of `inSeveral` if the write needs several statements. */
function singleWriteFor(
  place: Place,
  write: PlannedWrite,
  request: WriteRequest,
): MaybePromise<SingleWriteRun | SingleWrite<never>> {
  const { call } = place
  return andThen(place.opened ?? open(call), (opened) => {
    const conditions = conditionsOf(call, opened, write, request)
    const strategy = strategyOf(write, conditions)
    // Calls the policy only if nothing else requires a transaction, because that would call it again.
    if (strategy.kind === 'transaction') return inSeveral(write, conditions)
    const isInside = place.opened !== undefined
    if (strategy.transaction && !isInside)
      return { isSingle: false, inTransaction: true, result: undefined }
    return andThen(referencesFor(call, opened, write, strategy.references), (references) => {
      if (references === undefined) return inSeveral(write, { ...conditions, scope: 'other rows' })
      return andThen(scopeFor(call, opened, write, request), (scope) => {
        if (typeof scope === 'string') return inSeveral(write, { ...conditions, scope })
        const { echo } = strategy
        return { opened, ...singleWriteRun(place, opened, write, { scope, references, echo }) }
      })
    })
  })
}

/**
 * The outcome for a write that needs several statements. `isSingle` is true if one statement can make the write, and only the response
 * needs others.
 */
function inSeveral(write: PlannedWrite, conditions: WriteConditions): SingleWrite<never> {
  const { kind, ...without } = strategyOf({ ...write, echo: null }, conditions)
  const isSingle = kind === 'single statement' && !('transaction' in without && without.transaction)
  return { isSingle, result: undefined }
}

/** The scope of policy and filter callback for the record; they are called before it is written. */
function scopeFor(
  call: Call,
  { own: db, target }: Opened,
  { resource, echo, change }: PlannedWrite,
  { additional }: WriteRequest,
): ReturnType<typeof scopeOfRecord> {
  const filter = echo === null ? undefined : baseFilter(call, resource, { additional })
  if (filter === undefined && !call.runtime.policies.narrows(resource)) return openScope
  const scoping = { call, db, target, action: call.action, ...(filter && { filter }) }
  return scopeOfRecord(scoping, resource, change === 'insert')
}

/**
 * The references that the statement checks. Undefined if one statement cannot check them: a policy refuses or throws, or its scope
 * may read other rows. An error of a policy is not reported here. The transaction, which runs next, calls the policy again, unless the
 * record has this reference already, and reports the error.
 */
function referencesFor(
  call: Call,
  { own: db, target }: Opened,
  { change, node }: PlannedWrite,
  relations: readonly ResolvedRelation[],
): MaybePromise<readonly ScopedReference[] | undefined> {
  if (relations.length === 0) return noReferences
  const found: ScopedReference[] = []
  const { caller } = call
  const find = (relation: ResolvedRelation): MaybePromise<void> => {
    const { to, from, target: resource } = relation
    const key = valuesOf(from, node?.values ?? {})
    if (key === undefined) return
    // A reference that is stored already may be sent back, even if it is hidden. A caller who may not list the model could guess it
    // that way, so the update of such a caller takes a transaction (`permitted`).
    const stored = change === 'update' ? matchesOf(keyParts(from), key) : undefined
    const reference = { relation, key: matchesOf(keyParts(to), key), stored }
    // Without access to the resource, no policy is called: the row must only exist, as the database requires.
    if (!mayAct(resource, 'GET_ONE', caller)) {
      found.push({ ...reference, includeDeleted: true, scope: undefined, form: '' })
      return
    }
    const scoping = { call, db, target, action: call.action }
    return andThen(scopeOfRecord(scoping, resource, false), (scope) => {
      if (typeof scope === 'string') return
      const within = scope.written === 'all' ? undefined : scope.written
      const form = within?.form ?? ''
      found.push({ ...reference, includeDeleted: false, scope: within, form })
    })
  }
  const all = () => (found.length < relations.length ? undefined : found)
  try {
    const asked = inTurn(relations, find)
    return asked instanceof Promise ? asked.then(all, () => undefined) : all()
  } catch {
    return undefined
  }
}

const noReferences: readonly ScopedReference[] = []

const openScope: RecordScope = { written: 'all', shown: 'all' }

interface SingleWriteRun {
  readonly opened: Opened
  readonly context: SingleWriteContext
  readonly echo: SingleWriteEcho
}

interface SingleWriteParts {
  readonly scope: RecordScope
  readonly references: readonly ScopedReference[]
  readonly echo: SingleWriteEcho
}

function singleWriteRun(
  { call, opened: begun }: Place,
  { lease, target }: Opened,
  write: PlannedWrite,
  { scope: { written, shown }, references, echo }: SingleWriteParts,
): Omit<SingleWriteRun, 'opened'> {
  const within = written === 'all' ? undefined : written
  const readable = shown === 'all' || write.echo === null ? undefined : shown
  // A record in the scope of the policy stays in it if the change sets no column that the scope tests.
  const mayHide = readable !== undefined && (shown !== written || maySet(write, readable.columns))
  const finish = (text: string) => sqlForArrays(target.dialect, text)
  const asked = mayHide || echo === 'read' ? readable : undefined
  const narrowed = { written: within, shown: asked, references }
  const statements = storedSingleWrites(target, finish, narrowed)
  const inTransaction = begun !== undefined || call.runtime.batch !== undefined
  const checksReferences = references.length > 0
  return { context: { lease, statements, inTransaction, mayHide, checksReferences }, echo }
}

/** Whether somebody has to know what is written: callbacks, or the search for the record that a deferred constraint refuses. */
const notesChanges = ({ hooks, runtime }: Call): boolean =>
  needsChanges(hooks) || runtime.batch?.deferred !== undefined

function conditionsOf(
  call: Call,
  { own, lease }: Opened,
  { resource, echo }: PlannedWrite,
  { action, callback, many, idempotencyKey, precondition }: WriteRequest,
): WriteConditions {
  const { runtime, caller, hooks, method } = call
  const { dialect } = lease
  const { dump, return: onReturn, final } = hooks
  const dumpsEcho = echo !== null && (dump !== undefined || hasDump(resource, echo.embeds))
  return {
    many,
    idempotencyKey,
    precondition,
    transaction: isHosted(call, own) || dumpsEcho || (onReturn ?? final) !== undefined,
    policyHooks: runtime.policies.hasHookFor(resource, action),
    scope: 'of the row',
    callback: notesChanges(call) || hasCallback(resource, method, callback),
    permitted: mayAct(resource, action, caller) && (echo === null || call.reach(resource)),
    narrows: (target) => runtime.policies.narrows(target),
    locksReferred: (target) =>
      !dialect.capabilities.locksRows || dialect.lockReferred?.(target) !== undefined,
    checksInUpdates: dialect.shortcuts?.updatesReadAnyTable === true,
    singleWrites: dialect.shortcuts?.singleWrites,
  }
}

/** The response; undefined if the statement wrote nothing. */
function resultOf(
  call: Call,
  plan: ReadPlan,
  status: 200 | 201,
  written: Written | undefined,
): MaybePromise<Result | undefined> {
  if (written === undefined) return undefined
  const { key, row } = written
  const { resource } = plan.rows.from
  const content = row === undefined ? { value: null } : recordContent(call, resource, plan, row)
  return andThen(content, (value) => recordResult(call, resource, { key, status }, value))
}
