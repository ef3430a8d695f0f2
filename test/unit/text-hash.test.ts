/** The hash in ETags and names of statements: the beginning of SHA-256, so that nobody can make two texts with the same hash. */
import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { sha256Of, sha256sOf } from '../../packages/core/src/lib/script-sha256.ts'
import { hashesOfText, hashLength, hashOfText } from '../../packages/core/src/lib/text-hash.ts'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const sha256 = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, hashLength)

/** Parts of texts: ASCII or any characters, sometimes repeated beyond the size of the buffer. */
const parts = fc.tuple(
  fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
    fc.string({ unit: 'grapheme', maxLength: 50 }),
  ),
  fc.oneof({ arbitrary: fc.constant(1), weight: 9 }, fc.nat(3000)),
)
const textOf = ([part, times]: readonly [string, number]): string => part.repeat(times)

const ways = [
  ['by the runtime', hashOfText, hashesOfText],
  ['by JavaScript', sha256Of, sha256sOf],
] as const

for (const [name, one, two] of ways) {
  suite(`text-hash, ${name}`, (test) => {
    test('hashes a string of any length, with any place of the padding', () => {
      for (let length = 0; length < 200; length++) {
        const text = 'ab'.repeat(100).slice(0, length)
        equal([length, one(text)], [length, sha256(text)])
      }
      const long = '日本'.repeat(9000)
      equal(one(long), sha256(long))
    })

    test('hashes any string', () => {
      void fc.assert(
        fc.property(parts, (parted) => {
          equal(one(textOf(parted)), sha256(textOf(parted)))
        }),
        { numRuns: 1000, seed: 20260102 },
      )
    })

    test('hashes a prefix that ends between the halves of a surrogate pair', () => {
      for (const before of [1, 5000]) {
        const text = `${'a'.repeat(before)}😀b`
        equal(two(text, before + 1), [sha256(text.slice(0, before + 1)), sha256(text)])
      }
    })

    test('hashes a prefix and the whole like two strings', () => {
      void fc.assert(
        fc.property(parts, parts, (first, second) => {
          const [part, all] = [textOf(first), textOf(first) + textOf(second)]
          equal(two(all, part.length), [sha256(part), sha256(all)])
        }),
        { numRuns: 1000, seed: 20260103 },
      )
    })
  })
}

suite('the length of a hash', (test) => {
  test('is long enough that no two texts with the same hash can be found', () =>
    equal(hashLength, 32))
})
