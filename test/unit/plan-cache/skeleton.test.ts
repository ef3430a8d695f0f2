/** What queries have in common, and what is taken out of them. */
import { skeletonOf } from '@model-api/core/internals'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const same = (a: string, b: string): boolean => skeletonOf(a)?.key === skeletonOf(b)?.key

suite('skeletons of queries', (test) => {
  test('plain values of conditions, pages and cursors are taken out, with their offsets', () => {
    const query = 'price__ge=30&order_by=-price&author.name__ilike=woolf&page=2'
    const skeleton = skeletonOf(query)
    equal(skeleton?.values, [
      { text: '30', start: 10 },
      { text: 'woolf', start: query.indexOf('woolf') },
    ])
    equal(skeleton?.pageOrCursor, '2')
    ok(same(query, 'price__ge=1.5&order_by=-price&author.name__ilike=a&page=77'))
    ok(same('after=abc', 'after=d-e_f'))
  })

  test('everything else tells queries apart', () => {
    const differ: readonly (readonly [string, string])[] = [
      ['price__ge=30', 'price__gt=30'],
      ['price__ge=30', 'price__ge=%33'],
      ['price__ge=30', 'price__ge='],
      ['price__ge=30', 'price__ge'],
      ['title__eq=a', 'title__eq="a"'],
      ['title__eq=a', 'title__eq=a+b'],
      ['id__in=(1)', 'id__in=(2)'],
      ['id__isnull=true', 'id__isnull=false'],
      ['limit=1', 'limit=2'],
      ['fields=id', 'fields=title'],
      ['or[a__eq=1]', 'or[a__eq=2]'],
      ['a__eq=1&b__eq=2', 'b__eq=2&a__eq=1'],
      ['page=1', 'after=1'],
      ['after=a', 'before=a'],
      ['page=1', ''],
      ['count=none', 'count=exact'],
    ]
    for (const [a, b] of differ) ok(!same(a, b), `${a} and ${b}`)
  })

  test('what could be mistaken has none', () => {
    for (const query of ['price__ge=\n', 'page=1&page=2', 'page=1&after=x', 'a'.repeat(1001)]) {
      equal(skeletonOf(query), undefined, query.slice(0, 20))
    }
  })
})
