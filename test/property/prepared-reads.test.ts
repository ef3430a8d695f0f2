/** A query that is repeated with other values gets the same response as if it were new. */
import { type Api, createApi } from '@model-api/core'
import fc from 'fast-check'
import { frozenClock } from '../support/api.ts'
import { askedFirst } from '../support/asked-twice.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { batches, check } from '../support/property.ts'
import { urlOf } from '../support/reference/answer.ts'
import { decodeQuery, queryParts, someWorld } from '../support/reference/arbitrary.ts'
import { createWorldTables, loadWorld, open } from '../support/reference/database.ts'
import { models } from '../support/reference/schema.ts'
import { eachDatabase } from '../support/suite.ts'

const runs = { sqlite: 400, postgres: 150, mysql: 150 }

/** Values that replace the value of a condition: of its type, of another type, and none. */
const others = [
  ...[
    '0',
    '1',
    '2',
    '3',
    '7',
    '-1',
    '2147483647',
    '2147483648',
    '-2147483649',
    '1.5',
    '12.50',
    '0.10',
    '-0',
    '9007199254740993',
    '1e3',
    '',
  ],
  ...['a', 'A', 'Emma', 'x', 'straße', '%C3%9F', 'a%20b', 'a+b', '"a"', '(1)', '%', '%zz', 'null'],
  ...['%22a%2C+b%22', '"a\\"b"', '%22', '""', '%00', '%E9', 'a%26b', '2024-01-01T00%3A00%3A00Z'],
  ...['(1,2)', '(2,1,3,3)', '(7,2147483648)', '(0.10,12.50)', '(a,%22Emma%22,stra%C3%9Fe)', '()'],
  ...['(1,)', '(1,%20)', '(1', '(a%29,b)', '("a,b",x)', '(a,b,null,,)', '(true,no)', '%281,2)'],
  ...[`(${'1,'.repeat(300)}1)`, '(2024-01-01,2024-02-29)', '(2024-01-01T00:00:00Z,1)'],
  ...['true', 'false', 'no', '2024-01-01', '2024-01-01T00:00:00Z', '2024-02-30', '10:30:00'],
  ...[
    '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
    'toString',
    '__proto__',
    '9'.repeat(30),
    '~',
    '.',
    ':',
  ],
]

/** Changes of a URL: the number of a parameter, and its new value. The first number also chooses the key of a record in the path. */
const change = fc.array(fc.tuple(fc.nat(99), fc.constantFrom(...others)), { maxLength: 4 })

function changed(url: string, changes: readonly (readonly [number, string])[]): string {
  const [path = '', query = ''] = url.split('?')
  const pairs = query === '' ? [] : query.split('&')
  for (const [at, value] of changes) {
    const open = pairs.flatMap((pair, i) => (/^[\w.]+(?:__\w+)?=/.test(pair) ? [i] : []))
    const chosen = open[at % Math.max(1, open.length)]
    if (chosen === undefined) continue
    pairs[chosen] = `${pairs[chosen]?.split('=')[0]}=${value}`
  }
  return `${path.replace(/\/[0-9]+$/, `/${(changes[0]?.[0] ?? 0) % 9}`)}?${pairs.join('&')}`
}

const apiOf = (db: TestDatabase) => {
  const options = {
    db: db.kysely,
    models,
    config: open,
    clock: frozenClock(),
    onWarning: () => {},
    onError: () => {},
  }
  return createApi(options)
}

eachDatabase('prepared reads', (test, db) => {
  const [fast, plain] = [apiOf(db), askedFirst(() => apiOf(db))]
  test.before(async () => {
    await createWorldTables(db)
    await loadWorld(db, someWorld)
  })

  const answerOf = async (api: Pick<Api, 'answer'>, url: string): Promise<string> => {
    const { status, headers, text } = await api.answer({
      method: 'GET',
      url,
      headers: { 'x-request-id': 'test' },
    })
    return JSON.stringify({ status, headers, text })
  }

  const one = fc.constantFrom('works/1', 'authors/2', 'order-lines/x,1', 'labels/1')
  const urls = fc
    .record({ parts: queryParts, instead: fc.option(one), paged: fc.boolean() })
    .map(({ parts, instead, paged }) => {
      const url = urlOf(someWorld, decodeQuery(someWorld, parts).query)
      if (instead !== null) return `/api/${instead}?dump_relationships=false`
      if (!paged || /[?&](?:page|after|before|paging)=/.test(url)) return url
      return `${url}${url.includes('?') ? '&' : '?'}page=2&limit=2`
    })
  const cases = fc.record({ url: urls, changes: fc.array(change, { minLength: 1, maxLength: 4 }) })

  test('a page is that of each request', async () => {
    for (const page of [1, 1, 2, 3, 1]) {
      const url = `/api/works?limit=2&page=${page}`
      equal(await answerOf(fast, url), await answerOf(plain, url))
    }
  })

  batches(test, 'answer as plain ones do', runs[db.name], (parameters) =>
    check(cases, parameters, async ({ url, changes }) => {
      // Twice, so that the read is prepared, and then with other values, which must not be mixed up.
      const asked = [url, url, ...changes.map((set) => changed(url, set)), url]
      for (const each of asked) {
        const [got, expected] = [await answerOf(fast, each), await answerOf(plain, each)]
        if (got !== expected) return `${each}\n  prepared ${got}\n  plain    ${expected}`
      }
      return undefined
    }),
  )
})
