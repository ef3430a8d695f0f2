// Scoper: what a read asks the access policies about its caller, after the plan and before the program. Declared here, because `query`
// cannot import `access`, which implements it (`access/policies/scoper-of.ts`). `Opened`, the database of a request, is an input of it, and
// `ScopedRead` its result. Types only.

import type { Lease } from '../database/leases/lease.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { AnyDatabase } from '../lib/sql/any-database.ts'
import type { ScopeDecisions, Scopes } from './compile/scopes.ts'
import type { Target } from './compile/target.ts'
import type { QueryAst } from './parse/ast.ts'
import type { ReadPlan } from './plan/plan.ts'

/** The database of a request, as `ReadingCaller.connect` opens it. */
export interface Opened {
  /** Sends the statements of the request. */
  readonly lease: Lease
  /** The input of compilation, without scopes yet. */
  readonly target: Target
  /** The host's own Kysely instance with its plugins; policies and hooks receive it. */
  readonly own: AnyDatabase
}

/** Decides which rows of each source of a plan the caller may read. */
export interface Scoper {
  /** Adds to a plan the columns by which single records are checked after they are read. */
  withChecked<P extends ReadPlan>(plan: P): P
  /**
   * The scopes of a plan that no policy and no callback narrows: all rows of every source, for every request of the same authority.
   * Undefined if policies must be asked for each request.
   */
  open(plan: ReadPlan): Scopes | undefined
  /** Asks the policies and the filter callback, which receives the parameters in `additional`. Throws 403 if one refuses. */
  scope<P extends ReadPlan>(
    plan: P,
    opened: Opened,
    additional: QueryAst['additional'],
  ): MaybePromise<ScopedRead<P>>
}

/** A plan after its policies were asked. */
export interface ScopedRead<P extends ReadPlan> {
  /** The plan without the embeds that policies refuse; the original object if they refuse none. */
  readonly plan: P
  /** Which rows of each source the caller may read. */
  readonly scopes: ScopeDecisions
}
