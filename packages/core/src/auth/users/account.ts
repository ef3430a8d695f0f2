// Account key: the key under which failed sign-ins of an account are counted; a hash, so of fixed length and without the name
// in clear text.

import { sha256Hex } from '../tokens/digest.ts'

/**
 * Returns the key of a login name or API key: 128 bits of its SHA-256. The same name has the same key for every strategy. Two names with
 * the same key would only share their limits.
 */
export const accountKey = async (name: string): Promise<string> =>
  (await sha256Hex(name)).slice(0, 32)
