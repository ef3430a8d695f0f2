// scope: calls the policy's scope_query once for each source of a plan, before the plan is compiled.

import type { Expression, OperationNode, SqlBool } from 'kysely'
import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  ReferenceNode,
  SelectAllNode,
  SelectionNode,
  SelectQueryNode,
} from 'kysely'
import type { HookCall } from '../call/hook-call.ts'
import type { RoutedRequest } from '../call/routed-request.ts'
import { type Scope, type ScopeDecisions, type Scopes, scopeDecisions } from '../compile/scopes.ts'
import type { HookQuery } from '../config/hook-types.ts'
import { hasSchemaPlugin } from '../dialect/shared/schema-plugin.ts'
import { forbidden, forbiddenJoin } from '../errors.ts'
import type { EmbedPlan, ReadPlan, RowPlan, Source } from '../plan/plan.ts'
import { allSourcesOf, sourcesOf } from '../plan/sources.ts'
import type { ResolvedRelation, Resource } from '../registry/resource.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { sql } from '../sql/fragment.ts'
import type { Action } from './action.ts'
import { callPolicyHook } from './call-policy-hook.ts'
import { subjectArgs } from './hook-args.ts'

/** The input of scoping. */
export interface ScopeCall {
  readonly call: HookCall
  /** The connection of this request, with the host application's Kysely plugins. */
  readonly db: AnyDatabase
  readonly action: Action
  /** The filter callback of the request; it narrows the base before the policy does. */
  readonly filter?: BaseFilter
  /** What a refused base gives: 403 (default), or no rows. */
  readonly refusedBase?: 'forbidden' | 'empty'
}

/** Narrows the query of a read's base. */
export type BaseFilter = (query: HookQuery) => Promise<HookQuery>

/**
 * Scopes a whole read. An embed that its policy refuses becomes a URL, so the plan may change.
 *
 * ```ts
 * const { plan, scopes } = await scopeRead({ call, db, action: 'GET_MANY' }, planned)
 * // books: (select "books".* from "books" where "owner_id" = $1)
 * ```
 */
export async function scopeRead<P extends ReadPlan>(
  scope: ScopeCall,
  plan: P,
): Promise<{ readonly plan: P; readonly scopes: Scopes }> {
  const scopes = scopeDecisions()
  await scopeRows(scope, plan.rows, scopes)
  return { plan: { ...plan, ...(await scopeEmbeds(scope, plan, scopes)) }, scopes }
}

/** Scopes the sources of one statement; throws 403 if the base or a join is refused. */
export async function scopeRows(
  scope: ScopeCall,
  rows: RowPlan,
  scopes: ScopeDecisions,
): Promise<void> {
  for (const { source, part } of sourcesOf(rows)) {
    const narrowed = await narrow(scope, source, source === rows.from ? scope.filter : undefined)
    if (narrowed !== 'none') scopes.decide(source, narrowed)
    else if (part === 'base' && scope.refusedBase !== 'empty') throw forbidden()
    else if (part === 'join') throw forbiddenJoin(source.relation?.name ?? '')
    else scopes.decide(source, noRows(scope, source.resource))
  }
}

/**
 * The scopes of a read without policies and filter callback: all rows of every source. Undefined if there is any, since
 * its result may differ from request to request and must not be cached.
 */
export function openScopes(
  { runtime: { policies }, hooks }: HookCall & Pick<RoutedRequest, 'hooks'>,
  plan: Pick<ReadPlan, 'rows' | 'embeds'>,
): Scopes | undefined {
  if (hooks.filter !== undefined) return undefined
  const scopes = scopeDecisions()
  for (const source of allSourcesOf(plan)) {
    if (policies.has(source.resource)) return undefined
    scopes.decide(source, 'all')
  }
  return scopes
}

type Relations = Pick<ReadPlan, 'embeds' | 'links'>

async function scopeEmbeds(
  scope: ScopeCall,
  { embeds, links }: Relations,
  scopes: ScopeDecisions,
): Promise<Relations> {
  const kept: EmbedPlan[] = []
  const refused: ResolvedRelation[] = []
  for (const embed of embeds) {
    const narrowed = await narrow(scope, embed.rows.from)
    if (narrowed === 'none') {
      refused.push(embed.relation)
      continue
    }
    scopes.decide(embed.rows.from, narrowed)
    // The base is decided above; the junction and the conditions of `books[…]` remain.
    for (const { source, part } of sourcesOf(embed.rows)) {
      if (part !== 'base') await scopeOrEmpty(scope, source, scopes)
    }
    kept.push({ ...embed, ...(await scopeEmbeds(scope, embed, scopes)) })
  }
  return { embeds: kept, links: [...links, ...refused] }
}

/** Scopes a source that has no rows if its policy refuses. */
async function scopeOrEmpty(
  scope: ScopeCall,
  source: Source,
  scopes: ScopeDecisions,
): Promise<void> {
  const narrowed = await narrow(scope, source)
  scopes.decide(source, narrowed === 'none' ? noRows(scope, source.resource) : narrowed)
}

/** Calls scope_query for a source: 'all' without such a hook, 'none' for a falsy result, otherwise the returned query. */
async function narrow(
  { call, db, action }: ScopeCall,
  source: Source,
  filter?: BaseFilter,
): Promise<Scope | 'none'> {
  const { resource, many, relation } = source
  const policy = call.runtime.policies.get(resource)
  if (policy?.scope_query === undefined && filter === undefined) return 'all'
  const all = openQuery(db, call.runtime.schema, resource)
  const filtered = filter === undefined ? all : await filter(all)
  if (policy?.scope_query === undefined) return checked(filtered, resource)
  const name = relation?.name ?? null
  const args = subjectArgs(call, { action, resource, many, relation: name })
  const narrowQuery = () => policy.scope_query?.(filtered, args)
  return callPolicyHook(call, resource, 'scope_query', narrowQuery, (query) =>
    query ? checked(query, resource) : 'none',
  )
}

/** The query that a policy receives: all rows of the model, on the host application's Kysely instance. */
function openQuery(db: AnyDatabase, schema: string | undefined, { table }: Resource): HookQuery {
  const own = schema === undefined || hasSchemaPlugin(db) ? db : db.withSchema(schema)
  return own.selectFrom(table).selectAll(table)
}

const noRows = ({ db, call }: ScopeCall, resource: Resource): Expression<unknown> =>
  openQuery(db, call.runtime.schema, resource).where(sql<SqlBool>`1 = 0`)

/** The returned query after its plugins ran. Throws unless it selects each column of the model exactly once. */
function checked(query: unknown, resource: Resource): Expression<unknown> {
  if (!isExpression(query)) {
    throw new Error('it must return the query it received, narrowed, or a falsy value')
  }
  const node = query.toOperationNode()
  if (!SelectQueryNode.is(node)) throw new Error('it must return a select query')
  const wrong = selectionProblem(node, resource)
  if (wrong !== undefined) throw new Error(wrong)
  const listed = withColumns(node, resource)
  return { expressionType: undefined, toOperationNode: () => listed } as Expression<unknown>
}

/** Replaces `library.books.*` by its columns: not every database accepts `schema.table.*`. */
function withColumns(node: SelectQueryNode, resource: Resource): SelectQueryNode {
  const selections = node.selections?.flatMap((selected) => {
    const { selection } = selected
    if (!ReferenceNode.is(selection) || !SelectAllNode.is(selection.column)) return [selected]
    const { table } = selection
    if (table?.table.schema === undefined) return [selected]
    return storedColumns(resource).map((name) =>
      SelectionNode.create(ReferenceNode.create(ColumnNode.create(name), table)),
    )
  })
  return selections === undefined ? node : { ...node, selections }
}

/** The columns of the model's table, by their database names. */
const storedColumns = (resource: Resource): readonly string[] =>
  [...resource.allColumns.values()]
    .filter(({ computed }) => computed === undefined)
    .map(({ dbName }) => dbName)

const isExpression = (value: unknown): value is { toOperationNode(): OperationNode } =>
  typeof value === 'object' && value !== null && 'toOperationNode' in value

function selectionProblem(node: SelectQueryNode, resource: Resource): string | undefined {
  const stored = storedColumns(resource)
  const names = (node.selections ?? []).flatMap(({ selection }) => selectedNames(selection, stored))
  if (names.includes(unknownColumns) && (node.joins?.length ?? 0) > 0) {
    return `it selects all columns of several tables; select only those of ${resource.table}`
  }
  if (names.includes(unknownColumns)) return undefined
  const missing = stored.filter((name) => !names.includes(name))
  if (missing.length > 0) {
    return `its query does not select ${missing.join(', ')} of ${resource.table}`
  }
  const twice = stored.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  return twice === undefined ? undefined : `its query selects a second column called ${twice}`
}

/** `select *`: the columns depend on the tables it selects from. */
const unknownColumns = '*'

/** The column names that one selection gives; `table.*` gives those of the model. */
function selectedNames(node: OperationNode, stored: readonly string[]): readonly string[] {
  if (SelectAllNode.is(node)) return [unknownColumns]
  if (AliasNode.is(node)) return IdentifierNode.is(node.alias) ? [node.alias.name] : []
  if (!ReferenceNode.is(node)) return []
  if (ColumnNode.is(node.column)) return [node.column.column.name]
  return node.table === undefined ? [unknownColumns] : stored
}
