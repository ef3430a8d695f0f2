// LinkStore: where the links of a many-to-many relation are stored. A link is a row of the junction table, and a linked record is the
// record at its other end. `write-links.ts` calls the store; `link-table.ts` and `link-records.ts` implement it. Types only.

import type { Value } from '../../query/plan/plan.ts'
import type { Values } from '../nodes/node.ts'

/** The values of a key, in the order of its columns. */
export type StoredKey = readonly Value[]

/** A record that a body links: its key, and its path in the body. */
export interface LinkedRecord {
  readonly key: StoredKey
  readonly path: string
}

/** A record that has links, and its path in the body; null if the body does not name it. */
export interface LinkingRecord {
  readonly values: Values
  readonly path: string | null
}

/** A many-to-many list of a body: which records one record is to be linked to. */
export interface LinkList {
  /** The record that has the list, with all columns if it existed before. */
  readonly record: LinkingRecord
  /** The key of that record, in the order of `relation.from`. */
  readonly own: StoredKey
  /** Path of the list in the body. */
  readonly path: string
  /** Whether links may exist already; false for a record whose key was just generated. */
  readonly mayExist: boolean
  /** Whether the list replaces the links that the caller sees, because the record existed before. */
  readonly replaces: boolean
  /** The records to link, by `keyText`. */
  readonly linked: ReadonlyMap<string, LinkedRecord>
}

/** Links to create: those of a list that do not exist yet. */
export interface NewLinks {
  readonly list: LinkList
  readonly linked: readonly LinkedRecord[]
}

/** Links to delete: those that a list replaces, by the keys of the linked records. */
export interface OldLinks {
  readonly list: LinkList
  readonly keys: readonly StoredKey[]
}

/** The keys of the records that one record is linked to, by `keyText`. */
export type LinkedKeys = ReadonlyMap<string, StoredKey>

/** The links of a relation. They are stored in a table without a model, or as records of a published model. */
export interface LinkStore {
  /** For the record of each list: the links that the caller sees. The keys of the map are `keyText` of `own`. */
  existing(lists: readonly LinkList[]): Promise<ReadonlyMap<string, LinkedKeys>>
  /** Throws 403 unless the caller may create links, if any are created, and delete links, if any are removed. */
  requireAccess(created: readonly NewLinks[], removed: readonly OldLinks[]): Promise<void>
  /** Deletes links, after `requireAccess`. */
  remove(links: readonly OldLinks[]): Promise<void>
  /** Stores links, after the old ones are removed. */
  create(links: readonly NewLinks[]): Promise<void>
}
