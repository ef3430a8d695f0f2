/** The condition of a cursor compared the first terms of the order again for each further term: 240 terms over 3 rows took 26 s. */
import { defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { refuses } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

/** The largest number of terms that API_MAX_CONDITIONS can allow, less the key and what tables of MariaDB may have of columns. */
const most = 960
const names = Array.from({ length: most }, (_, i) => `c${i}`)

const Wide = defineModel('Wide', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    ...Object.fromEntries(
      names.map((name) => [name, { type: 'integer', nullable: true } as const]),
    ),
  },
  meta: {},
})

eachDatabase('cursors over many terms of an order', (test, db) => {
  test.before(async () => {
    await createTables(db, [Wide])
    // Rows that are equal in all terms but the last one, where a row has NULL and others are equal to it.
    await insertRows(
      db,
      Wide,
      [2, 1, null, 3, null].map((last, i) => ({
        id: i + 1,
        ...Object.fromEntries(names.map((name, k) => [name, k % 3 === 0 ? null : k])),
        [`c${most / 4 - 1}`]: last,
      })),
    )
  })
  const api = testApi(db, [Wide], {
    API_MAX_CONDITIONS: 1000,
    API_MAX_URL_LENGTH: 1_000_000,
    API_SCHEMA_CHECK: 'off',
  })

  const orderOf = (terms: number, sign: (i: number) => string): string =>
    names
      .slice(0, terms)
      .map((name, i) => `${sign(i)}${name}`)
      .join(',')

  const signs = {
    ascending: () => '',
    mixed: (i: number) => (i % 2 === 0 ? '-' : ''),
  } as const

  for (const [title, sign] of Object.entries(signs)) {
    test(`the statement grows no faster than the terms, ${title}`, async () => {
      const sizes: number[] = []
      for (const terms of [most / 4, most / 2, most]) {
        const list = `/api/wides?paging=cursor&count=none&fields=id&order_by=${orderOf(terms, sign)}`
        const all = (await get(api, `${list}&limit=100`)).value as { id: number }[]
        equal(all.length, 5)
        const first = await get(api, `${list}&limit=2`)
        const { result, statements } = await db.capture(() => get(api, first.body.next_url))
        equal(result.status, 200)
        equal(result.value, all.slice(2, 4))
        const back = await get(api, (await get(api, result.body.next_url)).body.previous_url)
        equal(back.value, all.slice(2, 4))
        sizes.push(statements.reduce((sum, { sql }) => sum + sql.length, 0))
      }
      const [small = 0, middle = 0, large = 0] = sizes
      ok(middle < 2.2 * small && large < 2.2 * middle, `${sizes}`)
    })
  }

  test('a term that occurs twice is compared once', async () => {
    const statementsOf = async (order: string): Promise<unknown> => {
      const list = `/api/wides?paging=cursor&count=none&fields=id&order_by=${order}&limit=2`
      const first = await get(api, list)
      const { statements } = await db.capture(() => get(api, first.body.next_url))
      return statements.map(({ sql }) => sql)
    }
    equal(await statementsOf('c0,-c1,c0,-c0,c1,id,c0'), await statementsOf('c0,-c1,id'))
  })

  test('terms count against API_MAX_CONDITIONS, also those of embedded relations and of groups', async () => {
    const strict = testApi(db, [Wide], { API_MAX_CONDITIONS: 5, API_SCHEMA_CHECK: 'off' })
    const terms = 'order_by=c0,c0,c0,c0'
    equal((await get(strict, `/api/wides?${terms}&c2__isnull=true&fields=id`)).status, 200)
    const says = ['API_MAX_CONDITIONS allows 5']
    const refusal = { code: 'limit_exceeded', says } as const
    await refuses(strict, `/api/wides?${terms},-c1,c2`, refusal)
    await refuses(strict, `/api/wides?${terms}&c0__eq=1&c1__eq=1`, refusal)
    await refuses(strict, `/api/wides?c0__eq=1&c1__eq=1&${terms}`, refusal)
    await refuses(strict, `/api/wides?x.order_by=a,b,c&x.order_by=a,b,c`, refusal)
    await refuses(strict, `/api/wides?groupby=c0,c1,c2&order_by=c0,c1,c2`, refusal)
  })
})
