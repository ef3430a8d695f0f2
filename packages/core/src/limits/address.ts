// The address of the client: that of the peer, or what trusted proxies say in X-Forwarded-For, read from the right.

import { type Ip, type IpRange, inRange, parseIp } from '../config/ip-range.ts'
import { type ApiRequest, wholeHeader } from '../http/request.ts'

/**
 * The address that requests are counted by. IPv6 addresses are one per /64, since a client has all of them;
 * an unreadable one is `unknown`, which is counted like any other.
 */
export function clientAddress(request: ApiRequest, trusted: readonly IpRange[] | number): string {
  const ip = clientIp(request, trusted)
  if (ip === undefined) return 'unknown'
  if (ip.bits === 128) return `${(ip.value >> 64n).toString(16)}::/64`
  return [24n, 16n, 8n, 0n].map((shift) => (ip.value >> shift) & 255n).join('.')
}

function clientIp(request: ApiRequest, trusted: readonly IpRange[] | number): Ip | undefined {
  let client = parseIp(request.ip ?? '')
  // What the nearest proxy wrote stands last; only what trusted proxies wrote is believed.
  const forwarded = forwardedFor(request).reverse()
  for (const [hop, text] of forwarded.entries()) {
    const believed =
      typeof trusted === 'number'
        ? hop < trusted
        : client !== undefined && trusted.some((range) => inRange(client as Ip, range))
    if (!believed) return client
    const next = parseIp(withoutPort(text))
    // A proxy that writes nonsense is as far as we can see.
    if (next === undefined) return client
    client = next
  }
  return client
}

function forwardedFor(request: ApiRequest): string[] {
  const text = wholeHeader(request, 'x-forwarded-for') ?? ''
  // Longer than any chain of proxies: only its end, which the nearest wrote, can be true.
  return text
    .slice(-2000)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** `203.0.113.7:4711` and `[2001:db8::1]:4711` without their ports. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(text)
  if (bracketed !== null) return bracketed[1] ?? ''
  return text.split(':').length === 2 ? (text.split(':')[0] ?? '') : text
}
