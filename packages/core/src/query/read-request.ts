// ReadRequest and ReadingCaller: the two arguments of `read`: what an endpoint reads, and for whom. Types only.

import type { Lease } from '../database/leases/lease.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Authority } from './cache/authority-bound.ts'
import type { ReadCache } from './cache/read-cache.ts'
import type { DatabaseJson } from './compile/json/database-json.ts'
import type { CompileOptions } from './compile/read-program.ts'
import type { Target } from './compile/target.ts'
import type { QueryAst } from './parse/ast.ts'
import type { Reach } from './plan/context.ts'
import type { ReadPlan, Value } from './plan/plan.ts'
import type { Opened, Scoper } from './scoper.ts'

/** A read of a client: a page of a list, or one record. `P` is its plan, `G` its compiled program, and `R` what running it returns. */
export interface ReadRequest<P extends ReadPlan, G, R> {
  /** The model and the action, `Book\nGET_MANY`: requests share a cached plan only if they have the same name. */
  readonly name: string
  /** The raw query string, without `?`. */
  readonly text: string
  /** The key in the path, if one record is read. */
  readonly key?: readonly Value[]
  /** Parses `text`; called only if no cached plan can be used. */
  readonly parse: () => QueryAst
  /** Plans the parsed query, for example `planList`; `reach` says which resources the caller may list. */
  readonly plan: (ast: QueryAst, reach: Reach) => P
  /** Adds what the response needs to the plan, for example the columns of the ETag. */
  readonly complete?: (plan: P) => P
  /** The JSON that the database may build; undefined if the service needs the values. */
  readonly databaseJson: (plan: ReadPlan) => DatabaseJson | undefined
  /** Compiles the plan, for example `compilePage`. Without options: plain statements that are sent once. */
  readonly compile: (target: Target, plan: P, options?: CompileOptions) => G
  /** Sends the program's statements, for example `readPage`. */
  readonly run: (lease: Lease, program: G) => Promise<R>
}

/** Who reads, and from which database. */
export interface ReadingCaller {
  /** What a cached plan depends on besides the text of the query. */
  readonly authority: Authority
  /** Asks the access policies which rows the caller may read. */
  readonly scoper: Scoper
  /** Plans of earlier reads, by their text without its values. */
  readonly reads: ReadCache
  /** Opens the database after the plan is made, so that a mistake in the query costs no connection. */
  readonly connect: () => MaybePromise<Opened>
}
