// planRead: parse → plan → scope → compile, or the cached plan and statements of a query that differs in values only.

import { hasObjectChecks, readRecords } from '../../../access/can-read.ts'
import { hasDump } from '../../../access/hooks/read-hooks.ts'
import { openScopes } from '../../../access/policies/scope.ts'
import type { Lease } from '../../../database/leases/lease.ts'
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { trackAuthority } from '../../../query/cache/authority-bound.ts'
import {
  type PreparedRead,
  prepareRead,
  type RefilledPlan,
  refilledPlan,
} from '../../../query/cache/prepared-read.ts'
import { type PrintedScopes, printScopes, unnarrowed } from '../../../query/cache/printed-scopes.ts'
import { type Skeleton, skeletonOf } from '../../../query/cache/skeleton.ts'
import { bothValues, makeFromStore } from '../../../query/cache/stored-read.ts'
import type { DatabaseJson } from '../../../query/compile/json/database-json.ts'
import type { ReadOptions } from '../../../query/compile/read-program.ts'
import type { Target } from '../../../query/compile/target.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { Reach } from '../../../query/plan/context.ts'
import type { ReadPlan, Value } from '../../../query/plan/plan.ts'
import type { Call } from '../../call/call.ts'
import { narrowPlan, type Opened, open, parseRead, scopePlan } from './read-stages.ts'

/** A read that is ready to be executed. */
export interface PlannedRead<P extends ReadPlan, G> {
  readonly plan: P
  readonly program: G
  readonly lease: Lease
}

/** The input of `planRead`. */
export interface ReadRequest<P extends ReadPlan, G> {
  readonly resource: Resource
  /** The key in the path, if one record is read. */
  readonly key?: readonly Value[]
  readonly plan: (ast: QueryAst, reach: Reach) => P
  /** Adds what the response needs to the scoped plan, for example the columns of the ETag. */
  readonly complete?: (plan: P) => P
  readonly compile: (target: Target, plan: P, options?: ReadOptions) => G
}

/**
 * Plans and compiles a read. If only values differ from an earlier query, uses the cached plan and statements with the new values.
 * If a value does not fit its column, plans the query from scratch, which throws the error.
 */
export function planRead<P extends ReadPlan, G>(
  call: Call,
  request: ReadRequest<P, G>,
): MaybePromise<PlannedRead<P, G>> {
  const { reads } = call.runtime
  const skeleton = skeletonOf(call.query)
  const name = skeleton && `${request.resource.name}\n${call.action}\n${skeleton.key}`
  const known = name === undefined ? undefined : reads.get(name, call)
  const cached = known && skeleton && planFromCache(call, request, known, skeleton)
  return andThen(cached, (planned) => planned ?? planAnew(call, request, skeleton, name))
}

/** Fills the values and scopes of this request into a cached read; undefined if a value does not fit its column. */
function planFromCache<P extends ReadPlan, G>(
  call: Call,
  request: ReadRequest<P, G>,
  known: PreparedRead,
  skeleton: Skeleton,
): MaybePromise<PlannedRead<P, G> | undefined> {
  const { key } = request
  const filled = refilledPlan(known, { skeleton, ...(key && { key }) })
  if (filled === undefined) return undefined
  // The cache key contains the action, so the cached plan has the type P.
  const plan = filled.plan as P
  const { values } = filled
  return andThen(open(call), (opened) => {
    if (known.openScopes !== undefined) {
      const scopes = unnarrowed(known.openScopes)
      return programFromCache(call, request, known, { opened, plan, values, scopes })
    }
    return andThen(narrowPlan(call, opened, plan, known), ({ plan: scoped, scopes: decided }) => {
      const { db, dialect } = opened.target
      const style = dialect.shortcuts?.textStyle
      // A refused embed becomes a link, for which there is no statement.
      const scopes = style && scoped === plan ? printScopes(db, style, decided) : undefined
      if (scopes !== undefined)
        return programFromCache(call, request, known, { opened, plan, values, scopes })
      const target = { ...opened.target, scopes: decided }
      return {
        plan: scoped,
        program: request.compile(target, scoped),
        lease: opened.lease,
      }
    })
  })
}

/** A cached plan with the values and scopes of a request. */
interface FilledRead<P extends ReadPlan> extends Pick<RefilledPlan<P>, 'plan' | 'values'> {
  readonly opened: Opened
  readonly scopes: PrintedScopes
}

function programFromCache<P extends ReadPlan, G>(
  call: Call,
  { key, compile }: ReadRequest<P, G>,
  known: PreparedRead,
  { opened: { lease, target }, plan, values, scopes }: FilledRead<P>,
): PlannedRead<P, G> {
  const statements = known.statements(target.dialect, scopes.forms)
  const scopedTarget = { ...target, scopes: scopes.scopes }
  const finish = (text: string, rows: boolean): string => lease.sqlOfRead(text, rows)
  const json = statements.hadUnexpectedJson
    ? undefined
    : databaseJson(call, plan, key !== undefined)
  const program = compile(scopedTarget, plan, {
    shortcuts: { joins: true, ...(json && { json }) },
    make: makeFromStore({
      target: scopedTarget,
      store: statements.store,
      values: scopes.values.size === 0 ? values : bothValues(values, scopes.values),
      finish,
    }),
    onUnexpectedJson: () => {
      statements.hadUnexpectedJson = true
    },
  })
  return { plan, program, lease }
}

/**
 * Decides which JSON the database may build: none if a policy or the caller of the API needs the values. If callbacks need
 * objects, the database builds only the JSON of embedded relations. Parsing that JSON costs less than a separate statement whose
 * values are decoded one by one.
 */
function databaseJson(call: Call, plan: ReadPlan, single: boolean): DatabaseJson | undefined {
  const { asText, hooks, base } = call
  const { rows, embeds } = plan
  const isForCallback = (hooks.dump ?? hooks.return ?? hooks.final) !== undefined
  if (!(asText || isForCallback) || hasObjectChecks(call, plan)) return undefined
  if (isForCallback || hasDump(rows.from.resource, embeds)) return { base, objects: false }
  // The ETag covers all columns, so the database may build a single record only if all of them are selected.
  const objects = single ? rows.shape === 'records' && 'columns' : 'complete'
  return { base, objects }
}

async function planAnew<P extends ReadPlan, G>(
  call: Call,
  request: ReadRequest<P, G>,
  skeleton: Skeleton | undefined,
  name: string | undefined,
): Promise<PlannedRead<P, G>> {
  const { complete = unchanged, compile } = request
  const ast = parseRead(call, request.resource)
  const tracker = trackAuthority(call)
  const planned = request.plan(ast, tracker.reach)
  const opened = await open(call)
  const { reads } = call.runtime
  if (skeleton !== undefined && name !== undefined && reads.shouldPrepare(name, call)) {
    const whole = complete(readRecords(call, planned))
    const { additional } = ast
    const scoping = { openScopes: openScopes(call, planned), additional }
    const prepared = prepareRead(whole, skeleton, scoping) ?? null
    reads.set(name, call, tracker.bind(prepared))
    const filled = prepared === null ? undefined : planFromCache(call, request, prepared, skeleton)
    const read = await filled
    if (read !== undefined) return read
  }
  const { plan: narrowed, target } = await scopePlan(call, opened, planned, ast)
  const plan = complete(narrowed)
  return { plan, program: compile(target, plan), lease: opened.lease }
}

const unchanged = <P>(plan: P): P => plan
