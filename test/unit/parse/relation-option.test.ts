/** Options of embedded relations. */
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { field, filter, list, part, refuses, refusesAs, same } from './query.ts'

const path = (...names: string[]): unknown => names.map((text) => ({ text }))

suite('a relation option', (test) => {
  test('limits', () => {
    equal(part('books.limit=3&author.books.limit=', 'relationOptions'), [
      { path: path('books'), option: 'limit', limit: { text: '3' } },
      { path: path('author', 'books'), option: 'limit', limit: { text: '' } },
    ])
  })

  test('orders', () => {
    equal(part('books.order_by=-published_on,id.nullsfirst', 'relationOptions'), [
      {
        path: path('books'),
        option: 'order_by',
        order: [
          { field: field('published_on'), descending: true },
          { field: field('id'), descending: false, nulls: 'first' },
        ],
      },
    ])
  })

  test('selects', () => {
    equal(part('author.books.fields=id,title', 'relationOptions'), [
      { path: path('author', 'books'), option: 'fields', fields: [field('id'), field('title')] },
    ])
    same('books.fields=id,title', 'books.fields=id%2Ctitle')
  })

  test('filters', () => {
    equal(part('author.books[price__gt=20,or[a__in=(1,2),b__eq=3]]', 'relationOptions'), [
      {
        path: path('author', 'books'),
        option: 'where',
        where: [
          filter('price', 'gt', '20'),
          { kind: 'or', items: [filter('a', 'in', list('1', '2')), filter('b', 'eq', '3')] },
        ],
      },
    ])
    same('books[price__gt=20,a__eq=1]', 'books%5Bprice__gt=20%2Ca__eq%3D1%5D')
    same('books[price__gt=20]', 'books[price__gt=20]=')
  })

  test('is not mistaken for a column or a parameter', () => {
    equal(part('limit=3', 'relationOptions'), [])
    equal(part('books.limit__eq=3', 'relationOptions'), [])
    equal(part('my__books.limit=3', 'relationOptions'), [
      { path: path('my__books'), option: 'limit', limit: { text: '3' } },
    ])
  })

  test('needs a relation, a value and conditions', () => {
    refuses('.limit=3', 'Expected a name in ".limit=3".')
    refuses('books.limit', 'Expected "=" and a value after "books.limit".')
    refuses('[a__eq=1]', 'Expected a name in "[a__eq=1]".')
    refuses('books[]', '"books[]" is empty: expected at least one condition.')
    refuses(
      'books[a__eq=1',
      '"books[" is not closed: expected "]". An "&" inside it is written %26.',
    )
    refuses(
      'books.fields=',
      '"books.fields" has an empty item: expected names separated by commas.',
    )
    refuses(
      'a..b.limit=3',
      '"a..b" has an empty name: names are joined by single dots, such as author.name.',
      'a..b',
    )
    refuses(
      'page[size]=3',
      '"size" inside "page[" has no "=": expected a condition such as title__eq=Emma.',
      'size',
    )
  })

  test('is refused with the nearest option', () => {
    refusesAs(
      'unknown_parameter',
      'books.limits=3',
      'Unknown parameter "books.limits". Did you mean "books.limit"? A filter is written "books.limits__eq=3".',
    )
    refusesAs(
      'unknown_parameter',
      'books.orderby=a',
      'Unknown parameter "books.orderby". Did you mean "books.order_by"? A filter is written "books.orderby__eq=a".',
    )
  })
})
