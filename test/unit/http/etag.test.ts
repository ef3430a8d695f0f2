/** The hash in an ETag: 16 hexadecimal digits, the same in every release for the same text. */
import * as fc from 'fast-check'
import { entityTag, hashOfText } from '../../../packages/core/src/http/etag.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** As it is described: two lanes over the UTF-16 units, mixed at the end, each in 8 digits. */
function described(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 2654435761)
    b = Math.imul(b ^ text.charCodeAt(i), 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return [b, a].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('')
}

suite('http/etag', (test) => {
  test('a hash has all of its digits', () => {
    void fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        equal(hashOfText(text), described(text))
      }),
      { numRuns: 5000, seed: 20260102 },
    )
  })

  test('a tag has the hash of the record and that of the answer, whether or not one begins with the other', () => {
    const record = '{"id":1,"title":"Emma"'
    for (const text of [
      `${record}}`,
      `${record},"author":"/api/books/1/author"}`,
      '{"title":"Emma"}',
    ]) {
      equal(entityTag(record, { value: null, text }), `"${described(record)}.${described(text)}"`)
    }
  })

  test('a value has the tag of its text', () =>
    equal(
      entityTag('{"id":1', { value: { id: 1, title: 'Emma' } }),
      entityTag('{"id":1', { value: null, text: '{"id":1,"title":"Emma"}' }),
    ))
})
