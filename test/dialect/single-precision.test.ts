// Columns of 32-bit floats: a value that was served is found, and cursors get beyond it.
import { defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Sample = defineModel('Sample', {
  columns: { id: { type: 'integer', primaryKey: true }, ratio: { type: 'float', nullable: true } },
  meta: {},
})

eachDatabase('single-precision floats', (test, db) => {
  const api = testApi(db, [Sample], { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true })
  const type = db.name === 'mysql' ? 'float' : 'real'
  test.before(() =>
    db.execScript(`create table samples (id integer primary key, ratio ${type});
      insert into samples values (1, 0.1), (2, 0.7), (3, 0.3), (4, 0.3), (5, null), (6, 1.1e-30);`),
  )

  const ids = (rows: readonly { id: number }[]): readonly number[] => rows.map(({ id }) => id)

  test('are found by the value that is served', async () => {
    equal(ids((await get(api, '/api/samples?ratio__eq=0.1')).value), [1])
    equal(ids((await get(api, '/api/samples?ratio__in=(0.1,0.7)&order_by=id')).value), [1, 2])
    equal(ids((await get(api, '/api/samples?ratio__gt=0.3')).value), [2])
    equal(ids((await get(api, '/api/samples?ratio__le=0.1&order_by=ratio')).value), [6, 1])
  })

  for (const [order, expected] of [
    ['ratio', [6, 1, 3, 4, 2, 5]],
    ['-ratio', [5, 2, 3, 4, 1, 6]],
  ] as const) {
    test(`are paged by cursors in the order ${order}`, async () => {
      const paged: number[] = []
      let url: string | null = `/api/samples?order_by=${order}&limit=1&paging=cursor`
      while (url !== null && paged.length < 10) {
        const page = await get(api, url)
        paged.push(...ids(page.value))
        url = page.body.next_url
      }
      equal(paged, expected)
    })
  }

  test('are found by the smallest or largest value of a group', async () => {
    const groups = '/api/samples?groupby=id&ratio|top__max=1&order_by=id'
    equal(ids((await get(api, `${groups}&top__eq=0.1`)).value), [1])
    equal(ids((await get(api, `${groups}&top__in=(0.1,0.7)`)).value), [1, 2])
    equal(ids((await get(api, `${groups}&top__le=0.3`)).value), [1, 3, 4, 6])
    equal(ids((await get(api, `${groups.replace('max', 'min')}&top__gt=0.3`)).value), [2])
  })

  test('are grouped by the value that is served', async () => {
    const url =
      '/api/samples?groupby=ratio&aggregate=id|n__count&ratio__isnull=false&order_by=ratio'
    const { value, errors } = await get(api, url)
    equal(errors, null)
    equal(
      value.map(({ ratio }: { ratio: number }) => ratio),
      [1.1e-30, 0.1, 0.3, 0.7],
    )
  })

  test('refuse numbers that they would round', async () => {
    const writable = testApi(db, [Sample], { API_ALLOW_BULK: true })
    const post = (ratio: number, id: number) =>
      send(writable, 'POST', '/api/samples', { body: [{ id: 90 + id }, { id, ratio }] })
    const isDouble = db.name === 'sqlite'
    for (const [i, ratio] of [0.1, 0.7, -123456, 1.1e-30, 0, 1e20, 0.000123].entries()) {
      const { status, value } = await post(ratio, 100 + i)
      equal([ratio, status, value?.[1].ratio], [ratio, 201, ratio])
    }
    for (const [i, [ratio, nearest]] of (
      [
        [16777217, db.name === 'mysql' ? 16777200 : 16777216],
        [0.12345678912, db.name === 'mysql' ? 0.123457 : 0.12345679],
        [1e-50, 0],
      ] as const
    ).entries()) {
      const { status, errors } = await post(ratio, 300 + i)
      const reason = {
        '[1].ratio': [`Expected a number that a 32-bit float holds, such as ${nearest}.`],
      }
      const refused = [ratio, 400, reason]
      equal([ratio, status, errors?.reason], isDouble ? [ratio, 201, undefined] : refused)
    }
  })
})
