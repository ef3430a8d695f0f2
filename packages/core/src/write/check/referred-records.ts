// readReferred: looks up the records to which references and links of a body refer, `author_id: 7` or `{ "author": { "id": 7 } }`, and
// locks them, so that no other request deletes one of them before the record that refers to it is stored. Records that it cannot lock are
// checked at the end of the write by refuseDeletedMeanwhile. mayCallHost is one of the reasons not to lock them.

import { missingReference } from '../../errors.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { RowPlan, Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyText, keyTextIn } from '../../query/run/key.ts'
import { hasDefaultWithArgs } from '../fusion/fusion-of.ts'
import { planRecords } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import {
  locksAsItReads,
  readLocked,
  readScoped,
  readScopedOrEmpty,
} from '../resolve/look-up-records.ts'
import { type CompiledWrite, compileLocked } from '../statements/statements.ts'
import { compileLockedByKeys } from '../statements/statements-by-keys.ts'
import type { UnlockedReference, WriteContext } from '../store/write-context.ts'
import { locksByRule } from './overlaps.ts'

/** References whose records are looked up. */
export interface Referred {
  /**
   * The model of the records that have the references. Undefined if records of several models have them: then the functions of any model
   * may be called before they are stored (`mayCallHost`).
   */
  readonly holder: Resource | undefined
  /** The columns that the references name, and the keys to look up. */
  readonly columns: readonly NamedColumn[]
  readonly keys: readonly (readonly Value[])[]
  /** The paths in the body of the references to the record with this key, given as `keyText`. */
  readonly paths: (key: string) => readonly string[]
  /** Whether records that a policy refuses count as not found; otherwise they give 403. */
  readonly orEmpty?: boolean
  /** Whether the rows of a junction table will refer to the records. Such a table need not have foreign keys that lock the records. */
  readonly linked?: boolean
}

/**
 * The rows of a plan that the caller may see. If their model has soft delete, or links will name them, they are locked as by the foreign
 * key constraint, so that a deletion waits and then finds the new dependents and links. Rows that cannot be locked here are checked again
 * before the write ends (`refuseDeletedMeanwhile`): those of a policy's scope, and those on which functions of the host or rules of the
 * model need a stronger lock, for which two transactions with this lock would wait for each other.
 */
export async function readReferred(
  context: WriteContext,
  plan: RowPlan,
  { holder, columns, keys, paths, orEmpty = false, linked = false }: Referred,
): Promise<readonly Values[]> {
  const { target, unlocked } = context
  const { resource } = plan.from
  const { capabilities, lockReferred } = target.dialect
  const mayBeDeleted = (linked || resource.settings.softDelete !== null) && capabilities.locksRows
  const isLockable = lockReferred?.(resource) !== undefined && locksAsItReads(context, plan)
  const waits = mayCallHost(context, holder) || locksByRule(holder, resource)
  if (mayBeDeleted && isLockable && !waits) {
    return readLocked(context, compileReferred(context, plan, columns, keys))
  }
  const limit = keys.length === 1 ? 1 : undefined
  const rows = orEmpty
    ? await readScopedOrEmpty(context, plan)
    : await readScoped(context, plan, 'GET_ONE', limit)
  if (mayBeDeleted) {
    for (const row of rows) {
      unlocked.push({ resource, columns, key: keyFromRow(columns, row) ?? [], paths })
    }
  }
  return rows
}

/** Reads and locks the referred rows, as the foreign key constraint locks them. */
const compileReferred = (
  { target }: WriteContext,
  plan: RowPlan,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
): CompiledWrite =>
  (keys.length > 1 ? compileLockedByKeys(target, plan, columns, keys, 'reference') : undefined) ??
  compileLocked(target, plan, 'reference')

/**
 * Whether functions of the host may run between the look-up of references and the statement that stores them: callbacks, hooks of the
 * policy, defaults with arguments.
 */
export const mayCallHost = (context: WriteContext, holder: Resource | undefined): boolean =>
  holder === undefined
    ? context.registry.resources.some((resource) => callsHost(context, resource))
    : callsHost(context, holder)

/** Whether writes of a model call functions of the host in the transaction. */
const callsHost = ({ access, hooks }: WriteContext, resource: Resource): boolean =>
  hooks.has(resource, 'add') ||
  hooks.has(resource, 'update') ||
  hooks.has(resource, 'remove') ||
  access.hasHook(resource, 'can_create') ||
  access.hasHook(resource, 'can_update') ||
  access.hasHook(resource, 'can_delete') ||
  hasDefaultWithArgs(resource)

/**
 * Throws 422 if a record of `WriteContext.unlocked`, which was read without a lock, has been deleted meanwhile. Called when all records are
 * stored, before COMMIT. The records are locked now: the foreign key constraint has locked them already. If there is no such constraint, a
 * cascade either ends before this look-up or finds the new dependents.
 */
export async function refuseDeletedMeanwhile(context: WriteContext): Promise<void> {
  const missing: string[] = []
  // `missing` may be empty although a record is missing: a reference in hidden columns has no path.
  let isRefused = false
  for (const group of groupsOf(context.unlocked)) {
    const [{ resource, columns }] = group
    const keys = new Map(group.map(({ key }) => [keyText(key), key]))
    const found = new Set<string | undefined>()
    for (const keyChunk of keyChunks(context.target.dialect, [...keys.values()], columns)) {
      const plan = planRecords(resource, columns, keyChunk, { read: columns })
      const rows = await readLocked(context, compileReferred(context, plan, columns, keyChunk))
      for (const row of rows) found.add(keyTextIn(columns, row))
    }
    for (const { key, paths } of group) {
      const text = keyText(key)
      if (found.has(text)) continue
      isRefused = true
      missing.push(...paths(text))
    }
  }
  if (isRefused) throw missingReference([...new Set(missing)])
}

/** References to the same columns of one model. */
type Group = [UnlockedReference, ...UnlockedReference[]]

/** The references by the columns that they name, so that one look-up finds the records of each group. */
function groupsOf(references: readonly UnlockedReference[]): Iterable<Group> {
  const groups = new Map<string, Group>()
  for (const reference of references) {
    const { resource, columns } = reference
    const name = JSON.stringify([resource.name, ...columns.map((column) => column.name)])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [reference])
    else group.push(reference)
  }
  return groups.values()
}
