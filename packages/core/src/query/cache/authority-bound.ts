// AuthorityBound: a cached value that can only be read by requests whose caller has the same authority as the request that created it.
// Cached plans are bound (`read-cache.ts`), because a plan contains what its caller may see: columns, embeds, links. `trackAuthority` binds a
// value, `authorityCache` keeps bound values.

import { lruMap } from '../../lib/lru-map.ts'
import type { Registry, Resource } from '../../model/registry/resource.ts'
import type { HookSettings } from '../../model/settings/access/resolve-hooks.ts'
import type { Reach } from '../plan/context.ts'

/** The properties of a caller on which a plan depends besides the text of the request. A `Call` is one. */
export interface Authority {
  /** Whether the caller may list a resource. */
  readonly reach: Reach
  /** The callbacks of the request's resource and method: `filter` narrows the rows that are read, `dump` rewrites them. */
  readonly hooks: Pick<HookSettings, 'filter' | 'dump'>
  /** The resources with the columns that the caller may read and write. */
  readonly registry: Registry
  /** The policies that narrow and check what is read: those of the API, or none for the system. */
  readonly runtime: { readonly access: { readonly policies: object } }
}

/** Records the questions about the caller that are asked while a value is created. */
export interface AuthorityTracker {
  /** Asks whether the caller may list a resource, and records the answer. */
  readonly reach: Reach
  /** Binds a value to the recorded answers, including answers that are recorded later. */
  bind<T>(value: T): AuthorityBound<T>
}

/**
 * Creates a tracker for a value that will be cached. Everything that the value takes from the caller must be asked through the
 * tracker.
 *
 * ```ts
 * const tracker = trackAuthority(call)
 * const bound = tracker.bind(planList(resource, ast, tracker.reach))
 * bound.valueFor(call) // the plan
 * bound.valueFor(callOfUserWhoMayListOtherResources) // undefined
 * ```
 */
export function trackAuthority({
  reach,
  hooks: { filter, dump },
  registry,
  runtime: {
    access: { policies },
  },
}: Authority): AuthorityTracker {
  const reached = new Map<Resource, boolean>()
  return {
    reach(resource) {
      const answer = reach(resource)
      reached.set(resource, answer)
      return answer
    },
    bind: (value) => new AuthorityBound(value, { reached, filter, dump, registry, policies }),
  }
}

/** The authority that a value was created with. */
interface CreatedWith {
  readonly reached: ReadonlyMap<Resource, boolean>
  readonly filter: HookSettings['filter']
  readonly dump: HookSettings['dump']
  readonly registry: Registry
  readonly policies: object
}

/** Created by a tracker only. The value is private, so that it cannot be read without an authority. */
class AuthorityBound<T> {
  readonly #value: T
  readonly #createdWith: CreatedWith

  constructor(value: T, createdWith: CreatedWith) {
    this.#value = value
    this.#createdWith = createdWith
  }

  /** Returns the value if the caller has the same authority; undefined otherwise. */
  valueFor({ reach, hooks, registry, runtime }: Authority): T | undefined {
    const { reached, filter, dump, policies } = this.#createdWith
    if (runtime.access.policies !== policies) return undefined
    if (registry !== this.#createdWith.registry) return undefined
    if (hooks.filter !== filter || hooks.dump !== dump) return undefined
    for (const [resource, answer] of reached) if (reach(resource) !== answer) return undefined
    return this.#value
  }
}

export type { AuthorityBound }

/** A cache of values by name and authority. */
export interface AuthorityCache<T> {
  /** Returns a value with this name that was created with the same authority; undefined if there is none. */
  get(name: string, authority: Authority): T | undefined
  set(name: string, authority: Authority, bound: AuthorityBound<T>): void
}

/** Maximum values per name, one for each authority; the oldest is evicted first. */
const maxAuthorities = 4

/** Creates an LRU cache of at most `size` names. A name says what the value depends on apart from the caller: resource, action, query. */
export function authorityCache<T>(size: number): AuthorityCache<T> {
  const all = lruMap<readonly AuthorityBound<T>[]>(size)
  return {
    get(name, authority) {
      for (const bound of all.get(name) ?? []) {
        const value = bound.valueFor(authority)
        if (value !== undefined) return value
      }
      return undefined
    },
    set(name, authority, bound) {
      const others = (all.get(name) ?? []).filter(
        (other) => other.valueFor(authority) === undefined,
      )
      all.set(name, [bound, ...others].slice(0, maxAuthorities))
    },
  }
}
