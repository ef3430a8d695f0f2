// The syntactic check of a token before its signature is verified: three base64url parts, at most 4,096 characters, canonical encoding.

/** Longest token in characters; the time to verify grows with the length. */
const longestToken = 4096

/**
 * Whether a string is a signed token in canonical base64url. Another encoding of the same bytes (padding, unused bits of
 * the last character) would have a valid signature too, and a different digest in the store.
 */
export function isTokenForm(text: string): boolean {
  if (text.length > longestToken) return false
  const parts = text.split('.')
  return parts.length === 3 && parts.every(isCanonical)
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function isCanonical(part: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return false
  // The last character has 0, 4 or 2 unused bits, which must be zero; no encoding has a remainder of 1.
  const spare = [1, undefined, 16, 4][part.length % 4]
  return spare !== undefined && alphabet.indexOf(part.at(-1) ?? '') % spare === 0
}
