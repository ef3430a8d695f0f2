// A map that forgets what was not used for longest.

/** Keeps at most `size` entries. */
export interface Recent<V> {
  /** The value of a key, which is the most recent one from now on. */
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/** An entry among its neighbours by use; the ring begins and ends with one that has no value. */
interface Entry<V> {
  readonly key: string
  value: V
  newer: Entry<V>
  older: Entry<V>
}

/**
 * A ring beside the map: setting a key of a Map anew, which lists keys in their order, costs several times as much.
 *
 * `forgotten` is told of each value that had to make room for another.
 */
export function recent<V>(size: number, forgotten: (value: V) => void = () => {}): Recent<V> {
  const known = new Map<string, Entry<V>>()
  const ends = { key: '' } as Entry<V>
  ends.newer = ends
  ends.older = ends

  const leave = ({ newer, older }: Entry<V>): void => {
    newer.older = older
    older.newer = newer
  }
  const lead = (entry: Entry<V>): void => {
    entry.newer = ends
    entry.older = ends.older
    ends.older.newer = entry
    ends.older = entry
  }
  const forget = (entry: Entry<V>): void => {
    leave(entry)
    known.delete(entry.key)
  }
  return {
    get(key) {
      const entry = known.get(key)
      if (entry === undefined) return undefined
      if (entry !== ends.older) {
        leave(entry)
        lead(entry)
      }
      return entry.value
    },
    set(key, value) {
      const before = known.get(key)
      if (before !== undefined) leave(before)
      const entry = before ?? ({ key } as Entry<V>)
      entry.value = value
      lead(entry)
      if (before !== undefined) return
      known.set(key, entry)
      if (known.size <= size) return
      const oldest = ends.newer
      forget(oldest)
      forgotten(oldest.value)
    },
    delete(key) {
      const entry = known.get(key)
      if (entry !== undefined) forget(entry)
    },
  }
}
