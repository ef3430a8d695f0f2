// cachedByLayout: caches the function that serialises rows, by their layout: a stored statement returns rows of the same layout every time,
// so the function is made at its first use, and then only called. LevelShape says which members the serialised objects have.

import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { EmbedPlan, Output } from '../plan/plan.ts'
import type { Layout, LoadedRow } from '../run/loaded-row.ts'

/** The shape of the objects of one level: fields, embeds and links. */
export interface LevelShape {
  readonly resource: Resource
  readonly output: readonly Output[]
  readonly embeds: readonly EmbedPlan[]
  readonly links: readonly ResolvedRelation[]
}

/** Creates a serializer for rows of one layout; its URLs begin with `base`. */
type Make<T> = (shape: LevelShape, layout: Layout, base: string) => T

/** A serializer, and what it was made for besides the layout. */
interface CachedSerializer<T> {
  readonly shape: LevelShape
  readonly base: string
  readonly made: T
}

/**
 * Caches the results of `make` by layout. Returns a function that takes the shape and base of a list and returns the one that finds the
 * serializer for each of its rows; rows of one list nearly always have one layout.
 */
export function cachedByLayout<T>(
  make: Make<T>,
): (shape: LevelShape, base: string) => (row: LoadedRow) => T {
  const cache = new WeakMap<Layout, CachedSerializer<T>>()
  const cached: Make<T> = (shape, layout, base) => {
    const known = cache.get(layout)
    if (known !== undefined && known.base === base && isSame(known.shape, shape)) return known.made
    const made = make(shape, layout, base)
    cache.set(layout, { shape, base, made })
    return made
  }
  return (shape, base) => {
    let layout: Layout | undefined
    let made: T
    return (row) => {
      if (row.layout !== layout) {
        layout = row.layout
        made = cached(shape, layout, base)
      }
      return made
    }
  }
}

const isSame = (one: LevelShape, other: LevelShape): boolean =>
  one.resource === other.resource &&
  one.output === other.output &&
  one.embeds === other.embeds &&
  one.links === other.links
