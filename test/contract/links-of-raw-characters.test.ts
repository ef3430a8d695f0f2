/**
 * The body of a QUERY may contain characters that no URL and no header can: in links they are percent-encoded. A raw `#` ended the link,
 * and a raw letter beyond Latin-1 or a line break in the header `Link` made Node drop the connection.
 */
import { defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    text: { type: 'string', maxLength: 40 },
  },
  meta: {},
})

const texts = ['a#b', 'a\nb', 'a\r\nx-other: 1', 'a>b', '日本', 'é', '😀', 'a b', '\u007f']

eachDatabase('links of pages', (test, db) => {
  test.before(async () => {
    await createTables(db, [Note])
    const rows = texts.flatMap((text) => [text, `${text}!`])
    await insertRows(
      db,
      Note,
      rows.map((text, i) => ({ id: i + 1, text })),
    )
  })

  for (const text of texts) {
    const ask = (api: ReturnType<typeof testApi>) =>
      send(api, 'QUERY', '/api/notes', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `text__startswith=${text}&limit=1`,
      })

    test(`the next page of ${JSON.stringify(text)}`, async () => {
      const api = testApi(db, [Note])
      const { body } = await ask(api)
      const { pathname, search } = new URL(body.next_url, 'http://x')
      const next = await get(api, pathname + search)
      equal([body.total_count, next.value[0].text], [2, `${text}!`])
      equal(next.body.previous_url, body.next_url.replace('page=2', 'page=1'))
    })

    test(`the header with the next page of ${JSON.stringify(text)}`, async () => {
      const api = testApi(db, [Note], { API_DUMP_ENVELOPE: false })
      const { link = '' } = (await ask(api)).headers
      equal(new Headers({ link }).get('link'), link)
      const [, url = ''] = /^<([^<>]*)>; rel="next"$/.exec(link) ?? []
      equal((await get(api, url)).body[0].text, `${text}!`)
    })
  }
})
