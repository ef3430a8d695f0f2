// A map that forgets what was not used for longest.

/** Keeps at most `size` entries. */
export interface Recent<V> {
  /** The value of a key, which is the most recent one from now on. */
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

export function recent<V>(size: number): Recent<V> {
  // A Map lists its keys in the order in which they were set.
  const known = new Map<string, V>()
  return {
    get(key) {
      const value = known.get(key)
      if (value === undefined) return undefined
      known.delete(key)
      known.set(key, value)
      return value
    },
    set(key, value) {
      known.delete(key)
      known.set(key, value)
      for (const oldest of known.keys()) {
        if (known.size <= size) return
        known.delete(oldest)
      }
    },
    delete: (key) => void known.delete(key),
  }
}
