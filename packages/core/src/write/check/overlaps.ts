// Keeps records of a model from overlapping (`exclude` of a model): the only file that decides it. All ways to write a record lead here:
// `prepareRecords` is called before records are stored, `WrittenRecords.note` after it, and `refuseOverlaps` at the end of the write.

import { type Overlap, overlapping, validationFailed } from '../../errors.ts'
import { tableKey } from '../../lib/sql/table-name.ts'
import { isInBodies } from '../../model/registry/checks/field-rules.ts'
import type {
  Exclusion,
  NamedColumn,
  ResolvedRelation,
  Resource,
} from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyTextIn } from '../../query/run/key.ts'
import { pathTo, type Values } from '../nodes/node.ts'
import { periodProblems } from '../nodes/period-problems.ts'
import { readLocked, valuesOf } from '../resolve/look-up-records.ts'
import { compileLockOfName, compileOverlapping } from '../statements/compile-overlaps.ts'
import { compileLockInOrder, inOrder } from '../statements/locks-in-order.ts'
import type { WriteContext } from '../store/write-context.ts'
import { concerns } from '../store/written-records.ts'

/** A record before it is stored: as it is now, or null for a new one, and as it will be. */
interface Prepared {
  readonly stored: Values | null
  readonly values: Values
  readonly path: string
}

// ---------------------------------------------------------------- before records are stored

/**
 * Refuses records whose periods end before they begin, and locks what concurrent writes lock, too, of records that may overlap these. Must
 * run before the records are stored: a foreign key constraint would take a weaker lock, and two transactions that have it would wait for
 * each other.
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
      concerns(resource, rule, stored, values),
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
  return [...locks].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, lock]) => lock)
}

/** The rules that no constraint of the database enforces. */
const checkedRules = ({ target }: WriteContext, { exclusions }: Resource): readonly Exclusion[] =>
  exclusions.filter((rule) => target.dialect.exclusionConstraints?.enforces(rule) !== true)

/** Whether writes can lock the record that a rule's foreign key refers to. */
const isLockable = ({ target: { dialect } }: WriteContext, { target }: ResolvedRelation): boolean =>
  dialect.lockOfName === undefined || dialect.lockReferred?.(target) !== undefined

/** Locks the records to which the foreign keys of these records refer, and have referred, in the order of their keys. */
async function lockParents(
  { lease, target }: WriteContext,
  { from, to, target: table }: ResolvedRelation,
  records: readonly Prepared[],
): Promise<void> {
  const keys: (readonly Value[])[] = []
  for (const { stored, values } of records) {
    for (const row of [values, stored ?? values]) {
      const key = valuesOf(from, row)
      if (key !== undefined) keys.push(key)
    }
  }
  for (const some of keyChunks(target.dialect, inOrder(keys), to)) {
    await lease.rows(compileLockInOrder(target, table, to, some))
  }
}

/** Whether writes of a model lock the records of another one by a rule, so that its references to them need no lock of their own. */
export const locksByRule = (holder: Resource | undefined, referred: Resource): boolean =>
  holder?.exclusions.some(({ parent }) => parent?.target.name === referred.name) === true

// ---------------------------------------------------------------- after records are stored

/**
 * Throws 409 if a record that was written overlaps another one, also one that the caller may not see: it names the written records alone.
 * Runs at the end of the write, so that two records may exchange their periods, with the locks of `prepareRecords`.
 */
export async function refuseOverlaps(context: WriteContext): Promise<void> {
  const found: Overlap[] = []
  for (const [rule, { resource, records }] of context.written.byRule) {
    if (!checkedRules(context, resource).includes(rule)) continue
    const overlaps = new Set<string>()
    const all = [...records.values()]
    for (const some of keyChunks(context.target.dialect, all, resource.primaryKey)) {
      const keys = some.map(({ key }) => key)
      const rows = await readLocked(
        context,
        compileOverlapping(context.target, resource, rule, keys),
      )
      for (const row of rows) overlaps.add(keyTextIn(resource.primaryKey, row) ?? '')
    }
    for (const [text, { path }] of records) {
      if (overlaps.delete(text)) found.push(overlapAt(resource, rule, path))
    }
    // A collation found a record whose key has another text.
    if (overlaps.size > 0) found.push(overlapAt(resource, rule, ''))
  }
  if (found.length > 0) throw overlapping(found)
}

/** The overlap of a record, told by what clients may see. */
export function overlapAt({ allColumns }: Resource, rule: Exclusion, path: string): Overlap {
  const own = (column: NamedColumn): NamedColumn => allColumns.get(column.name) ?? column
  const columns = [...rule.equal, rule.start, rule.end].map(own).filter(({ hidden }) => !hidden)
  const field = [rule.start, rule.end, ...rule.equal].map(own).find(isInBodies)
  return {
    path: field === undefined ? path : pathTo(path, field.name),
    rule: rule.declared.name ?? columns.map(({ name }) => name).join(', '),
  }
}

/** The rule that a constraint of the database enforces, by the name of the constraint in an error. */
export const ruleOfConstraint = (
  { target }: Pick<WriteContext, 'target'>,
  { exclusions }: Resource,
  constraint: string | undefined,
): Exclusion | undefined =>
  constraint === undefined
    ? undefined
    : exclusions.find((rule) => target.dialect.exclusionConstraints?.isOf(rule, constraint))
