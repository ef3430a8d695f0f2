// Removals: what the removals of one list and of their dependents share while they run: which records were removed, which removals have
// begun, and what look-ups have found.

import { type ApiError, tooManyRecords } from '../../errors.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { maxBulkNames } from '../../model/settings/setting-names.ts'
import type { Values } from '../nodes/node.ts'
import { type HowRemoved, removalOf, type WriteNode } from '../nodes/write-node.ts'
import type { KnownReferrers } from './find-referrers.ts'
import { idOf, removalName } from './removal-types.ts'
import { RemovedRecords } from './removed-records.ts'

/** A record whose removal has begun, because its hooks, or those of its dependents, are called. A class, as `WriteNode` says. */
export class BegunRemoval {
  readonly node: WriteNode
  /** `idOf` the record. */
  readonly id: string
  readonly resource: Resource
  readonly stored: Values
  readonly how: HowRemoved
  /** The begun record that this one refers to. */
  readonly above: BegunRemoval | undefined
  /** How many begun records are above this one. */
  readonly depth: number
  /** The smallest depth of a record with which this one, or one of `below`, is in a cycle; its own depth if there is no cycle. */
  highest: number
  /**
   * The records that refer to this one, directly or not, and wait for it or one above it, in the order in which their hooks were called.
   */
  below: BegunRemoval[] = []
  /** The references of cycles to this record. */
  readonly referrers: CycleReference[] = []

  constructor(node: WriteNode, stored: Values, above: BegunRemoval | undefined) {
    const { resource } = node.options
    this.node = node
    this.id = idOf(resource, stored)
    this.resource = resource
    this.stored = stored
    this.how = removalOf(node.options).how
    this.above = above
    this.depth = above === undefined ? 0 : above.depth + 1
    this.highest = this.depth
  }
}

/** A reference to a record from another record of its cycle. */
interface CycleReference {
  /** `idOf` the row that refers. */
  readonly referrer: string
  /** The values that empty the reference; undefined if it may not be NULL. */
  readonly empty: Values | undefined
}

/** One object for a level of records to remove and the levels of their dependents. */
export class Removals {
  /** The model in the path of the request, whose limit applies to the records of a list and their dependents together. */
  readonly top: Resource
  /** Whether the request says `cascade_delete`. */
  readonly cascade: boolean
  /** The records that were removed or changed so far. */
  readonly removed: RemovedRecords = new RemovedRecords()
  /** The links that were removed, for `linksLeft`. */
  readonly goneLinks: Set<string> = new Set()
  /** The record of the list that is being removed, and those on the way down to the current dependent, by `idOf`: to find cycles. */
  readonly begun: Map<string, BegunRemoval> = new Map()
  /** The record of `begun` whose removal began last. */
  current: BegunRemoval | undefined
  /** The records of cycles whose hooks were called, by `idOf`; they are deleted with a begun record. */
  readonly waiting: Map<string, BegunRemoval> = new Map()
  /** `below` of records that were refused and may be tried again, by `idOf`. */
  readonly refused: Map<string, BegunRemoval[]> = new Map()
  /** The records that are removed or lose their reference, by `idOf`, to limit their number. */
  readonly #counted = new Set<string>()
  /** What refers to the records that will be removed, by `removalName`, as far as it was looked up together. */
  #known = new Map<string, KnownReferrers>()
  /** The records that are removed with `first`, by `removalName`, as the last look-up has found them. */
  #together: { readonly first: BegunRemoval; readonly names: ReadonlySet<string> } | undefined
  /** How often `forgetLookUps` was called. */
  #statements = 0

  constructor(top: Resource, cascade: boolean) {
    this.top = top
    this.cascade = cascade
  }

  /** Counts a record that is removed or changed; throws 400 beyond the limit. */
  count(resource: Resource, stored: Values): void {
    this.#counted.add(idOf(resource, stored))
    if (this.#counted.size > this.most) throw this.tooManyOf(resource)
  }

  /** Most records that are removed or changed. */
  get most(): number {
    return this.top.settings.limits.bulk
  }

  /** 400 for more records; some of `resource` are the first that are too many. */
  tooManyOf({ endpoint }: Resource): ApiError {
    const concerned = { endpoint, below: this.top.endpoint }
    return this.cascade
      ? tooManyRecords(concerned, maxBulkNames, this.most, 'cascade_delete')
      : tooManyRecords(concerned, maxBulkNames, this.most, undefined, deleteThemFirst)
  }

  /** What refers to a record, if it was looked up; undefined if it must be looked up at the record's turn. */
  knownOf(resource: Resource, stored: Values, how: HowRemoved): KnownReferrers | undefined {
    return this.#known.get(removalName(resource, stored, how))
  }

  /** Whether it is known what refers to the record of a node. */
  knows({ options, stored = {} }: WriteNode): boolean {
    return this.knownOf(options.resource, stored, removalOf(options).how) !== undefined
  }

  /** Adds what a look-up of many records has found. */
  know(found: ReadonlyMap<string, KnownReferrers>): void {
    for (const [name, record] of found) this.#known.set(name, record)
  }

  /**
   * The records that are removed with `first`, by `removalName`; `find` looks them up, unless that was done since a hook has sent a
   * statement.
   */
  async removedWith(
    first: BegunRemoval,
    find: () => Promise<ReadonlySet<string>>,
  ): Promise<ReadonlySet<string>> {
    if (this.#together?.first !== first) this.#together = { first, names: await find() }
    return this.#together.names
  }

  /** From now on, each record finds what refers to it at its turn. */
  forget(): void {
    this.#known = new Map()
  }

  /** Called when a hook sends a statement, or sets a foreign key, because that may outdate all look-ups. */
  forgetLookUps(): void {
    this.forget()
    this.#together = undefined
    this.#statements += 1
  }

  /** Grows with each statement of a hook, and with each other reason to forget look-ups. */
  get statements(): number {
    return this.#statements
  }
}

/** The advice without `cascade_delete`: then the client has sent no parameter that it could leave out. */
const deleteThemFirst =
  ' A DELETE here also deletes or changes records that refer to the deleted ones; delete some of them first.'
