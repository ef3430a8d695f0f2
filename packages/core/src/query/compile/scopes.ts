// Scopes: which rows of each source the caller may read. `access/policies/scope.ts` decides each source of a plan before it is compiled, and
// `source.ts` asks for the decision. A source without a decision cannot be compiled, so no policy is forgotten. The service's own reads have
// `unscoped` targets instead.

import type { Expression, SqlBool } from 'kysely'
import type { Fragment } from '../../lib/sql/fragment.ts'
import type { KyselyText } from '../../lib/sql/kysely-text.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { Source } from '../plan/plan.ts'
import type { PlannedScope } from '../plan/planned-scope.ts'
import type { BoundTarget } from './bound-target.ts'
import { type ComputedNames, computedBy } from './rows/distinct-query.ts'

/** All rows of the source's table, the query that an access policy has narrowed, or the conditions of a policy. */
export type Scope = 'all' | Expression<unknown> | PrintedScope | ConditionScope

/** A narrowed query that is printed: its SQL, divided at its parameters. */
export type PrintedScope = Pick<KyselyText, 'strings' | 'parameters'>

/** The rows of a table, or of the query of a filter callback, that meet the conditions of a policy. */
export interface ConditionScope extends PlannedScope {
  readonly rows: 'all' | Expression<unknown>
  /** Compiles the conditions, on columns of the table's name. */
  readonly condition: CompileScope
}

/** Compiles the condition of a scope with its values. */
export type CompileScope = (
  target: BoundTarget,
  values: Param<readonly unknown[]>,
) => Fragment<SqlBool>

/** A scope whose condition tests columns of the row alone. */
export interface RowScope {
  /** Names the columns with the table's name or without it. */
  readonly condition: CompileScope
  /** Identifies the SQL of the condition without its values. */
  readonly form: string
  readonly values: readonly unknown[]
  /** The columns that the condition tests, by their database names. */
  readonly columns: readonly string[]
}

/** Whether a scope is the conditions of a policy's `scope`. */
export const hasConditions = (scope: Scope): scope is ConditionScope =>
  typeof scope === 'object' && 'condition' in scope

/** Whether a scope is a query that `printScopes` has printed. */
export const isPrinted = (scope: Scope): scope is PrintedScope =>
  typeof scope === 'object' && 'parameters' in scope

/** The decisions about the sources of a plan, as compilation asks for them. */
export interface Scopes {
  /** Returns which rows of a source the caller may read; throws if `decide` was not called for the source. */
  of(source: Source): Scope
  /** Whether a policy narrows any source. */
  readonly narrowing: boolean
  /** Whether the query of a hook computes the values of a column of the source, which the table then need not have stored. */
  computes(source: Source, column: ColumnName): boolean
  /** Whether the query of a hook computes a column of any source. */
  readonly computing: boolean
}

type ColumnName = Pick<NamedColumn, 'dbName'>

/** Scopes that are being decided, one source after the other. */
export interface ScopeDecisions extends Scopes {
  decide(source: Source, scope: Scope): void
  /** Replaces the query of a source by its SQL. */
  print(source: Source, query: PrintedScope): void
  /** The decisions so far, in their order. */
  readonly decided: ReadonlyMap<Source, Scope>
}

/** Creates scopes without decisions. */
export const scopeDecisions = (): ScopeDecisions => new Decisions()

class Decisions implements ScopeDecisions {
  readonly decided: Map<Source, Scope> = new Map()
  readonly #computed: Map<Source, ComputedNames> = new Map()
  narrowing = false

  decide(source: Source, scope: Scope): void {
    this.decided.set(source, scope)
    this.narrowing ||= scope !== 'all'
    const computed = computedColumns(source.resource, scope)
    if (computed !== undefined) this.#computed.set(source, computed)
  }

  print(source: Source, query: PrintedScope): void {
    this.decided.set(source, query)
  }

  computes(source: Source, { dbName }: ColumnName): boolean {
    return this.#computed.get(source)?.has(dbName) === true
  }

  get computing(): boolean {
    return this.#computed.size > 0
  }

  of(source: Source): Scope {
    return this.decided.get(source) ?? undecided(source)
  }
}

function undecided({ resource, alias }: Source): never {
  throw new Error(
    `Nothing was decided about the rows of "${alias}" (${resource.name}). Narrow the plan by its policies first, or read it with unscoped(target).`,
  )
}

const nothingComputed = { computes: () => false, computing: false } as const

/** The scopes of a request before policies are applied to its plan: reading any source throws. */
export const noScopes: Scopes = { of: undecided, narrowing: false, ...nothingComputed }

const allRows: Scopes = { of: () => 'all', narrowing: false, ...nothingComputed }

/**
 * Ignores the access policies: for reads of the service itself, never for data that a client is shown. Every use is listed
 * in `test/architecture/unscoped.test.ts`.
 */
export const unscoped = <T extends object>(target: T): T & { readonly scopes: Scopes } => ({
  ...target,
  scopes: allRows,
})

/** The target for conditions on `rows` of a source, whose columns a filter callback may compute. */
export function onRows<T extends { readonly scopes: Scopes }>(
  target: T,
  tested: Source,
  rows: ConditionScope['rows'],
): T {
  const computed = computedColumns(tested.resource, rows)
  if (computed === undefined) return target
  const computes: Scopes['computes'] = (source, { dbName }) =>
    source === tested && computed.has(dbName)
  return { ...target, scopes: { ...target.scopes, computes, computing: true } }
}

/** The columns that the query of a hook computes; undefined if it computes none. */
function computedColumns(resource: Resource, scope: Scope): ComputedNames | undefined {
  const rows = hasConditions(scope) ? scope.rows : scope
  const computed = rows === 'all' || isPrinted(rows) ? undefined : computedBy(resource, rows)
  return computed?.size === 0 ? undefined : computed
}
