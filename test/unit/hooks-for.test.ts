/** hooksFor returns its callbacks unchanged. */
import { defineModel, hooksFor } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

suite('hooksFor', (test) => {
  test('changes nothing at run time', () => {
    const Book = defineModel('Book', { columns: { id: { type: 'integer', primaryKey: true } } })
    const hooks = { remove_callback: (book: { id: number }) => book }
    equal(hooksFor(Book, hooks), hooks)
  })
})
