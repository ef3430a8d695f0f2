// Asks the policies, by `scope` or `scope_query`, which rows of each source of a plan the caller may read. A source is a table that the
// statement reads: that of the path, of a join, of a condition on a relation. Runs between planning and compiling; `query/compile` then
// reads each source within its scope. `scopeOfRecord` asks about one record that is written, `refusesList` about a whole list.

import type { Expression, SqlBool } from 'kysely'
import { forbidden, forbiddenJoin } from '../../errors.ts'
import { excerpt } from '../../lib/error-size.ts'
import { andThen, inTurn, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { HookArgs, HookQuery } from '../../model/settings/access/hook-types.ts'
import type { PolicyScope } from '../../model/settings/access/scope-types.ts'
import { compileAll } from '../../query/compile/rows/condition.ts'
import { withoutRepeats } from '../../query/compile/rows/distinct-query.ts'
import {
  type CompileScope,
  type ConditionScope,
  onRows,
  type RowScope,
  type Scope,
  type ScopeDecisions,
  type Scopes,
  scopeDecisions,
  unscoped,
} from '../../query/compile/scopes.ts'
import type { Target } from '../../query/compile/target.ts'
import type { CheckedScope } from '../../query/plan/checked-scope.ts'
import type { EmbedPlan, Output, ReadPlan, RowPlan, Source } from '../../query/plan/plan.ts'
import { type PlannedScope, planScope } from '../../query/plan/planned-scope.ts'
import { allSourcesOf, type SourceUse, sourcesOf } from '../../query/plan/relations/sources.ts'
import type { ScopedRead } from '../../query/scoper.ts'
import type { FoundScope } from '../../write/check/write-access.ts'
import { type Action, methodOf } from '../action.ts'
import { subjectArgs } from '../hooks/hook-args.ts'
import type { HookCall } from '../hooks/hook-call.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { callPolicyHook } from './call-policy-hook.ts'
import { checkScope } from './check-scope.ts'
import { rowScopeOf } from './row-scope.ts'
import { checkedQuery, openQuery } from './scope-query.ts'

/** For which request, on which connection and for which action policies are asked. */
export interface ScopeCall {
  readonly call: HookCall & Pick<RoutedRequest, 'many'>
  /** The connection of this request, with the host application's Kysely plugins. */
  readonly db: AnyDatabase
  readonly target: Target
  readonly action: Action
  /** The filter callback of the request; it narrows the base before the policy does. */
  readonly filter?: BaseFilter
  /** The result if the base is refused: 403 (default), or no rows. */
  readonly refusedBase?: 'forbidden' | 'empty'
}

/** Narrows the query of the base of a read, the resource of the path. */
export type BaseFilter = (query: HookQuery) => MaybePromise<HookQuery>

/**
 * Scopes a whole read. An embed that its policy refuses becomes a URL, so the plan may change.
 *
 * ```ts
 * const { plan, scopes } = await scopeRead({ call, db, target, action: 'GET_MANY' }, planned)
 * // books: (select "books".* from "books" where "owner_id" = $1)
 * ```
 */
export function scopeRead<P extends ReadPlan>(
  scope: ScopeCall,
  plan: P,
): MaybePromise<ScopedRead<P>> {
  const scopes = scopeDecisions()
  return andThen(scopeRows(scope, plan.rows, scopes), (rows) => {
    const shown = rows === plan.rows ? plan : { ...plan, rows }
    return plan.embeds.length === 0
      ? { plan: shown, scopes }
      : andThen(scopeEmbeds(scope, plan, scopes), (relations) => ({
          plan: relations === plan ? shown : { ...shown, ...relations },
          scopes,
        }))
  })
}

/**
 * Scopes the sources of one statement; throws 403 if the base, a join or an aggregate is refused. A refused source of a condition has no
 * rows. Returns the rows, without the aggregates that the model declares, the request does not name ('unasked') and a policy refuses.
 */
export function scopeRows(
  scope: ScopeCall,
  rows: RowPlan,
  scopes: ScopeDecisions,
): MaybePromise<RowPlan> {
  const refusedAggregates = new Set<Source>()
  const scoped = inTurn(sourcesOf(rows), ({ source, part }) =>
    andThen(narrow(scope, source, source === rows.from ? scope.filter : undefined), (narrowed) => {
      if (narrowed !== 'none') scopes.decide(source, narrowed)
      else if (part === 'base' && scope.refusedBase !== 'empty') throw forbidden()
      else if (part === 'join' || part === 'aggregate') throw refusedRelation(source)
      else {
        if (part === 'unasked') refusedAggregates.add(source)
        scopes.decide(source, noRows(scope, source.resource))
      }
    }),
  )
  return andThen(scoped, () => withoutAggregates(rows, refusedAggregates))
}

/** Leaves out the outputs of aggregates that read one of the sources. */
function withoutAggregates(rows: RowPlan, refused: ReadonlySet<Source>): RowPlan {
  if (refused.size === 0) return rows
  const isKept = ({ value }: Output): boolean =>
    value.kind !== 'related' || !value.path.some(({ source }) => refused.has(source))
  return { ...rows, output: rows.output.filter(isKept) }
}

/** The 403 of a join or an aggregate of rows that the caller may not read. */
const refusedRelation = ({ relation }: Source): Error => forbiddenJoin(relation?.name ?? '')

/** The connection of a request, on which its policies are called. */
export interface ScopeConnection {
  readonly target: Target
  /** The host's own Kysely instance with its plugins. */
  readonly own: AnyDatabase
}

/** `scopeRead` for the rows of one statement, without embeds; returns the target with the scopes. */
export async function scopeStatement(
  call: ScopeCall['call'] & Pick<RoutedRequest, 'action'>,
  { target, own }: ScopeConnection,
  rows: RowPlan,
  refusedBase: 'forbidden' | 'empty' = 'forbidden',
): Promise<Target> {
  const scopes = scopeDecisions()
  await scopeRows({ call, db: own, target, action: call.action, refusedBase }, rows, scopes)
  return { ...target, scopes }
}

/**
 * Returns the scopes of a read that neither a policy nor the filter callback narrows: all rows of every source. Undefined if one of
 * them narrows it, because it must be called for each request.
 */
export function openScopes(
  { runtime, hooks }: HookCall & Pick<RoutedRequest, 'hooks'>,
  plan: Pick<ReadPlan, 'rows' | 'embeds'>,
): Scopes | undefined {
  if (hooks.filter !== undefined) return undefined
  const { policies } = runtime.access
  const scopes = scopeDecisions()
  for (const source of allSourcesOf(plan)) {
    if (policies.narrows(source.resource)) return undefined
    scopes.decide(source, 'all')
  }
  return scopes
}

type Relations = Pick<ReadPlan, 'embeds' | 'links'>

/** Scopes the embeds of one level; an embed that its policy refuses becomes a URL. */
function scopeEmbeds(
  scope: ScopeCall,
  relations: Relations,
  scopes: ScopeDecisions,
): MaybePromise<Relations> {
  const kept: EmbedPlan[] = []
  const refused: ResolvedRelation[] = []
  const scoped = inTurn(relations.embeds, (embed) =>
    andThen(narrow(scope, embed.rows.from), (narrowed) => {
      if (narrowed === 'none') {
        refused.push(embed.relation)
        return
      }
      scopes.decide(embed.rows.from, narrowed)
      return andThen(scopeInside(scope, embed, scopes), (inner) => {
        kept.push(inner)
      })
    }),
  )
  return andThen(scoped, () =>
    kept.length === relations.embeds.length &&
    kept.every((embed, i) => embed === relations.embeds[i])
      ? relations
      : { embeds: kept, links: [...relations.links, ...refused] },
  )
}

/** Scopes the remaining sources of an embed: the junction table, its aggregates and conditions, and the embeds inside it. */
const scopeInside = (
  scope: ScopeCall,
  embed: EmbedPlan,
  scopes: ScopeDecisions,
): MaybePromise<EmbedPlan> => {
  const refusedAggregates = new Set<Source>()
  return andThen(
    inTurn(sourcesOf(embed.rows), ({ source, part }) =>
      part === 'base'
        ? undefined
        : scopeOrEmpty(scope, { source, part }, scopes, refusedAggregates),
    ),
    () =>
      andThen(scopeEmbeds(scope, embed, scopes), (inner) => {
        const rows = withoutAggregates(embed.rows, refusedAggregates)
        return inner === embed && rows === embed.rows ? embed : { ...embed, ...inner, rows }
      }),
  )
}

/**
 * Scopes a source. If its policy refuses, an aggregate that the request names is 403; any other source has no rows, and that of an
 * aggregate which the request does not name ('unasked') is added to `refusedAggregates`.
 */
const scopeOrEmpty = (
  scope: ScopeCall,
  { source, part }: SourceUse,
  scopes: ScopeDecisions,
  refusedAggregates: Set<Source>,
): MaybePromise<void> =>
  andThen(narrow(scope, source), (narrowed) => {
    if (narrowed === 'none' && part === 'aggregate') throw refusedRelation(source)
    if (narrowed === 'none' && part === 'unasked') refusedAggregates.add(source)
    scopes.decide(source, narrowed === 'none' ? noRows(scope, source.resource) : narrowed)
  })

/** Whether the policy refuses a list as a whole, so that a GET of it is 403. */
export async function refusesList(
  { call, db }: Pick<ScopeCall, 'db'> & { readonly call: HookCall },
  resource: Resource,
): Promise<boolean> {
  const asking = { call: { ...call, many: true }, db, action: 'GET_MANY' } as const
  const source = { resource, many: true, relation: null }
  const scope = call.runtime.access.policies.get(resource)?.scope
  const narrowed =
    scope === undefined
      ? await narrowByQuery(asking, source)
      : await conditionsOf(asking, scope, source)
  return narrowed === 'none' || narrowed === false
}

type NarrowedSource = Pick<Source, 'resource' | 'many'> & {
  readonly relation: { readonly name: string } | null
}

/** Asks the policy of a source: 'all' if it has no scope, 'none' if it refuses, otherwise its conditions or the query it returned. */
function narrow(
  scoping: ScopeCall,
  source: NarrowedSource,
  filter?: BaseFilter,
): MaybePromise<Scope | 'none'> {
  const scope = scoping.call.runtime.access.policies.get(source.resource)?.scope
  if (scope !== undefined) return narrowByConditions(scoping, scope, source, filter)
  const { call } = scoping
  if (
    filter === undefined &&
    call.runtime.access.policies.get(source.resource)?.scope_query === undefined
  )
    return 'all'
  return andThen(narrowByQuery(scoping, source, filter), (rows) =>
    typeof rows === 'string' ? rows : withoutRepeats(scoping.target, source.resource, rows),
  )
}

/** Calls scope_query for a source: 'all' without this hook, 'none' for a falsy result, otherwise the returned query. */
function narrowByQuery(
  { call, db, action }: Omit<ScopeCall, 'target'>,
  { resource, many, relation }: NarrowedSource,
  filter?: BaseFilter,
): MaybePromise<Expression<unknown> | 'all' | 'none'> {
  const policy = call.runtime.access.policies.get(resource)
  if (policy?.scope_query === undefined && filter === undefined) return 'all'
  const all = openQuery(db, call.runtime.database.schema, resource)
  return andThen(filter === undefined ? all : filter(all), (filtered) => {
    if (policy?.scope_query === undefined) {
      return checkedQuery(filtered, resource, 'filter callback')
    }
    const args = scopeArgs(call, action, { resource, many, relation })
    const narrowQuery = () => policy.scope_query?.(filtered, args)
    return callPolicyHook(call, resource, 'scope_query', narrowQuery, (query) =>
      query ? checkedQuery(query, resource, 'scope_query') : 'none',
    )
  })
}

/** Returns the arguments of a policy about the rows of a source. The rows that a write looks up belong to all records of its request. */
function scopeArgs(
  call: ScopeCall['call'],
  action: Action,
  { resource, many, relation }: NarrowedSource,
): HookArgs {
  const isWritten = relation === null && methodOf(action) !== 'GET'
  const subject = { action, resource, many: isWritten ? call.many : many }
  return subjectArgs(call, { ...subject, relation: relation?.name ?? null })
}

/**
 * Returns the scope of one record that is written. A scope_query or filter callback that returns a promise gives 'other rows', because it
 * may read what the write changes.
 */
export function scopeOfRecord(
  scoping: ScopeCall & { readonly call: Pick<RoutedRequest, 'hooks'> },
  resource: Resource,
  { isNew }: { readonly isNew: boolean },
): MaybePromise<FoundScope> {
  const { call, db, target, filter } = scoping
  const policy = call.runtime.access.policies.get(resource)
  const hooks = [filter && call.hooks.filter, policy?.scope_query].filter(
    (hook) => hook !== undefined,
  )
  if (hooks.some((hook) => asynchronousHooks.has(hook))) return 'other rows'
  const record = { resource, many: false, relation: null }
  const narrowed = (by?: BaseFilter): MaybePromise<NarrowedRecord> => {
    const scope = narrow(scoping, record, by)
    if (scope instanceof Promise && (by !== undefined || policy?.scope === undefined)) {
      for (const hook of hooks) asynchronousHooks.add(hook)
      return scope.then(() => 'other rows')
    }
    return andThen(scope, (found) =>
      found === 'none' ? 'none' : (rowScopeOf(db, target, resource, found) ?? 'other rows'),
    )
  }
  // A new record has no stored row that a scope could refuse; what the response shows of it is scoped below.
  return andThen(isNew ? 'all' : narrowed(), (written) => {
    if (written === 'none' || written === 'other rows') return written
    const shown = isNew || filter !== undefined ? narrowed(filter) : written
    return andThen(shown, (found) =>
      found === 'none' || found === 'other rows' ? found : { written, shown: found },
    )
  })
}

type NarrowedRecord = RowScope | 'all' | 'none' | 'other rows'

/** Hooks that have returned a promise before. `scopeOfRecord` does not call them; the write takes a transaction and calls them there. */
const asynchronousHooks = new WeakSet<object>()

/** Applies the conditions of `scope` to the table, or to the query of the filter callback. */
function narrowByConditions(
  scoping: ScopeCall,
  scope: PolicyScope,
  source: NarrowedSource,
  filter: BaseFilter | undefined,
): MaybePromise<Scope | 'none'> {
  return andThen(filteredRows(scoping, source, filter), (rows) =>
    andThen(conditionsOf(scoping, scope, source), (found) => {
      if (found === false) return 'none'
      if (found === true) return rows
      // A condition may test rows of other models. The caller does not see these rows, so the policies of those models do not
      // narrow them.
      if (found.conditions.length === 0) return rows
      const condition: CompileScope = (target, scopeValues) =>
        compileAll(
          { ...onRows(unscoped(target), found.source, rows), scopeValues },
          found.conditions,
        ) as Fragment<SqlBool>
      return { ...found, rows, condition }
    }),
  )
}

/** Returns all rows of a source, or the query of the filter callback. */
function filteredRows(
  { call, db, target }: ScopeCall,
  { resource }: NarrowedSource,
  filter: BaseFilter | undefined,
): MaybePromise<ConditionScope['rows']> {
  if (filter === undefined) return 'all'
  const filtered = filter(openQuery(db, call.runtime.database.schema, resource))
  return andThen(filtered, (query) =>
    withoutRepeats(target, resource, checkedQuery(query, resource, 'filter callback')),
  )
}

/** Plans the conditions of `scope` with the values of this request; true if it may see all rows, false if none. */
function conditionsOf(
  { call, action }: Pick<ScopeCall, 'call' | 'action'>,
  scope: PolicyScope,
  { resource, many, relation }: NarrowedSource,
): MaybePromise<PlannedScope | boolean> {
  const args = scopeArgs(call, action, { resource, many, relation })
  return callPolicyHook(
    call,
    resource,
    'scope',
    () =>
      andThen(
        valuesOf(scope, call.runtime.access.policies.scopeOf(resource), resource, args),
        (given) =>
          typeof given === 'boolean' ? given : planScope(resource, given.checked, given.values),
      ),
    (planned) => planned,
  )
}

interface GivenScope {
  readonly checked: CheckedScope
  readonly values: readonly unknown[]
}

/** Returns the checked conditions of a request and their values; true if it may see all rows, false if none. */
function valuesOf(
  scope: PolicyScope,
  known: CheckedScope | undefined,
  resource: Resource,
  args: HookArgs,
): MaybePromise<GivenScope | boolean> {
  if (known !== undefined) return withValues(known, args)
  const given = typeof scope === 'function' ? scope(args) : scope
  return andThen(given, (conditions) => {
    if (typeof conditions === 'object' && conditions !== null) {
      return withValues(checkScope(resource, conditions), args)
    }
    if (typeof conditions !== 'boolean' && conditions) {
      const wrong = excerpt(String(conditions))
      throw new Error(
        `The scope of ${resource.name} must return conditions, true or false; it returned ${wrong}.`,
      )
    }
    return conditions === true
  })
}

function withValues(checked: CheckedScope, args: HookArgs): MaybePromise<GivenScope> {
  const values = checked.values.map((value: unknown) =>
    typeof value === 'function' ? (value(args) as unknown) : value,
  )
  if (!values.some(isThenable)) return { checked, values }
  return Promise.all(values).then((settled) => ({ checked, values: settled }))
}

const isThenable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'then' in value

const noRows = ({ db, call }: ScopeCall, resource: Resource): Expression<unknown> =>
  openQuery(db, call.runtime.database.schema, resource).where(sql<SqlBool>`1 = 0`)
