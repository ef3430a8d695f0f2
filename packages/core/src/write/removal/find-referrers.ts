// findReferrers: finds out with few statements what refers to the records of a list, and to those in turn, before the first of them is
// removed; `look-ahead.ts` calls it for the records of a segment. findRemoved tells only which records are removed with one record;
// `remove-node.ts` calls it if something seems to prevent the removal.

import {
  actionOn,
  type Dependent,
  type DependentModel,
  dependentsOf,
  hasModel,
  referredColumns,
} from '../../model/registry/relations/dependents.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { keyTextIn } from '../../query/run/key.ts'
import { planReferrers } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import { existsOneUnscoped, readUnscoped } from '../resolve/look-up-records.ts'
import type { WriteContext } from '../store/write-context.ts'
import { type FoundRows, findDependents, keysIn } from './find-dependents.ts'
import { howBelow, type RemovedRows, removalName } from './removal-types.ts'
import type { LinksOfRemoved } from './removed-links.ts'

/** What refers to one record that will be removed. */
export interface KnownReferrers {
  /** The rows that refer to it, by foreign key. Where these prevent its deletion, they are records that are to be deleted as well. */
  readonly referrers: ReadonlyMap<Dependent, FoundRows>
}

/** A `KnownReferrers` whose referrers are being collected. */
interface Collected extends KnownReferrers {
  readonly referrers: Map<Dependent, { readonly rows: Values[]; readonly links: LinksOfRemoved }>
}

/** The records that will be removed and what refers to each, by `removalName`. */
type Known = Map<string, Collected>

/** Most dependents that a look-up keeps in memory. */
const mostRows = 16_384

/**
 * Finds all records that refer to those of `list`, and to these in turn, so that their removals need no look-ups. `cascade`: whether the
 * request says `cascade_delete`. `tooMany` if there are more than a look-up may keep, so that fewer records of the list must be looked up
 * together. `unknown` if each record must be looked up at its turn, because others prevent the deletion of one of them, or because a
 * collation makes it unclear which record a dependent refers to.
 */
export async function findReferrers(
  context: WriteContext,
  list: RemovedRows,
  cascade: boolean,
): Promise<ReadonlyMap<string, KnownReferrers> | 'tooMany' | 'unknown'> {
  const known = knownOf(list)
  const lists = await findBelow(context, list, known, cascade)
  if (typeof lists === 'string') return lists
  return (await areFree(context, lists, known, cascade)) ? known : 'unknown'
}

/**
 * Finds the records that are removed with those of `list`, by `removalName`, whatever prevents it: their references to one another are no
 * reason to refuse the deletion. `tooMany` if they are more than a look-up may keep.
 */
export async function findRemoved(
  context: WriteContext,
  list: RemovedRows,
  cascade: boolean,
): Promise<ReadonlySet<string> | 'tooMany'> {
  const known = knownOf(list)
  const lists = await findBelow(context, list, known, cascade, () => true)
  return typeof lists === 'string' ? 'tooMany' : new Set(known.keys())
}

/** The records of a list, without referrers yet. */
function knownOf(list: RemovedRows): Known {
  const known: Known = new Map()
  for (const stored of list.rows) addRecord(known, list, stored)
  return known
}

/** Adds a record, without referrers yet; false if it is there already. */
function addRecord(known: Known, { resource, how }: Removal, stored: Values): boolean {
  const name = removalName(resource, stored, how)
  if (known.has(name)) return false
  known.set(name, { referrers: new Map() })
  return true
}

/** The model of removed rows, and how they are removed. */
type Removal = Omit<RemovedRows, 'rows'>

/**
 * Finds the dependents of the records, and theirs, level by level. Returns all records to remove, also in `known`; `unknown` if `keep`,
 * which adds the dependents to the records that they refer to, returns false.
 */
async function findBelow(
  context: WriteContext,
  list: RemovedRows,
  known: Known,
  cascade: boolean,
  keep: typeof assignToParents = assignToParents,
): Promise<readonly RemovedRows[] | 'tooMany' | 'unknown'> {
  const all = [list]
  let level: readonly RemovedRows[] = [list]
  /** How many more dependents may be kept. */
  let room = Math.max(mostRows, list.resource.settings.limits.bulk)
  while (level.length > 0) {
    const below: RemovedRows[] = []
    for (const parents of level) {
      for (const dependent of dependentsOf(context.registry, parents.resource)) {
        const action = actionOn(dependent, cascade)
        if (!hasModel(dependent) || action === 'restrict') continue
        const found = await findDependents(context, dependent, action, parents, room, '')
        if (found === 'tooMany') return 'tooMany'
        room -= found.rows.length
        if (!keep(known, parents, dependent, found)) return 'unknown'
        if (action === 'null') continue
        const records = { resource: dependent.resource, how: howBelow(parents.how, dependent) }
        const rows = found.rows.filter((stored) => addRecord(known, records, stored))
        if (rows.length > 0) below.push({ ...records, rows })
      }
    }
    level = mergedByModel(below)
    all.push(...level)
  }
  return mergedByModel(all)
}

/** Adds dependents to the records that they refer to; false if their keys do not tell which, because a collation finds them equal. */
function assignToParents(
  known: Known,
  { resource, how, rows }: RemovedRows,
  dependent: DependentModel,
  { rows: found, links }: FoundRows,
): boolean {
  const columns = referredColumns(dependent)
  const parents = new Map(rows.map((stored) => [keyTextIn(columns, stored), stored]))
  for (const row of found) {
    const stored = parents.get(keyTextIn(dependent.held, row))
    const parent = stored && known.get(removalName(resource, stored, how))
    if (parent === undefined) return false
    addReferrer(parent, dependent, row, links)
  }
  return true
}

/** Adds a row that refers to a record by the foreign key of `dependent`. */
function addReferrer(
  { referrers }: Collected,
  dependent: DependentModel,
  row: Values,
  links: LinksOfRemoved,
): void {
  const known = referrers.get(dependent)
  if (known === undefined) referrers.set(dependent, { rows: [row], links })
  else known.rows.push(row)
}

/** One list for the records of each model that are deleted in the same way. */
function mergedByModel(lists: readonly RemovedRows[]): readonly RemovedRows[] {
  const byModel = new Map<string, RemovedRows>()
  for (const list of lists) {
    const name = `${list.resource.name} ${list.how}`
    const known = byModel.get(name)
    byModel.set(name, known === undefined ? list : { ...list, rows: [...known.rows, ...list.rows] })
  }
  return [...byModel.values()]
}

/** Whether nothing prevents the deletion of the records but what is deleted as well. A soft delete leaves what refers to its records. */
async function areFree(
  context: WriteContext,
  lists: readonly RemovedRows[],
  known: Known,
  cascade: boolean,
): Promise<boolean> {
  const hard = lists.filter(({ how }) => how === 'delete')
  const deleted = new Map(hard.map(({ resource, rows }) => [resource, rows.length]))
  for (const list of hard) {
    for (const dependent of dependentsOf(context.registry, list.resource)) {
      if (!hasModel(dependent) || actionOn(dependent, cascade) !== 'restrict') continue
      const count = deleted.get(dependent.resource)
      const isFree =
        count === undefined
          ? !(await isOneReferredTo(context, list, dependent))
          : await areFreeAmong(context, list, dependent, known, count)
      if (!isFree) return false
    }
  }
  return true
}

/** Whether a row refers to one of the records by the foreign key of `dependent`. */
async function isOneReferredTo(
  context: WriteContext,
  { rows }: RemovedRows,
  dependent: DependentModel,
): Promise<boolean> {
  const columns = referredColumns(dependent)
  for (const keys of keyChunks(context.target.dialect, keysIn(columns, rows), columns)) {
    const probed = { table: dependent, matches: [], parts: dependent.key, keys }
    if (await existsOneUnscoped(context, probed)) return true
  }
  return false
}

/** Whether only records that are deleted as well refer to the records; `count` is the number of those of that model. */
async function areFreeAmong(
  context: WriteContext,
  list: RemovedRows,
  dependent: DependentModel,
  known: Known,
  count: number,
): Promise<boolean> {
  const { resource, held } = dependent
  const columns = referredColumns(dependent)
  const read = [...new Set([...resource.primaryKey, ...held])]
  for (const keys of keyChunks(context.target.dialect, keysIn(columns, list.rows), columns)) {
    const plan = planReferrers(context.target.dialect, dependent, keys, {
      read,
      includeDeleted: true,
    })
    const rows = await readUnscoped(context, plan, count + 1)
    const areDeleted = rows.every((stored) => known.has(removalName(resource, stored, 'delete')))
    if (!areDeleted || !assignToParents(known, list, dependent, { rows, links: [] })) return false
  }
  return true
}
