/** Orders and cursors distinguish texts that differ only after their first kilobyte. */
import { defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Letter = defineModel('Letter', {
  columns: { id: { type: 'integer', primaryKey: true }, body: { type: 'text' } },
  meta: {},
})

eachDatabase('long strings', (test, db) => {
  test.before(async () => {
    await createTables(db, [Letter])
    const rows = ['a', 'b', 'c'].map((end, i) => ({ id: i + 1, body: 'x'.repeat(2000) + end }))
    await insertRows(db, Letter, rows)
  })

  test('are ordered by all characters, and no cursor skips one', async () => {
    const api = testApi(db, [Letter])
    const { value } = await get(api, '/api/letters?order_by=-body')
    equal(
      value.map(({ id }: { id: number }) => id),
      [3, 2, 1],
    )
    const seen: number[] = []
    let url: string | null = '/api/letters?order_by=-body&paging=cursor&limit=1'
    for (let pages = 0; url !== null && pages < 5; pages++) {
      const { body } = await get(api, url)
      seen.push(...body.value.map(({ id }: { id: number }) => id))
      url = body.next_url
    }
    equal(seen, [3, 2, 1])
  })

  test('are ordered and grouped where a few of them exceed the memory of a sort', async () => {
    await insertRows(
      db,
      Letter,
      Array.from({ length: 20 }, (_, i) => ({
        id: 24 - i,
        body: String.fromCharCode(0x41 + i) + 'y'.repeat(200_000),
      })),
    )
    const api = testApi(db, [Letter], { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true })
    const { value: ordered } = await get(api, '/api/letters?order_by=body&limit=2&fields=id')
    equal(ordered, [{ id: 24 }, { id: 23 }])
    const { value: groups } = await get(
      api,
      '/api/letters?groupby=body,id|first__min&limit=2&fields=first',
    )
    equal(groups, [{ first: 24 }, { first: 23 }])
  })

  test('several of them choose the first record of each value', async () => {
    const Note = defineModel('Note', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        head: { type: 'text' },
        body: { type: 'text' },
        extra: { type: 'json', json: { end: 'text' } },
      },
      meta: {},
    })
    await createTables(db, [Note])
    const api = testApi(db, [Note])
    const url = '/api/notes?distinct_on=head,body,extra.end&order_by=head,-body,extra.end,-id'
    equal((await get(api, url)).value, [])
    const rows = ['a', 'b', 'a', 'b'].map((end, i) => ({
      id: i + 1,
      head: 'h'.repeat(2000),
      body: 'x'.repeat(2000) + end,
      extra: { end: 'y'.repeat(2000) },
    }))
    await insertRows(db, Note, rows)
    const { value, total } = await get(api, `${url}&fields=id`)
    equal([value, total], [[{ id: 4 }, { id: 3 }], 2])
  })

  test('are ordered in a batch like anywhere else, beside long documents', async () => {
    const Paper = defineModel('Paper', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        body: { type: 'text' },
        extra: { type: 'json' },
      },
      meta: {},
    })
    await createTables(db, [Paper])
    const rows = ['a', 'b', 'c'].map((end, i) => ({
      id: i + 1,
      body: 'x'.repeat(2000) + end,
      extra: ['y'.repeat(900_000)],
    }))
    await insertRows(db, Paper, rows)
    const api = testApi(db, [Paper], { API_ALLOW_BATCH: true })
    const operations = [{ id: 'a', method: 'GET', url: '/api/papers?order_by=-body' }]
    const { status, value } = await send(api, 'POST', '/api/batch', { body: { operations } })
    equal([status, value?.[0].value.map(({ id }: { id: number }) => id)], [200, [3, 2, 1]])
  })
})
