/** Cursors: decoding returns the encoded values, whatever texts they contain; anything else is a 400. */
import * as fc from 'fast-check'
import { readCursor, writeCursor } from '../../../packages/core/src/query/plan/order/cursor.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('cursors', (test) => {
  const part = fc.option(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), { nil: null })

  test('are decoded to what was encoded, in URL-safe characters', async () => {
    await fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (place) => {
        const cursor = writeCursor('books.title+l', place)
        ok(/^[A-Za-z0-9_-]*$/.test(cursor), cursor)
        equal(readCursor('after', cursor, 'books.title+l', place.length), place)
      }),
    )
  })

  test('an invalid cursor, or one of another order, is refused', () => {
    const other = writeCursor('books.title+l', ['a'])
    // The last one is JSON in bytes that are not UTF-8.
    for (const cursor of ['', '!', 'abc', other.slice(1), btoa('["books.id+l","\xff"]')]) {
      let status = 0
      try {
        readCursor('after', cursor, 'books.id+l', 1)
      } catch (error) {
        status = (error as { status: number }).status
      }
      equal(status, 400)
    }
  })
})
