// PendingRemovals: collects the records that a request deletes, and those that lose references to them, so that few statements write them.

import type { Dependent } from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyText } from '../../query/run/key.ts'
import type { Values } from '../nodes/node.ts'
import { refusalOf } from '../refusals/refusal.ts'
import { keyMatches, valuesOf } from '../resolve/look-up-records.ts'
import { WriteQueue } from '../segments/write-queue.ts'
import { compileDelete, compileUpdate, storedColumns } from '../statements/statements.ts'
import {
  compileDeleteByKeys,
  compileUpdateByKeys,
  matchesOf,
  recordsByKeys,
} from '../statements/statements-by-keys.ts'
import { ChangedRow } from '../store/rows/rows.ts'
import { partsOf } from '../store/rows/update-rows.ts'
import { runWrite } from '../store/run-write.ts'
import { rollBackTo, setSavepoint } from '../store/savepoint.ts'
import type { WriteContext } from '../store/write-context.ts'

/** A record to delete, or to change. A class, as `WriteNode` says. */
export class PendingRow {
  readonly resource: Resource
  readonly key: readonly Value[]
  readonly stored: Values
  /** The values to write: those that mark the record as deleted, or its changes; null to delete its row. */
  readonly written: Values | null
  /** Records are deleted after those with a smaller height: a record that refers to another one is lower. */
  readonly height: number

  constructor(
    resource: Resource,
    key: readonly Value[],
    stored: Values,
    written: Values | null,
    height: number,
  ) {
    this.resource = resource
    this.key = key
    this.stored = stored
    this.written = written
    this.height = height
  }
}

/** The links of a record in a junction table without a model, to delete with the record. */
export class PendingLinks {
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

/** The height of records that are only changed. */
export const changesFirst = -1

/** The deletions of a request that no statement has made yet. */
export class PendingRemovals {
  readonly #context: WriteContext
  readonly #isOneByOne: boolean
  #waiting: (PendingRow | PendingLinks)[] = []
  readonly #queue = new WriteQueue()

  /** `isOneByOne`: each record is deleted as soon as it is added. */
  constructor(context: WriteContext, isOneByOne: boolean) {
    this.#context = context
    this.#isOneByOne = isOneByOne
  }

  /** Adds what comes next if records are deleted one by one. */
  async add(next: PendingRow | PendingLinks): Promise<void> {
    this.#waiting.push(next)
    if (this.#isOneByOne) await this.flush()
  }

  /** Deletes the pending records. Rejects if that fails or has failed before. */
  flush(): Promise<void> {
    const all = this.#waiting
    this.#waiting = []
    if (all.length > 0) this.#queue.add(() => this.#store(all))
    return this.#queue.done()
  }

  /** Throws the error of an earlier `flush`, which a hook may have caught. */
  refuse(): void {
    this.#queue.refuse()
  }

  /** If a statement on several records is refused, deletes them one by one, so that the first one that is refused gives the error. */
  async #store(all: readonly (PendingRow | PendingLinks)[]): Promise<void> {
    const { links, rows } = groupsOf(all)
    if (links.length + rows.length === all.length) return this.#storeEach(all)
    const { hosted } = this.#context
    if (!hosted) await setSavepoint(this.#context)
    try {
      for (const group of links) await this.#removeLinks(group)
      for (const group of rows) await this.#storeRows(group)
    } catch (error) {
      if (hosted || refusalOf(error) === undefined) throw error
      await rollBackTo(this.#context)
      await this.#storeEach(all)
    }
  }

  async #storeEach(all: readonly (PendingRow | PendingLinks)[]): Promise<void> {
    for (const one of all) {
      if (one instanceof PendingRow) await this.#storeRow(one)
      else await this.#removeLinks([one])
    }
  }

  async #storeRows(rows: Group<PendingRow>): Promise<void> {
    const [first] = rows
    if (rows.length === 1) return this.#storeRow(first)
    return first.written === null ? this.#deleteRows(rows) : this.#updateRows(first.written, rows)
  }

  async #storeRow({ resource, key, stored, written }: PendingRow): Promise<void> {
    const { target } = this.#context
    const matches = keyMatches(resource, key)
    const step = { resource, path: '', values: { ...stored, ...written }, key } as const
    if (written === null) {
      await this.#emptyOwnReferences(resource, [{ key, stored }])
      const statement = compileDelete(target, resource, matches)
      await runWrite(this.#context, statement, { ...step, step: 'delete' })
    } else {
      const { statement } = compileUpdate(target, resource, written, matches)
      await runWrite(this.#context, statement, { ...step, step: 'update' })
    }
  }

  async #deleteRows(rows: Group<PendingRow>): Promise<void> {
    const [{ resource }] = rows
    await this.#emptyOwnReferences(resource, rows)
    for (const some of keyChunks(this.#context.target.dialect, rows, resource.primaryKey)) {
      const byKeys = recordsByKeys(resource, some.map(keyOf))
      const statement = compileDeleteByKeys(this.#context.target, byKeys)
      await runWrite(this.#context, statement, { ...ofMany(resource), step: 'delete' })
    }
  }

  /** Empties the references of records to themselves, where these would prevent their deletion. */
  async #emptyOwnReferences(
    resource: Resource,
    rows: readonly Pick<PendingRow, 'key' | 'stored'>[],
  ): Promise<void> {
    const { target } = this.#context
    if (target.dialect.keepsOwnReferences !== true) return
    for (const { kind, from, to, target: other } of resource.allRelations.values()) {
      const emptied = from.filter(({ nullable }) => nullable).map(({ name }) => [name, null])
      if (kind !== 'belongsTo' || other !== resource || emptied.length === 0) continue
      const textOf = (columns: typeof from, stored: Values): string | undefined => {
        const values = valuesOf(columns, stored)
        return values && keyText(values)
      }
      const own = rows.filter(({ stored }) => {
        const key = textOf(from, stored)
        return key !== undefined && key === textOf(to, stored)
      })
      for (const keys of keyChunks(
        target.dialect,
        own.map(({ key }) => key),
        resource.primaryKey,
      )) {
        const statement = compileUpdateByKeys(target, resource, Object.fromEntries(emptied), keys)
        await runWrite(this.#context, statement, { ...ofMany(resource), step: 'delete' })
      }
    }
  }

  async #updateRows(written: Values, rows: Group<PendingRow>): Promise<void> {
    const [{ resource }] = rows
    const byChange = new Map(rows.map((row) => [changeOf(row), row]))
    const columns = storedColumns(resource, written)
    const group = { context: this.#context, resource, columns, returned: undefined }
    for (const { rows: some, compiled } of partsOf(group, [...byChange.keys()])) {
      if (compiled !== undefined) {
        await runWrite(this.#context, compiled.statement, { ...ofMany(resource), step: 'update' })
        continue
      }
      for (const one of some) await this.#storeRow(byChange.get(one) as PendingRow)
    }
  }

  async #removeLinks(all: Group<PendingLinks>): Promise<void> {
    const [{ resource, dependent, key }] = all
    const step = { step: 'delete', resource, path: '', values: {} } as const
    if (all.length === 1) {
      const matches = matchesOf(dependent.key, key)
      const statement = compileDelete(this.#context.target, dependent, matches)
      await runWrite(this.#context, statement, { ...step, key })
      return
    }
    const columns = dependent.key.map(({ column }) => column)
    for (const some of keyChunks(this.#context.target.dialect, all, columns)) {
      const rows = { table: dependent, matches: [], parts: dependent.key, keys: some.map(keyOf) }
      const statement = compileDeleteByKeys(this.#context.target, rows)
      await runWrite(this.#context, statement, { ...step, key: null })
    }
  }
}

const keyOf = ({ key }: PendingRow | PendingLinks): readonly Value[] => key
const changeOf = ({ stored, written }: PendingRow): ChangedRow =>
  new ChangedRow(stored, written ?? {}, '', written ?? {})
const ofMany = (resource: Resource) => ({ resource, path: '', values: {}, key: null }) as const

/** What one statement deletes, or one for each chunk. */
type Group<P> = readonly [P, ...P[]]

interface Groups {
  readonly links: readonly Group<PendingLinks>[]
  readonly rows: readonly Group<PendingRow>[]
}

/** The groups in the order of their statements: links, which refer to records on both sides, and then records by their heights. */
function groupsOf(all: readonly (PendingRow | PendingLinks)[]): Groups {
  const links = new Map<Dependent, [PendingLinks, ...PendingLinks[]]>()
  const rows = new Map<string, [PendingRow, ...PendingRow[]]>()
  for (const one of all) {
    if (one instanceof PendingLinks) {
      add(links, one.dependent, one)
      continue
    }
    const { height, resource, written } = one
    const columns = written === null ? [] : storedColumns(resource, written)
    add(rows, [height, resource.name, ...columns.map(({ name }) => name)].join(' '), one)
  }
  const byHeight = [...rows.values()].sort(([a], [b]) => a.height - b.height)
  return { links: [...links.values()], rows: byHeight }
}

function add<K, P>(groups: Map<K, [P, ...P[]]>, name: K, one: P): void {
  const known = groups.get(name)
  if (known === undefined) groups.set(name, [one])
  else known.push(one)
}
