/** `count(books[price__gt=20])` and `max(books.published)`: aggregates of related rows. */
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { field, filter, list, part, refuses, same, scalar } from './query.ts'

const path = (...names: string[]): unknown[] => names.map((text) => ({ text }))

const related = (fn: string, names: readonly string[], rest: object = {}) => ({
  kind: 'related',
  function: fn,
  path: path(...names),
  where: [],
  ...rest,
})

suite('an aggregate of related rows', (test) => {
  test('stands in fields with a label, in orders and in filters', () => {
    equal(part('fields=*,-a,count(books)|n,max(author.books.price)', 'fields'), [
      { kind: 'all', text: '*' },
      { kind: 'without', field: field('a'), text: '-a' },
      related('count', ['books'], { label: { text: 'n' } }),
      related('max', ['author', 'books'], { column: field('price') }),
    ])
    equal(part('order_by=-count(books).nullslast,a', 'order'), [
      { field: related('count', ['books']), descending: true, nulls: 'last' },
      { field: field('a'), descending: false },
    ])
    equal(part('count(books)__in=(1,2)&or[a__eq=1,sum(books.price)__gt=3]', 'where'), [
      {
        kind: 'filter',
        field: related('count', ['books']),
        operator: 'in',
        value: list('1', '2'),
      },
      {
        kind: 'or',
        items: [
          filter('a', 'eq', '1'),
          {
            kind: 'filter',
            field: related('sum', ['books'], { column: field('price') }),
            operator: 'gt',
            value: scalar('3'),
          },
        ],
      },
    ])
  })

  test('has conditions in brackets, and its column after them', () => {
    const where = [filter('a', 'gt', '1'), filter('b', 'in', list('x', 'y'))]
    equal(part('fields=sum(books[a__gt=1,b__in=(x,y)].c.d),e', 'fields'), [
      related('sum', ['books'], { where, column: field('c.d') }),
      field('e'),
    ])
    const inner = {
      kind: 'filter',
      field: related('count', ['tags']),
      operator: 'ge',
      value: scalar('2'),
    }
    equal(part('books.fields=count(lines[count(tags)__ge=2])', 'relationOptions'), [
      {
        path: path('books'),
        option: 'fields',
        fields: [related('count', ['lines'], { where: [inner] })],
      },
    ])
  })

  test('is read in every spelling', () => {
    same(
      'fields=count(b[x__eq=1,y__eq=2])|n,a',
      'fields=count%28b%5Bx__eq%3D1%2Cy__eq%3D2%5D%29%7Cn%2Ca',
    )
    same('fields=count(b)|n,a', 'fields=+count(+b+)+|+n+,+a')
    same('count(b[x__eq=1])__ge=3', 'count%28b%5Bx__eq%3D1%5D%29__ge=3')
    same('count(b[x__eq=1])__ge=3', 'count%28b%5Bx__eq=1%5D%29__ge%3D3')
  })

  test('is refused where it is incomplete', () => {
    refuses('fields=count()', 'Expected a relation in "count(…)", such as count(books).', 'count(')
    refuses(
      'count(b)=1',
      'Expected an operator and a value after "count(b)", such as count(b)__ge=3.',
      'count(b)',
    )
    refuses(
      'fields=a|n',
      '"a|n" has a label, which only an aggregate of related rows takes here, such as count(books)|n.',
      'a|n',
    )
  })

  test('is refused with what to write where its name, its place or its operator is wrong', () => {
    for (const [query, at, reason] of [
      [
        'fields=COUNT(books)',
        'COUNT(books)',
        '"(" cannot stand in the name "COUNT(books)". Did you mean "count"?',
      ],
      [
        'order_by=-median(books.price)',
        'median(books.price)',
        '"(" cannot stand in the name "median(books.price)". Functions of related records are sum, count, avg, min, max.',
      ],
      [
        'fields=a,author.count(books)',
        'author.count(books)',
        '"(" cannot stand in the name "author.count(books)". The whole path stands inside: count(author.books).',
      ],
      [
        'distinct_on=count(books)',
        'count(books)',
        '"(" cannot stand in the name "count(books)". No aggregate of related records can stand here.',
      ],
      [
        'fields=-count(books)',
        '-count(books)',
        '"-count(books)" leaves out an aggregate, which is sent only where "fields" names it.',
      ],
      [
        'groupby=a,count(books)',
        'count(books)',
        '"count(books)" cannot be grouped by. Aggregates of related records choose the rows of groups, such as count(books)__ge=3.',
      ],
      [
        'author.count(books)__ge=3',
        'author.count(books)__ge=3',
        'Unexpected "(" after "author.count": parentheses follow "exists", "missing" and functions such as "count", brackets "or", "and", "not" and relations. The whole path stands inside: count(author.books).',
      ],
      [
        'COUNT(books)__ge=3',
        'COUNT(books)__ge=3',
        'Unexpected "(" after "COUNT": parentheses follow "exists", "missing" and functions such as "count", brackets "or", "and", "not" and relations. Did you mean "count"?',
      ],
      [
        'or[cuont(books)__ge=3,a__eq=1]',
        'cuont(',
        '"cuont(" cannot stand inside "or[": expected a condition such as title__eq=Emma, or or[, and[, not[, exists(, missing(, or a function such as count(. Did you mean "count"?',
      ],
      [
        'or[author.max(books.price)__ge=3]',
        'author.max(',
        '"author.max(" cannot stand inside "or[": expected a condition such as title__eq=Emma, or or[, and[, not[, exists(, missing(, or a function such as count(. The whole path stands inside: max(author.books.price).',
      ],
      [
        'count(books)__sum=1',
        'count(books)__sum',
        'Expected an operator and a value after "count(books)", such as count(books)__ge=3.',
      ],
    ] as const) {
      refuses(query, reason, at)
    }
  })
})
