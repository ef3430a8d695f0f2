// A hash of a text: 64 bits of its UTF-8 bytes, fast, synchronous, without any dependency.

/**
 * Two 32-bit lanes read the same words of four bytes, low byte first, the last one filled up with zeros; then comes the
 * number of bytes.
 *
 * It tells changes apart; it is no protection against somebody who wants two texts to have one hash.
 */
export function hashOfText(text: string): string {
  const bytes = encoded(text)
  return digits(bytes, lanesAfter(bytes, start))
}

/** The hashes of the first `units` of a text and of all of it; what both are made of is read once. */
export function hashesOfText(text: string, units: number): readonly [part: string, all: string] {
  const all = encoded(text)
  // Only where it is ASCII throughout, a unit is a byte.
  if (all.length !== text.length) return [hashOfText(text.slice(0, units)), hashOfText(text)]
  const part = { view: all.view, length: units }
  const lanes = lanesAfter(part, start)
  return [digits(part, lanes), digits(all, lanesAfter(all, lanes))]
}

/** Bytes, from the beginning of what they stand in, where there is room for four more. */
interface Bytes {
  readonly view: DataView
  readonly length: number
}

/** The state, and how many bytes it has read. */
interface Lanes {
  readonly a: number
  readonly b: number
  readonly read: number
}

const start: Lanes = { a: 0xdeadbeef | 0, b: 0x41c6ce57, read: 0 }

const encoder = new TextEncoder()

/** Where texts of the usual sizes are encoded: nobody needs the bytes when the hash is there. */
const room = new DataView(new ArrayBuffer(16_384))
const roomBytes = new Uint8Array(room.buffer)

function encoded(text: string): Bytes {
  // A unit takes three bytes at most.
  const most = text.length * 3 + 4
  if (most <= room.byteLength) {
    return { view: room, length: encoder.encodeInto(text, roomBytes).written }
  }
  const bytes = new Uint8Array(most)
  return { view: new DataView(bytes.buffer), length: encoder.encodeInto(text, bytes).written }
}

/** Reads all words that are whole. */
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

/** The end: 16 hexadecimal digits. */
function digits({ view, length }: Bytes, lanes: Lanes): string {
  const rest = (1 << ((length - lanes.read) * 8)) - 1
  const word = view.getInt32(lanes.read, true) & rest
  const a = stepA(lanes.a ^ word) ^ length
  const b = stepB(lanes.b ^ word) ^ length
  const low = mixed(a ^ mixed(b))
  return hexadecimal(mixed(b ^ low)) + hexadecimal(low)
}

// A rotation brings what a multiplication moved up back to the low bits, so that nothing is lost at the top.
const stepA = (lane: number): number => Math.imul((lane << 15) | (lane >>> 17), 0x9e3779b1)
const stepB = (lane: number): number => Math.imul((lane << 13) | (lane >>> 19), 0x5f356495)

/** Each bit of the answer depends on every bit of the lane. */
function mixed(lane: number): number {
  let x = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}

/** Two digits of each byte; `toString(16)` of a whole lane takes six times as long. */
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const hexadecimal = (lane: number): string =>
  `${pairs[lane >>> 24]}${pairs[(lane >>> 16) & 255]}${pairs[(lane >>> 8) & 255]}${pairs[lane & 255]}`
