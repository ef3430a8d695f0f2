/** `exists(…)` and `missing(…)`. */
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { field, filter, list, part, refuses, same, scalar } from './query.ts'

const path = (...names: string[]): unknown => names.map((text) => ({ text }))

suite('a relation filter', (test) => {
  test('names a relation', () => {
    equal(part('exists(books)&missing(author.books)', 'where'), [
      { kind: 'exists', path: path('books'), where: [] },
      { kind: 'missing', path: path('author', 'books'), where: [] },
    ])
  })

  test('has conditions, later ones relative to the end of the path', () => {
    equal(part('exists(books.price__gt=20,in_stock__eq=true,publisher.name__eq=x)', 'where'), [
      {
        kind: 'exists',
        path: path('books'),
        where: [
          filter('price', 'gt', '20'),
          filter('in_stock', 'eq', 'true'),
          filter('publisher.name', 'eq', 'x'),
        ],
      },
    ])
    equal(part('missing(author.books.title__in=(a,b))', 'where'), [
      {
        kind: 'missing',
        path: path('author', 'books'),
        where: [filter('title', 'in', list('a', 'b'))],
      },
    ])
  })

  test('may have its path separated from the first condition', () => {
    same('exists(books.price__gt=20)', 'exists(books,price__gt=20)')
    same('exists(books.price__gt=20,a__eq=1)', 'exists(+books+,+price__gt=20,+a__eq=1)')
  })

  test('has conditions on aggregates of the rows that are related to its rows', () => {
    const many = {
      kind: 'filter',
      field: { kind: 'related', function: 'count', path: path('tags'), where: [] },
      operator: 'ge',
      value: scalar('2'),
    }
    const one = { kind: 'exists', path: path('books'), where: [many] }
    equal(part('exists(books.count(tags)__ge=2)', 'where'), [one])
    equal(part('exists(author.books,a__eq=1,count(tags)__ge=2)', 'where'), [
      { ...one, path: path('author', 'books'), where: [filter('a', 'eq', '1'), many] },
    ])
    const sum = {
      kind: 'related',
      function: 'sum',
      path: path('lines'),
      where: [filter('n', 'in', list('1', '2'))],
      column: field('n'),
    }
    equal(part('or[missing(books.sum(lines[n__in=(1,2)].n)__lt=5)]', 'where'), [
      {
        kind: 'or',
        items: [
          {
            kind: 'missing',
            path: path('books'),
            where: [{ kind: 'filter', field: sum, operator: 'lt', value: scalar('5') }],
          },
        ],
      },
    ])
    same('exists(books.count(tags)__ge=2)', 'exists(books,count(tags)__ge=2)')
    same('exists(books.count(tags)__ge=2,a__eq=1)', 'exists(+books+,+count(tags)__ge=2,+a__eq=1)')
    same('exists(b.count(t[x__eq=1])__ge=2)', 'exists%28b.count%28t%5Bx__eq%3D1%5D%29__ge%3D2%29=')
    same('exists(b.count(t[x__eq=1])__ge=2)', 'exists%28b.count%28t%5Bx__eq=1%5D%29__ge%3D2%29')
    refuses(
      'exists(count(tags)__ge=2)',
      'Expected a relation before "count", such as exists(books.count(…)__ge=2).',
      'count',
    )
    refuses(
      'exists(books.count(tags))',
      'Expected an operator and a value after "count(tags)", such as count(tags)__ge=3.',
      'count(tags)',
    )
  })

  test('is read in every spelling', () => {
    const raw = 'exists(books.price__gt=20,a__eq=1)'
    same(raw, `${raw}=`)
    same(raw, 'exists%28books.price__gt%3D20%2Ca__eq%3D1%29=')
    same(raw, 'exists%28books.price__gt=20%2Ca__eq%3D1%29')
    equal(part('exists(books.title__eq=a%2Cb)', 'where'), [
      { kind: 'exists', path: path('books'), where: [filter('title', 'eq', 'a,b')] },
    ])
  })

  test('is not a column called exists', () => {
    equal(part('exists__eq=1', 'where'), [filter('exists', 'eq', '1')])
  })

  test('needs a relation', () => {
    refuses(
      'exists()',
      'Expected a relation in "exists()", such as exists(books) or exists(books.price__gt=20).',
    )
    refuses(
      'exists(price__gt=20)',
      'Expected a relation before "price__gt", such as exists(books.price__gt=…).',
      'price__gt',
    )
    for (const opened of ['or[', '[']) {
      refuses(
        `exists(${opened}a__eq=1])`,
        `Expected a relation in "exists(" instead of "${opened}", such as exists(books.price__gt=20).`,
        opened,
      )
    }
    refuses('exists(,a__eq=1)', 'Expected a name in "exists(,a__eq=1)".')
    refuses(
      'exists(a..b__eq=1)',
      '"a." has an empty name: names are joined by single dots, such as author.name.',
      'a.',
    )
  })

  test('holds filters only', () => {
    const expected = (found: string) =>
      `Expected a filter such as price__gt=20 instead of "${found}": only filters follow the relation.`
    refuses('exists(books,title)', expected('title'), 'title')
    refuses('exists(books.price__gt)', expected('books.price__gt'), 'books.price__gt')
    refuses('exists(books,or[a__eq=1])', expected('or'), 'or')
    refuses('exists(books.exists(author))', expected('books.exists'), 'books.exists')
    const noGroup = (found: string) =>
      `"[" after "${found}" cannot stand inside "exists(": only filters follow the relation, such as exists(books.price__gt=20,in_stock__eq=true). Groups enclose exists(…).`
    refuses('exists(books.or[a__eq=1,b__eq=2])', noGroup('books.or'), 'books.or[')
    refuses('exists(books[or[a__eq=1,b__eq=2]])', noGroup('books'), 'books[')
    refuses(
      'exists(books.price__gt%3D20)',
      `${expected('books.price__gt=20')} An "=" written as %3D is part of the text here.`,
      'books.price__gt%3D20',
    )
    refuses(
      'exists(books.price__sum=1)',
      '"price__sum" is an aggregate and cannot stand inside "exists(".',
      'price__sum',
    )
    refuses(
      'exists(books,,a__eq=1)',
      'Expected a filter such as price__gt=20: only filters follow the relation.',
    )
    refuses(
      'exists(books,)',
      'Expected a filter such as price__gt=20: only filters follow the relation.',
    )
  })

  test('must be closed and end its pair', () => {
    const open = '"exists(" is not closed: expected ")". An "&" inside it is written %26.'
    refuses('exists(books', open)
    refuses('exists(', 'Expected a name in "exists(".')
    refuses('exists(books.a__eq=1', open)
    refuses('exists(books)x', 'Unexpected "x" after ")".')
    refuses('exists(books).title__eq=1', 'Unexpected ".title__eq=1" after ")".')
  })
})
