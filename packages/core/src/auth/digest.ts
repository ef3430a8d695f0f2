// SHA-256 as hexadecimal text: what is stored of refresh tokens and API keys instead of themselves.

/** The SHA-256 of a text, in lower-case hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * What API_CREDENTIAL_HASH_FIELD holds of an API key: its SHA-256. Keys are long and random, so a fast hash is enough;
 * passwords are neither, see `hashPassword`.
 *
 * ```ts
 * await hashApiKey('k_9f2c…') // '5e88489d…', 64 hexadecimal digits
 * ```
 */
export const hashApiKey = (key: string): Promise<string> => sha256Hex(key)
