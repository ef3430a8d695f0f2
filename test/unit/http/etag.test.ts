/** The ETag of a response: a hash of the record, and one of the body. */
import { entityTag } from '../../../packages/core/src/http/etag.ts'
import { hashOfText } from '../../../packages/core/src/lib/text-hash.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('http/etag', (test) => {
  test('an ETag has the hashes of the record and of the response, whether or not one begins with the other', () => {
    const record = '{"id":1,"title":"Emma"'
    for (const text of [
      `${record}}`,
      `${record},"author":"/api/books/1/author"}`,
      '{"title":"Emma"}',
    ]) {
      const tag = `"${hashOfText(record)}.${hashOfText(text)}"`
      equal(entityTag(record, { value: null, text }), tag)
      const recordLeads = text.startsWith(record)
      equal(entityTag(record, { value: null, text, recordLeads }), tag)
    }
  })

  test('a value has the ETag of its JSON text', () =>
    equal(
      entityTag('{"id":1', { value: { id: 1, title: 'Emma' } }),
      entityTag('{"id":1', { value: null, text: '{"id":1,"title":"Emma"}' }),
    ))
})
