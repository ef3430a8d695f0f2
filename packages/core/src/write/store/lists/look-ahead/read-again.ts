// ReadAgain: reads later records of a list, and the records that they refer to, again after the statement of a hook may have changed them.

import { recordNotFound } from '../../../../errors.ts'
import type { Resource } from '../../../../model/registry/resource.ts'
import type { Value } from '../../../../query/plan/plan.ts'
import { keyText } from '../../../../query/run/key.ts'
import type { RecordNode, Values } from '../../../nodes/node.ts'
import { keyIn, lockedRecord, lockedRecords } from '../../../resolve/look-up-records.ts'
import { columnsOfSteps } from '../../columns-to-read.ts'
import type { WriteContext } from '../../write-context.ts'
import type { ManyStep } from '../many-step.ts'
import type { PendingWrites } from '../rows/pending-writes.ts'
import { GroupSize } from './group-size.ts'
import { lookUpReferences, type SeenReferences } from './look-up-references.ts'

/** Reads in the groups of `GroupSize`. The earlier records are stored before each look-up. A class, as `CreateStep` says. */
export class ReadAgain {
  readonly #context: WriteContext
  readonly #resource: Resource
  readonly #steps: readonly ManyStep[]
  readonly #pending: PendingWrites
  /** From this record on, what is known may be outdated. */
  #end = Number.POSITIVE_INFINITY
  #statements = 0
  readonly #groups = new GroupSize(1)
  /** The stored records of the last look-up, by `keyText`; undefined before the first one. */
  #stored: ReadonlyMap<string, Values> | undefined

  constructor(
    context: WriteContext,
    resource: Resource,
    steps: readonly ManyStep[],
    pending: PendingWrites,
  ) {
    this.#context = context
    this.#resource = resource
    this.#steps = steps
    this.#pending = pending
  }

  /** Call it when a hook sends a statement: the records after `index` are outdated. */
  outdate(index: number): void {
    this.#end = index + 1
    this.#statements += 1
  }

  isDue(index: number): boolean {
    return index >= this.#end
  }

  /** Reads the records from `index` on. Adds to `seen` the keys of the records that they refer to, if the caller may see them. */
  async read(index: number, seen: SeenReferences): Promise<void> {
    const some = this.#next(index)
    const stored = some.filter(isStored)
    // Set before the look-up, because a policy may send a statement during it, and `outdate` then sets it again.
    this.#end = index + some.length
    if (stored.length > 0) await this.#pending.flush()
    const keys = stored.map((step) => this.#keyOf(step.stored))
    // The rows are locked already.
    const lockedFor = 'otherThanKeys'
    const [context, resource] = [this.#context, this.#resource]
    const read = columnsOfSteps(context, resource, stored)
    this.#stored = await lockedRecords(context, resource, keys, 'PATCH', lockedFor, read)
    const found = await lookUpReferences(this.#context, this.#resource, recordsOf(some), {
      known: seen,
      before: () => this.#pending.flush(),
    })
    for (const [relation, texts] of found.seen) {
      seen.set(relation, new Set([...(seen.get(relation) ?? []), ...texts]))
    }
  }

  /** The record of a step as the last look-up has found it. Throws 404 if it is gone. */
  storedNow(step: StoredStep): Values | Promise<Values> {
    if (this.#stored === undefined) return step.stored
    return this.#stored.get(keyText(this.#keyOf(step.stored))) ?? this.#readAlone(step)
  }

  /** Reads a record that the look-up has not found: its key may have another text that its collation finds equal. */
  async #readAlone(step: StoredStep): Promise<Values> {
    await this.#pending.flush()
    return storedNow(this.#context, this.#resource, step)
  }

  /** The steps from `index` on that are read together: none of them changes a record that another one changes as well. */
  #next(index: number): readonly ManyStep[] {
    const size = this.#groups.take(this.#statements)
    const some: ManyStep[] = []
    const taken = new Set<string>()
    for (const step of this.#steps.slice(index, index + size)) {
      const key = isStored(step) ? keyText(this.#keyOf(step.stored)) : undefined
      if (key !== undefined && taken.has(key)) break
      if (key !== undefined) taken.add(key)
      some.push(step)
    }
    return some
  }

  #keyOf(stored: Values): readonly Value[] {
    return keyIn(this.#resource, stored) ?? []
  }
}

/** A step that changes a stored record. */
type StoredStep = Extract<ManyStep, { readonly stored: Values }>

const isStored = (step: ManyStep): step is StoredStep =>
  step.kind === 'change' || step.kind === 'move'

/** The records in the bodies of some steps. */
export function recordsOf(steps: readonly ManyStep[]): readonly RecordNode[] {
  const nodes: RecordNode[] = []
  for (let i = 0; i < steps.length; i++) {
    const { node } = steps[i] as ManyStep
    if (node.kind === 'record') nodes.push(node)
  }
  return nodes
}

/** The stored record of a step, read again and locked, after other records of the list were written. */
export async function storedNow(
  context: WriteContext,
  resource: Resource,
  step: StoredStep,
): Promise<Values> {
  const key = keyIn(resource, step.stored) ?? []
  const read = columnsOfSteps(context, resource, [step])
  // The row is locked already.
  const stored = await lockedRecord(context, resource, key, 'PATCH', 'otherThanKeys', { read })
  if (stored === undefined) throw recordNotFound()
  return stored
}
