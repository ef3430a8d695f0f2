// refuseWithLater: reports the problems of later records of a list together with those of the refused one.

import type { Resource } from '../../../model/registry/resource.ts'
import type { Value } from '../../../query/plan/plan.ts'
import { keyText } from '../../../query/run/key.ts'
import type { InputProblems } from '../../body/input-problems.ts'
import type { RecordNode, Values } from '../../nodes/node.ts'
import { keyIn, lockedRecords } from '../../resolve/look-up-records.ts'
import { compareWithStored, hasOnlyValues } from '../../resolve/requested-changes.ts'
import { columnsOfSteps } from '../columns-to-read.ts'
import type { WriteContext } from '../write-context.ts'
import type { ChangeStep, ManyStep } from './many-step.ts'

/**
 * Throws the `error` of the record at `index` of a list. If it reports what a comparison with the stored record has shown, or what a new
 * record of an upsert lacks, it then also reports these problems of the later records. They are not validated, and no hook is called for them.
 *
 * If `isStale`, later records may have changed since they were read, so those to compare are read again.
 */
export async function refuseWithLater(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
  index: number,
  error: unknown,
  isStale: boolean,
): Promise<never> {
  const { problems } = context
  const refused = steps[index]
  const own = refused && problemsOf(refused)
  if (refused === undefined || !reports(error, problems, own)) throw error
  if (own !== undefined && reports(error, own)) problems.addAll(own)
  // PATCH with filters changes all records by one body.
  const later = steps.slice(index + 1).filter(({ node }) => node !== refused.node)
  const stored = isStale ? await readAgain(context, resource, later.filter(isCompared)) : undefined
  for (const step of later) {
    const others = problemsOf(step)
    if (others !== undefined) problems.addAll(others)
    if (!isCompared(step)) continue
    const now = stored === undefined ? step.stored : stored.get(keyText(keyOf(resource, step)))
    if (now !== undefined) await compareWithStored(context, step.node, now)
  }
  problems.refuse()
  throw error
}

/** Whether one of the collectors has thrown the error. */
export const reports = (
  error: unknown,
  ...collectors: readonly (InputProblems | undefined)[]
): boolean => error !== undefined && collectors.some((problems) => problems?.refusal === error)

const problemsOf = (step: ManyStep): InputProblems | undefined =>
  step.kind === 'refused' ? step.problems : undefined

type ComparedStep = ChangeStep & { readonly node: RecordNode }

const isCompared = (step: ManyStep): step is ComparedStep =>
  step.kind === 'change' && !hasOnlyValues(step.node)

const keyOf = (resource: Resource, { stored }: ComparedStep): readonly Value[] =>
  keyIn(resource, stored) ?? []

/** The records as they are now, by `keyText`; without those that are gone. Their rows are locked already. */
const readAgain = async (
  context: WriteContext,
  resource: Resource,
  steps: readonly ComparedStep[],
): Promise<ReadonlyMap<string, Values>> => {
  const keys = steps.map((step) => keyOf(resource, step))
  const read = columnsOfSteps(context, resource, steps)
  return keys.length === 0
    ? new Map()
    : lockedRecords(context, resource, keys, 'PATCH', 'otherThanKeys', read)
}
