/** The skeleton of a query, and the values that are taken out of it. */
import { skeletonOf } from '@model-api/core/internals'
import { equal, ok } from '../../support/assert.ts'
import { steepness } from '../../support/growth.ts'
import { suite } from '../../support/suite.ts'

const same = (a: string, b: string): boolean => skeletonOf(a)?.key === skeletonOf(b)?.key

suite('skeletons of queries', (test) => {
  test('plain values of conditions, pages and cursors are extracted with their offsets', () => {
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

  test('encoded and quoted values are extracted as the parser reads them', () => {
    const read = (query: string) => skeletonOf(query)?.values
    equal(read('created_at__ge=2024-01-01T00%3A00%3A00Z'), [
      { text: '2024-01-01T00:00:00Z', start: 15 },
    ])
    equal(read('title__like=Jane+%22A%22%20%C3%9F'), [{ text: 'Jane "A" ß', start: 12 }])
    equal(read('title__eq=%22a%2C%20b%22'), [{ text: 'a, b', start: 10 }])
    equal(read('title__eq=""'), [{ text: '', start: 10 }])
    ok(same('title__eq=a', 'title__eq=%C3%9F+%22'))
  })

  test('the items of a list are extracted; lists that are padded to the same length share a skeleton', () => {
    const query = 'id__in=(7,-9,12)&title__nin=(a%2Cb,%22c%29%22,"")'
    equal(skeletonOf(query), {
      key: 'id__in=\n(4)&title__nin=\n(4)',
      values: [
        { items: ['7', '-9', '12'], start: 7 },
        { items: ['a,b', 'c)', ''], start: query.indexOf('(a') },
      ],
      pageOrCursor: undefined,
    })
    ok(same('id__in=(1,2,3)', 'id__in=(4,5,6,7)'))
    ok(!same('id__in=(1,2,3,4)', 'id__in=(1,2,3,4,5)'))
  })

  test('queries that differ in anything else have different skeletons', () => {
    const differ: readonly (readonly [string, string])[] = [
      ['price__ge=30', 'price__gt=30'],
      ['price__ge=30', 'price__ge='],
      ['price__ge=30', 'price__ge'],
      ['title__eq=a', 'title__eq="a\\"b"'],
      ['title__eq=a', 'title__eq=%zz'],
      ['title__eq=a', 'title__eq=%00'],
      ['title__eq=a', 'title__eq=%22a'],
      ['id__in=(1)', 'id__in=(1,2)'],
      ['id__in=(1,2)', 'id__nin=(1,2)'],
      ['id__in=(1,2)', 'id__in=()'],
      ['id__in=(1,2)', 'id__in=(1,)'],
      ['id__in=(1,2)', 'id__in=%281,2%29'],
      ['title__in=(a,b)', 'title__in=(a,b%20)'],
      ['title__in=(a,b)', 'title__in=(a,b%29)'],
      ['title__in=(a,b)', 'title__in=(a,%22b)'],
      ['title__in=(a,b)', 'title__in=("a,b",c)'],
      ['price__between=(1,2)', 'price__between=(1,3)'],
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

  test('ambiguous queries have none', () => {
    for (const query of ['price__ge=\n', 'page=1&page=2', 'page=1&after=x', 'a'.repeat(1001)]) {
      equal(skeletonOf(query), undefined, query.slice(0, 20))
    }
  })

  test('a query with many parameters takes time in proportion to its length', async () => {
    for (const parameter of ['limit=id&', 'page&', 'id__eq&']) {
      const grows = await steepness(24_000, (n) => {
        const query = parameter.repeat(n)
        return () => skeletonOf(query)
      })
      equal([parameter, grows], [parameter, undefined])
    }
  })
})
