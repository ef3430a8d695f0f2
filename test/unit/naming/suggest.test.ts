/** The nearest known name to an unknown one. */
import { didYouMean, nearest } from '../../../packages/core/src/lib/naming/suggest.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('suggestions', (test) => {
  const known = ['title', 'price', 'published_on', 'author_id']
  for (const [unknown, expected] of [
    ['titel', 'title'],
    ['Title', 'title'],
    ['prise', 'price'],
    ['publishedOn', 'published_on'],
    ['published-on', 'published_on'],
    ['authorid', 'author_id'],
    ['tilte', 'title'],
    ['published', 'published_on'],
    ['on', undefined],
    ['xyzzy', undefined],
    ['', undefined],
  ] as const) {
    test(`for "${unknown}": ${expected ?? 'none'}`, () => equal(nearest(unknown, known), expected))
  }

  test('include a name with further words if there is only one', () => {
    equal(nearest('born', ['name', 'born_on']), 'born_on')
    equal(nearest('date', ['orderDate', 'total']), 'orderDate')
    equal(nearest('name', ['firstName', 'last_name']), undefined)
    equal(nearest('orn', ['born_on', 'thorn']), undefined)
  })

  test('are a sentence to append', () => {
    equal(didYouMean('titel', known), ' Did you mean "title"?')
    equal(didYouMean('xyzzy', known), '')
  })

  test('read only the beginning of a very long name', () => {
    equal(didYouMean('x'.repeat(1_000_000), known), '')
  })
})
