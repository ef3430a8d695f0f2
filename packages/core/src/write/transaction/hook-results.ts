// HookResults: what the hooks of one attempt of a write returned, so that an attempt that repeats it need not call them again.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { ValueCheck } from '../body/validators.ts'
import type { WriteAccess } from '../check/write-access.ts'
import type { ValueSources, WriteHooks } from '../store/write-context.ts'

interface Called {
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
  #earlier: Calls = new Map()
  #calls: Calls = new Map()
  #keeps = false
  #statements = (): number => 0
  #before = 0

  /** Begins an attempt; `statements` returns how many statements hooks have sent through the connection of the attempt. */
  begin(statements: () => number): void {
    this.#earlier = this.#keeps ? this.#calls : new Map()
    this.#calls = new Map()
    this.#keeps = false
    this.#statements = statements
    this.#before = statements()
  }

  /** The next attempt repeats this one, although nothing that a hook may depend on has changed. */
  keep(): void {
    this.#keeps = this.#statements() === this.#before
  }

  /** Calls a hook, unless the repeated attempt has called it with equal inputs. */
  of<T>(name: string, inputs: readonly JsonValue[], call: () => MaybePromise<T>): MaybePromise<T> {
    const known = this.#earlier.get(name)?.shift()
    if (known !== undefined && isEqual(known.inputs, inputs)) return this.#note(name, known) as T
    return andThen(call(), (result) => this.#note(name, { inputs, result }) as T)
  }

  #note(name: string, called: Called): unknown {
    const calls = this.#calls.get(name)
    if (calls === undefined) this.#calls.set(name, [called])
    else calls.push(called)
    return called.result
  }
}

const isEqual = (a: readonly JsonValue[], b: readonly JsonValue[]): boolean =>
  stringify(a) === stringify(b)

/** The hooks of policies, whose results are kept. */
export function keptAccess(results: HookResults, access: WriteAccess): WriteAccess {
  const asked = (...[hook, { name }, path]: Asked): string => `${hook} ${name} ${path}`
  return {
    ...access,
    canCreate(resource, data, path) {
      if (!access.hasHook(resource, 'can_create')) return true
      const call = () => access.canCreate(resource, data, path)
      return results.of(asked('can_create', resource, path), [data], call)
    },
    canUpdate(resource, object, data, path) {
      if (!access.hasHook(resource, 'can_update')) return true
      const call = () => access.canUpdate(resource, object, data, path)
      return results.of(asked('can_update', resource, path), [object, data], call)
    },
    canDelete(resource, object, path) {
      if (!access.hasHook(resource, 'can_delete')) return true
      const call = () => access.canDelete(resource, object, path)
      return results.of(asked('can_delete', resource, path), [object], call)
    },
  }
}

type Asked = readonly [
  hook: Parameters<WriteAccess['hasHook']>[1],
  resource: { readonly name: string },
  path: string,
]

/** The callbacks of models, whose results are kept. */
export const keptHooks = (results: HookResults, hooks: WriteHooks): WriteHooks => ({
  ...hooks,
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
    ...sources,
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
