/** Tables of SQLite whose rows no key identifies: their key is the number of the row, under a name that no column has. */
import { createApi } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const script = `
  create table tags (post_id integer, word text);
  create table taken (rowid text, OID text);
  create table hidden (rowid text, _rowid_ text, oid text);
  create table large (word text);
  create table posts (id integer primary key, title text);
  create table coded (code text primary key, n integer);
  create table uses (code text references coded (code));
  create table strict_keys (code text primary key, n integer) without rowid;
  create virtual table words using fts5(word);
  create view seen as select word from tags;
  insert into posts values (7, 'a post');
  insert into tags with recursive n (i) as (select 1 union all select i + 1 from n where i < 30) select 7, 'w' || (i % 3) from n;
  delete from tags where rowid in (2, 3, 5);
  insert into taken values ('a', 'b'), ('a', 'b');
  insert into hidden values ('a', 'b', 'c');
  insert into large (rowid, word) values (-9007199254740993, 'least'), (1, 'one'), (9223372036854775807, 'most');
  insert into coded values ('a', 1), (null, 2), (null, 3);
  insert into uses values ('a'), ('a'), (null);
  insert into strict_keys values ('k', 1);`

eachDatabase(
  'the number of a row as the key',
  (test, db) => {
    test.before(() => db.execScript(script))
    const read = async () =>
      introspect(db.kysely, {
        relations: [{ table: 'tags', columns: ['post_id'], to: 'posts', references: ['id'] }],
      })
    const served = async () => {
      const { models } = await read()
      return testApi(
        db,
        models.map((model) => ({ ...model, meta: {} })),
        { API_ALLOW_JOIN: true, API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true },
      )
    }

    test('has a name that no column has, in tables without another key alone', async () => {
      const { models, listOnly, notes, suggestions } = await read()
      const keys = models.map(({ table, columns, readOnly = false }) => [
        table,
        Object.entries(columns).flatMap(([name, { primaryKey, type }]) =>
          primaryKey === true ? `${name} ${type}` : [],
        )[0],
        readOnly,
      ])
      equal(keys, [
        ['coded', 'rowid integer', true],
        ['hidden', undefined, true],
        ['large', 'rowid bigint', true],
        ['posts', 'id integer', false],
        ['seen', undefined, true],
        ['strict_keys', 'code text', false],
        ['tags', 'rowid integer', true],
        ['taken', '_rowid_ integer', true],
        ['uses', 'rowid integer', true],
      ])
      equal(
        listOnly.map(({ table }) => table),
        ['hidden', 'seen'],
      )
      match(
        notes.find(({ table }) => table === 'coded')?.note ?? '',
        /^its key column code is NULL in some rows, so its key is rowid and it is read-only$/,
      )
      equal(suggestions, [])
    })

    test('names records in URLs, relations and cursors', async () => {
      const api = await served()
      const post = { post: '/api/tags/4/post' }
      equal((await get(api, '/api/tags/4')).value, { rowid: 4, post_id: 7, word: 'w1', ...post })
      equal((await get(api, '/api/tags/2')).status, 404)
      equal((await get(api, '/api/tags/4/post')).value.title, 'a post')
      equal((await get(api, '/api/posts/7/tags?rowid__lt=7&fields=rowid')).value, [
        { rowid: 1 },
        { rowid: 4 },
        { rowid: 6 },
      ])
      const found: unknown[] = []
      for (let url = '/api/tags?limit=4&paging=cursor&order_by=word&fields=rowid,word'; url; ) {
        const { value, body } = await get(api, url)
        found.push(...value.map((row: { word: string; rowid: number }) => [row.word, row.rowid]))
        url = body.next_url
      }
      const all = await db.kysely
        .selectFrom('tags')
        .select(['word', 'rowid'])
        .orderBy('word')
        .orderBy('rowid')
        .execute()
      equal(
        found,
        all.map(({ word, rowid }) => [word, rowid]),
      )
      equal((await get(api, '/api/takens/2')).value, { _rowid_: 2, rowid: 'a', OID: 'b' })
      equal((await get(api, '/api/larges/9223372036854775807')).value.word, 'most')
      equal((await get(api, '/api/larges?order_by=rowid&fields=rowid')).value, [
        { rowid: '-9007199254740993' },
        { rowid: '1' },
        { rowid: '9223372036854775807' },
      ])
      // Relations still compare the columns of the foreign key.
      equal((await get(api, '/api/codeds/1/uses?fields=rowid')).value, [{ rowid: 1 }, { rowid: 2 }])
      equal((await get(api, '/api/uses?dump=json&limit=1')).value[0].coded.n, 1)
    })

    test('is never written, and nor are its records', async () => {
      const api = await served()
      equal((await send(api, 'POST', '/api/tags', { body: { word: 'x' } })).status, 405)
      equal((await send(api, 'PATCH', '/api/tags/4', { body: { word: 'x' } })).status, 405)
      equal((await send(api, 'DELETE', '/api/tags/4')).status, 405)
      const body = { title: 'new', tags: [{ word: 'x' }] }
      equal((await send(api, 'POST', '/api/posts', { body })).status, 403)
    })

    test('is a column for the check at start, also under its other names', async () => {
      const { models } = await read()
      const check = async (of: typeof models) => {
        const api = createApi({
          db: db.kysely,
          models: of,
          config: { API_SCHEMA_CHECK: 'error' },
          onWarning: () => {},
        })
        return api.ready.then(
          () => '',
          (error: Error) => error.message,
        )
      }
      const tags = models.filter(({ table }) => table === 'tags' || table === 'posts')
      const named = (column: string, type: 'integer' | 'text') =>
        tags.map((model) =>
          model.table !== 'tags'
            ? { ...model, meta: {} }
            : {
                ...model,
                columns: { ...model.columns, rowid: { ...model.columns.rowid, type, column } },
                meta: {},
              },
        ) as unknown as typeof models
      equal(await check(named('rowid', 'integer')), '')
      equal(await check(named('OID', 'integer')), '')
      match(await check(named('rowid', 'text')), 'rowid')
      match(await check(named('row_id', 'integer')), 'row_id')
    })
  },
  { only: 'sqlite' },
)
