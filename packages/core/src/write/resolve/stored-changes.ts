// changesOf: reads the records of a ChangeLog as they will be committed, and determines the change of each. Called when all records are
// stored, for the callbacks before and after COMMIT. storedRecords, which reads them, also serves the search for the record that made the
// database refuse COMMIT (`refusals/refused-commit.ts`).

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { Change, LinkChanges } from '../../model/settings/access/hook-types.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyText } from '../../query/run/key.ts'
import type { StoredKey } from '../links/link-store.ts'
import { isDeleted } from '../nodes/is-deleted.ts'
import { planRecords } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import { keyOfWritten, type WrittenRecord } from '../store/change-log.ts'
import type { WriteContext } from '../store/write-context.ts'
import { readUnscoped } from './look-up-records.ts'

/**
 * The changes of a write, by model, in the order in which the models were first written. Reads the records as they will be committed,
 * including values that the database has filled in. Omits a record that was created and deleted again.
 */
export async function changesOf(context: WriteContext): Promise<readonly Change[]> {
  const changes: Change[] = []
  for (const [resource, records] of context.changes?.written ?? []) {
    const stored = await storedRecords(context, resource, [...records.values()])
    for (const [text, record] of records) {
      const change = changeOf(resource, record, stored.get(text) ?? null)
      if (change !== undefined) changes.push(change)
    }
  }
  return changes
}

/** By `keyText`: the records that are still stored, including soft-deleted ones and those that policies hide from the caller. */
export async function storedRecords(
  context: WriteContext,
  resource: Resource,
  records: readonly WrittenRecord[],
): Promise<ReadonlyMap<string, Values>> {
  const stored = new Map<string, Values>()
  const all = records.map(({ key }) => key)
  for (const keys of keyChunks(context.target.dialect, all, resource.primaryKey)) {
    const rows = await readUnscoped(
      context,
      planRecords(resource, resource.primaryKey, keys, { read: undefined, includeDeleted: true }),
      keys.length,
    )
    for (const row of rows) stored.set(keyText(keyOfWritten(resource, row)), row)
  }
  return stored
}

/** The change of one record, as a callback receives it; `after` is null if the record is deleted. */
function changeOf(
  resource: Resource,
  { key, path, before, links }: WrittenRecord,
  after: Values | null,
): Change | undefined {
  const action = actionOf(resource, before, after)
  if (action === undefined) return undefined
  const { model } = resource
  // A batch sets `at`, which names the operation.
  const change = { action, model, key: key.map(jsonOf), path, at: null, before, after }
  if (links.size === 0) return change
  const lists = [...links].map(([name, { added, removed }]): [string, LinkChanges] => [
    name,
    { added: added.map(jsonKey), removed: removed.map(jsonKey) },
  ])
  return { ...change, links: Object.fromEntries(lists) }
}

/** What happened to a record; undefined if it was created and deleted again. A soft delete counts as `delete`. */
function actionOf(
  resource: Resource,
  before: Values | null,
  after: Values | null,
): Change['action'] | undefined {
  if (before === null) return after === null ? undefined : 'create'
  if (after === null) return 'delete'
  const wasDeleted = isDeleted(resource, before)
  if (wasDeleted === isDeleted(resource, after)) return 'update'
  return wasDeleted ? 'restore' : 'delete'
}

const jsonKey = (key: StoredKey): readonly JsonValue[] => key.map(jsonOf)

/** A value of a key as callbacks receive it. */
const jsonOf = (value: Value): JsonValue => (typeof value === 'bigint' ? String(value) : value)
