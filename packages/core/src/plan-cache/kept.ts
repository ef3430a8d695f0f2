// Kept: a value that was made for one request and may serve later ones, but only requests of the authority it was made under.

import type { HookSettings } from '../config/resolve-hooks.ts'
import { lruMap } from '../lru-map.ts'
import type { Reach } from '../plan/context.ts'
import type { Resource } from '../registry/resource.ts'

/** What decides, besides the text of a request, what its caller is answered. A `Call` is one. */
export interface Authority {
  /** Whether the caller may list a resource. */
  readonly reach: Reach
  /** The callbacks of the request's resource and method: `filter` narrows what is read, `dump` rewrites it. */
  readonly hooks: Pick<HookSettings, 'filter' | 'dump'>
}

/** A value that is being made, and whatever its maker asks about the caller. */
export interface Making {
  /** Asks for the caller, and writes the answer down. */
  readonly reach: Reach
  keep<T>(value: T): Kept<T>
}

/**
 * Begins to make a value that may be kept. All that depends on the caller must be asked of the `Making`.
 *
 * ```ts
 * const making = makingFor(call)
 * const kept = making.keep(planList(resource, ast, making.reach))
 * kept.for(call) // the plan
 * kept.for(callOfSomebodyWhoMayListOtherResources) // undefined
 * ```
 */
export function makingFor({ reach, hooks: { filter, dump } }: Authority): Making {
  const reached = new Map<Resource, boolean>()
  return {
    reach(resource) {
      const answer = reach(resource)
      reached.set(resource, answer)
      return answer
    },
    keep: (value) => new Kept(value, { reached, filter, dump }),
  }
}

/** What a value was made under. */
interface MadeUnder {
  readonly reached: ReadonlyMap<Resource, boolean>
  readonly filter: HookSettings['filter']
  readonly dump: HookSettings['dump']
}

/** Made by `makingFor` alone; its value cannot be taken out without showing an authority. */
class Kept<T> {
  readonly #value: T
  readonly #under: MadeUnder

  constructor(value: T, under: MadeUnder) {
    this.#value = value
    this.#under = under
  }

  /** The value, for a request of the same authority; undefined for any other. */
  for({ reach, hooks }: Authority): T | undefined {
    const { reached, filter, dump } = this.#under
    if (hooks.filter !== filter || hooks.dump !== dump) return undefined
    for (const [resource, answer] of reached) if (reach(resource) !== answer) return undefined
    return this.#value
  }
}

export type { Kept }

/** Kept values by name. */
export interface KeptValues<T> {
  /** What is kept under this name for requests of this authority. */
  get(name: string, authority: Authority): T | undefined
  set(name: string, authority: Authority, kept: Kept<T>): void
}

/** Authorities whose values are kept under one name; callers seldom differ in more. */
const mostAuthorities = 4

/** Keeps the values of at most `size` names. */
export function keptValues<T>(size: number): KeptValues<T> {
  const all = lruMap<readonly Kept<T>[]>(size)
  return {
    get(name, authority) {
      for (const kept of all.get(name) ?? []) {
        const value = kept.for(authority)
        if (value !== undefined) return value
      }
      return undefined
    },
    set(name, authority, kept) {
      const others = (all.get(name) ?? []).filter((one) => one.for(authority) === undefined)
      all.set(name, [kept, ...others].slice(0, mostAuthorities))
    },
  }
}
