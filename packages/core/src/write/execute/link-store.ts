// LinkStore: the links of records through a many-to-many relation, wherever they are stored. Types only.

import type { Value } from '../../plan/plan.ts'
import type { Values } from '../plan/node.ts'

export type Key = readonly Value[]

/** A record to link, and its path in the body. */
export interface Partner {
  readonly key: Key
  readonly path: string
}

/** A list of a body: the links of one record. */
export interface RecordLinks {
  /** The known values of the record; all columns if it existed before. */
  readonly record: Values
  /** The key of the record, in the order of `relation.from`. */
  readonly own: Key
  /** Path of the list in the body. */
  readonly path: string
  /** Whether links may exist already; false for a record whose key was just generated. */
  readonly mayExist: boolean
  /** Whether the list replaces the links that the caller sees, because the record existed before. */
  readonly replaces: boolean
  /** The partners of the list, by `keyText`. */
  readonly wanted: ReadonlyMap<string, Partner>
}

/** Links of one record to create. */
export interface NewLinks {
  readonly of: RecordLinks
  readonly partners: readonly Partner[]
}

/** Links of one record to delete, by the keys of the partners. */
export interface OldLinks {
  readonly of: RecordLinks
  readonly partners: readonly Key[]
}

/** The keys of a record's partners, by `keyText`. */
export type PartnerKeys = ReadonlyMap<string, Key>

/** Where links are stored: in a table without a model, or as records of a published model. */
export interface LinkStore {
  /** The partners of each record's links that the caller sees, by `keyText` of the record's own key. */
  existing(records: readonly RecordLinks[]): Promise<ReadonlyMap<string, PartnerKeys>>
  /** Throws 403 unless the caller may create links (if `makes`) and delete links (if `removes`). */
  requireAccess(makes: boolean, removes: boolean): Promise<void>
  remove(links: readonly OldLinks[]): Promise<void>
  make(links: readonly NewLinks[]): Promise<void>
}
