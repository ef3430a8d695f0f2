// callHooks: calls the functions of the host for each node of a segment (nodes that are written together, ../README.md): defaults,
// validators of whole records, policies and callbacks. The step after `checkSegment` and before the nodes are stored; it sets `row` of each
// node, which says what to store. `checkSegment` calls validatedChanges for a node that it refuses.

import { ApiError, forbidden, isOfHost } from '../../errors.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { ResolvedRelation } from '../../model/registry/resource.ts'
import { keyTextIn } from '../../query/run/key.ts'
import { newRecord } from '../check/defaults.ts'
import { hidingRelations, refuseInvisible, validateFilled } from '../check/write-checks.ts'
import { isSet } from '../nodes/hidden-references.ts'
import type { RecordNode, Values } from '../nodes/node.ts'
import { removalOf, type WriteNode } from '../nodes/write-node.ts'
import { writeRefusalOf } from '../refusals/refusal.ts'
import type { RemovalContext } from '../removal/removal-context.ts'
import { removeNode } from '../removal/remove-node.ts'
import { runWholeRecordChecks } from '../resolve/requested-changes.ts'
import { activeMark } from '../store/deletion-marks.ts'
import { ChangedRow, NewRow } from '../store/rows/rows.ts'
import { changesToStore } from '../store/save.ts'
import type { WriteContext } from '../store/write-context.ts'
import type { Segment } from './level.ts'
import { withHooks } from './with-hooks.ts'

/** The last steps of a segment, which `last-steps.ts` makes: storing its nodes, and writing what is nested in them. */
export interface LastSteps {
  /** The segment and, while dependents of its nodes are removed, their segments. */
  readonly open: Segment[]
  /** Adds a node whose hooks were called to those that are stored next. */
  readonly add: (node: WriteNode) => void
  /** Stores the nodes that were added, after those of earlier calls. */
  readonly store: () => Promise<void>
  /** Writes what is nested in the stored records before the node at `end`, and has not been written yet. */
  readonly nest: (end: number) => Promise<void>
  /** Calls the hooks of records that are removed before the one to which they refer. */
  readonly remove: RemovalContext['remove']
  /** Throws the error of an earlier call, which a hook may have caught. */
  readonly refuse: () => void
}

/**
 * Calls the hooks of one node after the other. They find the database as if the earlier nodes had been written one by one: if a hook
 * sends a statement through `args.db`, the earlier nodes are stored first, with all that is nested in them; and the segment ends after its
 * node, if the later ones were looked up.
 */
export async function callHooks(
  context: WriteContext,
  segment: Segment,
  last: LastSteps,
): Promise<void> {
  const { interrupt } = context
  const { open } = last
  open.push(segment)
  const [outermost = segment] = open
  const storeEarlier = async (): Promise<void> => {
    const end = outermost.at
    endSegments(open)
    outermost.level.removals?.removed.forgetChanges()
    await last.store()
    await last.nest(end)
  }
  try {
    await withHooks(context, interrupt?.work ?? storeEarlier, async () => {
      const composite = hidingRelations(context, segment.level.resource).filter(isComposite)
      for (; segment.at < segment.nodes.length; segment.at++) {
        const node = segment.nodes[segment.at] as WriteNode
        // Awaits only values that are promises. Few are, and an `await` costs about as much as the rest of the loop.
        const called = hooksOf(context, node, composite, last)
        if (called instanceof Promise) await called
        if (node.decision !== 'remove') last.add(node)
        // Throw what a hook may have caught: a statement of it that must end the write, or the failure of one.
        interrupt?.refuse()
        last.refuse()
      }
    })
  } catch (error) {
    if (interrupt !== undefined || segment !== outermost) throw error
    // Stores the earlier nodes first, because a refusal of theirs takes precedence.
    await storeBefore(segment.at, last).catch((refusal: unknown) => {
      if (isRefused(refusal)) throw refusal
    })
    throw error
  } finally {
    open.pop()
  }
}

/** Ends the segments after the nodes whose hooks are being called, because what is known of the later ones may be outdated. */
function endSegments(open: readonly Segment[]): void {
  // The lists of dependents have the same `removals`.
  open[0]?.level.removals?.forgetLookUps()
  for (const openSegment of open) {
    // Without look-ups nothing that is known of the later nodes may be outdated.
    if (!openSegment.isLookedUp) continue
    openSegment.endAfterCurrent()
    openSegment.level.startSmall()
  }
}

/** Stores the nodes before the index `end`, whose hooks were called, with all that is nested in them. */
async function storeBefore(end: number, { store, nest }: LastSteps): Promise<void> {
  await store()
  await nest(end)
}

/** Whether a foreign key has several columns, of which a default may give one. */
const isComposite = ({ from }: ResolvedRelation): boolean => from.length > 1

/** Whether an error says that the write was refused, by the database or by the service; other errors are failures. */
export const isRefused = (error: unknown): boolean =>
  writeRefusalOf(error) !== undefined || (error instanceof ApiError && error.status < 500)

/** Calls the hooks of one node. `composite`: the relations of several columns whose records may be hidden. */
function hooksOf(
  context: WriteContext,
  node: WriteNode,
  composite: readonly ResolvedRelation[],
  last: LastSteps,
): MaybePromise<void> {
  const { decision, asMissing } = node
  if (decision === 'remove') return removeOrWait(context, node, last)
  if (decision === 'create' && asMissing !== null)
    return hooksOfNew(context, node, asMissing, composite)
  if (decision !== undefined && decision !== 'link') return hooksOfChange(context, node)
}

/** Removes a record; if others still refer to it, and the list has rounds, it is tried again after the others. */
async function removeOrWait(
  context: WriteContext,
  node: WriteNode,
  { open, add, store, remove }: LastSteps,
): Promise<void> {
  // The innermost list: that of dependents, while they are removed.
  const level = open.at(-1)?.level
  const removals = level?.removals
  if (level === undefined || removals === undefined) return
  const { links } = level
  const forgetLookUps = () => endSegments(open)
  try {
    await removeNode({ context, removals, links, add, flush: store, remove, forgetLookUps }, node)
  } catch (error) {
    if (!removalOf(level.options).inRounds || !isReferredTo(error)) throw error
    level.tryLater(node, error)
  }
}

/** Whether a removal was refused because others refer to the record. */
const isReferredTo = (error: unknown): boolean =>
  error instanceof ApiError && !isOfHost(error) && error.body.code === 'referred_to'

/** Calls the hooks of a new record: its defaults, then (`addChecked`) its validators, then (`addAllowed`) the policy and the callback. */
function hooksOfNew(
  context: WriteContext,
  node: WriteNode,
  record: RecordNode,
  composite: readonly ResolvedRelation[],
): MaybePromise<void> {
  const { filled: keyAround, parentKeys } = node
  /** All foreign keys that other records of the body set. */
  const filled = parentKeys === undefined ? keyAround : { ...keyAround, ...parentKeys }
  const withDefaults = newRecord(context, record, filled)
  const checks = (node.checks?.length ?? 0) + record.wholeRecordChecks.length
  const isPlain = filled === undefined && composite.length + checks === 0
  return isPlain && !(withDefaults instanceof Promise)
    ? addAllowed(context, node, withDefaults, filled)
    : addChecked(context, node, record, withDefaults, filled, composite)
}

/** Waits for the defaults of a new record, checks the whole record and calls its validators. `filled` as in `hooksOfNew`. */
async function addChecked(
  context: WriteContext,
  node: WriteNode,
  record: RecordNode,
  withDefaults: MaybePromise<Values>,
  filled: Values | undefined,
  composite: readonly ResolvedRelation[],
): Promise<void> {
  const { resource, values: sent } = record
  const { path } = node
  const initial = await withDefaults
  const data = filled === undefined ? initial : { ...initial, ...filled }
  const known = { ...sent, ...filled }
  // `checkSegment` has not looked up keys of which a default gives a part.
  const unchecked = composite.filter(
    (relation) => isSet(relation, sent) && keyTextIn(relation.from, known) === undefined,
  )
  if (unchecked.length > 0) {
    await refuseInvisible(context, resource, unchecked, { sent, row: data }, path)
  }
  if (filled !== undefined) await validateFilled(context, resource, filled, data, path)
  if (node.checks !== undefined && node.checks.length > 0) {
    await context.validate(node.checks)
    context.problems.refuse()
  }
  if (record.wholeRecordChecks.length > 0) {
    await runWholeRecordChecks(context, record, data, null)
    context.problems.refuse()
  }
  await addAllowed(context, node, data, filled)
}

/** Asks the policy and calls the callback for a new record. */
function addAllowed(
  context: WriteContext,
  node: WriteNode,
  data: Values,
  filled: Values | undefined,
): MaybePromise<void> {
  const { resource } = node.options
  const isAllowed = context.access.canCreate(resource, data, node.path)
  if (isAllowed !== true || context.hooks.has(resource, 'add')) {
    return addIf(isAllowed, context, node, data, filled)
  }
  node.row = new NewRow(data, node.path, filled)
}

/** `addAllowed` if the policy returns a promise or refuses (403), or there is a callback. */
async function addIf(
  isAllowed: MaybePromise<boolean>,
  { hooks }: WriteContext,
  node: WriteNode,
  data: Values,
  filled: Values | undefined,
): Promise<void> {
  const { path, options } = node
  if (!(await isAllowed)) throw forbidden(path)
  const { resource } = options
  const values = hooks.has(resource, 'add') ? await hooks.add(resource, data, path) : data
  node.row = new NewRow(values, path, filled)
}

/** Calls the hooks of a change of a stored record. Few of them return promises, so nothing waits unless one does. */
function hooksOfChange(context: WriteContext, node: WriteNode): MaybePromise<void> {
  const { stored = {} } = node
  const requested = requestedOf(context, node, stored)
  if (requested instanceof Promise) return changeRequested(context, node, stored, requested)
  const written = allowedChanges(context, node, stored, requested)
  if (written instanceof Promise) return changeWhenAllowed(node, stored, requested, written)
  node.row = changedRow(node, stored, requested, written)
}

/** The values that a node requests for its stored record, after the validators that take the whole record. */
function requestedOf(context: WriteContext, node: WriteNode, stored: Values): MaybePromise<Values> {
  if (node.decision === 'move') return validatedMove(context, node, stored)
  return node.decision === 'restore'
    ? activeMark(node.options.resource)
    : requestedValues(context, node, stored)
}

/** `hooksOfChange` if the requested values come as a promise. */
async function changeRequested(
  context: WriteContext,
  node: WriteNode,
  stored: Values,
  requested: Promise<Values>,
): Promise<void> {
  const changes = await requested
  const written = await allowedChanges(context, node, stored, changes)
  node.row = changedRow(node, stored, changes, written)
}

/** `hooksOfChange` if the policy or the callback returns a promise. */
async function changeWhenAllowed(
  node: WriteNode,
  stored: Values,
  changes: Values,
  written: Promise<Values>,
): Promise<void> {
  node.row = changedRow(node, stored, changes, await written)
}

/** Asks the policy and calls the callback for a change; returns the values to write. */
function allowedChanges(
  context: WriteContext,
  { options, path, decision }: WriteNode,
  stored: Values,
  changes: Values,
): MaybePromise<Values> {
  const touches = decision === 'move' || options.touches
  return changesToStore(context, options.resource, stored, changes, path, touches)
}

/** The row of a change: `changes` are the requested values, `written` those that remain after the comparison with the stored record. */
const changedRow = (
  { decision, filled, parentKeys, path }: WriteNode,
  stored: Values,
  changes: Values,
  written: Values,
): ChangedRow =>
  new ChangedRow(stored, written, path, changes, decision === 'move' ? filled : parentKeys)

/** The foreign key to the new parent of a child, after its validators. */
async function validatedMove(
  context: WriteContext,
  { options, filled = {}, path }: WriteNode,
  stored: Values,
): Promise<Values> {
  const row = { ...stored, ...filled }
  await validateFilled(context, options.resource, filled, row, path, stored)
  return filled
}

/** The changes that a body requests for a stored record, after its validators. */
function requestedValues(
  context: WriteContext,
  node: WriteNode,
  stored: Values,
): MaybePromise<Values> {
  const { options, asFound, sent = {}, parentKeys } = node
  const record = asFound as RecordNode
  const isPlain =
    !options.replace && parentKeys === undefined && record.wholeRecordChecks.length === 0
  return isPlain ? sent : validatedChanges(context, node, record, stored)
}

/** The changes of a stored record with those of PUT and the keys of nested parents, after the validators that take the whole record. */
export async function validatedChanges(
  context: WriteContext,
  { options, path, sent, reset, parentKeys = {} }: WriteNode,
  record: RecordNode,
  stored: Values,
): Promise<Values> {
  const { resource } = options
  const changes = { ...reset, ...sent, ...parentKeys }
  const row = { ...stored, ...changes }
  await validateFilled(context, resource, parentKeys, row, path, stored)
  await runWholeRecordChecks(context, { ...record, values: sent ?? {} }, row, stored)
  context.problems.refuse()
  return changes
}
