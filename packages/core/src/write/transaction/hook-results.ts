// HookResults: what the hooks of one attempt of a write returned, so that an attempt that repeats it need not call them again: a default
// that reserves a number reserves one for each record, although a list is written twice to find a refused record. `KeptAccess` and the
// `kept…` functions wrap what calls hooks, so that each call goes through it.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { Target } from '../../query/compile/target.ts'
import type { ValueCheck } from '../body/validators.ts'
import type { FoundScope, WriteAccess } from '../check/write-access.ts'
import type { OneRecord } from '../fusion/one-record.ts'
import type { Values } from '../nodes/node.ts'
import type { ValueSources, WriteHooks } from '../store/write-context.ts'

/** A call of a hook. */
interface Called {
  /** The record, or what else the hook was called with. */
  readonly inputs: readonly JsonValue[]
  readonly result: unknown
}

/** The calls with one name, in their order. */
type Calls = Map<string, Called[]>

/**
 * Keeps results while a write is repeated from BEGIN to find a refused record, and no hook has sent a statement: its effects are rolled
 * back with the transaction, and its result may depend on them. A repetition after a conflict begins anew.
 */
export class HookResults {
  /** The calls of the repeated attempt whose results were not used yet. */
  #earlier: Calls | undefined
  /** The calls of this attempt. */
  #calls: Calls | undefined
  #keeps = false
  #statements: (() => number) | undefined
  /** How many statements hooks had sent when the attempt began. */
  #before = 0

  /** Begins an attempt. `statements` returns how many statements hooks have sent through its connection; absent if no hook can send one. */
  begin(statements?: () => number): void {
    this.#earlier = this.#keeps ? this.#calls : undefined
    this.#calls = undefined
    this.#keeps = false
    this.#statements = statements
    this.#before = statements?.() ?? 0
  }

  /** Called before an attempt that repeats this one in another way: it may use the results, unless a hook has sent a statement. */
  keep(): void {
    this.#keeps = (this.#statements?.() ?? 0) === this.#before
  }

  /** Calls a hook by `call`, unless the repeated attempt has called the one of this name with equal inputs: then returns its result. */
  of<T>(name: string, inputs: readonly JsonValue[], call: () => MaybePromise<T>): MaybePromise<T> {
    const known = this.#earlier?.get(name)?.shift()
    if (known !== undefined && isEqual(known.inputs, inputs)) return this.#note(name, known) as T
    return andThen(call(), (result) => this.#note(name, { inputs, result }) as T)
  }

  #note(name: string, called: Called): unknown {
    this.#calls ??= new Map()
    const calls = this.#calls.get(name)
    if (calls === undefined) this.#calls.set(name, [called])
    else calls.push(called)
    return called.result
  }
}

const isEqual = (a: readonly JsonValue[], b: readonly JsonValue[]): boolean =>
  stringify(a) === stringify(b)

/** A WriteAccess that takes the results of the policies' hooks from `HookResults`; the other decisions are made anew. */
export class KeptAccess implements WriteAccess {
  readonly #results: HookResults
  readonly #access: WriteAccess

  constructor(results: HookResults, access: WriteAccess) {
    this.#results = results
    this.#access = access
  }

  canCreate(resource: Resource, data: Values, path: string): MaybePromise<boolean> {
    if (!this.hasHook(resource, 'can_create')) return true
    const call = () => this.#access.canCreate(resource, data, path)
    return this.#results.of(`can_create ${resource.name} ${path}`, [data], call)
  }

  canUpdate(resource: Resource, object: Values, data: Values, path: string): MaybePromise<boolean> {
    if (!this.hasHook(resource, 'can_update')) return true
    const call = () => this.#access.canUpdate(resource, object, data, path)
    return this.#results.of(`can_update ${resource.name} ${path}`, [object, data], call)
  }

  canDelete(resource: Resource, object: Values, path: string): MaybePromise<boolean> {
    if (!this.hasHook(resource, 'can_delete')) return true
    const call = () => this.#access.canDelete(resource, object, path)
    return this.#results.of(`can_delete ${resource.name} ${path}`, [object], call)
  }

  mayWrite(...asked: Parameters<WriteAccess['mayWrite']>): MaybePromise<boolean> {
    return this.#access.mayWrite(...asked)
  }

  hasHook(...asked: Parameters<WriteAccess['hasHook']>): boolean {
    return this.#access.hasHook(...asked)
  }

  narrows(resource: Resource): boolean {
    return this.#access.narrows(resource)
  }

  scoped(...read: Parameters<WriteAccess['scoped']>): Promise<Target> {
    return this.#access.scoped(...read)
  }

  scopedOrEmpty(...read: Parameters<WriteAccess['scopedOrEmpty']>): Promise<Target> {
    return this.#access.scopedOrEmpty(...read)
  }

  scopeOfRecord(oneRecord: OneRecord): MaybePromise<FoundScope> {
    return this.#access.scopeOfRecord(oneRecord)
  }

  scopeOfReferred(resource: Resource): MaybePromise<FoundScope> {
    return this.#access.scopeOfReferred(resource)
  }
}

/** The callbacks of models, whose results are kept. */
export const keptHooks = (results: HookResults, hooks: WriteHooks): WriteHooks => ({
  has: hooks.has,
  add: async (resource, object, path) =>
    results.of(`add ${resource.name} ${path}`, [object], () => hooks.add(resource, object, path)),
  update: async (resource, object, stored, path) =>
    results.of(`update ${resource.name} ${path}`, [object, stored], () =>
      hooks.update(resource, object, stored, path),
    ),
  remove: async (resource, object, path) =>
    results.of(`remove ${resource.name} ${path}`, [object], () =>
      hooks.remove(resource, object, path),
    ),
})

/** The time, the UUIDs and the defaults, which are kept. */
export function keptSources(results: HookResults, sources: ValueSources): ValueSources {
  let now: string | undefined
  return {
    now() {
      now ??= results.of('now', [], sources.now) as string
      return now
    },
    uuid: () => results.of('uuid', [], sources.uuid) as string,
    defaultOf: (resource, column, make) =>
      results.of(`default ${resource.name} ${column.name}`, [], () =>
        sources.defaultOf(resource, column, make),
      ),
    deletedValueOf: (resource, make, stored) =>
      results.of(`soft-delete value of ${resource.name}`, [stored], () =>
        sources.deletedValueOf(resource, make, stored),
      ),
  }
}

/** What a validator finds, which is kept. */
export const keptFindings = async <T>(
  results: HookResults,
  { resource, column, path, value, row, before }: ValueCheck,
  find: () => Promise<T>,
): Promise<T> =>
  results.of(`validator ${resource.name} ${column.name} ${path}`, [value, row, before], find)
