/** Cursors on text in the database's own collation: rows that the collation treats as equal are neither lost nor repeated. */
import { type Api, defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const collated = {
  type: 'string',
  maxLength: 600,
  nullable: true,
  collation: 'database',
} as const

const Word = defineModel('Word', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    loose: collated,
    strict: collated,
    other_id: { type: 'integer', nullable: true },
  },
  relations: { other: { kind: 'belongsTo', target: 'Word', key: 'other_id' } },
  meta: {},
})

/** A collation that treats upper and lower case as equal, and one that distinguishes all texts but does not order by code point. */
const collations = {
  sqlite: ['nocase', 'rtrim'],
  postgres: ['case_blind', '"en-x-icu"'],
  mysql: ['utf8mb4_general_ci', 'utf8mb4_unicode_ci'],
} as const

// Longer than the prefix by which MySQL and MariaDB sort texts by default.
const long = 'ä'.repeat(560)
const texts = [
  'a',
  'A',
  'ä',
  'Ä',
  'b',
  'B',
  'b ',
  'ab',
  'AB',
  '',
  null,
  `${long}z`,
  `${long}B`,
  `${long}a`,
]

eachDatabase('cursors by collation', (test, db) => {
  test.before(async () => {
    if (db.name === 'postgres') {
      await db.execScript(
        "create collation case_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      )
    }
    const [loose, strict] = collations[db.name]
    const kind = `varchar(600)${db.name === 'mysql' ? ' character set utf8mb4' : ''}`
    await db.execScript(
      `create table words (id integer primary key, loose ${kind} collate ${loose}, strict ${kind} collate ${strict}, other_id integer)`,
    )
    const rows = Array.from({ length: 42 }, (_, i) => ({
      id: i + 1,
      loose: texts[(i * 5) % texts.length],
      strict: texts[(i * 3) % texts.length],
      other_id: i % 4 === 0 ? null : ((i * 11) % 42) + 1,
    }))
    await db.kysely.insertInto('words').values(rows).execute()
  })
  const api = testApi(db, [Word], { API_ALLOW_JOIN: true })

  for (const order of [
    'loose',
    '-loose',
    'strict.nullsfirst',
    '-strict',
    'loose,-strict',
    '-loose.nullslast,strict',
    'other.loose,-strict',
  ]) {
    test(`${order} pages forward and back through every row`, async () => {
      const join = order.startsWith('other') ? '&join=other&join_type=left' : ''
      const query = `/api/words?order_by=${order}${join}&fields=id`
      const all = await read(api, `${query}&limit=100`)
      equal(new Set(all.map(({ id }: { id: number }) => id)).size, 42)
      const { rows, last } = await walk(api, `${query}&paging=cursor&limit=3`, 'next_url')
      equal(rows, all)
      const back = await walk(api, last, 'previous_url')
      equal(back.rows, all)
    })
  }
})

/** Follows the links; returns every row, and the URL of the last page. */
async function walk(api: Api, start: string, link: 'next_url' | 'previous_url') {
  const rows: unknown[] = []
  let last = start
  for (let url: string | null = start, pages = 0; url !== null; pages++) {
    if (pages > 30) throw new Error(`${start}: the links do not end`)
    last = url
    const { body } = await get(api, url)
    if (link === 'next_url') rows.push(...body.value)
    else rows.unshift(...body.value)
    url = body[link]
  }
  return { rows, last }
}
