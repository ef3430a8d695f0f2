// SHA-256 of a string in JavaScript, synchronous: for runtimes whose only one is WebCrypto's, which is asynchronous. `text-hash.ts` uses
// it in place of `node:crypto`.

/** Returns the first 192 bits of a string's SHA-256 in base64url. */
export function sha256Of(text: string): string {
  const bytes = encoded(text)
  return digits(bytes, bytes.length, stateAfter(bytes, bytes.length, start()))
}

/** Returns the hashes of the first `units` UTF-16 units of a string and of the whole, computed in one pass. */
export function sha256sOf(text: string, units: number): readonly [part: string, all: string] {
  const bytes = encoded(text)
  // A UTF-16 unit is one byte only if the string is all ASCII.
  if (bytes.length !== text.length) return [sha256Of(text.slice(0, units)), sha256Of(text)]
  const state = stateAfter(bytes, units, start())
  const part = digits(bytes, units, { ...state, words: state.words.slice() })
  return [part, digits(bytes, bytes.length, stateAfter(bytes, bytes.length, state))]
}

/** The first `length` bytes of a buffer. */
interface Bytes {
  readonly array: Uint8Array
  readonly view: DataView
  readonly length: number
}

/** The state of the hash, and how many bytes it has processed. */
interface State {
  readonly words: Int32Array
  readonly read: number
}

const encoder = new TextEncoder()

const bytesOf = (size: number): Omit<Bytes, 'length'> => {
  const array = new Uint8Array(size)
  return { array, view: new DataView(array.buffer) }
}

/** A reused buffer for strings of up to 5,461 units; the bytes are not needed after hashing. */
const buffer = bytesOf(16_384)

function encoded(text: string): Bytes {
  // UTF-8 takes at most three bytes per UTF-16 unit.
  const most = text.length * 3
  const { array, view } = most <= buffer.array.length ? buffer : bytesOf(most)
  return { array, view, length: encoder.encodeInto(text, array).written }
}

/** Bytes of one block. */
const blockSize = 64

/** Processes all complete blocks of the first `length` bytes. */
function stateAfter({ view }: Bytes, length: number, { words, read }: State): State {
  const end = length - (length % blockSize)
  for (let at = read; at < end; at += blockSize) addBlock(words, view, at)
  return { words, read: Math.max(read, end) }
}

/** The last bytes of a string, with the padding: at most two blocks. */
const tail = bytesOf(2 * blockSize)

/** Processes the rest of the first `length` bytes with the padding, and writes the hash. */
function digits({ array }: Bytes, length: number, { words, read }: State): string {
  const rest = length - read
  const size = rest + 9 > blockSize ? 2 * blockSize : blockSize
  tail.array.fill(0)
  tail.array.set(array.subarray(read, length))
  tail.array[rest] = 0x80
  // The number of bits, in 64 bits.
  tail.view.setUint32(size - 8, Math.floor(length / 2 ** 29))
  tail.view.setUint32(size - 4, length << 3)
  for (let at = 0; at < size; at += blockSize) addBlock(words, tail.view, at)
  return base64(words, 0) + base64(words, 3)
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The two characters of each twelve bits. */
const pairs = Array.from(
  { length: 4096 },
  (_, bits) => `${alphabet[bits >>> 6]}${alphabet[bits & 63]}`,
)

/** Writes three words as 16 characters. */
function base64(words: Int32Array, from: number): string {
  const a = words[from] as number
  const b = words[from + 1] as number
  const c = words[from + 2] as number
  return (
    `${pairs[a >>> 20]}${pairs[(a >>> 8) & 4095]}${pairs[((a & 255) << 4) | (b >>> 28)]}` +
    `${pairs[(b >>> 16) & 4095]}${pairs[(b >>> 4) & 4095]}${pairs[((b & 15) << 8) | (c >>> 24)]}` +
    `${pairs[(c >>> 12) & 4095]}${pairs[c & 4095]}`
  )
}

const start = (): State => ({
  words: Int32Array.from([
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  ]),
  read: 0,
})

/** The constants of the rounds (FIPS 180-4 §4.2.2). */
const constants = Int32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])

const schedule = new Int32Array(64)

/** Processes one block (FIPS 180-4 §6.2.2; the names are those of the standard). */
function addBlock(words: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(at + 4 * i)
  for (let i = 16; i < 64; i++) {
    const x = schedule[i - 15] as number
    const y = schedule[i - 2] as number
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    schedule[i] = ((schedule[i - 16] as number) + s0 + (schedule[i - 7] as number) + s1) | 0
  }
  let a = words[0] as number
  let b = words[1] as number
  let c = words[2] as number
  let d = words[3] as number
  let e = words[4] as number
  let f = words[5] as number
  let g = words[6] as number
  let h = words[7] as number
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const choice = (e & f) ^ (~e & g)
    const t1 = (h + s1 + choice + (constants[i] as number) + (schedule[i] as number)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + s0 + majority) | 0
  }
  words[0] = (words[0] as number) + a
  words[1] = (words[1] as number) + b
  words[2] = (words[2] as number) + c
  words[3] = (words[3] as number) + d
  words[4] = (words[4] as number) + e
  words[5] = (words[5] as number) + f
  words[6] = (words[6] as number) + g
  words[7] = (words[7] as number) + h
}
