// The statements of a write that needs one statement: how the steps of such a write ask for them.

import type { Output, RowPlan } from '../plan/plan.ts'
import type { Values } from '../plan/write-node.ts'
import type { Resource } from '../registry/resource.ts'
import type { Sendable } from './sendable.ts'
import type { Target } from './target.ts'
import {
  type CompiledWrite,
  compileInsert,
  compileLockedRecord,
  compileUpdate,
  type Match,
} from './write-query.ts'

/** A statement that gives rows back, and how they are read. */
export type SingleWriteStatement = Pick<CompiledWrite, 'readers'> & { readonly statement: Sendable }

export interface SingleWriteStatements {
  /** `insert into t (…) values (…) returning …` */
  insert(resource: Resource, values: Values, output: readonly Output[]): SingleWriteStatement
  /** `update t set … where key returning …`, of a record that is not marked as deleted. */
  update(
    resource: Resource,
    values: Values,
    key: readonly Match[],
    output: readonly Output[],
  ): SingleWriteStatement
  /** `select … from t where key for update`: the record that was written, where the database does not give it back. */
  locked(plan: RowPlan, key: readonly Match[]): SingleWriteStatement
}

/** The statements, each compiled when it is asked for. */
export const singleWriteStatements = (target: Target): SingleWriteStatements => ({
  insert: (resource, values, output) => compileInsert(target, resource, values, output),
  update: (resource, values, key, output) =>
    compileUpdate(target, resource, values, key, { alive: true, output }),
  locked: (plan, key) => compileLockedRecord(target, plan, key),
})
