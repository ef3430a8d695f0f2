// WriteContext: what the steps of one write share, inside its transaction; and the failure that a refused step throws.

import type { Target } from '../compile/target.ts'
import type { Match } from '../compile/write-query.ts'
import type { DefaultFunction } from '../config/hook-types.ts'
import type { DatabaseFailure } from '../dialect/dialect.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Value } from '../plan/plan.ts'
import type { Values } from '../plan/write-node.ts'
import type { NamedColumn, Registry, Resource } from '../registry/resource.ts'
import type { Connection } from './run.ts'
import type { WriteAccess } from './write-access.ts'

/** The callbacks of the models; each returns the record to save, in canonical JSON forms. */
export interface WriteHooks {
  /** Whether the model has such a callback for this request. */
  has(resource: Resource, change: 'add' | 'update' | 'remove'): boolean
  add(resource: Resource, object: Values): Promise<Values>
  /** `stored` is the record as it is before the change. */
  update(resource: Resource, object: Values, stored: Values): Promise<Values>
  remove(resource: Resource, object: Values): Promise<void>
}

/** A value whose validator looks at the whole record. */
export interface LateCheck {
  readonly resource: Resource
  readonly column: NamedColumn
  readonly value: JsonValue
  readonly row: Values
  /** The record as it is stored; null where it is new. */
  readonly before: Values | null
  readonly path: string
}

/** What a write takes from the world around it. */
export interface ValueSources {
  /** The time of the write, as a datetime of contract §7. */
  readonly now: string
  readonly uuid: () => string
  /** Calls a default that is a function. */
  readonly defaultOf: (
    resource: Resource,
    column: NamedColumn,
    make: DefaultFunction,
  ) => MaybePromise<unknown>
}

export interface WriteContext extends ValueSources {
  readonly connection: Connection
  readonly target: Target
  readonly registry: Registry
  readonly access: WriteAccess
  readonly hooks: WriteHooks
  /** What emitted URLs start with. */
  readonly base: string
  /** Runs validators that had to wait for the stored record; what they find goes to `problems`. */
  readonly validate: (checks: readonly LateCheck[]) => Promise<void>
  readonly problems: { add(path: string, message: string): void; refuse(): void }
}

/** What was being written when the database refused. */
export interface Refusal {
  readonly failure: DatabaseFailure
  readonly step: 'insert' | 'update' | 'delete' | 'link'
  readonly resource: Resource
  /** Path of the record in the body. */
  readonly path: string
  readonly values: Values
  /** The record's own key, where it has one already. */
  readonly key: readonly Value[] | null
  /** The links that one statement made. */
  readonly links?: readonly MadeLink[]
}

/** One of several links, as far as it is needed to find out which of them was refused. */
export interface MadeLink {
  /** Path of the partner in the body. */
  readonly path: string
  /** Its row of the junction table. */
  readonly row: Found
  readonly partner: Found
}

/** What one row of a table is found by. */
export interface Found {
  readonly table: string
  readonly matches: readonly Match[]
}

const refusals = new WeakMap<Error, Refusal>()

/** The error of a statement that the database refused; it is explained once the transaction is over. */
export function refusedWrite(refusal: Refusal, cause: unknown): Error {
  const error = new Error(`${refusal.step} refused: ${refusal.failure.kind}`, { cause })
  refusals.set(error, refusal)
  return error
}

/** What a refused statement was, or undefined for any other error. */
export const refusalOf = (error: unknown): Refusal | undefined =>
  error instanceof Error ? refusals.get(error) : undefined
