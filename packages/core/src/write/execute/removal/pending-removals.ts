// PendingRemovals: collects the records that a request deletes, so that few statements delete them.

import { keyChunks } from '../../../execute/chunks.ts'
import type { Value } from '../../../plan/plan.ts'
import type { Dependent } from '../../../registry/dependents.ts'
import type { Resource } from '../../../registry/resource.ts'
import { compileDelete, compileUpdate, storedColumns } from '../../compile/statements.ts'
import { compileDeleteByKeys, matchesOf, recordsByKeys } from '../../compile/statements-by-keys.ts'
import type { Values } from '../../plan/node.ts'
import type { WriteContext } from '../context.ts'
import { ChangedRow } from '../lists/pending-writes.ts'
import { partsOf } from '../lists/update-rows.ts'
import { keyMatches } from '../look-up.ts'
import { refusalOf } from '../refusals/refusal.ts'
import { runWrite } from '../run-write.ts'
import { rollBackTo, setSavepoint } from '../savepoint.ts'

/** A record to delete. A class, as `CreateStep` says. */
export class RemovedRow {
  readonly resource: Resource
  readonly key: readonly Value[]
  readonly stored: Values
  /** The values that mark the record as deleted; null to delete its row. */
  readonly mark: Values | null
  /** Records are deleted after those with a smaller height: a record that refers to another one is lower. */
  readonly height: number

  constructor(
    resource: Resource,
    key: readonly Value[],
    stored: Values,
    mark: Values | null,
    height: number,
  ) {
    this.resource = resource
    this.key = key
    this.stored = stored
    this.mark = mark
    this.height = height
  }
}

/** The links of a record in a junction table without a model. */
export class RemovedLinksOf {
  readonly resource: Resource
  readonly dependent: Dependent
  /** The key of the record, in the columns of the junction table. */
  readonly key: readonly Value[]

  constructor(resource: Resource, dependent: Dependent, key: readonly Value[]) {
    this.resource = resource
    this.dependent = dependent
    this.key = key
  }
}

type Removed = RemovedRow | RemovedLinksOf

/** The deletions of a request that no statement has made yet. */
export class PendingRemovals {
  readonly #context: WriteContext
  readonly #collects: boolean
  #waiting: Removed[] = []
  #last: Promise<void> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined
  #keepsOrder = false

  /** Without `collects`, each record is deleted as soon as it is added. */
  constructor(context: WriteContext, collects: boolean) {
    this.#context = context
    this.#collects = collects
  }

  /** Adds what comes next if records are deleted one by one. */
  async add(removed: Removed): Promise<void> {
    this.#waiting.push(removed)
    if (!this.#collects) await this.flush()
  }

  /** From now on, deletes the records in the order in which they are added: those of a cycle have no heights. */
  keepOrder(): void {
    this.#keepsOrder = true
  }

  /** Deletes the pending records. Rejects if that fails or has failed before. */
  flush(): Promise<void> {
    const all = this.#waiting
    this.#waiting = []
    if (all.length > 0) this.#last = this.#last.then(() => this.#storeAll(all))
    return this.#last.then(() => this.refuse())
  }

  /** Throws the error of an earlier `flush`, which a hook may have caught. */
  refuse(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async #storeAll(all: readonly Removed[]): Promise<void> {
    if (this.#failure !== undefined) return
    try {
      await this.#store(all)
    } catch (error) {
      this.#failure = { error }
    }
  }

  /** If a statement on several records is refused, deletes them one by one, so that the first one that is refused gives the error. */
  async #store(all: readonly Removed[]): Promise<void> {
    const groups = groupsOf(all)
    if (this.#keepsOrder || groups.length === all.length) return this.#storeEach(all)
    const { hosted } = this.#context
    if (!hosted) await setSavepoint(this.#context)
    try {
      for (const group of groups) await this.#storeGroup(group)
    } catch (error) {
      if (hosted || refusalOf(error) === undefined) throw error
      await rollBackTo(this.#context)
      await this.#storeEach(all)
    }
  }

  async #storeEach(all: readonly Removed[]): Promise<void> {
    for (const one of all) {
      if (one instanceof RemovedRow) await this.#storeRow(one)
      else await this.#removeLinks([one])
    }
  }

  async #storeGroup([first, ...others]: Group): Promise<void> {
    if (first instanceof RemovedLinksOf) {
      return this.#removeLinks([first, ...(others as RemovedLinksOf[])])
    }
    const rows = [first, ...(others as RemovedRow[])]
    if (others.length === 0) return this.#storeRow(first)
    return first.mark === null ? this.#deleteRows(first, rows) : this.#markRows(first.mark, rows)
  }

  async #storeRow({ resource, key, stored, mark }: RemovedRow): Promise<void> {
    const { target } = this.#context
    const matches = keyMatches(resource, key)
    const step = { resource, path: '', values: stored, key } as const
    if (mark === null) {
      const statement = compileDelete(target, resource, matches)
      await runWrite(this.#context, statement, { ...step, step: 'delete' })
    } else {
      const { statement } = compileUpdate(target, resource, mark, matches)
      await runWrite(this.#context, statement, { ...step, step: 'update' })
    }
  }

  async #deleteRows({ resource }: RemovedRow, rows: readonly RemovedRow[]): Promise<void> {
    for (const some of keyChunks(rows, resource.primaryKey.length)) {
      const byKeys = recordsByKeys(resource, some.map(keyOf))
      const statement = compileDeleteByKeys(this.#context.target, byKeys)
      await runWrite(this.#context, statement, { ...ofMany(resource), step: 'delete' })
    }
  }

  async #markRows(mark: Values, rows: readonly RemovedRow[]): Promise<void> {
    const [{ resource }] = rows as readonly [RemovedRow]
    const byChange = new Map(rows.map((row) => [changeOf(row), row]))
    const columns = storedColumns(resource, mark)
    const group = { context: this.#context, resource, columns, returned: undefined }
    for (const { rows: some, compiled } of partsOf(group, [...byChange.keys()])) {
      if (compiled !== undefined) {
        await runWrite(this.#context, compiled.statement, { ...ofMany(resource), step: 'update' })
        continue
      }
      for (const one of some) await this.#storeRow(byChange.get(one) as RemovedRow)
    }
  }

  async #removeLinks(all: readonly RemovedLinksOf[]): Promise<void> {
    const [{ resource, dependent, key }, ...others] = all as readonly [RemovedLinksOf]
    const step = { step: 'delete', resource, path: '', values: {} } as const
    if (others.length === 0) {
      const matches = matchesOf(dependent.key, key)
      const statement = compileDelete(this.#context.target, dependent, matches)
      await runWrite(this.#context, statement, { ...step, key })
      return
    }
    for (const some of keyChunks(all, dependent.key.length)) {
      const rows = { table: dependent, matches: [], parts: dependent.key, keys: some.map(keyOf) }
      const statement = compileDeleteByKeys(this.#context.target, rows)
      await runWrite(this.#context, statement, { ...step, key: null })
    }
  }
}

const keyOf = ({ key }: Removed): readonly Value[] => key
const changeOf = ({ stored, mark }: RemovedRow): ChangedRow =>
  new ChangedRow(stored, mark ?? {}, '', mark ?? {})
const ofMany = (resource: Resource) => ({ resource, path: '', values: {}, key: null }) as const

/** What one statement deletes, or one for each chunk. */
type Group = readonly [Removed, ...Removed[]]

/** The groups in the order of their statements: links, which refer to records on both sides, and then the records by their heights. */
function groupsOf(all: readonly Removed[]): readonly Group[] {
  const links = new Map<Dependent, [Removed, ...Removed[]]>()
  const rows = new Map<number, Map<string, [Removed, ...Removed[]]>>()
  for (const one of all) {
    if (one instanceof RemovedLinksOf) {
      add(links, one.dependent, one)
      continue
    }
    const { height, resource, mark } = one
    const atHeight = rows.get(height) ?? new Map<string, [Removed, ...Removed[]]>()
    rows.set(height, atHeight)
    add(atHeight, `${resource.name} ${mark === null ? 'deleted' : 'marked'}`, one)
  }
  const heights = [...rows].sort(([a], [b]) => a - b)
  return [...links.values(), ...heights.flatMap(([, groups]) => [...groups.values()])]
}

function add<K>(groups: Map<K, [Removed, ...Removed[]]>, name: K, one: Removed): void {
  const known = groups.get(name)
  if (known === undefined) groups.set(name, [one])
  else known.push(one)
}
