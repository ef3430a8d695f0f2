// The client's IP address, by which rate limits count requests without a user: the peer's, or the one that trusted proxies
// (API_TRUSTED_PROXIES) give in X-Forwarded-For, read from right to left.

import { type ApiRequest, wholeHeader } from '../../model/request.ts'
import { type Ip, type IpRange, inRange, parseIp } from '../../model/settings/auth/ip-range.ts'

/**
 * Returns the address under which requests are counted. IPv6 addresses count per /64, since a client usually owns a whole /64. An
 * address that cannot be parsed is `unknown`; all such requests share one count. `trusted`: the addresses of the proxies, or their number.
 */
export function clientAddress(request: ApiRequest, trusted: readonly IpRange[] | number): string {
  const ip = clientIp(request, trusted)
  if (ip === undefined) return 'unknown'
  if (ip.bits === 128) return `${(ip.value >> 64n).toString(16)}::/64`
  return [24n, 16n, 8n, 0n].map((shift) => (ip.value >> shift) & 255n).join('.')
}

function clientIp(request: ApiRequest, trusted: readonly IpRange[] | number): Ip | undefined {
  let client = parseIp(request.ip ?? '')
  // The nearest proxy appends its entry last; entries are used only as long as trusted proxies wrote them.
  const forwarded = forwardedFor(request).reverse()
  for (const [hop, text] of forwarded.entries()) {
    const isTrusted =
      typeof trusted === 'number'
        ? hop < trusted
        : client !== undefined && trusted.some((range) => inRange(client as Ip, range))
    if (!isTrusted) return client
    const next = parseIp(withoutPort(text))
    // An entry that is not an address ends the chain: everything to its left is unverified.
    if (next === undefined) return client
    client = next
  }
  return client
}

/** Returns the entries of X-Forwarded-For, the client's first: `203.0.113.7, 10.0.0.2`. */
function forwardedFor(request: ApiRequest): string[] {
  const text = wholeHeader(request, 'x-forwarded-for') ?? ''
  // 2,000 characters are enough for any real chain of proxies, and only the right end is trustworthy.
  return text
    .slice(-2000)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Removes the port of `203.0.113.7:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(text)
  if (bracketed !== null) return bracketed[1] ?? ''
  return text.split(':').length === 2 ? (text.split(':')[0] ?? '') : text
}
