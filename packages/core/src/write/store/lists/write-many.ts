// writeMany: creates and changes records with their nested ones, level by level.

import { ApiError } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { requireAccess } from '../../check/write-checks.ts'
import { parentKeys, type WrittenParent, writeChildren } from '../../links/nested-records.ts'
import { setUpdatedTimes } from '../../links/updated-times.ts'
import { isNested, type RecordNode, type Values, type WriteNode } from '../../nodes/node.ts'
import { refusalOf } from '../../refusals/refusal.ts'
import { RepeatNeeded } from '../savepoint.ts'
import type { WriteContext } from '../write-context.ts'
import { refuseWithLater } from './later-problems.ts'
import { LevelOrder } from './level-order.ts'
import { mayCallBack } from './look-ahead/may-call-back.ts'
import { storedNow } from './look-ahead/read-again.ts'
import { refersToStored } from './look-ahead/refers-to-stored.ts'
import type { ManyStep, WriteNested } from './many-step.ts'
import type { ReturnedRows } from './rows/returned-rows.ts'
import { type WrittenRecords, writeRecords } from './write-records.ts'

/**
 * Creates and changes the records of a list, or one record; returns their values, at least the keys, in the same order.
 *
 * Writes the to-one parents of all records first, then the records, then the children of all records, each level with few statements.
 * If a list with nested records is refused, the transaction is repeated with savepoints, and writes the list record by record, because
 * a record may refer to one that is nested in an earlier record. Where the transaction must not be repeated, such a list is written
 * record by record at once, unless its nested objects only refer to records that are stored already.
 *
 * `returned` collects the rows that statements return; some of the records may be missing.
 */
export async function writeMany(
  given: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
  returned?: ReturnedRows,
): Promise<readonly Values[]> {
  // One record needs no savepoint.
  const [only] = steps
  if (only !== undefined && steps.length === 1 && !hasNested(only)) {
    return writeTogether(given, resource, steps, { returned })
  }
  if (steps.some(hasNested)) given.generatedKeys.watchNested()
  // A callback may have effects outside of the transaction, so the transaction must not be repeated to find a refused record.
  const hasCallback = mayCallBack(given, resource, steps.map(nodeOf))
  const context = hasCallback ? { ...given, setsSavepoints: true } : given
  return writeLevel(context, resource, steps, { returned })
}

/** How the records of one level are written. */
interface LevelOptions {
  readonly returned?: ReturnedRows | undefined
  /** Whether these are nested records. */
  readonly isBelow?: boolean
  /** Given while a list with nested records is written level by level. */
  readonly order?: LevelOrder | undefined
}

async function writeLevel(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
  options: LevelOptions,
): Promise<readonly Values[]> {
  const beginsOrder = options.order === undefined && steps.length > 1 && steps.some(hasNested)
  if (!beginsOrder) return writeTogether(context, resource, steps, options)
  if (context.setsSavepoints || context.hosted) {
    const isTogether = !context.hosted && (await refersToStored(context, steps))
    return isTogether
      ? writeTogether(context, resource, steps, options)
      : writeEach(context, resource, steps)
  }
  const order = new LevelOrder()
  try {
    const written = await writeTogether(context, resource, steps, { ...options, order })
    order.refuse()
    return written
  } catch (error) {
    order.refuse()
    throw isRefusal(error) ? new RepeatNeeded() : error
  }
}

const isRefusal = (error: unknown): boolean =>
  refusalOf(error) !== undefined || (error instanceof ApiError && error.status < 500)

/** Writes record by record, each with its nested ones. */
async function writeEach(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
): Promise<readonly Values[]> {
  const written: Values[] = []
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as ManyStep
    const isStale = 'stored' in step && i > 0
    const now = isStale ? { ...step, stored: await storedNow(context, resource, step) } : step
    try {
      written.push(...(await writeTogether(context, resource, [now], { isBelow: true })))
    } catch (error) {
      return refuseWithLater(context, resource, steps, i, error, true)
    }
  }
  return written
}

/**
 * Returns the function that writes nested records. In a transaction of the host it writes them one by one, because without savepoints
 * it could not find out which of several records was refused.
 */
const nestedWriter =
  (order: LevelOrder | undefined): WriteNested =>
  (context, resource, steps) =>
    context.hosted
      ? writeEach(context, resource, steps)
      : writeLevel(context, resource, steps, { isBelow: true, order })

/** Writes the parents of all records, then the records, then the children of all records. */
async function writeTogether(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
  { returned, isBelow = false, order }: LevelOptions,
): Promise<readonly Values[]> {
  await requireStepAccess(context, resource, steps)
  const options = { keys: noKeys, keepsValues: isBelow, returned, order, writeNested: undefined }
  if (!steps.some(hasNested)) {
    const { stored, saved } = await writeRecords(context, resource, steps, options)
    return isBelow ? merged(saved, stored) : stored
  }
  const write = nestedWriter(order)
  const keys = steps.some(hasParents)
    ? await parentKeys(context, steps.map(recordOf), write)
    : noKeys
  let complete = 0
  const writeNested = async ({ stored, saved }: WrittenRecords): Promise<void> => {
    const first = complete
    complete = stored.length
    const withChildren = recordsWithChildren(steps, { stored, saved }, first)
    if (withChildren.length === 0) return
    const relinked = await writeChildren(context, resource, withChildren, write, order)
    // `writeChildren` may have added problems, such as a link whose record needs more fields.
    if (steps.some(isChange)) context.problems.refuse()
    await setUpdatedTimes(context, resource, [...relinked])
  }
  // No rows are collected, because triggers on the tables of children may change them.
  const ofLevel = { ...options, keys, keepsValues: true, returned: undefined, writeNested }
  const { stored, saved } = await writeRecords(context, resource, steps, ofLevel)
  await writeNested({ stored, saved })
  return merged(saved, stored)
}

const noKeys: ReadonlyMap<number, Values> = new Map()

/** Joins, for each record, the values that were sent to the database (`saved`) and those that it has returned (`stored`). */
function merged(saved: readonly Values[], stored: readonly Values[]): readonly Values[] {
  const records: Values[] = []
  for (let i = 0; i < saved.length; i++) records.push({ ...saved[i], ...stored[i] })
  return records
}

/** The records from the index `first` that have nested lists. */
function recordsWithChildren(
  steps: readonly ManyStep[],
  { stored, saved }: WrittenRecords,
  first: number,
): readonly WrittenParent[] {
  const records: WrittenParent[] = []
  for (let i = first; i < stored.length; i++) {
    const step = steps[i] as ManyStep
    const { node } = step
    if (node.kind === 'reference' || node.children.length === 0) continue
    const before = step.kind === 'change' ? step.stored : undefined
    const known = { ...saved[i], ...stored[i] }
    records.push({ node, known, before, saved: saved[i] as Values })
  }
  return records
}

async function requireStepAccess(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
): Promise<void> {
  const create = steps.find(isCreate)
  if (create !== undefined) await requireAccess(context, resource, 'POST', create.node.path)
  const change = steps.find(isChange)
  if (change?.kind === 'change') {
    await requireAccess(context, resource, change.replace === true ? 'PUT' : 'PATCH')
  }
}

const isCreate = ({ kind }: ManyStep): boolean => kind === 'create'
const isChange = ({ kind }: ManyStep): boolean => kind === 'change'
const nodeOf = ({ node }: ManyStep): WriteNode => node
const recordOf = ({ node }: ManyStep): RecordNode | undefined =>
  node.kind === 'record' ? node : undefined
const hasParents = ({ node }: ManyStep): boolean =>
  node.kind === 'record' && node.parents.length > 0
const hasNested = ({ node }: ManyStep): boolean => node.kind === 'record' && isNested(node)
