// LookAhead: finds out with few statements what refers to the records that a request deletes, before it deletes the first of them.

import { ApiError } from '../../../errors.ts'
import { keyChunks } from '../../../execute/chunks.ts'
import { keyText, keyTextIn } from '../../../execute/key.ts'
import type { Value } from '../../../plan/plan.ts'
import { type Dependent, dependentsOf, referredColumns } from '../../../registry/dependents.ts'
import type { Resource } from '../../../registry/resource.ts'
import { planRecords } from '../../plan/look-up.ts'
import type { Values } from '../../plan/node.ts'
import type { WriteContext } from '../context.ts'
import {
  existsOneUnscoped,
  keyIn,
  lockedRows,
  readScoped,
  readUnscoped,
  valuesOf,
} from '../look-up.ts'
import { type LinksToRemove, linksToRemove } from './removed-links.ts'

/** Dependents that a cascade deletes. */
export interface FoundRows {
  readonly rows: readonly Values[]
  /** The links of these rows, and maybe those of others; undefined if they were not read. */
  readonly links: LinksToRemove | undefined
}

/** What refers to a record. */
export interface Referrers {
  /** With `cascade_delete`: the records to delete before it. */
  readonly found: Map<Dependent, { readonly rows: Values[]; readonly links: LinksToRemove }>
  /** The records of the same list that refer to it, as `idOf`; the list deletes them before it. */
  readonly earlier: string[]
}

/** How many of the next records of a list are looked up together. */
export class Pace {
  size: number
  /** A smaller number of records was necessary, because they have many dependents. */
  most: number = Number.POSITIVE_INFINITY
  /** `LookAhead.version` at the last look-up; -1 before the first one of dependents that were not looked up with their record. */
  version: number

  constructor(size: number, version: number) {
    this.size = size
    this.version = version
  }
}

/** Most dependents that a look-up keeps in memory. */
const mostRows = 16_384

type Outcome = 'known' | 'tooMany' | 'oneByOne'

/** The state of a level: records of one model that are deleted in the same way. */
interface Level {
  readonly resource: Resource
  readonly soft: boolean
  readonly rows: Values[]
}

/**
 * After a statement of a hook nothing is known any more. The next record is then deleted without looking ahead, and then two, four,
 * eight, … are looked up together while no other statement comes, as `ReadAgain` does it.
 *
 * If something prevents the deletion of one of the records, or if a look-up could not tell, the rest is deleted one by one: each record
 * then finds its dependents after the earlier ones are deleted, and its error is that of its own turn.
 */
export class LookAhead {
  readonly #context: WriteContext
  readonly #cascade: boolean
  readonly #flush: () => Promise<void>
  #known = new Map<string, Referrers>()
  /** The number of times that hooks have sent statements. */
  version = 0
  isOneByOne = false

  constructor(context: WriteContext, cascade: boolean, flush: () => Promise<void>) {
    this.#context = context
    this.#cascade = cascade
    this.#flush = flush
  }

  /** Call it when a hook sends a statement. */
  outdate(): void {
    this.#known = new Map()
    this.version += 1
  }

  of(resource: Resource, stored: Values, soft: boolean): Referrers | undefined {
    return this.#known.get(nameOf(resource, stored, soft))
  }

  /**
   * Looks up the records of a list from `index` on, unless the one at `index` is known. `refresh` reads records of the list again after
   * a statement of a hook, and omits those that are gone.
   */
  async cover(
    resource: Resource,
    rows: readonly Values[],
    index: number,
    soft: boolean,
    pace: Pace,
    refresh = async (some: readonly Values[]): Promise<readonly Values[]> => some,
  ): Promise<void> {
    const first = rows[index] as Values
    if (this.isOneByOne || this.of(resource, first, soft) !== undefined) return
    const before = this.version
    if (pace.version !== before) {
      // The hooks of this record may send a statement as well, so only its own steps look it up.
      pace.version = before
      pace.size = 2
      return
    }
    await this.#flush()
    let some = await refresh(rows.slice(index, index + pace.size))
    let outcome: Outcome
    for (;;) {
      outcome = await this.#look(resource, some, soft)
      if (outcome !== 'tooMany' || some.length <= 1) break
      some = some.slice(0, some.length >> 1)
      pace.most = some.length
    }
    pace.size = Math.min(Math.max(some.length, 1) * 2, pace.most)
    // The scope of a policy has sent a statement. It would do so in each look-up, and each would be outdated at once.
    if (outcome === 'oneByOne' || this.version !== before) this.isOneByOne = true
    if (this.isOneByOne) this.#known = new Map()
  }

  async #look(resource: Resource, rows: readonly Values[], soft: boolean): Promise<Outcome> {
    const known = new Map<string, Referrers>()
    for (const row of rows)
      known.set(nameOf(resource, row, soft), { found: new Map(), earlier: [] })
    let outcome: Outcome
    try {
      if (this.#cascade) outcome = await this.#lookBelow(resource, rows, soft, known)
      else outcome = soft || (await this.#isFree(resource, rows, known)) ? 'known' : 'oneByOne'
    } catch (error) {
      // The policy of a dependent may refuse, which is the error of one of the records. A failure of the database ends the transaction.
      if (!(error instanceof ApiError && error.status < 500)) throw error
      outcome = 'oneByOne'
    }
    if (outcome === 'known') for (const [name, found] of known) this.#known.set(name, found)
    return outcome
  }

  /** Whether no records refer to these, except those that are before them in the list. */
  async #isFree(
    resource: Resource,
    rows: readonly Values[],
    known: ReadonlyMap<string, Referrers>,
  ): Promise<boolean> {
    const { registry } = this.#context
    const places = new Map(rows.map((row, i) => [idOf(resource, row), i]))
    for (const dependent of dependentsOf(registry, resource)) {
      if (dependent.resource === null) continue
      const columns = referredColumns(dependent)
      const keys = keysIn(columns, rows)
      if (dependent.resource === resource) {
        const byKey = new Map(rows.map((row) => [keyTextIn(columns, row), row]))
        for (const referrer of await this.#ownReferrers(dependent, resource, keys, rows.length)) {
          const referred = byKey.get(keyTextIn(dependent.held, referrer))
          if (referred === undefined) return false
          const [own, other] = [idOf(resource, referred), idOf(resource, referrer)]
          const place = places.get(other)
          if (place === undefined || place > (places.get(own) ?? -1)) return false
          if (own !== other) known.get(nameOf(resource, referred, false))?.earlier.push(other)
        }
        continue
      }
      for (const some of keyChunks(keys, columns.length)) {
        const probed = { table: dependent, matches: [], parts: dependent.key, keys: some }
        if (await existsOneUnscoped(this.#context, probed)) return false
      }
    }
    return true
  }

  /** The keys of records of the same model that refer to these; at most one more than `most`. */
  async #ownReferrers(
    dependent: Dependent,
    resource: Resource,
    keys: readonly (readonly Value[])[],
    most: number,
  ): Promise<readonly Values[]> {
    const read = new Set([...resource.primaryKey, ...dependent.held])
    const found: Values[] = []
    for (const some of keyChunks(keys, dependent.held.length)) {
      const plan = planRecords(resource, dependent.held, some, { read, includeDeleted: true })
      for (const row of await readUnscoped(this.#context, plan, most + 1)) found.push(row)
    }
    return found
  }

  /** Finds the dependents of the records, and theirs, level by level. */
  async #lookBelow(
    resource: Resource,
    rows: readonly Values[],
    soft: boolean,
    known: Map<string, Referrers>,
  ): Promise<Outcome> {
    let levels: readonly Level[] = [{ resource, soft, rows: [...rows] }]
    let room = Math.max(mostRows, resource.settings.limits.bulk)
    while (levels.length > 0) {
      const next = new Map<string, Level>()
      for (const level of levels) {
        for (const dependent of dependentsOf(this.#context.registry, level.resource)) {
          if (dependent.resource === null) continue
          const isSoft = level.soft && dependent.resource.settings.softDelete !== null
          const found = await this.#rowsOf(dependent, dependent.resource, level, isSoft, room)
          if (typeof found === 'string') return found
          room -= found.length
          if (found.length === 0) continue
          const below = { resource: dependent.resource, soft: isSoft }
          const links = await linksToRemove(this.#context, below.resource, found, isSoft)
          if (!assign(level, dependent, found, links, known)) return 'oneByOne'
          const name = `${below.resource.name} ${isSoft}`
          const others: Level = next.get(name) ?? { ...below, rows: [] }
          next.set(name, others)
          for (const row of found) {
            const own = nameOf(below.resource, row, isSoft)
            if (known.has(own)) continue
            known.set(own, { found: new Map(), earlier: [] })
            others.rows.push(row)
          }
        }
      }
      levels = [...next.values()].filter((level) => level.rows.length > 0)
    }
    return 'known'
  }

  /** The dependents of some records. `oneByOne` if the caller may not delete or does not see one of them. */
  async #rowsOf(
    dependent: Dependent,
    resource: Resource,
    { rows: parents, soft }: Level,
    isSoft: boolean,
    room: number,
  ): Promise<readonly Values[] | 'tooMany' | 'oneByOne'> {
    const { access } = this.#context
    const columns = referredColumns(dependent)
    const rows: Values[] = []
    for (const some of keyChunks(keysIn(columns, parents), columns.length)) {
      const plan = planRecords(resource, dependent.held, some, { includeDeleted: !isSoft })
      const found = await readUnscoped(this.#context, plan, room - rows.length + 1)
      if (found.length === 0) continue
      if (rows.length + found.length > room) return 'tooMany'
      if (!(await access.mayWrite(resource, 'DELETE'))) return 'oneByOne'
      // In a soft delete, as `removeTree` locks them.
      const locked = soft ? await lockedRows(this.#context, plan, found) : found
      const visible = access.narrows(resource)
        ? await readScoped(this.#context, plan, 'DELETE')
        : locked
      // A policy that joins may return a row twice.
      const seen = new Set(visible.map((row) => idOf(resource, row)))
      for (const row of locked) {
        if (!seen.has(idOf(resource, row))) return 'oneByOne'
        rows.push(row)
      }
    }
    return rows
  }
}

/** Adds dependents to the records that they refer to; false if their keys do not tell which, because a collation finds them equal. */
function assign(
  { resource, soft, rows }: Level,
  dependent: Dependent,
  found: readonly Values[],
  links: LinksToRemove,
  known: ReadonlyMap<string, Referrers>,
): boolean {
  const columns = referredColumns(dependent)
  const parents = new Map(rows.map((row) => [keyTextIn(columns, row), nameOf(resource, row, soft)]))
  for (const row of found) {
    const parent = known.get(parents.get(keyTextIn(dependent.held, row)) ?? '')
    if (parent === undefined) return false
    const own = parent.found.get(dependent)
    if (own === undefined) parent.found.set(dependent, { rows: [row], links })
    else own.rows.push(row)
  }
  return true
}

const keysIn = (
  columns: Parameters<typeof valuesOf>[0],
  rows: readonly Values[],
): readonly (readonly Value[])[] =>
  rows.flatMap((row) => [valuesOf(columns, row) ?? []]).filter(hasParts)

const hasParts = (key: readonly Value[]): boolean => key.length > 0

/** Identifies a record among those of all models. */
export const idOf = (resource: Resource, stored: Values): string =>
  `${resource.name} ${keyText(keyIn(resource, stored) ?? [])}`

const nameOf = (resource: Resource, stored: Values, soft: boolean): string =>
  `${soft ? 'soft' : 'hard'} ${idOf(resource, stored)}`
