// Texts are ordered by code point, as the bytes of their UTF-8 are.
import { base64, bytesOfBase64 } from '../../../packages/core/src/lib/json/base64.ts'
import { compareCodePoints } from '../../../packages/core/src/lib/json/code-points.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

suite('json/code-points', (test) => {
  test('orders every pair as the bytes do', () => {
    const texts = [
      '',
      'a',
      'ab',
      'a\u{10ffff}',
      'a\uffff',
      'a\ud7ff',
      'a\ue000',
      'a\ufffd',
      '😀',
      'é',
      'Z',
      ' ',
    ]
    for (const a of texts) {
      for (const b of texts) equal(Math.sign(compareCodePoints(a, b)), bytewise(a, b), `${a} ${b}`)
    }
  })

  test('orders random texts as the bytes do', () => {
    const units = ['a', 'b', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '\u{1f600}']
    let seed = 1
    const next = (): number => {
      seed = (seed * 48271) % 2147483647
      return seed
    }
    const random = (): string =>
      Array.from({ length: next() % 5 }, () => units[next() % units.length]).join('')
    for (let i = 0; i < 5000; i++) {
      const [a, b] = [random(), random()]
      equal(Math.sign(compareCodePoints(a, b)), bytewise(a, b))
    }
  })
})

suite('json/base64', (test) => {
  test('encodes like any other encoder, at every length', () => {
    for (const length of [0, 1, 2, 3, 4, 255, 256, 24575, 24576, 24577, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 255)
      equal(base64(bytes), Buffer.from(bytes).toString('base64'))
      equal(Buffer.compare(bytesOfBase64(base64(bytes)), bytes), 0)
    }
  })

  test('refuses invalid base64', () => {
    throws(() => bytesOfBase64('a*b'))
  })
})
