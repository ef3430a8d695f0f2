// The text of an API key: `mak_<id>_<secret>`. The id finds the key, the secret proves it.

/** What every key begins with, so that scanners find keys in published code. */
const mark = 'mak'

/** A new key, and its part that is no secret. */
export interface NewKey {
  readonly id: string
  /** The whole key. */
  readonly text: string
}

/** Makes a key: 64 random bits to find it, and 256 that nobody can guess. */
export function newKey(): NewKey {
  const id = randomHex(8)
  return { id, text: `${prefixOf(id)}_${randomHex(32)}` }
}

/** Returns what a key begins with, by which people recognise it: `mak_3f9a2c7b51d0e846`. */
export const prefixOf = (id: string): string => `${mark}_${id}`

/**
 * Returns the id in a key; undefined for a text of another form, such as the key of a host's own.
 *
 * ```ts
 * keyIdIn(`mak_3f9a2c7b51d0e846_${'0'.repeat(64)}`) // '3f9a2c7b51d0e846'
 * ```
 */
export const keyIdIn = (text: string): string | undefined =>
  /^mak_([0-9a-f]{16})_[0-9a-f]{64}$/.exec(text)?.[1]

const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
