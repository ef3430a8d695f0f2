/** Request limits of the parser: conditions, list items, nesting. */
import { ApiError } from '../../../packages/core/src/errors.ts'
import { maxGroupDepth } from '../../../packages/core/src/query/parse/limits.ts'
import { parseQuery } from '../../../packages/core/src/query/parse/parse-query.ts'
import { equal, ok, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { parse, refuses } from './query.ts'

const limits = {
  conditions: { setting: 'SOME_CONDITIONS', value: 3 },
  relationFilters: { setting: 'SOME_RELATIONS', value: 3 },
  aggregates: { setting: 'SOME_AGGREGATES', value: 2 },
  list: { setting: 'SOME_LIST', value: 2 },
}

function accepts(raw: string): void {
  parseQuery(raw, { limits })
}

function exceeds(raw: string, reason: string, at: string): void {
  const error = throws(() => parseQuery(raw, { limits }))
  ok(error instanceof ApiError)
  equal(error.status, 400)
  equal(error.body, { error: 'Bad Request', reason, code: 'limit_exceeded', at })
}

suite('the limit of relation filters', (test) => {
  const reason =
    'The conditions on related rows follow too many relations; SOME_RELATIONS allows 3.'

  test('counts each relation of a path, wherever the filter stands', () => {
    accepts('exists(a.b)&or[missing(c)]')
    exceeds('exists(a.b)&or[missing(c.d)]', reason, 'missing(c.d)')
    exceeds('exists(a.b.c.d)', reason, 'exists(a.b.c.d)')
    exceeds('exists(a.b)&books[missing(c.d)]', reason, 'missing(c.d)')
  })
})

suite('the limit of conditions', (test) => {
  const reason = 'The query has too many conditions; SOME_CONDITIONS allows 3.'

  test('counts filters wherever they stand', () => {
    accepts('a__eq=1&or[b__eq=1,not[c__eq=1]]')
    exceeds('a__eq=1&or[b__eq=1,not[c__eq=1,d__eq=1]]', reason, 'd__eq')
    exceeds('a__eq=1&b[c__eq=1,d__eq=1,e__eq=1]', reason, 'e__eq')
  })

  test('counts relation filters and their conditions', () => {
    accepts('exists(a.b__eq=1,c__eq=1)')
    exceeds('exists(a)&exists(b)&missing(c)&missing(d)', reason, 'missing')
    exceeds('exists(a.b__eq=1,c__eq=1,d__eq=1)', reason, 'd__eq')
  })

  test('counts aggregates and grouping keys', () => {
    accepts('a__sum=1&aggregate=b__sum&groupby=c__sum')
    exceeds('a__sum=1&aggregate=b__sum&groupby=c__sum,d|x__min', reason, 'd|x__min')
    accepts('groupby=a,b&groupby=year(c)|y')
    exceeds('groupby=a,b&groupby=year(c)|y,d', reason, 'd')
  })
})

suite('the limit of lists', (test) => {
  const reason = 'The list has too many items; SOME_LIST allows 2.'

  test('counts the values of each list by itself', () => {
    accepts('a__in=(1,2)&b__in=(1,2)')
    exceeds('a__in=(1,2,3)', reason, '(1,2,3)')
    exceeds('or[a__in=(1,2,3,4),b__eq=1]', reason, '(1,2,3,4),b__eq=1]')
  })

  test('counts the names of list parameters', () => {
    for (const raw of ['fields=a,b,c', 'order_by=a,b,c', 'groupby=a,b,c', 'x.fields=a,b,c']) {
      exceeds(raw, reason, raw)
    }
    exceeds('fields=a&fields=b,c', reason, 'fields=b,c')
    exceeds('order_by=a,b&order_by=c', reason, 'order_by=c')
  })

  test('does not count joins, which have their own limit and may be disabled', () => {
    accepts('join=a,b,c')
  })
})

suite('the nesting of groups', (test) => {
  const nested = (depth: number) => `${'not['.repeat(depth)}a__eq=1${']'.repeat(depth)}`

  test('is bounded', () => {
    parse(nested(maxGroupDepth))
    const reason = 'Groups may be nested 32 levels deep at most.'
    const raw = nested(maxGroupDepth + 1)
    refuses(raw, reason, raw.slice('not['.length * maxGroupDepth))
  })

  test('cannot overflow the stack', () => {
    for (const opener of ['or[', 'or%5B', 'or[and[', 'books[or[']) {
      const raw = opener.repeat(100_000)
      throws(() => parse(raw), { status: 400 })
    }
    parse(`a__eq=${'('.repeat(100_000)}`)
    throws(() => parse(`or[a__eq=${'('.repeat(100_000)}]`), { status: 400 })
    parse(`or[a__eq=${'('.repeat(100_000)}${')'.repeat(100_000)}]`)
  })
})
