// A fast, synchronous 64-bit hash of a string's UTF-8 bytes, for ETags.

/**
 * Hashes a string. Two 32-bit lanes each process all little-endian words of four bytes, the last word padded with zeros, and then
 * the number of bytes.
 *
 * The hash detects changes; it is not collision-resistant against an attacker.
 */
export function hashOfText(text: string): string {
  const bytes = encoded(text)
  return digits(bytes, lanesAfter(bytes, start))
}

/** Returns the hashes of the first `units` UTF-16 units of a string and of the whole, computed in one pass. */
export function hashesOfText(text: string, units: number): readonly [part: string, all: string] {
  const all = encoded(text)
  // A UTF-16 unit is one byte only if the string is all ASCII.
  if (all.length !== text.length) return [hashOfText(text.slice(0, units)), hashOfText(text)]
  const part = { view: all.view, length: units }
  const lanes = lanesAfter(part, start)
  return [digits(part, lanes), digits(all, lanesAfter(all, lanes))]
}

/** The first `length` bytes of a buffer, which has at least four more bytes. */
interface Bytes {
  readonly view: DataView
  readonly length: number
}

/** The state of the hash, and how many bytes it has processed. */
interface Lanes {
  readonly a: number
  readonly b: number
  readonly read: number
}

const start: Lanes = { a: 0xdeadbeef | 0, b: 0x41c6ce57, read: 0 }

const encoder = new TextEncoder()

/** A reused buffer for strings of up to 5,460 units; the bytes are not needed after hashing. */
const buffer = new DataView(new ArrayBuffer(16_384))
const bufferBytes = new Uint8Array(buffer.buffer)

function encoded(text: string): Bytes {
  // UTF-8 takes at most three bytes per UTF-16 unit.
  const most = text.length * 3 + 4
  if (most <= buffer.byteLength) {
    return { view: buffer, length: encoder.encodeInto(text, bufferBytes).written }
  }
  const bytes = new Uint8Array(most)
  return { view: new DataView(bytes.buffer), length: encoder.encodeInto(text, bytes).written }
}

/** Processes all complete words. */
function lanesAfter({ view, length }: Bytes, from: Lanes): Lanes {
  let { a, b } = from
  const end = length & ~3
  for (let i = from.read; i < end; i += 4) {
    const word = view.getInt32(i, true)
    a = stepA(a ^ word)
    b = stepB(b ^ word)
  }
  return { a, b, read: end }
}

/** Processes the last word and returns 16 hexadecimal digits. */
function digits({ view, length }: Bytes, lanes: Lanes): string {
  const rest = (1 << ((length - lanes.read) * 8)) - 1
  const word = view.getInt32(lanes.read, true) & rest
  const a = stepA(lanes.a ^ word) ^ length
  const b = stepB(lanes.b ^ word) ^ length
  const low = mixed(a ^ mixed(b))
  return hexadecimal(mixed(b ^ low)) + hexadecimal(low)
}

// A multiplication moves information to the high bits; the rotation before the next one brings it back.
const stepA = (lane: number): number => Math.imul((lane << 15) | (lane >>> 17), 0x9e3779b1)
const stepB = (lane: number): number => Math.imul((lane << 13) | (lane >>> 19), 0x5f356495)

/** The finaliser of MurmurHash3: each bit of the result depends on every bit of the lane. */
function mixed(lane: number): number {
  let x = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}

/** The two digits of each byte; `toString(16)` of a lane takes six times as long. */
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const hexadecimal = (lane: number): string =>
  `${pairs[lane >>> 24]}${pairs[(lane >>> 16) & 255]}${pairs[(lane >>> 8) & 255]}${pairs[lane & 255]}`
