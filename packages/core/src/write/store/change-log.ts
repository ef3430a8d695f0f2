// changeLog: collects the records that a write changes, for API_BEFORE_COMMIT_CALLBACK and API_AFTER_COMMIT_CALLBACK. Each step that
// stores a record notes it here.

import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { keyFromRow, keyText } from '../../query/run/key.ts'
import type { LinkingRecord, StoredKey } from '../links/link-store.ts'
import type { Values } from '../nodes/node.ts'
import { type AddedAndRemoved, mergedLinks } from '../resolve/merged-links.ts'

/** The records written so far; `WriteContext.changes`, absent if no callback receives them. */
export interface ChangeLog {
  /**
   * Notes a record that a statement has written. `before` is the stored record with all columns, or null for a new one. `after`
   * has at least the key of the record; for a deleted record it is the stored record again. `path` is that of the record in the body, or
   * null if the body does not name it.
   *
   * ```ts
   * context.changes?.note(resource, null, inserted, '[3]')
   * context.changes?.note(resource, stored, { ...stored, ...written }, '')
   * context.changes?.note(resource, stored, stored, null)
   * ```
   */
  note(resource: Resource, before: Values | null, after: Values, path: string | null): void
  /** Notes links in a junction table without a published model, as a change of the record whose list they are in, or were in. */
  noteLinks(
    relation: Pick<ResolvedRelation, 'name' | 'source'>,
    record: LinkingRecord,
    added: readonly StoredKey[],
    removed: readonly StoredKey[],
  ): void
  /** The records written so far, by resource and key. */
  readonly written: ReadonlyMap<Resource, ReadonlyMap<string, WrittenRecord>>
}

/** A record that a write has changed, perhaps several times. */
export interface WrittenRecord {
  readonly key: StoredKey
  /** The path where the body first names the record; null if it does not. */
  readonly path: string | null
  /** The record before the first change of this request; null if the request has created it. */
  readonly before: Values | null
  /** The keys of the linked records, by the name of the relation. */
  readonly links: Map<string, AddedAndRemoved<StoredKey>>
}

/** `root`: the path of the record that the whole body describes; null if filters have found the records that it changes. */
export function changeLog(root: '' | null): ChangeLog {
  const written = new Map<Resource, Map<string, WrittenRecord>>()
  const recordsOf = (resource: Resource): Map<string, WrittenRecord> => {
    const known = written.get(resource) ?? new Map<string, WrittenRecord>()
    written.set(resource, known)
    return known
  }
  const note = (
    resource: Resource,
    before: Values | null,
    after: Values,
    path: string | null,
  ): WrittenRecord => {
    const records = recordsOf(resource)
    const key = keyOfWritten(resource, after)
    const old = keyText(before === null ? key : keyOfWritten(resource, before))
    const known = records.get(old) ?? { before, path: null, links: new Map() }
    // A callback may have changed the key.
    if (keyText(key) !== old) records.delete(old)
    const record = { ...known, key, path: known.path ?? (path === '' ? root : path) }
    records.set(keyText(key), record)
    return record
  }
  return {
    written,
    note,
    noteLinks({ name, source }, { values, path }, added, removed) {
      const { links } = note(source, values, values, path)
      const merged = mergedLinks([links.get(name), { added, removed }], keyText)
      if (merged === undefined) links.delete(name)
      else links.set(name, merged)
    },
  }
}

/** The key of a written record; throws if its values lack a part, which is a mistake of the service. */
export function keyOfWritten(resource: Resource, values: Values): StoredKey {
  const key = keyFromRow(resource.primaryKey, values)
  if (key === undefined) throw new Error(`A ${resource.name} without a key was written.`)
  return key
}
