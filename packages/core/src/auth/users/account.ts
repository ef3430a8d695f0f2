// Account key: under which key failed sign-ins of an account are counted. It is a hash of the login name or API key, so that the store of
// rate limits has neither in clear text, and clients cannot choose the length of the key.

import { sha256Hex } from '../tokens/digest.ts'

/**
 * Returns the key of a login name or API key: 128 bits of its SHA-256. The same name has the same key for every strategy. Two names with
 * the same key would only share their limits.
 */
export const accountKey = async (name: string): Promise<string> =>
  (await sha256Hex(name)).slice(0, 32)
