// mergedLinks: what consecutive changes of the links of a record have changed in the end, for the commit callbacks: a link that was added
// and then removed again is left out.

/** The keys of linked records. */
export interface AddedAndRemoved<K> {
  readonly added: readonly K[]
  readonly removed: readonly K[]
}

/** The links that are new, and those that are gone, after all of the changes; undefined if there are neither. `textOf` identifies a key. */
export function mergedLinks<K>(
  changes: readonly (AddedAndRemoved<K> | undefined)[],
  textOf: (key: K) => string,
): AddedAndRemoved<K> | undefined {
  const added = new Map<string, K>()
  const removed = new Map<string, K>()
  const move = (keys: readonly K[], from: Map<string, K>, to: Map<string, K>): void => {
    for (const key of keys) {
      const text = textOf(key)
      if (!from.delete(text)) to.set(text, key)
    }
  }
  for (const change of changes) {
    // A list that replaces links removes the old ones first.
    move(change?.removed ?? [], added, removed)
    move(change?.added ?? [], removed, added)
  }
  const isSame = added.size + removed.size === 0
  return isSame ? undefined : { added: [...added.values()], removed: [...removed.values()] }
}
