/** Cursors: decoding returns the encoded values, whatever texts they contain; anything else is a 400. */
import * as fc from 'fast-check'
import { readCursor, writeCursor } from '../../../packages/core/src/query/plan/order/cursor.ts'
import { equal, ok, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('cursors', (test) => {
  const part = fc.option(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), { nil: null })

  test('are decoded to what was encoded, in URL-safe characters', async () => {
    await fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (place) => {
        const cursor = writeCursor('books.title+l', place, undefined)
        ok(/^[A-Za-z0-9_-]*$/.test(cursor), cursor)
        equal(readCursor('after', cursor, 'books.title+l', place.length, undefined), place)
      }),
    )
  })

  test('leave out long values if others identify the row', () => {
    const [order, place] = ['books.title+l books.id+l', ['é'.repeat(300), '7']]
    const cursor = writeCursor(order, place, new Set([1]))
    ok(cursor.length < 80, cursor)
    equal(readCursor('after', cursor, order, 2, new Set([1])), [0, '7'])
    const whole = writeCursor(order, place, undefined)
    equal(readCursor('after', whole, order, 2, undefined), place)
    // A list without keys has no row to read, and the key itself is never left out.
    for (const key of [undefined, new Set([0])]) {
      throws(() => readCursor('after', cursor, order, 2, key), 'a cursor taken from next_url')
    }
  })

  test('an invalid cursor, or one of another order, is refused', () => {
    const other = writeCursor('books.title+l', ['a'], undefined)
    // The last one is JSON in bytes that are not UTF-8.
    for (const cursor of ['', '!', 'abc', other.slice(1), btoa('["books.id+l","\xff"]')]) {
      let status = 0
      try {
        readCursor('after', cursor, 'books.id+l', 1, undefined)
      } catch (error) {
        status = (error as { status: number }).status
      }
      equal(status, 400)
    }
  })
})
