/** Cursors over long texts: the next URL is never refused as too long, and names the row that its values are read from. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { column, refuses } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Author = defineModel('Author', {
  table: 'authors',
  columns: { id: { type: 'integer', primaryKey: true }, life: { type: 'text', nullable: true } },
  relations: { notes: hasMany('Note', 'author_id') },
  meta: {},
})
const Note = defineModel('Note', {
  table: 'notes',
  columns: {
    id: { type: 'integer', primaryKey: true },
    author_id: { type: 'integer' },
    secret: { type: 'boolean' },
    body: { type: 'text', nullable: true },
    brief: { type: 'string' },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})

const long = (i: number): string => `${'é"\\'.repeat(900)}${i % 4}`

eachDatabase('cursors over long texts', (test, db) => {
  const config = { API_ALLOW_JOIN: true }
  const api = testApi(db, [Author, Note], config)
  const narrowed = testApi(
    db,
    [Author, { ...Note, meta: { access_policy: { scope: () => ({ secret: { eq: false } }) } } }],
    config,
  )
  const make = async (): Promise<void> => {
    await db.kysely
      .insertInto('authors')
      .values([
        { id: 1, life: long(1) },
        { id: 2, life: long(2) },
        { id: 3, life: null },
      ] as never)
      .execute()
    const notes = Array.from({ length: 12 }, (_, i) => ({
      id: i + 1,
      author_id: (i % 3) + 1,
      secret: db.name === 'postgres' ? i === 6 : Number(i === 6),
      body: i % 5 === 4 ? null : long(i),
      brief: `b${i % 2}`,
    }))
    await db.kysely
      .insertInto('notes')
      .values(notes as never)
      .execute()
  }
  test.before(async () => {
    await db.execScript(`
      create table authors (id integer primary key, life ${db.name === 'mysql' ? 'mediumtext' : 'text'});
      create table notes (id integer primary key, author_id integer not null, secret boolean not null,
        body ${db.name === 'mysql' ? 'mediumtext' : 'text'}, brief varchar(9) not null);`)
    await make()
  })

  const walk = async (list: string): Promise<{ ids: number[]; back: number[] }> => {
    const idsOf = ({ value }: Answer): number[] => value.map(({ id }: { id: number }) => id)
    const ids: number[] = []
    let last: Answer | undefined
    let url: string | null = `${list}&limit=2&paging=cursor`
    while (url !== null && ids.length < 40) {
      ok(url.length < 1000, `${url.length} characters`)
      const page: Answer = await get(api, url)
      equal(page.status, 200, url)
      ids.push(...idsOf(page))
      last = page
      url = page.body.next_url
    }
    const back = last === undefined ? [] : idsOf(last)
    let previous: string | null = last?.body.previous_url ?? null
    while (previous !== null && back.length < 40) {
      ok(previous.length < 1000, `${previous.length} characters`)
      const page: Answer = await get(api, previous)
      back.unshift(...idsOf(page))
      previous = page.body.previous_url
    }
    return { ids, back }
  }

  test('lead through all records, forwards and backwards', async () => {
    for (const list of [
      '/api/notes?order_by=body',
      '/api/notes?order_by=-body,brief',
      '/api/notes?order_by=brief,-body&brief__ge=b',
      '/api/notes?join=author&order_by=author.life,-body',
    ]) {
      const all = await column(api, `${list}&limit=50`)
      equal(await walk(list), { ids: all, back: all }, list)
    }
    const related = '/api/authors/1/notes?order_by=body'
    const own = await column(api, `${related}&limit=50`)
    equal(await walk(related), { ids: own, back: own })
  })

  const cursorAt = async (id: number): Promise<string> => {
    const list = `/api/notes?order_by=body&limit=1&paging=cursor&body__isnull=false&id__le=${id}&id__ge=${id - 1}`
    let page = await get(api, list)
    if (page.value[0].id !== id) page = await get(api, page.body.next_url ?? '')
    // The cursor of a page with one record and another before or after it.
    const url = new URL(page.body.next_url ?? page.body.previous_url ?? '', 'http://localhost')
    const cursor = url.searchParams.get('after') ?? url.searchParams.get('before') ?? ''
    return `/api/notes?order_by=body&after=${cursor}`
  }

  test('a row that is gone, or that the caller may not read, is a 400', async () => {
    const hidden = await cursorAt(7)
    equal((await get(api, hidden)).status, 200)
    const refusal = { code: 'cursor_expired', says: ['"after"', 'first page'] }
    await refuses(narrowed, hidden, refusal)
    const gone = await cursorAt(4)
    equal((await get(narrowed, gone)).status, 200)
    equal((await send(api, 'DELETE', '/api/notes/4')).status, 200)
    await refuses(api, gone, refusal)
    await refuses(narrowed, gone, refusal)
  })

  test('a row of another parent is a 400, so that its place among those of a parent is not told', async () => {
    // A policy may show records on the routes of their parents alone.
    const own = await cursorAt(7)
    const other = await cursorAt(9)
    const below = (url: string): string => url.replace('/api/notes', '/api/authors/1/notes')
    equal((await get(api, below(own))).status, 200)
    await refuses(api, below(other), { code: 'cursor_expired', says: ['"after"'] })
  })
})
