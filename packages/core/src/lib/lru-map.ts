// LruMap: a map of bounded size that evicts the least recently used entry, for caches such as those of plans, prepared statements and
// verified tokens.

export interface LruMap<V> {
  /** Returns the value of a key, undefined if the map does not have it; marks the entry as most recently used. */
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/** An entry of a ring ordered by use; a sentinel entry without value marks both ends. */
interface Entry<V> {
  readonly key: string
  value: V
  newer: Entry<V>
  older: Entry<V>
}

/**
 * Creates a map of at most `size` entries. The order of use is kept in a ring, since deleting and setting a key of a Map
 * again costs several times as much.
 */
export function lruMap<V>(size: number): LruMap<V> {
  const known = new Map<string, Entry<V>>()
  const ends = { key: '' } as Entry<V>
  ends.newer = ends
  ends.older = ends

  const unlink = ({ newer, older }: Entry<V>): void => {
    newer.older = older
    older.newer = newer
  }
  const makeNewest = (entry: Entry<V>): void => {
    entry.newer = ends
    entry.older = ends.older
    ends.older.newer = entry
    ends.older = entry
  }
  const remove = (entry: Entry<V>): void => {
    unlink(entry)
    known.delete(entry.key)
  }
  return {
    get(key) {
      const entry = known.get(key)
      if (entry === undefined) return undefined
      if (entry !== ends.older) {
        unlink(entry)
        makeNewest(entry)
      }
      return entry.value
    },
    set(key, value) {
      const before = known.get(key)
      if (before !== undefined) unlink(before)
      const entry = before ?? ({ key } as Entry<V>)
      entry.value = value
      makeNewest(entry)
      if (before !== undefined) return
      known.set(key, entry)
      if (known.size > size) remove(ends.newer)
    },
    delete(key) {
      const entry = known.get(key)
      if (entry !== undefined) remove(entry)
    },
  }
}
