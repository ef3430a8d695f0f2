// WriteRefusal: a statement of a write that the database refused, because of a constraint, a trigger or a value that does not fit, and what
// is known about it. `store/run-write.ts` makes it, `explain-refusal.ts` turns it into the error for the client.

import type { Lease } from '../../database/leases/lease.ts'
import type { DatabaseFailure } from '../../dialect/dialect.ts'
import type { ApiError } from '../../errors.ts'
import type { TableName } from '../../lib/sql/table-name.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { Target } from '../../query/compile/target.ts'
import type { Value } from '../../query/plan/plan.ts'
import type { Values } from '../nodes/node.ts'
import type { Match } from '../statements/statements.ts'

/** A statement of a write that the database refused. */
export interface WriteRefusal {
  readonly failure: DatabaseFailure
  /** What the statement was to do; `link`: insert links of a many-to-many list. */
  readonly step: 'insert' | 'update' | 'delete' | 'link'
  readonly resource: Resource
  /** Path of the record in the body. */
  readonly path: string
  /** The values that the record was to have, as far as they are known; empty for a statement on several records. */
  readonly values: Values
  /** The record's key; null for an INSERT, and for a statement on several records. */
  readonly key: readonly Value[] | null
  /** The record before the request, as far as it is known; null if the request has created it. Given if COMMIT was refused. */
  readonly before?: Values | null
  /** The foreign keys among `values` that refer to nested records, or to the record around this one: the same request has written them. */
  readonly filled?: Values | undefined
  /** Returns the links that the statement inserts. */
  readonly links?: () => readonly InsertedLink[]
  /** The error for the client, if it was determined before the rollback. */
  readonly explained?: ApiError
}

/** A link that a statement inserts, with conditions that tell whether it is the link that the database refused. */
export interface InsertedLink {
  /** Path, in the body, of the record to link. */
  readonly path: string
  /** Its row in the junction table. */
  readonly row: RowMatch
  /** The linked record. */
  readonly linked: RowMatch
}

/** A condition that identifies a row of a table. */
export interface RowMatch {
  readonly table: TableName
  readonly matches: readonly Match[]
}

/**
 * Where the queries that find the reason of a refusal run: on the connection after the rollback, or in the transaction, if the database
 * still accepts statements in it.
 */
export interface RefusalConnection {
  readonly lease: Lease
  readonly target: Target
}

const refusals = new WeakMap<Error, WriteRefusal>()

/** The error for a statement that the database refused; `explainRefusal` turns it into an API error. */
export function refusedWrite(refusal: WriteRefusal, cause: unknown): Error {
  const error = new Error(`${refusal.step} refused: ${refusal.failure.kind}`, { cause })
  refusals.set(error, refusal)
  return error
}

/** The refusal of an error of `refusedWrite`; undefined for other errors. */
export const writeRefusalOf = (error: unknown): WriteRefusal | undefined =>
  error instanceof Error ? refusals.get(error) : undefined
