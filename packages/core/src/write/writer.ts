// writeRequest: a whole write of a request, with its transaction and repetitions; an endpoint of `http/endpoints/writes` calls it. Inside
// it the endpoint calls writeNodes, the loop that stores records: a list of nodes (records to write) is written in segments, and each step
// is made by all nodes of a segment before the next step begins. README.md explains these words, and has a table of the steps.

import { addLaterProblems, checkSegment, refuseBeforeParents } from './check/check-segment.ts'
import { requireRights } from './check/segment-rights.ts'
import { requireAccess } from './check/write-checks.ts'
import { writeFused } from './fusion/fused-write.ts'
import { fusionOf, isAtomic } from './fusion/fusion-of.ts'
import type { OneRecord, OneStatement } from './fusion/one-record.ts'
import { needsNoLookUp, writeWithoutLookUp } from './fusion/without-look-up.ts'
import { writeParents } from './links/nested-records.ts'
import { isNested, type Values } from './nodes/node.ts'
import { knownValues, mayNest, recordNodeOf, type WriteNode } from './nodes/write-node.ts'
import { explainedError } from './refusals/explained-error.ts'
import { type WriteRefusal, writeRefusalOf } from './refusals/refusal.ts'
import { Removals } from './removal/removals.ts'
import { resolveChanges } from './resolve/resolve-changes.ts'
import { resolveNamed } from './resolve/resolve-named.ts'
import { resolveRemovals } from './resolve/resolve-removals.ts'
import { callHooks, isRefused } from './segments/call-hooks.ts'
import { lastSteps } from './segments/last-steps.ts'
import { Level, type Segment } from './segments/level.ts'
import { mayCallBack } from './segments/may-call-back.ts'
import { refersToStored } from './segments/refers-to-stored.ts'
import type { ReturnedRows } from './store/rows/returned-rows.ts'
import type { WriteContext } from './store/write-context.ts'
import { type AnyAttempt, inAttempts } from './transaction/attempts.ts'
import { HookResults } from './transaction/hook-results.ts'
import {
  type AttemptOptions,
  noChanges,
  type OpenWrite,
  type Respond,
  type WriteRequest,
  writeOnce,
} from './transaction/write-once.ts'

/** How often a write is repeated of which a concurrent transaction may have caused the refusal. */
const mostRetries = 3

/** How a write is attempted. */
interface Attempt extends AnyAttempt {
  /** Given if one statement makes the write; otherwise the steps of `writeSegment` make it. */
  readonly fusion: OneStatement | undefined
  /** Whether one statement can make the write, apart from its response, so that a driver without transactions may make it. */
  readonly isAtomic: boolean
  /** Whether the steps may ask for a repetition with savepoints (`WriteContext.repeat`); false in that repetition, and in a batch. */
  readonly mayRepeat: boolean
}

/**
 * Runs a write: by one statement if it can make all steps, otherwise in one transaction. Repeats it by steps if the statement has written
 * nothing, from BEGIN with savepoints if `WriteContext.repeat` asks for it, and if a concurrent transaction may have caused its refusal.
 * If the database refuses it, finds out why, and throws the API error.
 *
 * `work` is called in each attempt: it stores the records, through `writeNodes`, and returns the function that makes the response from
 * them.
 */
export function writeRequest<W extends OpenWrite, R>(
  request: WriteRequest<W, R>,
  work: (writing: W) => Promise<Respond<R>>,
  { oneRecord, retryOn }: AttemptOptions,
): Promise<R> {
  const { batch, own, outside } = request
  let refusals = 0
  const results = new HookResults()
  const first = firstAttempt(request, oneRecord)
  let previous = first
  return inAttempts<Attempt, R>(
    first,
    async (attempt, repeatAs) => {
      const { fusion, isAtomic, mayRepeat, deferred } = attempt
      // An attempt made in another way may use the results of hooks. After a conflict the same attempt is made again, and calls them anew.
      if (attempt !== previous) results.keep()
      previous = attempt
      const repeat = (): never => repeatAs({ mayRepeat: false, fusion: undefined })
      const fused = oneRecord &&
        fusion && {
          oneRecord,
          fusion,
          isInside: fusion.inTransaction || batch !== undefined,
          refuse: ({ needTransaction }: { readonly needTransaction: boolean }) =>
            repeatAs({ fusion: undefined, isAtomic: isAtomic && !needTransaction }),
        }
      const facts = { repeat: mayRepeat ? repeat : undefined, deferred, results, fused }
      const { result, changes, again } = await writeOnce(request, work, facts, isAtomic)
      if (changes !== noChanges) request.noteChanges(changes, again)
      return result
    },
    async (error, { fusion }) => {
      refusals += 1
      // A transaction of the host or of a batch is not repeated here. A statement in autocommit mode has called `refuse` if steps may help.
      const isFinal = own.isTransaction || refusals > mostRetries || fusion?.inTransaction === false
      if (isFinal || !mayRetry(error, retryOn)) throw await explainedError(request, outside, error)
    },
    // After a refused COMMIT, steps write the record, so that the check before the next COMMIT can name it.
    { fusion: undefined },
  )
}

/** How the first attempt is made: by one statement if `fusionOf` agrees, otherwise by steps. */
function firstAttempt<W extends OpenWrite, R>(
  request: WriteRequest<W, R>,
  oneRecord: OneRecord | undefined,
): Attempt {
  const { batch } = request
  const deferred = batch?.deferred?.failure
  const mayRepeat = batch === undefined
  if (oneRecord === undefined) return { fusion: undefined, isAtomic: false, mayRepeat, deferred }
  const facts = request.fusionFacts(oneRecord)
  const fusion = fusionOf(oneRecord, facts)
  return fusion.kind === 'one statement'
    ? { fusion, isAtomic: !fusion.inTransaction, mayRepeat, deferred }
    : { fusion: undefined, isAtomic: isAtomic(oneRecord, facts), mayRepeat, deferred }
}

/** Whether the write may succeed if it is made again after this error. */
function mayRetry(
  error: unknown,
  retryOn: ((refusal: WriteRefusal) => boolean) | undefined,
): boolean {
  const refusal = writeRefusalOf(error)
  if (refusal === undefined) return false
  const { step, failure } = refusal
  // A request from the other end may have made the link meanwhile; the next attempt finds it.
  const isRepeatedLink = step === 'link' && failure.kind === 'unique'
  return isRepeatedLink || retryOn?.(refusal) === true
}

export interface WriteOptions {
  /** Collects the rows that the statements return; some of the records may be missing. */
  readonly returned?: ReturnedRows | undefined
  /** Whether each segment has one node, because the order of the list matters. */
  readonly isOrdered?: boolean
}

/**
 * Writes the records of a request, which are of one model; returns their values, at least the keys, in the same order. Called by the `work`
 * of an endpoint, once in each attempt; the rows of nested records and of dependents are written with them.
 */
export async function writeNodes(
  attempted: WriteContext,
  nodes: readonly WriteNode[],
  { returned, isOrdered = false }: WriteOptions = {},
): Promise<readonly Values[]> {
  const [first] = nodes
  if (first === undefined) return []
  if (attempted.fused !== undefined) return [await writeFused(attempted, attempted.fused, first)]
  const { resource } = first.options
  const nested = nodes.some(mayNest)
  if (nested) attempted.generatedKeys.watchNested()
  // A callback may have effects outside of the transaction, so the transaction must not be repeated to find a refused record.
  const mayRepeat = (nodes.length === 1 && !nested) || !mayCallBack(attempted, resource, nodes)
  const context = mayRepeat ? attempted : { ...attempted, repeat: undefined }
  // Links and children may change rows that were returned before, so `returned` collects none of records with nested ones.
  await writeLevel(context, levelOf(context, nodes, isOrdered), nested ? undefined : returned)
  return nodes.map(nested ? knownValues : writtenValues)
}

/** The values that identify a written record. */
const writtenValues = ({ written, stored }: WriteNode): Values => written ?? stored ?? {}

/** Writes nested records; returns all known values of each. */
async function writeNested(
  context: WriteContext,
  nodes: readonly WriteNode[],
): Promise<readonly Values[]> {
  if (nodes.length === 0) return []
  // In a transaction of the host there are no savepoints to find out which of several records was refused.
  await writeLevel(context, levelOf(context, nodes, context.hosted), undefined)
  return nodes.map(knownValues)
}

/** The level of a list; nodes that remove records share their state (`Removals`). */
function levelOf(context: WriteContext, nodes: readonly WriteNode[], isOrdered: boolean): Level {
  const removal = nodes[0]?.options.removal
  // `top` is the model in the path of the request, whose limit counts.
  const removals = removal && new Removals(context.removedLinks.top, removal.cascade)
  return new Level(nodes, { isOrdered, removals })
}

/** Writes the segments of a list, one after the other. */
async function writeLevel(
  around: WriteContext,
  level: Level,
  returned: ReturnedRows | undefined,
): Promise<void> {
  const { removals, resource, nodes } = level
  // As in `writeNodes`: callbacks, here those of removed records and their dependents, may have effects outside of the transaction.
  const isOnce = removals !== undefined && mayCallBack(around, resource, nodes)
  const context = isOnce ? { ...around, repeat: undefined } : around
  while (level.hasNext) {
    const segment = level.next()
    try {
      await writeSegment(context, segment, returned)
    } catch (error) {
      throw await withLaterProblems(context, level, error)
    }
  }
}

/** The steps of the writer in their order. Nested records are written by the same steps. */
async function writeSegment(
  context: WriteContext,
  segment: Segment,
  returned: ReturnedRows | undefined,
): Promise<void> {
  // Records of this segment may be those of earlier ones, whose returned rows would be outdated.
  returned?.rows.splice(0)
  await requireRights(context, segment)
  if (await wroteWithoutLookUp(context, segment)) return
  await resolve(context, segment)
  await requireCreateAccess(context, segment)
  await limitSegment(context, segment)
  await writeTogether(context, segment, async (inside) => {
    const last = lastSteps(inside, segment, returned, writeNested)
    await writeParents(inside, segment.nodes, writeNested).catch(async (error: unknown) => {
      // Only for errors of the service: after a statement that the database refused, the transaction may accept no more of them.
      if (isRefused(error) && writeRefusalOf(error) === undefined)
        await refuseBeforeParents(inside, segment)
      throw error
    })
    await checkSegment(inside, segment)
    await callHooks(inside, segment, last)
    await last.store()
    await last.nest(segment.nodes.length)
  })
}

/** Whether several records are written, one of them with nested ones. A record that is only referred to (`link`) is not written. */
const writesSeveral = (nodes: readonly WriteNode[]): boolean =>
  nodes.some(nests) && nodes.filter(({ decision }) => decision !== 'link').length > 1

/** Whether the node writes a record with nested ones. */
const nests = (node: WriteNode): boolean => {
  const record = recordNodeOf(node)
  return record !== undefined && isNested(record)
}

/**
 * Gives a list with nested records segments of one node, where its transaction must not be repeated, unless the nested objects only name
 * stored records, so that nothing depends on the order of the list.
 */
async function limitSegment(context: WriteContext, segment: Segment): Promise<void> {
  const { level, isFirst, nodes } = segment
  // The first segment decides for the list. In a list that `writeTogether` writes, any problem repeats the transaction anyway.
  if (!isFirst || context.interrupt !== undefined) return
  const mayBeMany = level.isOrdered
    ? nodes.every(({ decision }) => decision === 'link' || decision === 'remove')
    : !writesSeveral(nodes) ||
      (!context.hosted &&
        (context.repeat !== undefined || (await refersToStored(context, nodes, writeNested))))
  if (mayBeMany) return
  segment.endBefore(1)
  level.stayAtOne()
}

/**
 * Writes several nodes with nested ones. A node may name a record that is nested in an earlier one, and a hook may read what is nested in
 * the earlier ones. So if a node is refused, or a hook sends a statement, the transaction is repeated with segments of one node. Segments
 * without nested records, and those inside such a segment, are written as they are.
 */
async function writeTogether(
  context: WriteContext,
  { nodes }: Segment,
  makeSteps: (context: WriteContext) => Promise<void>,
): Promise<void> {
  const { repeat, interrupt } = context
  if (repeat === undefined || interrupt !== undefined || !writesSeveral(nodes))
    return makeSteps(context)
  let isInterrupted = false
  const refuse = (): void => {
    if (isInterrupted) repeat()
  }
  const work = async (): Promise<never> => {
    isInterrupted = true
    return repeat()
  }
  try {
    await makeSteps({ ...context, interrupt: { work, refuse } })
  } catch (error) {
    if (isRefused(error)) repeat()
    throw error
  }
  // The hook may have caught the error of its statement.
  refuse()
}

/** Changes the records of a list without looking them up, if one statement can tell what a look-up would; otherwise returns false. */
async function wroteWithoutLookUp(context: WriteContext, segment: Segment): Promise<boolean> {
  const { level, nodes } = segment
  const { resource, options } = level
  const isUniform =
    options.whenFound === 'change' && !options.isUpsert && needsNoLookUp(context, resource, nodes)
  if (isUniform) await writeWithoutLookUp(context, resource, nodes)
  return isUniform
}

/** Finds and locks the stored records that the nodes name. */
function resolve(context: WriteContext, segment: Segment): Promise<void> {
  switch (segment.level.options.whenFound) {
    case 'change':
    case 'restore':
      return resolveChanges(context, segment)
    case 'link':
    case 'move':
      return resolveNamed(context, segment)
    case 'remove':
      return resolveRemovals(context, segment)
  }
}

/** Throws 403 if a node creates a record, which is known after its look-up, and the caller may create none. */
async function requireCreateAccess(
  context: WriteContext,
  { level, nodes }: Segment,
): Promise<void> {
  const created = nodes.find(({ decision }) => decision === 'create')
  if (created !== undefined) await requireAccess(context, level.resource, 'POST', created.path)
}

/** The error of a segment; if it reports problems of the body (`problems.refusal`), with those of the later nodes. */
async function withLaterProblems(
  context: WriteContext,
  level: Level,
  error: unknown,
): Promise<unknown> {
  const { problems } = context
  if (problems.refusal !== error || context.interrupt !== undefined || !level.hasNext) return error
  await addLaterProblems(context, level)
  try {
    // Throws one error with all problems.
    problems.refuse()
  } catch (all) {
    return all
  }
  return error
}
