// Parses IP addresses and CIDR ranges into comparable numbers, for API_TRUSTED_PROXIES and rate limits by address; an IPv4-mapped IPv6 address is
// treated as IPv4.

/** An address as a number of 32 or 128 bits. */
export interface Ip {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** Every address whose first `prefix` bits are those of `ip`. */
export interface IpRange {
  readonly ip: Ip
  readonly prefix: number
}

/** `192.0.2.1` as a number; undefined for another text. */
function ipv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) {
    return undefined
  }
  if (parts.some((part) => Number(part) > 255)) return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

/** `2001:db8::1` as a number; undefined for another text. */
function ipv6(text: string): bigint | undefined {
  // The longest form is `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`.
  if (text.length > 45) return undefined
  // A trailing dotted part (`::ffff:192.0.2.1`) stands for two groups.
  const dotted = text.includes('.') ? ipv4(text.slice(text.lastIndexOf(':') + 1)) : undefined
  if (text.includes('.') && dotted === undefined) return undefined
  const plain =
    dotted === undefined
      ? text
      : `${text.slice(0, text.lastIndexOf(':') + 1)}${(dotted >> 16n).toString(16)}:${(dotted & 0xffffn).toString(16)}`
  const halves = plain.split('::')
  if (halves.length > 2) return undefined
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - left.length - right.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

/** Parses an address; a zone (`fe80::1%eth0`) is ignored. */
export function parseIp(text: string): Ip | undefined {
  const v4 = ipv4(text)
  if (v4 !== undefined) return { bits: 32, value: v4 }
  const v6 = ipv6(text.split('%', 1)[0] ?? '')
  if (v6 === undefined) return undefined
  // `::ffff:…` is an IPv4 address.
  return v6 >> 32n === 0xffffn ? { bits: 32, value: v6 & 0xffffffffn } : { bits: 128, value: v6 }
}

/** Parses `10.0.0.0/8`, `fd00::/8`, or a single address. */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = '', length, ...more] = text.split('/')
  const ip = parseIp(address)
  if (ip === undefined || more.length > 0) return undefined
  if (length === undefined) return { ip, prefix: ip.bits }
  // The prefix length of an IPv4-mapped range includes the 96 bits of the mapping.
  const prefix = Number(length) - (ip.bits === 32 && address.includes(':') ? 96 : 0)
  return /^\d{1,3}$/.test(length) && prefix >= 0 && prefix <= ip.bits ? { ip, prefix } : undefined
}

/** Whether an address lies in a range. */
export function inRange(ip: Ip, range: IpRange): boolean {
  if (ip.bits !== range.ip.bits) return false
  const shift = BigInt(ip.bits - range.prefix)
  return ip.value >> shift === range.ip.value >> shift
}
