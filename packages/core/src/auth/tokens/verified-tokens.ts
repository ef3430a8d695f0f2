// Verified tokens: caches the claims of verified access tokens, of this API and of other issuers, by the full text of the token, so that each
// signature is verified once.

import type { Clock } from '../../lib/clock.ts'
import { lruMap } from '../../lib/lru-map.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** Maximum number of cached tokens (LRU). */
const maxTokens = 1000

/** What this cache reads of the claims. */
interface Expiry {
  readonly timing: string
  /** Seconds since 1970, before the leeway is added. */
  readonly verifiedUntil: number
}

/** A cached token. */
interface Verified<C> {
  readonly claims: C
  /** When its signature was verified, in milliseconds since 1970. */
  readonly at: number
}

/**
 * Returns a function that gives the claims of a token: the cached ones, otherwise the result of `verify`. Only valid tokens are
 * cached. A token is verified again once it has expired, and after the clock was set back, because its `iat` or `nbf` may then
 * lie in the future. `leeway` is in seconds.
 */
export function rememberVerified<C extends Expiry>(
  clock: Clock,
  leeway: number,
): (token: string, verify: () => Promise<C | undefined>) => MaybePromise<C | undefined> {
  const known = lruMap<Verified<C>>(maxTokens)
  return (token, verify) => {
    const now = clock.now()
    const before = known.get(token)
    if (before !== undefined && now >= before.at && isCurrent(before.claims, now, leeway)) {
      return before.claims
    }
    return verify().then((claims) => {
      if (claims?.timing !== 'current') known.delete(token)
      else known.set(token, { claims, at: now })
      return claims
    })
  }
}

const isCurrent = ({ verifiedUntil }: Expiry, now: number, leeway: number): boolean =>
  verifiedUntil > Math.floor(now / 1000) - leeway
