// planText and scopePlanned: the first two steps of `read`. Queries that differ only in values share a plan: `?price__gt=20` takes the
// cached plan of an earlier `?price__gt=10` and puts 20 in the place of 10; then the policies are asked.

import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { SlotValues } from '../lib/sql/stored-statement.ts'
import { trackAuthority } from './cache/authority-bound.ts'
import { type PreparedRead, planWithValues, prepareRead } from './cache/prepared-read.ts'
import { type PrintedScopes, printedOpenScopes, printScopes } from './cache/printed-scopes.ts'
import { type Skeleton, skeletonOf } from './cache/skeleton.ts'
import type { Scopes } from './compile/scopes.ts'
import type { QueryAst } from './parse/ast.ts'
import type { ReadPlan } from './plan/plan.ts'
import type { ReadingCaller, ReadRequest } from './read-request.ts'
import type { Opened, Scoper } from './scoper.ts'

/** The result of `planText`: a plan with the values of this request. */
export interface TextPlan<P extends ReadPlan> {
  readonly plan: P
  /** The parameters of API_ADDITIONAL_QUERY_PARAMS, which the filter callback receives. */
  readonly additional: QueryAst['additional']
  /** The cached plan with its statements, and the values by their slots; absent if the plan is not cached. */
  readonly cached?: CachedPlan
}

/** By these, `programOf` sends the stored statements of an earlier request. */
interface CachedPlan {
  readonly prepared: PreparedRead
  /** The values of this request, by the slots of the plan's conditions. */
  readonly values: SlotValues
}

/**
 * Parses and plans the query, or takes the plan of an earlier one and converts the values in it. A value that does not fit its column
 * is planned from the text, which throws the 400.
 */
export function planText<P extends ReadPlan, G, R>(
  request: ReadRequest<P, G, R>,
  { authority, reads, scoper }: ReadingCaller,
): TextPlan<P> {
  const skeleton = skeletonOf(request.text)
  if (skeleton === undefined) return newPlan(request, authority.reach, scoper)
  const name = `${request.name}\n${skeleton.key}`
  const known = reads.get(name, authority)
  const converted = known && convertedPlan(request, known, skeleton)
  if (converted !== undefined) return converted
  const tracker = trackAuthority(authority)
  const planned = newPlan(request, tracker.reach, scoper)
  if (!reads.shouldPrepare(name, authority)) return planned
  const { plan, additional } = planned
  const prepared = prepareRead(plan, skeleton, { openScopes: scoper.open(plan), additional })
  // null: this query cannot be prepared, so that it is not tried again.
  reads.set(name, authority, tracker.bind(prepared ?? null))
  // This request takes its values from the cached plan too, so that its statements are stored.
  return (prepared && convertedPlan(request, prepared, skeleton)) ?? planned
}

/** Plans without the cache. `reach` is recorded by a tracker if the plan will be cached. */
function newPlan<P extends ReadPlan, G, R>(
  { parse, plan, complete = (planned) => planned }: ReadRequest<P, G, R>,
  reach: ReadingCaller['authority']['reach'],
  scoper: Scoper,
): TextPlan<P> {
  const ast = parse()
  return {
    plan: complete(scoper.withChecked(plan(ast, reach))),
    additional: ast.additional,
  }
}

/** A cached plan with the values of this request; undefined if a value does not fit its column. */
function convertedPlan<P extends ReadPlan, G, R>(
  { key }: ReadRequest<P, G, R>,
  prepared: PreparedRead,
  skeleton: Skeleton,
): TextPlan<P> | undefined {
  const converted = planWithValues(prepared, { skeleton, ...(key && { key }) })
  if (converted === undefined) return undefined
  const { plan, values } = converted
  const { additional } = prepared
  // The name of the cached plan contains the action, so the plan has the type P.
  return { plan: plan as P, additional, cached: { prepared, values } }
}

/** A plan whose sources have scopes. */
export interface ScopedPlan<P extends ReadPlan> {
  /** The plan without the embeds that policies refuse. */
  readonly plan: P
  readonly scopes: Scopes
  /** The scopes as SQL and values, for the stored statements of the plan; absent if they cannot be used. */
  readonly printed?: PrintedScopes | undefined
}

/** Asks the policies of a plan, unless a cached plan says that none narrows it. */
export function scopePlanned<P extends ReadPlan>(
  { plan, additional, cached }: TextPlan<P>,
  scoper: Scoper,
  opened: Opened,
): MaybePromise<ScopedPlan<P>> {
  const open = cached?.prepared.openScopes
  if (open !== undefined) return { plan, scopes: open, printed: printedOpenScopes(open) }
  return andThen(scoper.scope(plan, opened, additional), (scoped) => {
    const { db, dialect } = opened.target
    const style = dialect.shortcuts?.textStyle
    // A refused embed becomes a link, for which there is no stored statement.
    const printed =
      cached && style && scoped.plan === plan ? printScopes(db, style, scoped.scopes) : undefined
    return { ...scoped, printed }
  })
}
