/** A query with a cursor that is not taken out of its text, because it is long or percent-encoded, was a 500 from its third time on. */
import { defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Page = defineModel('Page', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    title: { type: 'string', maxLength: 500 },
  },
  meta: {},
})

eachDatabase('repeated cursors', (test, db) => {
  test.before(async () => {
    await createTables(db, [Page])
    const titles = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(400))
    await insertRows(
      db,
      Page,
      titles.map((title, i) => ({ id: i + 1, title })),
    )
  })

  const cases = {
    'a long cursor': (cursor: string) => cursor,
    'a cursor that is percent-encoded': (cursor: string) =>
      cursor.replace(/^./, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  }
  for (const [title, written] of Object.entries(cases)) {
    for (const order of ['title', '-id']) {
      test(`${title}, ordered by ${order}`, async () => {
        const api = testApi(db, [Page])
        const first = await get(api, `/api/pages?paging=cursor&limit=2&order_by=${order}`)
        const next = new URL(String(first.body.next_url), 'http://localhost')
        const cursor = written(next.searchParams.get('after') ?? '')
        const url = `/api/pages?limit=2&order_by=${order}&after=${cursor}`
        for (let times = 0; times < 4; times++) {
          const { status, value } = await get(api, url)
          const ids = value.map(({ id }: { readonly id: number }) => id)
          equal([times, status, ids], [times, 200, order === 'title' ? [3, 4] : [2, 1]])
        }
      })
    }
  }
})
