/** Spans point to the text that the client wrote, in every spelling. */
import type { Span } from '../../../packages/core/src/query/parse/ast.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { parse } from './query.ts'

/** The raw text of every node, outer nodes first. */
function written(raw: string): string[] {
  const texts: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { span } = node as { span?: Span }
    if (span !== undefined) texts.push(raw.slice(span.start, span.end))
    Object.values(node).forEach(visit)
  }
  visit(parse(raw))
  return texts
}

suite('a span', (test) => {
  test('covers a filter, its field and its value', () => {
    equal(written('page=1&author.name__eq=a%2Cb+c').sort(), [
      '1',
      'a%2Cb+c',
      'author.name',
      'author.name__eq=a%2Cb+c',
    ])
  })

  test('covers each part of a group', () => {
    equal(written('or[+id__in=(1,+%22x%22),%C3%A9__eq=%F0%9F%98%80]='), [
      'or[+id__in=(1,+%22x%22),%C3%A9__eq=%F0%9F%98%80]',
      'id__in=(1,+%22x%22)',
      'id',
      '(1,+%22x%22)',
      '1',
      '%22x%22',
      '%C3%A9__eq=%F0%9F%98%80',
      '%C3%A9',
      '%F0%9F%98%80',
    ])
  })

  test('is exact in a group that was encoded as a whole', () => {
    equal(written('or%5Ba__in=%281%2C2%29%2Cb__eq%3D3%5D='), [
      'or%5Ba__in=%281%2C2%29%2Cb__eq%3D3%5D',
      'a__in=%281%2C2%29',
      'a',
      '%281%2C2%29',
      '1',
      '2',
      'b__eq%3D3',
      'b',
      '3',
    ])
  })

  test('covers relation filters and their path', () => {
    equal(written('exists(author.books.price__gt=20,a__eq=1)'), [
      'exists(author.books.price__gt=20,a__eq=1)',
      'author',
      'books',
      'price__gt=20',
      'price',
      '20',
      'a__eq=1',
      'a',
      '1',
    ])
  })

  test('covers items of lists without the blanks around them', () => {
    equal(written('join=a,+b.c+'), ['a', 'b.c'])
    equal(written('fields=+a+,b'), ['a', 'b'])
    equal(written('order_by=-a.nullslast'), ['-a.nullslast', 'a'])
    equal(written('groupby=year(a)%7Cy,b|c__sum=1'), [
      'year(a)%7Cy',
      'a',
      'y',
      'b|c__sum',
      'b',
      'c',
    ])
  })

  test('covers relation options', () => {
    equal(written('a.b.limit=3'), ['a.b.limit=3', 'a', 'b', '3'])
    equal(written('b[c__eq=1]='), ['b[c__eq=1]', 'b', 'c__eq=1', 'c', '1'])
  })
})
