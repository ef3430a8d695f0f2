/** The hash in an ETag: 16 hexadecimal digits, the same in every release and on every machine for the same text. */
import * as fc from 'fast-check'
import { hashesOfText, hashOfText } from '../../../packages/core/src/http/text-hash.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const bits = (value: bigint): bigint => value & 0xffffffffn
const rotated = (lane: bigint, by: bigint): bigint => bits((lane << by) | (lane >> (32n - by)))

/** The hash as its description says, computed with bigints. */
function described(text: string): string {
  const bytes = [...Buffer.from(text)]
  const words = Array.from({ length: Math.floor(bytes.length / 4) + 1 }, (_, i) =>
    [0, 1, 2, 3].reduce((word, k) => word | (BigInt(bytes[i * 4 + k] ?? 0) << BigInt(8 * k)), 0n),
  )
  let [a, b] = [0xdeadbeefn, 0x41c6ce57n]
  for (const word of words) {
    a = bits(rotated(a ^ word, 15n) * 0x9e3779b1n)
    b = bits(rotated(b ^ word, 13n) * 0x5f356495n)
  }
  a ^= BigInt(bytes.length)
  b ^= BigInt(bytes.length)
  const low = mixed(a ^ mixed(b))
  return [mixed(b ^ low), low].map((lane) => lane.toString(16).padStart(8, '0')).join('')
}

function mixed(lane: bigint): bigint {
  const once = bits((lane ^ (lane >> 16n)) * 0x85ebca6bn)
  const twice = bits((once ^ (once >> 13n)) * 0xc2b2ae35n)
  return twice ^ (twice >> 16n)
}

/** Parts of texts: ASCII or any characters, sometimes repeated beyond the size of the buffer. */
const parts = fc.tuple(
  fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 50 }),
    fc.string({ unit: 'grapheme', maxLength: 50 }),
  ),
  fc.oneof({ arbitrary: fc.constant(1), weight: 9 }, fc.nat(3000)),
)
const textOf = ([part, times]: readonly [string, number]): string => part.repeat(times)

suite('http/text-hash', (test) => {
  test('hashes any string as described', () => {
    void fc.assert(
      fc.property(parts, (parted) => {
        equal(hashOfText(textOf(parted)), described(textOf(parted)))
      }),
      { numRuns: 2000, seed: 20260102 },
    )
  })

  test('hashes a prefix and the whole like two strings', () => {
    void fc.assert(
      fc.property(parts, parts, (first, second) => {
        const [part, all] = [textOf(first), textOf(first) + textOf(second)]
        equal(hashesOfText(all, part.length), [hashOfText(part), hashOfText(all)])
      }),
      { numRuns: 1000, seed: 20260103 },
    )
  })

  test('it stays the same from release to release', () => {
    equal(['', '{"id":1}', 'Žižek', '日本'.repeat(9000)].map(hashOfText), [
      'c43b9b8a0ab69c87',
      'aaeaea6e731976ae',
      '5e38f7632321c1a7',
      'f082a6a2c04f6612',
    ])
  })

  test('strings that differ in a bit, by a zero or in the order of their words have different hashes', () => {
    const text = '{"id":1,"title":"Emma","price":"9.99","pages":474}'
    const changed = [...text].flatMap((unit, i) =>
      Array.from(
        { length: 7 },
        (_, bit) =>
          text.slice(0, i) +
          String.fromCharCode(unit.charCodeAt(0) ^ (1 << bit)) +
          text.slice(i + 1),
      ),
    )
    const zeros = Array.from({ length: 9 }, (_, n) => text + '\0'.repeat(n))
    const words = text.match(/.{4}/g) ?? []
    const turned = words.map((_, i) => [...words.slice(i), ...words.slice(0, i)].join(''))
    const all = [...changed, ...zeros, ...turned]
    equal(new Set(all.map(hashOfText)).size, new Set(all).size)
    for (const half of [0, 8]) {
      equal(
        new Set(all.map((each) => hashOfText(each).slice(half, half + 8))).size,
        new Set(all).size,
      )
    }
  })
})
