/**
 * Writes in a transaction of the host, at each isolation level, while another connection commits: on MySQL and MariaDB they read what
 * they lock and change, on PostgreSQL they do so or answer 503 (docs/guide/writing.md).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { type IsolationLevel, Kysely, SqliteDialect, sql } from 'kysely'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: any query of Kysely
type Any = any

const id = { type: 'integer', primaryKey: true } as const
const number = { type: 'integer' } as const
const name = { type: 'string', maxLength: 20 } as const

const Shelf = defineModel('Shelf', {
  table: 'shelves',
  columns: { id, name, gone: { type: 'boolean', default: false } },
  relations: { boxes: hasMany('Box', 'shelf_id') },
  meta: { soft_delete: true, soft_delete_attribute: 'gone', soft_delete_values: [false, true] },
})
const Box = defineModel('Box', {
  table: 'boxes',
  columns: {
    id,
    name: { ...name, unique: true },
    size: number,
    shelf_id: { ...number, nullable: true },
  },
  relations: {
    shelf: belongsTo('Shelf', 'shelf_id'),
    parts: hasMany('Part', 'box_id'),
    tags: manyToMany('Tag', { through: 'box_tags', from: 'box_id', to: 'tag_id' }),
  },
  meta: {},
})
const Part = defineModel('Part', {
  columns: { id, name, box_id: number },
  relations: { box: belongsTo('Box', 'box_id') },
  meta: {},
})
const Tag = defineModel('Tag', { columns: { id, name }, meta: {} })
/** Visible to the caller while a grant exists: by the conditions of a scope, and by a query. */
const Note = defineModel('Note', {
  columns: { id, name, size: number },
  relations: { grants: hasMany('Grant', 'row_id') },
  meta: { access_policy: { scope: { grants: { level: { eq: 1 } } } } },
})
const Memo = defineModel('Memo', {
  columns: { id, name, size: number },
  meta: {
    access_policy: {
      scope_query: (query: Any) =>
        query.where((eb: Any) =>
          eb.exists(
            eb
              .selectFrom('grants')
              .select('grants.id')
              .whereRef('grants.row_id', '=', 'memos.id')
              .where('grants.level', '=', 1),
          ),
        ),
    },
  },
})
const Grant = defineModel('Grant', {
  columns: { id, row_id: number, level: number },
  relations: { note: belongsTo('Note', 'row_id') },
  meta: {},
})
const models: readonly AnyModel[] = [Shelf, Box, Part, Tag, Note, Memo, Grant]

const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_JOIN: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_ALLOW_BATCH: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}

interface Case {
  readonly title: string
  /** What the other connection commits after the transaction has read. */
  readonly other: (db: Kysely<Any>) => Promise<unknown>
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly headers?: (etag: string) => Record<string, string>
  /** The response if the write meets what the other connection has committed. */
  readonly status: number
  readonly value?: unknown
  /** What is stored then: a table, its columns, and its rows. */
  readonly stored?: readonly [string, string, readonly unknown[]]
  /** The status where PostgreSQL decides by its snapshot, at REPEATABLE READ and SERIALIZABLE. */
  readonly bySnapshot: number
}

const rename = (db: Kysely<Any>) =>
  db.updateTable('boxes').set({ name: 'new' }).where('id', '=', 1).execute()
const add = (table: string, values: Any) => (db: Kysely<Any>) =>
  db.insertInto(table).values(values).execute()
const set = (table: string, values: Any, key: number) => (db: Kysely<Any>) =>
  db.updateTable(table).set(values).where('id', '=', key).execute()
const drop = (table: string, column: string, key: number) => (db: Kysely<Any>) =>
  db.deleteFrom(table).where(column, '=', key).execute()

const cases: readonly Case[] = [
  {
    title: 'If-Match of an older version is refused',
    other: rename,
    method: 'PATCH',
    url: '/api/boxes/1',
    body: { size: 5 },
    headers: (etag) => ({ 'if-match': etag }),
    status: 412,
    stored: ['boxes', 'size', [1, 2]],
    bySnapshot: 503,
  },
  {
    title: 'a value equal to that of the snapshot is written',
    other: rename,
    method: 'PATCH',
    url: '/api/boxes/1?dump=url',
    body: { name: 'one', tags: [] },
    status: 200,
    value: { name: 'one' },
    stored: ['boxes', 'name', ['one', 'two']],
    bySnapshot: 503,
  },
  {
    title: 'the response of PATCH has the stored values',
    other: rename,
    method: 'PATCH',
    url: '/api/boxes/1',
    body: { size: 7, tags: [{ id: 1 }] },
    status: 200,
    value: { name: 'new', size: 7 },
    bySnapshot: 503,
  },
  {
    title: 'a PATCH that changes nothing answers what is stored',
    other: rename,
    method: 'PATCH',
    url: '/api/boxes/1',
    body: { tags: [{ id: 1 }] },
    status: 200,
    value: { name: 'new', size: 1 },
    bySnapshot: 503,
  },
  {
    title: 'PUT replaces what is stored',
    other: rename,
    method: 'PUT',
    url: '/api/boxes/1',
    body: { name: 'one', size: 9, shelf_id: 1, tags: [] },
    status: 200,
    value: { name: 'one', size: 9 },
    stored: ['boxes', 'name', ['one', 'two']],
    bySnapshot: 503,
  },
  {
    title: 'PATCH by a filter leaves records that no longer match',
    other: rename,
    method: 'PATCH',
    url: '/api/boxes?name__eq=one',
    body: { size: 8 },
    status: 200,
    value: [],
    stored: ['boxes', 'size', [1, 2]],
    bySnapshot: 503,
  },
  {
    title: 'PATCH by a filter changes records that match by now',
    other: add('boxes', { id: 3, name: 'three', size: 1, shelf_id: 1 }),
    method: 'PATCH',
    url: '/api/boxes?size__eq=1',
    body: { size: 8 },
    status: 200,
    stored: ['boxes', 'size', [8, 2, 8]],
    bySnapshot: 200,
  },
  {
    title: 'PATCH by a filter on a joined record',
    other: set('shelves', { name: 'low' }, 1),
    method: 'PATCH',
    url: '/api/boxes?join=shelf&shelf.name__eq=high',
    body: { size: 8 },
    status: 200,
    value: [],
    stored: ['boxes', 'size', [1, 2]],
    bySnapshot: 200,
  },
  {
    title: 'DELETE by a filter leaves records that no longer match',
    other: rename,
    method: 'DELETE',
    url: '/api/boxes?name__eq=one&cascade_delete=1',
    status: 200,
    stored: ['boxes', 'id', [1, 2]],
    bySnapshot: 503,
  },
  {
    title: 'a list of changes',
    other: rename,
    method: 'PATCH',
    url: '/api/boxes',
    body: [{ id: 1, name: 'one' }],
    status: 200,
    value: [{ name: 'one' }],
    stored: ['boxes', 'name', ['one', 'two']],
    bySnapshot: 503,
  },
  {
    title: 'a reference to a record that exists by now',
    other: add('shelves', { id: 2, name: 'new', gone: sql`(1 = 0)` }),
    method: 'POST',
    url: '/api/boxes?dump=json',
    body: { id: 4, name: 'four', size: 4, shelf: { id: 2 } },
    status: 201,
    value: { shelf: { id: 2, name: 'new' } },
    bySnapshot: 422,
  },
  {
    title: 'a reference to a record that is deleted by now',
    other: set('shelves', { gone: sql`(1 = 1)` }, 1),
    method: 'POST',
    url: '/api/boxes',
    body: { id: 4, name: 'four', size: 4, shelf: { id: 1 } },
    status: 422,
    bySnapshot: 201,
  },
  {
    title: 'a list of links removes links that exist by now',
    other: add('box_tags', { box_id: 1, tag_id: 2 }),
    method: 'PATCH',
    url: '/api/boxes/1',
    body: { tags: [{ id: 1 }] },
    status: 200,
    stored: ['box_tags', 'tag_id', [1]],
    bySnapshot: 200,
  },
  {
    title: 'a list of links creates links that are gone by now',
    other: drop('box_tags', 'box_id', 1),
    method: 'PATCH',
    url: '/api/boxes/1',
    body: { tags: [{ id: 1 }] },
    status: 200,
    stored: ['box_tags', 'tag_id', [1]],
    bySnapshot: 200,
  },
  {
    title: 'an upsert finds a record that exists by now',
    other: add('boxes', { id: 3, name: 'three', size: 3, shelf_id: 1 }),
    method: 'POST',
    url: '/api/boxes?on_conflict=name',
    body: { id: 3, name: 'three', size: 30 },
    status: 200,
    value: { id: 3, size: 30 },
    bySnapshot: 409,
  },
  {
    title: 'a nested child that exists by now is moved',
    other: add('boxes', { id: 3, name: 'three', size: 3, shelf_id: 1 }),
    method: 'POST',
    url: '/api/shelves?dump=json',
    body: { id: 5, name: 'wide', boxes: [{ id: 3 }] },
    status: 201,
    value: { boxes: [{ id: 3, name: 'three', size: 3, shelf_id: 5 }] },
    bySnapshot: 422,
  },
  {
    title: 'a DELETE is refused by dependents that exist by now',
    other: add('parts', { id: 2, name: 'nut', box_id: 2 }),
    method: 'DELETE',
    url: '/api/boxes/2',
    status: 409,
    bySnapshot: 409,
  },
  {
    title: 'a cascade deletes dependents that exist by now',
    other: add('parts', { id: 2, name: 'nut', box_id: 1 }),
    method: 'DELETE',
    url: '/api/boxes/1?cascade_delete=1',
    status: 200,
    stored: ['parts', 'id', []],
    bySnapshot: 409,
  },
  {
    title: 'a record that is deleted by now is restored',
    other: set('shelves', { gone: sql`(1 = 1)` }, 1),
    method: 'POST',
    url: '/api/shelves/1/restore',
    status: 200,
    value: { id: 1 },
    bySnapshot: 503,
  },
  {
    title: 'a record out of the scope of a policy by now is not changed',
    other: set('grants', { level: 0 }, 1),
    method: 'PATCH',
    url: '/api/notes/1',
    body: { size: 2 },
    status: 404,
    bySnapshot: 200,
  },
  {
    title: 'a record in the scope of a policy by now is changed',
    other: set('grants', { level: 1 }, 2),
    method: 'PATCH',
    url: '/api/notes/2',
    body: { size: 2 },
    status: 200,
    value: { size: 2 },
    bySnapshot: 404,
  },
  {
    title: 'If-Match of an older version of a record of a scope is refused',
    other: set('notes', { size: 3 }, 1),
    method: 'PATCH',
    url: '/api/notes/1',
    body: { size: 5 },
    headers: (etag) => ({ 'if-match': etag }),
    status: 412,
    stored: ['notes', 'size', [3, 1]],
    bySnapshot: 503,
  },
  {
    title: 'a record out of the scope of a query by now is not deleted',
    other: set('grants', { level: 0 }, 1),
    method: 'DELETE',
    url: '/api/memos?id__le=5',
    status: 200,
    stored: ['memos', 'id', [1, 2]],
    bySnapshot: 200,
  },
  {
    title: 'a record in the scope of a query by now is changed',
    other: set('grants', { level: 1 }, 2),
    method: 'PATCH',
    url: '/api/memos/2',
    body: { size: 2 },
    status: 200,
    value: { size: 2 },
    bySnapshot: 404,
  },
  {
    title: 'an operation of a batch',
    other: rename,
    method: 'POST',
    url: '/api/batch',
    body: {
      operations: [{ id: 'a', method: 'PATCH', url: '/api/boxes?name__eq=one', body: { size: 8 } }],
    },
    status: 200,
    stored: ['boxes', 'size', [1, 2]],
    bySnapshot: 503,
  },
]

const levels: readonly IsolationLevel[] = [
  'read uncommitted',
  'read committed',
  'repeatable read',
  'serializable',
]

for (const level of levels) {
  for (const only of ['postgres', 'mysql'] as const) {
    eachDatabase(`writes in a transaction of the host at ${level}`, serve(level), { only })
  }
}

function serve(level: IsolationLevel): Parameters<typeof eachDatabase>[1] {
  return (test, db) => {
    let current: Kysely<Any> = db.kysely
    const api: Api = testApi(
      db,
      models,
      { ...config, API_SESSION_GETTER: () => current },
      { onError: () => {} },
    )
    const outside = testApi(db, models, config)
    /** Whether MariaDB answers a lock of a row that is newer than the snapshot by error 1020, as it does by default since 11.6. */
    let refusesNewer = false
    const hasSnapshot = level === 'repeatable read' || level === 'serializable'

    test.before(async () => {
      await createTables(db, models)
      await api.ready
      if (db.engine === 'mariadb' && hasSnapshot) {
        const { rows } = await sql<Any>`show variables like 'innodb_snapshot_isolation'`.execute(
          db.kysely,
        )
        refusesNewer = rows[0]?.Value === 'ON'
      }
    })
    test.before.each(async () => {
      const tables = ['box_tags', 'parts', 'boxes', 'shelves', 'tags', 'grants', 'notes', 'memos']
      for (const table of tables) await db.kysely.deleteFrom(table).execute()
      await insertRows(db, Shelf, [{ id: 1, name: 'high', gone: false }])
      await insertRows(db, Box, [
        { id: 1, name: 'one', size: 1, shelf_id: 1 },
        { id: 2, name: 'two', size: 2, shelf_id: 1 },
      ])
      await insertRows(db, Part, [{ id: 1, name: 'lid', box_id: 1 }])
      await insertRows(db, Tag, [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ])
      await insertLinks(db, 'box_tags', [{ box_id: 1, tag_id: 1 }])
      for (const model of [Note, Memo]) {
        await insertRows(db, model, [
          { id: 1, name: 'n', size: 1 },
          { id: 2, name: 'm', size: 1 },
        ])
      }
      await insertRows(db, Grant, [
        { id: 1, row_id: 1, level: 1 },
        { id: 2, row_id: 2, level: 0 },
      ])
    })

    /** Serves the request in a transaction that has read before `other` commits. */
    async function beside(one: Case): Promise<Answer> {
      const etag = (await send(outside, 'GET', one.url)).headers.etag ?? ''
      const transaction = await db.kysely.startTransaction().setIsolationLevel(level).execute()
      let ended = false
      try {
        await sql`select 1 from ${sql.table('tags')} where id = 2`.execute(transaction)
        await one.other(db.kysely)
        current = transaction
        const answer = await send(api, one.method, one.url, {
          ...(one.body === undefined ? {} : { body: one.body }),
          headers: one.headers?.(etag) ?? {},
        })
        ended = true
        await (answer.status < 400 ? transaction.commit() : transaction.rollback()).execute()
        return answer
      } finally {
        current = db.kysely
        if (!ended) await transaction.rollback().execute()
      }
    }

    test('a key of idempotency that has a response by now replays it', async () => {
      const headers = { 'idempotency-key': 'the-same-key-of-both-requests' }
      const post = (served: Api, name: string, key = headers) =>
        send(served, 'POST', '/api/tags', { body: { id: 7, name }, headers: key })
      await post(outside, 'x', { 'idempotency-key': 'creates-the-table-of-the-keys' })
      await db.kysely.deleteFrom('tags').where('id', '=', 7).execute()
      const transaction = await db.kysely.startTransaction().setIsolationLevel(level).execute()
      try {
        await sql`select 1 from ${sql.table('shelves')} where id = 2`.execute(transaction)
        equal((await post(outside, 'first')).status, 201)
        current = transaction
        const { status, value, headers: replayed } = await post(api, 'first')
        // PostgreSQL has then refused the INSERT of the key.
        if (db.name === 'postgres' && hasSnapshot) equal(status, 409)
        else if (refusesNewer) equal(status, 503)
        else {
          equal(
            [status, value, replayed['idempotency-replayed']],
            [201, { id: 7, name: 'first' }, 'true'],
          )
        }
      } finally {
        current = db.kysely
        await transaction.rollback().execute()
        await sql`delete from ${sql.table('idempotency_keys')}`.execute(db.kysely).catch(() => {})
      }
    })

    for (const one of cases) {
      test(one.title, async () => {
        const answer = await beside(one)
        if (db.name === 'postgres' && hasSnapshot) {
          equal(answer.status, one.bySnapshot, answer.text)
          return
        }
        if (refusesNewer && answer.status === 503) return
        equal(answer.status, one.status, answer.text)
        if (one.value !== undefined) equal(partOf(answer.value, one.value), one.value)
        if (one.stored === undefined) return
        const [table, column, rows] = one.stored
        const all = await db.kysely
          .selectFrom(table)
          .selectAll()
          .orderBy(table === 'box_tags' ? 'tag_id' : 'id')
          .execute()
        equal(
          all.map((row: Any) => row[column]),
          rows,
        )
      })
    }
  }
}

suite('a write in a transaction of the host on SQLite', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'host-isolation-'))
  const file = join(folder, 'database.sqlite')
  const openFile = () => {
    const database = new Sqlite(file, { timeout: 50 })
    database.pragma('journal_mode = wal')
    return new Kysely<Any>({ dialect: new SqliteDialect({ database }) })
  }
  test.after(() => rmSync(folder, { recursive: true }))

  test('is 503 if another connection has written since the transaction read', async () => {
    const [own, other] = [openFile(), openFile()]
    try {
      await sql`create table tags (id integer primary key, name text not null)`.execute(own)
      await sql`insert into tags values (1, 'a')`.execute(own)
      const transaction = await own.startTransaction().execute()
      const api = createApi({
        db: own,
        models: [Tag],
        config: { ...config, API_SCHEMA_CHECK: 'off', API_SESSION_GETTER: () => transaction },
        onError: () => {},
        onWarning: () => {},
      })
      await transaction.selectFrom('tags').selectAll().execute()
      await other.updateTable('tags').set({ name: 'b' }).execute()
      const { status } = await send(api, 'PATCH', '/api/tags?name__eq=a', { body: { name: 'c' } })
      equal(status, 503)
      await transaction.rollback().execute()
    } finally {
      await own.destroy()
      await other.destroy()
    }
  })
})

/** The members of `value` that `expected` has. */
function partOf(value: Any, expected: Any): unknown {
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return value
    return expected.map((one, i) => partOf(value[i], one))
  }
  if (typeof expected !== 'object' || expected === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.keys(expected).map((key) => [key, partOf(value?.[key], expected[key])]),
  )
}
