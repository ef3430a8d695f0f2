/** Groups: `or`, `and`, `not`, nesting, and what a group cannot contain. */
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { filter, list, part, refuses, same } from './query.ts'

const a = filter('a', 'eq', '1')
const b = filter('b', 'eq', '2')

suite('a group', (test) => {
  test('joins conditions', () => {
    for (const kind of ['or', 'and', 'not']) {
      equal(part(`${kind}[a__eq=1,b__eq=2]`, 'where'), [{ kind, items: [a, b] }])
    }
    equal(part('not[a__eq=1]', 'where'), [{ kind: 'not', items: [a] }])
  })

  test('stands beside other conditions', () => {
    equal(part('a__eq=1&or[a__eq=1,b__eq=2]&or[b__eq=2]', 'where'), [
      a,
      { kind: 'or', items: [a, b] },
      { kind: 'or', items: [b] },
    ])
  })

  test('nests', () => {
    equal(part('or[and[a__eq=1,not[b__eq=2]],exists(c.d__in=(1,2))]', 'where'), [
      {
        kind: 'or',
        items: [
          { kind: 'and', items: [a, { kind: 'not', items: [b] }] },
          { kind: 'exists', path: [{ text: 'c' }], where: [filter('d', 'in', list('1', '2'))] },
        ],
      },
    ])
  })

  test('has conditions separated by raw commas only', () => {
    equal(part('or[id__in=(1,2,3),title__eq=a%2Cb]', 'where'), [
      {
        kind: 'or',
        items: [filter('id', 'in', list('1', '2', '3')), filter('title', 'eq', 'a,b')],
      },
    ])
  })

  test('with an encoded opener is decoded as a whole', () => {
    const raw = 'or[id__in=(1,2),title__eq=a]'
    same(raw, 'or%5Bid__in%3D%281%2C2%29%2Ctitle__eq%3Da%5D=')
    same(raw, 'or%5Bid__in=%281%2C2%29%2Ctitle__eq%3Da%5D')
    same(raw, 'or%5Bid__in=(1,2),title__eq=a]')
    same(raw, 'or%5Bid__in=(1%2C2),title__eq=a]')
    same(raw, 'or[id__in=%281%2C2%29,title__eq=a]')
    same('or[a__eq=1,and[b__eq=2,a__eq=1]]', 'or[a__eq=1,and%5Bb__eq%3D2%2Ca__eq%3D1%5D]')
  })

  test('may have the trailing equals sign that form encoders add', () => {
    same('or[a__eq=1,b__eq=2]', 'or[a__eq=1,b__eq=2]=')
  })

  test('may have blanks around its conditions', () => {
    same('or[a__eq=1,b__in=(2)]', 'or[+a__eq=1,++b__in=(2)+]')
  })

  test('is not a column called or', () => {
    equal(part('or__eq=1&not__eq=2', 'where'), [filter('or', 'eq', '1'), filter('not', 'eq', '2')])
  })

  test('is not empty, nor are its conditions', () => {
    refuses('or[]', '"or[]" is empty: expected at least one condition.')
    refuses('not[+]', '"not[]" is empty: expected at least one condition.')
    const expected = 'expected a condition such as title__eq=Emma.'
    refuses('or[a__eq=1,]', `Unexpected "]" inside "or[": ${expected}`)
    refuses('or[,a__eq=1]', `Unexpected "," inside "or[": ${expected}`, 'or[,')
    refuses('or[a__eq=1,,b__eq=2]', `Unexpected "," inside "or[": ${expected}`, 'or[a__eq=1,,')
    refuses('or[=1]', 'Expected a field and an operator before "=", such as title__eq=Emma.')
  })

  test('must be closed; a raw ampersand ends it too early', () => {
    const open = '"or[" is not closed: expected "]". An "&" inside it is written %26.'
    refuses('or[a__eq=1', open)
    refuses('or[', open)
    refuses('or[a', open)
    refuses('or[a__eq=1,', open)
    refuses('or[title__eq=Tom&Jerry,b__eq=2]', open, 'or[title__eq=Tom')
    refuses('or[and[a__eq=1]', open)
  })

  test('has nothing after it', () => {
    refuses('or[a__eq=1]x', 'Unexpected "x" after "]".')
    refuses('or[a__eq=1]=1', 'Unexpected "=1" after "]".')
    refuses('or[a__eq=1],b__eq=2', 'Unexpected ",b__eq=2" after "]".')
  })

  test('holds conditions only', () => {
    const expected = 'expected a condition such as title__eq=Emma'
    refuses('or[title]', `"title" inside "or[" has no "=": ${expected}.`, 'title')
    refuses(
      'or[title__eq%3DEmma]',
      `"title__eq=Emma" inside "or[" has no "=": ${expected}. An "=" written as %3D is part of the text here.`,
      'title__eq%3DEmma',
    )
    refuses(
      'or[title=Emma]',
      '"title" is not a filter: expected field__operator=value, such as title__eq=…',
      'title',
    )
    refuses(
      'or[books[a__eq=1]]',
      `"books[" cannot stand inside "or[": ${expected}, or or[, and[, not[, exists(, missing(, or a function such as count(.`,
      'books[',
    )
    refuses(
      'or[price__sum=1]',
      '"price__sum" is an aggregate and cannot stand inside "or[".',
      'price__sum',
    )
  })
})
