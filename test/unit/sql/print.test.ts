/** Fragments as SQL text. */
import { fragment as sql } from '@model-api/core/internals'
import { printed } from '../../../packages/core/src/lib/sql/print.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('an identifier', (test) => {
  test('cannot be ended by a quote in it', () => {
    const name = sql`select ${sql.id('books', 'a"b`c')}`
    const textIn = (quote: '"' | '`') => printed(name, { quote, placeholders: 'numbered' })?.text
    equal(textIn('"'), 'select "books"."a""b`c"')
    equal(textIn('`'), 'select `books`.`a"b``c`')
  })
})
