// WriteContext: what the steps of a write share in its transaction; `http/endpoints/writes/write-stages.ts` makes one for each attempt.
// Types only.

import type { BeforeHookStatements } from '../../database/leases/hook-connection.ts'
import type { Lease } from '../../database/leases/lease.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { CodedProblem } from '../../lib/problems/problem-codes.ts'
import type { NamedColumn, Registry, Resource } from '../../model/registry/resource.ts'
import type { DefaultFunction } from '../../model/settings/access/hook-types.ts'
import type { Target } from '../../query/compile/target.ts'
import type { Value } from '../../query/plan/plan.ts'
import type { InputProblems } from '../body/input-problems.ts'
import type { ValueCheck } from '../body/validators.ts'
import type { WriteAccess } from '../check/write-access.ts'
import type { FusedAttempt } from '../fusion/one-record.ts'
import type { Values } from '../nodes/node.ts'
import type { ChangeLog } from './change-log.ts'
import type { ChangedUsers } from './changed-users.ts'
import type { GeneratedKeys } from './generated-keys.ts'
import type { RemovedLinkCount } from './removed-link-count.ts'
import type { RuledRecords } from './ruled-records.ts'

/**
 * The callbacks that models declare; `add` and `update` return the record to save, as canonical JSON values. `path` is that in the body.
 */
export interface WriteHooks {
  /** Whether the model has a callback for this change and the method of the request. */
  has(resource: Resource, change: 'add' | 'update' | 'remove'): boolean
  add(resource: Resource, object: Values, path: string): Promise<Values>
  /** `stored` is the record before the change. */
  update(resource: Resource, object: Values, stored: Values, path: string): Promise<Values>
  remove(resource: Resource, object: Values, path: string): Promise<void>
}

/** `If-Match` and `If-None-Match` of a write of one record. */
export interface Precondition {
  /** The columns of the stored record that `holdsFor` needs. */
  readonly columns: readonly NamedColumn[]
  /** Whether the stored record meets both headers. */
  readonly holdsFor: (stored: Values) => boolean
}

/** The sources of values that are not in the body, for `check/defaults.ts`. */
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

/** A record that a reference names, and that was read without a lock. */
export interface UnlockedReference {
  readonly resource: Resource
  /** The columns that the reference names, and their values. */
  readonly columns: readonly NamedColumn[]
  readonly key: readonly Value[]
  /** The paths in the body of the references to the record with this key, given as `keyText`. */
  readonly paths: (key: string) => readonly string[]
}

/** Keeps hooks from sending statements while nested records of several nodes are written together: if one does, the write is repeated. */
export interface Interrupt {
  /** Runs before each statement of a hook. */
  readonly work: () => Promise<never>
  /** Throws if a hook has tried to send a statement, even if the hook has caught the error, or does not wait for it. */
  readonly refuse: () => void
}

/** What the steps need beside their nodes. The collectors in it begin empty in each attempt. */
export interface WriteContext extends ValueSources {
  /** The connection with the transaction. */
  readonly lease: Lease
  /** What statements are compiled for: the database, its dialect, and the rows that may be read. */
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
  /** Collects the users that may no longer be active; absent if nothing ends with a user. */
  readonly users: ChangedUsers | undefined
  /** Why a merged document cannot be stored; undefined if it can. */
  readonly mergedDocumentProblem: (stored: JsonValue, merged: JsonValue) => CodedProblem | undefined
  /** Collects the problems of the body that show in the transaction; `refuse` throws them. */
  readonly problems: InputProblems
  /** Collects the records that references name and that were read without a lock; `refuseDeletedMeanwhile` checks them at the end. */
  readonly unlocked: UnlockedReference[]
  /** Collects the written records that must not overlap others; `refuseOverlaps` checks them at the end. */
  readonly ruled: RuledRecords
  /** The keys that the database has generated in this write, which foreign keys of the body cannot name. */
  readonly generatedKeys: GeneratedKeys
  /** Limits the links that lists of the body remove. */
  readonly removedLinks: RemovedLinkCount
  /** Whether the host application has begun the transaction, so that it can neither be repeated nor rolled back as a whole. */
  readonly hosted: boolean
  /**
   * Repeats the transaction with savepoints; a write calls it to find out which record was refused. Absent if the transaction sets
   * savepoints already, or must not be repeated.
   */
  readonly repeat: (() => never) | undefined
  /** Given while one statement makes the whole write. */
  readonly fused: FusedAttempt | undefined
  /** Given while nested records of several nodes are written together. */
  readonly interrupt: Interrupt | undefined
  /** What runs before each statement of a hook, set by `withHooks`; absent in a write of one record, before which nothing is stored. */
  readonly beforeHookStatements: BeforeHookStatements | undefined
}
