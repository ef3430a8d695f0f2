// The form of a token before anything is computed: three parts, not long, and the only encoding of its own bytes.

/** Longest token that is looked at; verifying costs time in proportion. */
export const longestToken = 4096

/**
 * Whether a text is a signed token in its canonical encoding. Another spelling of the same bytes (padding, spare bits
 * of the last character) would verify all the same and pass for another token in the store.
 */
export function isTokenForm(text: string): boolean {
  if (text.length > longestToken) return false
  const parts = text.split('.')
  return parts.length === 3 && parts.every(isCanonical)
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function isCanonical(part: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return false
  const spare = [1, undefined, 16, 4][part.length % 4]
  return spare !== undefined && alphabet.indexOf(part.at(-1) ?? '') % spare === 0
}
