// WriteContext: what the steps of a write share in its transaction. Refusal: a step that the database refused.

import type { Target } from '../../compile/target.ts'
import type { DefaultFunction } from '../../config/hook-types.ts'
import type { DatabaseFailure } from '../../dialect/dialect.ts'
import type { ApiError } from '../../errors.ts'
import type { Connection } from '../../execute/run.ts'
import type { ValueCheck } from '../../input/validators.ts'
import type { JsonValue } from '../../json/json-value.ts'
import type { MaybePromise } from '../../maybe-promise.ts'
import type { Value } from '../../plan/plan.ts'
import type { NamedColumn, Registry, Resource } from '../../registry/resource.ts'
import type { TableName } from '../../sql/table-name.ts'
import type { Match } from '../compile/statements.ts'
import type { Values } from '../plan/node.ts'
import type { WriteAccess } from './access.ts'
import type { ChangeLog } from './changes.ts'

/** The callbacks of the models; `add` and `update` return the record to save, as canonical JSON values. */
export interface WriteHooks {
  /** Whether the model has such a callback for this request. */
  has(resource: Resource, change: 'add' | 'update' | 'remove'): boolean
  add(resource: Resource, object: Values): Promise<Values>
  /** `stored` is the record before the change. */
  update(resource: Resource, object: Values, stored: Values): Promise<Values>
  remove(resource: Resource, object: Values): Promise<void>
}

/** Whether the stored record has the ETag of `If-Match`. */
export type Precondition = (stored: Values) => boolean

/** The sources of values that are not in the body. */
export interface ValueSources {
  /** The time of the write, as a datetime. */
  readonly now: () => string
  readonly uuid: () => string
  /** Calls a default that is a function. */
  readonly defaultOf: (
    resource: Resource,
    column: NamedColumn,
    make: DefaultFunction,
  ) => MaybePromise<unknown>
  /** Calls a soft-delete value that is a function; `stored` is the record to be deleted. */
  readonly deletedValueOf: (
    resource: Resource,
    make: DefaultFunction,
    stored: Values | null,
  ) => MaybePromise<unknown>
}

export interface WriteContext extends ValueSources {
  readonly connection: Connection
  readonly target: Target
  readonly registry: Registry
  readonly access: WriteAccess
  readonly hooks: WriteHooks
  /** The beginning of URLs in responses. */
  readonly base: string
  /** Runs validators that need the stored record; adds to `problems`. */
  readonly validate: (checks: readonly ValueCheck[]) => Promise<void>
  /** Collects the written records; absent if no callback receives them. */
  readonly changes: ChangeLog | undefined
  /** Why a merged document cannot be stored; undefined if it can. */
  readonly mergedDocumentProblem: (stored: JsonValue, merged: JsonValue) => string | undefined
  readonly problems: { add(path: string, message: string): void; refuse(): void }
  /** Whether it is a transaction of the host, in which no savepoint is set. */
  readonly hosted: boolean
  /** Whether savepoints are set, and lists with nested records are written record by record; without them, a write that needs either throws `SavepointNeeded`. */
  readonly setsSavepoints: boolean
  /** Called before each statement of a hook, in a write of many records. */
  readonly beforeHookStatements: BeforeHookStatements | undefined
}

/** Work to do before each statement that a hook sends through `args.db`. */
export interface BeforeHookStatements {
  work: (() => Promise<void>) | undefined
  /** Whether the write has ended. */
  isOver: boolean
}

/** A step of a write that the database refused. */
export interface Refusal {
  readonly failure: DatabaseFailure
  readonly step: 'insert' | 'update' | 'delete' | 'link'
  readonly resource: Resource
  /** Path of the record in the body. */
  readonly path: string
  readonly values: Values
  /** The record's key; null if it has none yet. */
  readonly key: readonly Value[] | null
  /** Returns the links that the statement inserted. */
  readonly links?: () => readonly InsertedLink[]
  /** The error for the client, if it was determined before the rollback. */
  readonly explained?: ApiError
}

/** One of several links of a statement, to find out which of them was refused. */
export interface InsertedLink {
  /** Path, in the body, of the record to link. */
  readonly path: string
  /** Its row in the junction table. */
  readonly row: RowMatch
  readonly partner: RowMatch
}

/** A condition that identifies a row of a table. */
export interface RowMatch {
  readonly table: TableName
  readonly matches: readonly Match[]
}

/** Where the probes run: the connection after the rollback, or the host's own transaction. */
export interface Probe {
  readonly connection: Connection
  readonly target: Target
}

const refusals = new WeakMap<Error, Refusal>()

/** The error for a statement that the database refused; `explainRefusal` turns it into an API error after the rollback. */
export function refusedWrite(refusal: Refusal, cause: unknown): Error {
  const error = new Error(`${refusal.step} refused: ${refusal.failure.kind}`, { cause })
  refusals.set(error, refusal)
  return error
}

/** The refusal of an error of `refusedWrite`; undefined for other errors. */
export const refusalOf = (error: unknown): Refusal | undefined =>
  error instanceof Error ? refusals.get(error) : undefined
