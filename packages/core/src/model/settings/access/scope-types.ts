// Scopes in plain data: the member `scope` of a policy, conditions on columns and relations that select the rows a caller may see:
// `{ owner_id: { eq: ({ user }) => user.id } }`. Types only.

import type { FilterOperator } from '../../query-words/operators.ts'
import type { HookArgs, HookTables, HookUser } from './hook-types.ts'

/** A value to compare a column with. No row meets a condition whose value is null; undefined is an error. */
export type ScopeValue = string | number | bigint | boolean | Date | null

/** A value, or the list that `in`, `nin`, `between`, `contains` and `overlaps` take. */
type ScopeOperand = ScopeValue | readonly ScopeValue[]

/** Conditions on one column, of which all must hold. A function is called for each request. */
export type ScopeTest<User = HookUser, DB = HookTables> = {
  readonly [O in FilterOperator]?:
    | ScopeOperand
    | ((args: HookArgs<User, DB>) => ScopeOperand | Promise<ScopeOperand>)
}

/**
 * Conditions, all of which must hold. On a column: `{ owner_id: { eq: … } }`. On a relation: `{ members: { user_id: … } }`, which
 * holds if a related row meets the conditions. `and` and `or` take a list of conditions, `not` takes conditions.
 */
export interface ScopeConditions<User = HookUser, DB = HookTables> {
  readonly [name: string]:
    | ScopeTest<User, DB>
    | ScopeConditions<User, DB>
    | readonly ScopeConditions<User, DB>[]
}

/**
 * `scope` of a policy: conditions, or a function that returns them for a request. The function returns `true` for all rows; a
 * falsy result refuses the request.
 */
export type PolicyScope<User = HookUser, DB = HookTables> =
  | ScopeConditions<User, DB>
  | ScopeFunction<User, DB>

/** `scope` as a function. */
export type ScopeFunction<User = HookUser, DB = HookTables> = (
  args: HookArgs<User, DB>,
) => ScopeResult<User, DB> | Promise<ScopeResult<User, DB>>

type ScopeResult<User, DB> = ScopeConditions<User, DB> | boolean | null | undefined
