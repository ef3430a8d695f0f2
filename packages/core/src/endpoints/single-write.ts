// POST, PATCH, PUT and DELETE of one record as a single statement, where nothing has to happen around it.

import type { Action } from '../access/action.ts'
import { mayAct } from '../access/reach.ts'
import type { Call } from '../call.ts'
import { singleWriteStatements } from '../compile/single-write.ts'
import type { SingleWriteEcho } from '../dialect/shared/writes.ts'
import { arrayText } from '../execute/run.ts'
import {
  insertRecord,
  removeRecord,
  type SingleWriteContext,
  updateRecord,
  type Written,
} from '../execute/single-write.ts'
import { plainChanges } from '../execute/write-change.ts'
import type { WriteHooks } from '../execute/write-context.ts'
import { newRecord } from '../execute/write-defaults.ts'
import { deletion } from '../execute/write-remove.ts'
import { hasDump } from '../hooks/read-hooks.ts'
import { hasCallback } from '../hooks/write-hooks.ts'
import type { Result } from '../http/envelope.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { ReadPlan, Value } from '../plan/plan.ts'
import type { RecordNode } from '../plan/write-node.ts'
import { type PlannedWrite, strategyOf, type WriteConditions } from '../plan/write-strategy.ts'
import { cachedSingleWrites } from '../plan-cache/single-write-cache.ts'
import { dependentsOf } from '../registry/dependents.ts'
import type { Resource } from '../registry/resource.ts'
import { type Opened, open, recordContent } from './read-stages.ts'
import { explained, momentOf } from './write-stages.ts'
import { recordResult } from './written.ts'

/** The answer of a POST that is one INSERT; undefined: nothing has happened, a transaction is needed. */
export function createInOneStatement(
  call: Call,
  node: RecordNode,
  echo: ReadPlan,
  asked: { readonly many: boolean; readonly idempotencyKey: boolean },
): MaybePromise<Result | undefined> {
  const { resource } = node
  const write = { ...plain, change: 'insert', resource, node, echo } as const
  const { many, idempotencyKey } = asked
  const more = { ...nothingAsked, many, idempotencyKey, action: 'POST', callback: 'add' } as const
  return andThen(singleWriteFor(call, write, more), async (run) => {
    if (run === undefined) return undefined
    const answer = { echo: run.echo, rows: echo.rows }
    const made = newRecord(momentOf(call), node)
    const values = made instanceof Promise ? await made : made
    try {
      return answered(call, echo, 201, await insertRecord(run.context, resource, values, answer))
    } catch (error) {
      throw await explained(run.opened, error)
    }
  })
}

/** The answer of a PATCH or PUT that is one UPDATE; undefined: nothing has happened, a transaction is needed or will tell why. */
export function changeInOneStatement(
  call: Call,
  node: RecordNode,
  key: readonly Value[],
  echo: ReadPlan,
  asked: { readonly replace: boolean; readonly precondition: boolean },
): MaybePromise<Result | undefined> {
  const { resource } = node
  const { replace, precondition } = asked
  const write = { ...plain, change: 'update', resource, node, echo, replace } as const
  const action = replace ? 'PUT' : 'PATCH'
  const more = { ...nothingAsked, precondition, action, callback: 'update' } as const
  return andThen(singleWriteFor(call, write, more), async (run) => {
    if (run === undefined) return undefined
    const answer = { echo: run.echo, rows: echo.rows }
    const made = plainChanges(momentOf(call), node, replace)
    const values = made instanceof Promise ? await made : made
    return answered(call, echo, 200, await updateRecord(run.context, resource, key, values, answer))
  })
}

/** Whether a DELETE was done by one DELETE or UPDATE; false: nothing has happened. */
export async function removeInOneStatement(
  call: Call,
  resource: Resource,
  key: readonly Value[],
  asked: { readonly cascade: boolean; readonly precondition: boolean },
): Promise<boolean> {
  const { softDelete } = resource.settings
  const { cascade, precondition } = asked
  const referredTo = softDelete === null && dependentsOf(call.runtime.registry, resource).length > 0
  const change = softDelete === null ? 'delete' : 'update'
  const write = { ...plain, change, resource, dependents: cascade || referredTo } as const
  const run = await singleWriteFor(call, write, {
    ...nothingAsked,
    precondition,
    action: 'DELETE',
    callback: 'remove',
  })
  if (run === undefined) return false
  const mark = softDelete && deletion(momentOf(call), resource, softDelete)
  return removeRecord(run.context, resource, key, mark)
}

const plain = { node: null, echo: null, replace: false, dependents: false } as const
const nothingAsked = { many: false, idempotencyKey: false, precondition: false } as const

interface Asked extends Pick<WriteConditions, 'many' | 'idempotencyKey' | 'precondition'> {
  readonly action: Action
  readonly callback: Parameters<WriteHooks['has']>[1]
}

/** What a write of one statement runs with, or undefined where it takes a transaction. */
function singleWriteFor(
  call: Call,
  write: PlannedWrite,
  asked: Asked,
): MaybePromise<SingleWriteRun | undefined> {
  return andThen(open(call), (opened) => {
    const strategy = strategyOf(write, circumstancesOf(call, opened, write, asked))
    if (strategy.kind === 'transaction') return undefined
    const { connection, target } = opened
    const statements = call.runtime.fastPaths.preparedReads
      ? cachedSingleWrites(target, (text) => arrayText(target.dialect, text))
      : singleWriteStatements(target)
    return { opened, context: { connection, target, statements }, echo: strategy.echo }
  })
}

interface SingleWriteRun {
  readonly opened: Opened
  readonly context: SingleWriteContext
  readonly echo: SingleWriteEcho
}

function circumstancesOf(
  call: Call,
  { own, connection }: Opened,
  { resource, echo }: PlannedWrite,
  { action, callback, many, idempotencyKey, precondition }: Asked,
): WriteConditions {
  const { runtime, caller, hooks, method } = call
  const seen =
    echo !== null &&
    (hooks.filter !== undefined || hooks.dump !== undefined || hasDump(resource, echo.embeds))
  const finishes = hooks.return !== undefined || hooks.final !== undefined
  return {
    many,
    idempotencyKey,
    precondition,
    enabled: runtime.fastPaths.singleStatementWrites,
    hosted: own.isTransaction,
    policy: runtime.policies.has(resource),
    callback: seen || finishes || hasCallback(resource, method, callback),
    permitted: mayAct(resource, action, caller) && (echo === null || call.reach(resource)),
    narrows: (target) => runtime.policies.get(target)?.scope_query !== undefined,
    singleWrites: connection.dialect.shortcuts?.singleWrites,
  }
}

function answered(
  call: Call,
  plan: ReadPlan,
  status: 200 | 201,
  written: Written | undefined,
): MaybePromise<Result | undefined> {
  if (written === undefined) return undefined
  const { key, row } = written
  const { resource } = plan.rows.from
  const content = row === undefined ? { value: null } : recordContent(call, resource, plan, row)
  return andThen(content, (known) => recordResult(call, resource, { key, status }, known))
}
