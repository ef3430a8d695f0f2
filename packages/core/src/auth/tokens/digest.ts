// SHA-256 in hexadecimal: refresh tokens, API keys and Idempotency-Keys are stored as this digest.

/** Returns the SHA-256 of a string, in lower-case hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Returns the hash that API_CREDENTIAL_HASH_FIELD stores for an API key: its SHA-256. A fast hash is enough for long random keys;
 * passwords need a slow one, see `hashPassword`.
 *
 * ```ts
 * await hashApiKey('k_9f2c…') // '5e88489d…', 64 hexadecimal digits
 * ```
 */
export const hashApiKey = (key: string): Promise<string> => sha256Hex(key)

/** Whether two digests of the same length are equal; takes the same time wherever they differ. */
export function isSameDigest(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i)
  return difference === 0
}
