/** Filters: the name, the operator after the last `__`, and refusals. */
import {
  filterOperators,
  operatorAliases,
} from '../../../packages/core/src/model/query-words/operators.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { filter, list, part, refuses, refusesAs } from './query.ts'

const operators =
  'Operators are eq, ne, lt, le, gt, ge, in, nin, like, ilike, nlike, nilike, startswith, istartswith, endswith, iendswith, between, isnull, contains, overlaps.'

suite('a filter', (test) => {
  test('is field__operator=value', () => {
    equal(part('price__ge=30', 'where'), [filter('price', 'ge', '30')])
  })

  test('keeps the order of repeated filters', () => {
    equal(part('a__ge=1&b__eq=2&a__lt=3', 'where'), [
      filter('a', 'ge', '1'),
      filter('b', 'eq', '2'),
      filter('a', 'lt', '3'),
    ])
  })

  test('knows every operator', () => {
    for (const [operator, { takes }] of Object.entries(filterOperators)) {
      const value = takes === 'list' ? list('1', '2') : '(1,2)'
      equal(part(`a__${operator}=(1,2)`, 'where'), [filter('a', operator, value)])
    }
  })

  test('resolves the other spellings of operators', () => {
    for (const [alias, operator] of Object.entries(operatorAliases)) {
      equal(part(`a__${alias}=1`, 'where'), [filter('a', operator, '1')])
    }
  })

  test('has a path before its column', () => {
    equal(part('author.publisher.name__like=x', 'where'), [
      filter('author.publisher.name', 'like', 'x'),
    ])
  })

  test('is split at the last two underscores', () => {
    equal(part('a__eq__ne=1', 'where'), [filter('a__eq', 'ne', '1')])
    equal(part('a___eq=1', 'where'), [filter('a_', 'eq', '1')])
    equal(part('_____eq=1', 'where'), [filter('___', 'eq', '1')])
  })

  test('is a filter even where its column is called like a parameter', () => {
    equal(part('page__eq=1&join__in=(2)&books.limit__eq=3', 'where'), [
      filter('page', 'eq', '1'),
      filter('join', 'in', list('2')),
      filter('books.limit', 'eq', '3'),
    ])
  })

  test('takes names that mean something to JavaScript as names', () => {
    equal(part('__proto____eq=1&constructor__eq=2&a.__proto____eq=3', 'where'), [
      filter('__proto__', 'eq', '1'),
      filter('constructor', 'eq', '2'),
      filter('a.__proto__', 'eq', '3'),
    ])
    refusesAs(
      'unknown_operator',
      'a__constructor=1',
      `Unknown operator "constructor". ${operators}`,
    )
    refusesAs('unknown_operator', 'a__toString=1', `Unknown operator "toString". ${operators}`)
  })

  test('is refused with the nearest operator, alias or function', () => {
    const unknown = (operator: string, near: string) =>
      `Unknown operator "${operator}". Did you mean "${near}"? ${operators}`
    refusesAs('unknown_operator', 'price__eqq=1', unknown('eqq', 'eq'))
    refusesAs('unknown_operator', 'price__EQ=1', unknown('EQ', 'eq'))
    refusesAs('unknown_operator', 'price__starts_with=1', unknown('starts_with', 'startswith'))
    refusesAs('unknown_operator', 'price__summ=1', unknown('summ', 'sum'))
    refusesAs('unknown_operator', 'or[price__lik=1]', unknown('lik', 'like'), 'price__lik')
  })

  test('is refused with all operators where none is near', () => {
    refusesAs('unknown_operator', 'price__fuzzy=1', `Unknown operator "fuzzy". ${operators}`)
  })

  test('has its first equals sign raw', () => {
    refusesAs(
      'unknown_operator',
      'price__ge%3D30',
      `Unknown operator "ge=30". ${operators} An "=" that separates is not written %3D.`,
    )
    equal(part('title__eq=a%3Db=c', 'where'), [filter('title', 'eq', 'a=b=c')])
  })

  test('needs a column, an operator and an equals sign', () => {
    refuses('__eq=1', 'Expected a column before "__eq".', '__eq')
    refuses('or[__eq=1]', 'Expected a column before "__eq".', '__eq')
    refuses('price__=1', 'Expected an operator after "__".')
    refuses('or[price__=1]', 'Expected an operator after "__".', 'price__')
    refuses('price__eq', 'Expected "=" and a value after "price__eq".')
  })

  test('has names joined by single dots', () => {
    const empty = (name: string) =>
      `"${name}" has an empty name: names are joined by single dots, such as author.name.`
    refuses('a..b__eq=1', empty('a..b'), 'a..b')
    refuses('.a__eq=1', empty('.a'), '.a')
    refuses('a.__eq=1', empty('a.'), 'a.')
    refuses('.__eq=1', empty('.'), '.')
  })

  test('has no structural characters in its name', () => {
    refuses('a%7Cb__eq=1', labelled('a|b__eq'), 'a%7Cb__eq')
    refuses('or[a|b__eq=1]', '"|" cannot stand in the name "a|b".', 'a|b')
    refuses(
      'a,b__eq=1',
      'Unexpected "," after "a": conditions are joined by "&", or stand inside "or[…]".',
    )
    const brackets =
      'parentheses follow "exists", "missing" and functions such as "count", brackets "or", "and", "not" and relations.'
    const functions = 'Functions of related records are sum, count, avg, min, max.'
    refuses('f(a)__eq=1', `Unexpected "(" after "f": ${brackets} ${functions}`)
    refuses('a)__eq=1', `Unexpected ")" after "a": ${brackets}`)
    refuses('a%5D__eq=1', `Unexpected "]" after "a": ${brackets}`)
  })
})

function labelled(text: string): string {
  return `"${text}" is a filter; here an aggregate is expected, such as price|total__sum. A label belongs to an aggregate only.`
}
