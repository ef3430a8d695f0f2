/** SQLite: a cursor at bytes or a number in a column of texts, or at a text with a NUL, lost rows or never ended. */
import { defineModel } from '@model-api/core'
import { type Answer, get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    title: { type: 'string', nullable: true },
    body: { type: 'text', nullable: true },
    kind: { type: 'enum', enum: ['a', 'b'], nullable: true },
  },
  meta: {},
})

/** Texts that look like the stored values of cursors. */
const texts = ['a', 'stored 5', 'stored "a"', 'stored {"blob":"YQ=="}', 'stored ', 'stored x', 'z']

const rows = texts.map((text, i) => `(${i + 1}, '${text}', '${text}', 'a')`)
const others = [
  `(11, x'61', 5, x'61')`,
  `(12, x'7a', 5.5, x'6262')`,
  `(13, 'a' || char(0) || 'b', x'61', 'c')`,
  `(14, 'a' || char(0) || 'c', 7, 'b')`,
  '(15, null, null, null)',
  `(16, x'', 1e300, 'b')`,
]

eachDatabase('a cursor at a stored value', (test, db) => {
  const isSqlite = db.name === 'sqlite'
  test.before(() =>
    db.execScript(`
      create table notes (id integer primary key, title varchar(40), body ${isSqlite ? '' : 'varchar(40)'}, kind varchar(10));
      insert into notes values ${[...rows, ...(isSqlite ? others : [])].join()};`),
  )
  const api = testApi(db, [Note])
  const idsOf = ({ value }: Answer): number[] => value.map(({ id }: { id: number }) => id)

  for (const name of ['title', 'body', 'kind']) {
    for (const order of [name, `-${name}`, `${name}.nullsfirst`]) {
      test(`in the order of ${order}, continues after it and before it`, async () => {
        const all = idsOf(await get(api, `/api/notes?fields=id&order_by=${order}`))
        const seen: number[] = []
        let last: string | null = null
        let url: string | null = `/api/notes?fields=id&order_by=${order}&limit=1&paging=cursor`
        while (url !== null && seen.length <= all.length) {
          const page: Answer = await get(api, url)
          seen.push(...idsOf(page))
          last = page.body.previous_url
          url = page.body.next_url
        }
        equal(seen, all)
        const back = seen.slice(-1)
        while (last !== null && back.length <= all.length) {
          const page: Answer = await get(api, last)
          back.unshift(...idsOf(page))
          last = page.body.previous_url
        }
        equal(back, all)
      })
    }
  }
})
