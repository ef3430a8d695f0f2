// Keeps records of a model from overlapping (`exclude` of a model, such as no two bookings of a room at a time): the only file that decides
// it. All ways to write a record lead here: `prepareRecords` is called before records are stored, `RuledRecords.note` after it, and
// `refuseOverlaps` at the end of the write. `locksByRule`, `ruleOfConstraint` and `overlapAt` tell other files which records a rule locks,
// which rule a constraint enforces, and its problem.

import { missingReference, type Overlap, overlapping, validationFailed } from '../../errors.ts'
import { tableKey } from '../../lib/sql/table-name.ts'
import { isInBodies } from '../../model/registry/checks/field-rules.ts'
import type {
  Exclusion,
  NamedColumn,
  ResolvedRelation,
  Resource,
} from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { unscoped } from '../../query/compile/scopes.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyText } from '../../query/run/key.ts'
import { pathTo, type Values } from '../nodes/node.ts'
import { periodProblems } from '../nodes/period-problems.ts'
import { readLocked } from '../resolve/look-up-records.ts'
import {
  compileBreaking,
  compileLockOfName,
  compileOrphans,
} from '../statements/compile-overlaps.ts'
import { compileLockInOrder, inKeyOrder } from '../statements/locks-in-order.ts'
import type { CompiledWrite } from '../statements/statements.ts'
import { mayConcernRule, type RuledRecord } from '../store/ruled-records.ts'
import type { WriteContext } from '../store/write-context.ts'

/** A record before it is stored: as it is now, or null for a new one, and as it will be. */
interface Prepared {
  readonly stored: Values | null
  readonly values: Values
  readonly path: string
}

// ---------------------------------------------------------------- before records are stored

/**
 * Refuses records whose periods end before they begin, and locks what concurrent writes of overlapping records lock, too: the record to
 * which the foreign key of the rule refers, such as the room of a booking, or else the name of the table. Must run before the records are
 * stored: a foreign key constraint would take a weaker lock, and two transactions that have it would wait for each other.
 */
export async function prepareRecords(
  context: WriteContext,
  resource: Resource,
  records: readonly Prepared[],
): Promise<void> {
  if (resource.exclusions.length === 0) return
  const problems = records.flatMap(({ stored, values, path }) =>
    periodProblems(resource, values, changesIn(stored, values), path),
  )
  if (problems.length > 0) throw validationFailed(problems)
  for (const lock of locksFor(context, resource, records)) await lock()
}

/** The values of a record that differ from the stored ones. */
function changesIn(stored: Values | null, values: Values): Values {
  if (stored === null) return values
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => stored[name] !== value),
  )
}

/** The locks in the order of their tables, so that two writes do not wait for each other. */
function locksFor(
  context: WriteContext,
  resource: Resource,
  records: readonly Prepared[],
): readonly (() => Promise<void>)[] {
  const { lease, target } = context
  const { capabilities } = target.dialect
  // The database runs one write transaction at a time.
  if (!capabilities.locksRows) return []
  const locks = new Map<string, () => Promise<void>>()
  for (const rule of checkedRules(context, resource)) {
    const concerned = records.filter(({ stored, values }) =>
      mayConcernRule(resource, rule, stored, values),
    )
    if (concerned.length === 0) continue
    const { parent } = rule
    if (parent === undefined || !isLockable(context, parent)) {
      const name = tableKey(resource)
      locks.set(name, async () => {
        for (const statement of compileLockOfName(target, name)) await lease.rows(statement)
      })
    } else {
      const name = `${tableKey(parent.target)} ${parent.to.map((column) => column.name)} ${parent.from.map((column) => column.name)}`
      locks.set(name, () => lockParents(context, parent, concerned))
    }
  }
  return [...locks].sort(([nameA], [nameB]) => (nameA < nameB ? -1 : 1)).map(([, lock]) => lock)
}

/** The rules that no constraint of the database enforces. */
const checkedRules = ({ target }: WriteContext, { exclusions }: Resource): readonly Exclusion[] =>
  exclusions.filter((rule) => target.dialect.exclusionConstraints?.enforces(rule) !== true)

/**
 * Whether writes lock the record that a rule's foreign key refers to. Not so if the user of the database may not lock rows of that table,
 * and the dialect can lock a name instead.
 */
const isLockable = ({ target: { dialect } }: WriteContext, { target }: ResolvedRelation): boolean =>
  dialect.lockOfName === undefined || dialect.lockReferred?.(target) !== undefined

/** Locks the records to which the foreign keys of these records will refer, and refer now, in the order of their keys. */
async function lockParents(
  context: WriteContext,
  parent: ResolvedRelation,
  records: readonly Prepared[],
): Promise<void> {
  const { from } = parent
  const keys: (readonly Value[])[] = []
  for (const { stored, values } of records) {
    for (const row of [values, stored ?? values]) {
      const key = keyFromRow(from, row)
      if (key !== undefined) keys.push(key)
    }
  }
  await lockKeys(context, parent, inKeyOrder(keys))
}

/**
 * Locks the records with these keys. If some of the keys have no record yet, notes the keys (`ruled.notLocked`): this write may store the
 * record, or a concurrent one.
 */
async function lockKeys(
  { lease, target, ruled }: WriteContext,
  parent: ResolvedRelation,
  keys: readonly (readonly Value[])[],
): Promise<void> {
  for (const keyChunk of keyChunks(target.dialect, keys, parent.to)) {
    const locked = await lease.rows(compileLockInOrder(target, parent.target, parent.to, keyChunk))
    if (locked.length < keyChunk.length) ruled.notLocked.push({ parent, keys: keyChunk })
  }
}

/** Whether writes of a model lock the records of another one by a rule, so that its references to them need no lock of their own. */
export const locksByRule = (holder: Resource | undefined, referred: Resource): boolean =>
  holder?.exclusions.some(({ parent }) => parent?.target.name === referred.name) === true

// ---------------------------------------------------------------- after records are stored

/**
 * Throws 409 if a record that was written overlaps another one, also one that the caller may not see: it names the written records alone.
 * Throws 422 if one refers to no record: then concurrent writes have no row to wait for, and could store records that overlap it. Runs
 * at the end of the write, so that two records may exchange their periods, with the locks of `prepareRecords`.
 */
export async function refuseOverlaps(context: WriteContext): Promise<void> {
  const { notLocked } = context.ruled
  if (notLocked.length > 0) {
    // A record that appears after these locks would not be locked: all that are needed have to be there before.
    await refuseOrphans(context)
    for (const { parent, keys } of notLocked.splice(0)) await lockKeys(context, parent, keys)
  }
  const breaking = await writtenRecords(context, compileBreaking)
  if (breaking.length === 0) return
  await refuseOrphans(context)
  throw overlapping(breaking.map(({ resource, rule, path }) => overlapAt(resource, rule, path)))
}

/** Throws 422 if a written record refers, by the foreign key of a rule, to no record. */
async function refuseOrphans(context: WriteContext): Promise<void> {
  const orphans = await writtenRecords(context, compileOrphans)
  if (orphans.length === 0) return
  const paths = orphans.flatMap(({ resource, rule, path }) => orphanPaths(resource, rule, path))
  throw missingReference([...new Set(paths)])
}

/** A written record that a statement has found for a rule. */
interface Found {
  readonly rule: Exclusion
  readonly resource: Resource
  readonly path: string
}

/** The written records that a statement finds, for each rule that is checked here. */
async function writtenRecords(
  context: WriteContext,
  compile: typeof compileOrphans,
): Promise<readonly Found[]> {
  const all: Found[] = []
  const target = unscoped(context.target)
  for (const [rule, { resource, records }] of context.ruled.byRule) {
    if (!checkedRules(context, resource).includes(rule)) continue
    const found = await recordsFound(context, resource, [...records.values()], (keys) =>
      compile(target, resource, rule, keys),
    )
    for (const { path } of found) all.push({ rule, resource, path })
  }
  return all
}

/** Those of the written records that a statement finds by their keys. */
async function recordsFound(
  context: WriteContext,
  { primaryKey }: Resource,
  records: readonly RuledRecord[],
  compile: (keys: readonly (readonly Value[])[]) => CompiledWrite | undefined,
): Promise<readonly RuledRecord[]> {
  const found = new Map<string, RuledRecord>()
  for (const recordChunk of keyChunks(context.target.dialect, records, primaryKey)) {
    const statement = compile(recordChunk.map(({ key }) => key))
    if (statement === undefined) continue
    for (const row of await readLocked(context, statement)) {
      const key = keyFromRow(primaryKey, row) ?? []
      found.set(keyText(key), { key, path: '' })
    }
  }
  const written = records.filter(({ key }) => found.delete(keyText(key)))
  // What remains are records that a collation has found, whose keys have another text.
  return [...written, ...found.values()]
}

/** A column as the caller may see it. */
const asSeen =
  ({ allColumns }: Resource) =>
  (column: NamedColumn): NamedColumn =>
    allColumns.get(column.name) ?? column

/** The paths of the foreign key of a rule in a record that refers to no record. */
const orphanPaths = (resource: Resource, { parent }: Exclusion, path: string): readonly string[] =>
  (parent?.from ?? [])
    .map(asSeen(resource))
    .filter(({ hidden }) => !hidden)
    .map(({ name }) => pathTo(path, name))

/** The problem of a record that overlaps another one. It names only columns that clients may see. */
export function overlapAt(resource: Resource, rule: Exclusion, path: string): Overlap {
  const seen = asSeen(resource)
  const columns = [...rule.equal, rule.start, rule.end].map(seen).filter(({ hidden }) => !hidden)
  const field = [rule.start, rule.end, ...rule.equal].map(seen).find(isInBodies)
  return {
    path: field === undefined ? path : pathTo(path, field.name),
    rule: rule.declared.name ?? columns.map(({ name }) => name).join(', '),
  }
}

/** The rule of the model that a constraint of the database enforces, by the constraint's name in an error; undefined if there is none. */
export const ruleOfConstraint = (
  { target }: Pick<WriteContext, 'target'>,
  { exclusions }: Resource,
  constraint: string | undefined,
): Exclusion | undefined =>
  constraint === undefined
    ? undefined
    : exclusions.find((rule) => target.dialect.exclusionConstraints?.isOf(rule, constraint))
