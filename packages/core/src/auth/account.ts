// The account as a key for counting requests: of bounded length, and nobody's name or key in clear.

import { sha256Hex } from './digest.ts'

/** The counting key of a login name or API key; a name counts alike whatever strategy it comes by. */
export const accountKey = async (name: string): Promise<string> =>
  (await sha256Hex(name)).slice(0, 32)
