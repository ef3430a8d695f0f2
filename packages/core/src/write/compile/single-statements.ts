// SingleWriteStatements: compiles the statements of single-statement writes; `plan-cache/` implements the same interface with a cache.

import type { Sendable } from '../../compile/sendable.ts'
import type { Target } from '../../compile/target.ts'
import type { Output, RowPlan } from '../../plan/plan.ts'
import type { Resource } from '../../registry/resource.ts'
import type { Values } from '../plan/node.ts'
import {
  type CompiledWrite,
  compileInsert,
  compileLockedRecord,
  compileUpdate,
  type Match,
} from './statements.ts'

/** A statement that returns rows, and the readers of these rows. */
export type SingleWriteStatement = Pick<CompiledWrite, 'readers'> & { readonly statement: Sendable }

export interface SingleWriteStatements {
  /** `insert into t (…) values (…) returning …` */
  insert(resource: Resource, values: Values, output: readonly Output[]): SingleWriteStatement
  /** `update t set … where key returning …`, only of a record that is not soft-deleted. */
  update(
    resource: Resource,
    values: Values,
    key: readonly Match[],
    output: readonly Output[],
  ): SingleWriteStatement
  /** `select … from t where key for update`: reads the written record if the database has no RETURNING. */
  locked(plan: RowPlan, key: readonly Match[]): SingleWriteStatement
}

/** Compiles each statement when it is needed. */
export const singleWriteStatements = (target: Target): SingleWriteStatements => ({
  insert: (resource, values, output) => compileInsert(target, resource, values, output),
  update: (resource, values, key, output) =>
    compileUpdate(target, resource, values, key, { alive: true, output }),
  locked: (plan, key) => compileLockedRecord(target, plan, key),
})
