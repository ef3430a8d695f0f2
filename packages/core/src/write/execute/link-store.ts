// LinkStore: the links of one record through a many-to-many relation, wherever they are stored. Types only.

import type { Value } from '../../plan/plan.ts'
import type { ResolvedRelation } from '../../registry/resource.ts'
import type { Values } from '../plan/node.ts'

export type Key = readonly Value[]

/** A record to link, and its path in the body. */
export interface Partner {
  readonly key: Key
  readonly path: string
}

/** The links of one record through one relation. */
export interface RecordLinks {
  readonly relation: ResolvedRelation
  /** The known values of the record; all columns if it existed before. */
  readonly record: Values
  /** The key of the record, in the order of `relation.from`. */
  readonly own: Key
  /** Path of the list in the body. */
  readonly path: string
  /** Whether links may exist already; false for a record whose key was just generated. */
  readonly mayExist: boolean
}

/** Where links are stored: in a table without a model, or as records of a published model. */
export interface LinkStore {
  /** The partners' keys of the links that the caller sees, by `keyText`. */
  existing(): Promise<ReadonlyMap<string, Key>>
  /** Throws 403 unless the caller may create links (if `makes`) and delete links (if `removes`). */
  requireAccess(makes: boolean, removes: boolean): Promise<void>
  remove(partners: readonly Key[]): Promise<void>
  make(partners: readonly Partner[]): Promise<void>
}
