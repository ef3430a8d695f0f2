// OneRecord: the write of one record, `PATCH /api/books/1 {"pages": 7}`, which one statement may make in place of all steps (a fused
// write). Types only.

import type { RowChange, SingleWriteEcho } from '../../dialect/shared/sql/single-writes.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { QueryAst } from '../../query/parse/ast.ts'
import type { ReadPlan, Value } from '../../query/plan/plan.ts'
import type { RecordNode } from '../nodes/node.ts'

/** What is written, if a request writes one record. */
export interface OneRecord {
  /** What happens to the row; a soft delete is an `update`. */
  readonly change: RowChange
  readonly resource: Resource
  /** The key of a stored record; empty for a new one. */
  readonly key: readonly Value[]
  /** The body; null for DELETE. */
  readonly record: RecordNode | null
  /** True for PUT, which also sets the fields that were not sent. */
  readonly replace: boolean
  /** Whether the request has `If-Match` or `If-None-Match`. */
  readonly hasPrecondition: boolean
  /** Whether its dependents are removed with it. */
  readonly cascade: boolean
  /** The plan that reads the record for the response; null for DELETE. */
  readonly echoPlan: ReadPlan | null
  /** The parameters that the filter callback receives. */
  readonly additional: QueryAst['additional']
}

/** One statement makes all steps. */
export interface OneStatement {
  readonly kind: 'one statement'
  /** How the response's record is read: the statement returns it, or another statement reads it. */
  readonly echo: SingleWriteEcho
  /** Whether it runs in a transaction instead of autocommit mode. */
  readonly inTransaction: boolean
  /** The relations that the body sets and whose records may be hidden: the statement writes nothing unless the caller sees them. */
  readonly references: readonly ResolvedRelation[]
}

/** An attempt to make a write by one statement; `WriteContext.fused`. */
export interface FusedAttempt {
  readonly oneRecord: OneRecord
  readonly fusion: OneStatement
  /** Whether the connection is in a transaction. */
  readonly isInside: boolean
  /**
   * Ends the attempt, which has written nothing: steps make the write, or find the error. `needTransaction` is false if one of their
   * statements can make the whole write, so that a driver without transactions may run them.
   */
  readonly refuse: (steps: { readonly needTransaction: boolean }) => never
}
