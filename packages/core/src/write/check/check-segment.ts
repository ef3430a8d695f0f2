// checkSegment: compares the nodes of a segment (nodes that are written together, ../README.md) with the stored records, and checks what
// they refer to. The writer calls it after `resolve` has locked the stored records and nested parents are written, before any hook is
// called. All problems of the nodes are reported together. If a nested parent is refused, refuseBeforeParents is called instead; if the
// segment is refused, addLaterProblems adds the problems of the nodes after it.

import { missingReference, notDeleted } from '../../errors.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { refuseMove, refuseOtherParent } from '../links/nested-checks.ts'
import { isDeleted } from '../nodes/is-deleted.ts'
import type { RecordNode } from '../nodes/node.ts'
import { periodProblems } from '../nodes/period-problems.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import { compareWithStored, hasOnlyValues, resetValues } from '../resolve/requested-changes.ts'
import { findLater } from '../resolve/resolve-changes.ts'
import { validatedChanges } from '../segments/call-hooks.ts'
import type { Level, Segment } from '../segments/level.ts'
import type { WriteContext } from '../store/write-context.ts'
import { refuseDeletedReferences } from './deleted-references.ts'
import { invisibleReferences, laterReferences } from './segment-references.ts'
import {
  addOtherForms,
  compareSentBack,
  hasSentBack,
  refuseInvisibleByParts,
} from './write-checks.ts'

/**
 * Where the first error of each kind is in a segment: problems of the body are collected and thrown together (400), other errors, such as
 * 404, are thrown alone.
 */
interface FirstErrors {
  /** The index of the first node with problems. */
  problems: number
  /** The index of the first node with another error. */
  error: number
  /** That error. */
  thrown: unknown
}

/** The index of an error that no node has. */
const nowhere = Number.POSITIVE_INFINITY

/**
 * Throws the first error in the order of the nodes; otherwise sets `sent` and `reset` of each node, the values to write. May end the
 * segment before a node that refers to an earlier one.
 */
export async function checkSegment(context: WriteContext, segment: Segment): Promise<void> {
  const { problems } = context
  const { level, nodes } = segment
  const before = problems.count
  const found: FirstErrors = { problems: nowhere, error: nowhere, thrown: undefined }
  for (let i = 0; i < nodes.length; i++) {
    const count = problems.count
    try {
      const checked = checkNode(context, level, nodes[i] as WriteNode)
      if (checked instanceof Promise) await checked
    } catch (error) {
      if (found.error === nowhere) Object.assign(found, { error: i, thrown: error })
    }
    if (problems.count > count && found.problems === nowhere) found.problems = i
  }
  const { at = nowhere, paths, waitsAt } = await invisibleReferences(context, level, nodes)
  if (waitsAt !== undefined) {
    // The next segment checks the nodes from `waitsAt` on again.
    segment.endBefore(waitsAt)
    level.startSmall()
    if (found.error >= waitsAt) found.error = nowhere
  }
  const first = Math.min(found.problems, found.error, at)
  // Problems that nested parents have added before are thrown here if a body is compared with its stored record, otherwise at the end,
  // together with those of the children.
  const comparesSome = before > 0 && nodes.some(mustCompareNode)
  if (first === nowhere && !comparesSome) return
  if (found.error === first && found.error < found.problems) throw found.thrown
  if (comparesSome || found.problems === first) {
    // Adds what the validators of the first node with problems find.
    await validateWhole(context, nodes[first === nowhere ? 0 : first])
    problems.refuse()
  }
  // Waiting nodes with `sent` were checked before this segment ended.
  const later = level.waiting.filter(({ sent }) => sent !== undefined)
  throw missingReference([...paths, ...(await laterReferences(context, level, later))])
}

/** Runs the validators of a change that take the whole record; adds their problems, or throws them. */
async function validateWhole(context: WriteContext, node: WriteNode | undefined): Promise<void> {
  const { asFound, stored } = node ?? {}
  if (node?.decision !== 'change' || asFound?.kind !== 'record' || stored === undefined) return
  await validatedChanges(context, node, asFound, stored)
}

/** Whether the body of a change must be compared with the stored record. */
const mustCompareNode = ({ decision, asFound, options }: WriteNode): boolean =>
  decision === 'change' && mustCompare(asFound as RecordNode, options.replace)

/** `mustCompareNode` for the body of a change; `replace` is that of PUT. */
const mustCompare = (record: RecordNode, replace: boolean): boolean =>
  replace || !hasOnlyValues(record)

/** Checks one node by its decision; adds its problems to the context, or throws another error. */
function checkNode(context: WriteContext, level: Level, node: WriteNode): MaybePromise<void> {
  const { decision, asFound, asMissing } = node
  if (decision === 'create' && asMissing !== null) return checkNew(context, node, asMissing)
  if (decision === 'change' && asFound?.kind === 'record') {
    return checkChange(context, level, node, asFound)
  }
  if (decision === undefined) return refuseMissing(context, node)
  if (decision === 'restore') return checkRestored(context, node)
  if (decision === 'remove') return
  return checkReference(context, node)
}

/** Throws the error of a node without a stored record, after adding its problems. */
function refuseMissing({ problems }: WriteContext, { asFound, error }: WriteNode): void {
  if (asFound?.kind === 'record') addOtherForms(problems, [asFound])
  problems.refuse()
  throw error
}

/** Checks a new record: its period, its problems as a new record, and that its foreign keys do not contradict the records around it. */
function checkNew(context: WriteContext, node: WriteNode, record: RecordNode): MaybePromise<void> {
  const { resource, path } = record
  const { filled, parentKeys } = node
  node.sent = record.values
  addPeriodProblems(context, node, resource)
  if (node.error !== undefined) throw node.error
  if (node.problems !== undefined) context.problems.addAll(node.problems)
  if (filled !== undefined && parentKeys !== undefined) {
    refuseOtherParent(context, record, filled, parentKeys)
  }
  const keys = parentKeys === undefined ? filled : { ...filled, ...parentKeys }
  context.generatedKeys.refuseGuessed(resource, record.values, path, keys)
}

/** Checks a change of a stored record. */
function checkChange(
  context: WriteContext,
  { options, resource }: Level,
  node: WriteNode,
  record: RecordNode,
): MaybePromise<void> {
  const { stored = {} } = node
  if (node.error !== undefined) throw node.error
  if (mustCompare(record, options.replace)) return checkCompared(context, node, record, stored)
  node.sent = record.values
  addPeriodProblems(context, node, resource)
  context.generatedKeys.refuseGuessed(resource, record.values, node.path)
}

/** Adds the problems of a period (`exclude` of the model) that would end before it begins. */
function addPeriodProblems({ problems }: WriteContext, node: WriteNode, resource: Resource): void {
  if (resource.exclusions.length === 0) return
  const { stored, reset, sent, path } = node
  const changed = { ...reset, ...sent }
  const found = periodProblems(resource, { ...stored, ...changed }, changed, path)
  for (const { path: at, ...problem } of found) problems.add(at, problem)
}

/** Checks a change whose body must be compared with the stored record: it sends back fields, merges documents or sets relations to null. */
async function checkCompared(
  context: WriteContext,
  node: WriteNode,
  requested: RecordNode,
  stored: NonNullable<WriteNode['stored']>,
): Promise<void> {
  const { node: record, cleared } = await compareWithStored(context, requested, stored)
  const { resource, path, parents } = record
  const keys = node.parentKeys ?? {}
  const sent = { ...record.values, ...cleared }
  node.sent = sent
  if (node.options.replace) {
    node.reset = await resetValues(context, resource, { ...sent, ...keys })
  }
  addPeriodProblems(context, node, resource)
  context.generatedKeys.refuseGuessed(resource, sent, path, keys)
  if (parents.length === 0) return
  const row = { ...stored, ...node.reset, ...sent, ...keys }
  await refuseInvisibleByParts(context, resource, keys, row, path, stored, (relation) =>
    parents.some((parent) => parent.relation.name === relation.name),
  )
}

/** Checks an object that refers to a stored record: whether a child may get another parent, and whether its other members are unchanged. */
function checkReference(context: WriteContext, node: WriteNode): MaybePromise<void> {
  const { asFound, stored, decision, options } = node
  if (asFound?.kind !== 'reference' || stored === undefined) return
  if (decision === 'move') return refuseMove(context, node, asFound, stored)
  if (hasSentBack(asFound)) {
    return compareSentBack(context, options.resource, asFound.sentBack, stored, node.path)
  }
}

/** Throws unless the record is soft-deleted and all that it refers to is not. */
async function checkRestored(context: WriteContext, { options, stored = {} }: WriteNode) {
  const { resource } = options
  if (!isDeleted(resource, stored)) throw notDeleted()
  await refuseDeletedReferences(context, resource, stored)
}

/**
 * After the refusal of a segment, adds the problems of the later nodes, which are compared with the records as they are now. No hook is
 * called for them, and no validator.
 */
export async function addLaterProblems(context: WriteContext, level: Level): Promise<void> {
  if (level.options.whenFound !== 'change') {
    for (const node of level.waiting) await checkReference(context, node)
    return
  }
  for (const node of await findLater(context, level)) {
    const { decision, problems } = node
    if (decision === 'create' && problems !== undefined) context.problems.addAll(problems)
    await addComparedProblems(context, node)
  }
}

/**
 * After the refusal of a nested parent, throws the problems of the records around it instead: these need no other record. In a new record
 * they are found without the database.
 */
export async function refuseBeforeParents(
  context: WriteContext,
  { nodes }: Segment,
): Promise<void> {
  for (const node of nodes) await addComparedProblems(context, node)
  context.problems.refuse()
}

/** Adds the problems of a change that show in the comparison with its stored record. */
async function addComparedProblems(
  context: WriteContext,
  { decision, asFound, stored, options }: WriteNode,
): Promise<void> {
  if (decision !== 'change' || asFound?.kind !== 'record' || stored === undefined) return
  if (mustCompare(asFound, options.replace)) await compareWithStored(context, asFound, stored)
}
