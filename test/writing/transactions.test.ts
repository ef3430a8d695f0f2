/** Callbacks, transactions of the host, races, deadlocks and connections that break. */
import { type ApiConfig, apiError } from '@model-api/core'
import { Kysely, PostgresDialect } from 'kysely'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { runScript } from '../support/databases.ts'
import { deadlockOpponent } from '../support/deadlocks.ts'
import { mysqlTransactions } from '../support/mysql-connections.ts'
import { eachDatabase } from '../support/suite.ts'
import { countRows, createLibrary, everything, library, withModel } from './models.ts'

const withConfig = (config: ApiConfig): ApiConfig => ({ ...everything, ...config })

eachDatabase('transactions', (test, db) => {
  const api = testApi(db, library, everything)
  test.before(() => createLibrary(db))
  const tables = ['authors', 'books', 'tags', 'book_tags'] as const

  test('add_callback receives the record and returns the one to save, nested ones too', async () => {
    const seen: unknown[] = []
    const config = withConfig({
      API_ADD_CALLBACK: async (object, model) => {
        seen.push(`${model.name} ${object.name ?? object.title}`)
        return model.name === 'Author' ? { ...object, secret: 'set', shelf: 'A1' } : object
      },
    })
    const { value } = await send(testApi(db, library, config), 'POST', '/api/books', {
      body: { title: 'Hooked', author: { name: 'Ann' } },
    })
    equal(seen, ['Author Ann', 'Book Hooked'])
    const authors = db.kysely.selectFrom('authors').selectAll().where('id', '=', value.author_id)
    const author = await authors.executeTakeFirst()
    equal([author?.secret, author?.shelf], ['set', 'A1'])
  })

  test('update_callback and remove_callback see the stored record, hidden columns included', async () => {
    const seen: unknown[] = []
    const config = withConfig({
      API_UPDATE_CALLBACK: (object) => {
        seen.push(['update', object.name, object.secret])
        return { ...object, secret: 'changed' }
      },
      API_REMOVE_CALLBACK: (object) => {
        seen.push(['remove', object.name, object.secret])
        return object
      },
    })
    const own = testApi(db, library, config)
    const { headers } = await send(own, 'POST', '/api/authors', { body: { name: 'U' } })
    const url = headers.location ?? ''
    await send(own, 'PATCH', url, { body: { name: 'V' } })
    await send(own, 'DELETE', url)
    equal(seen, [
      ['update', 'V', null],
      ['remove', 'V', 'changed'],
    ])
  })

  test('callbacks for one method serve its changes below requests of other methods too', async () => {
    const seen: string[] = []
    const note = (what: string) => (object: object) => {
      seen.push(what)
      return object
    }
    const models = withModel('Tag', () => ({
      meta: {
        post_add_callback: note('post_add'),
        patch_update_callback: note('patch_update'),
        delete_remove_callback: note('delete_remove'),
      },
    }))
    const own = testApi(db, models, everything)
    const { value: book } = await send(own, 'POST', '/api/books', { body: { title: 'Methods' } })
    equal(seen, [])
    // In the body of a PATCH, a tag is created as by POST; an upsert changes one as by PATCH.
    const body = { tags: [{ name: 'below a PATCH' }] }
    await send(own, 'PATCH', `/api/books/${book.id}`, { body })
    await send(own, 'POST', '/api/tags?on_conflict=name', { body: { name: 'below a PATCH' } })
    equal(seen, ['post_add', 'patch_update'])
    const first = testApi(
      db,
      withModel('Tag', () => ({
        meta: { post_add_callback: note('post_add'), patch_add_callback: note('patch_add') },
      })),
      everything,
    )
    seen.length = 0
    await send(first, 'PATCH', `/api/books/${book.id}`, { body: { tags: [{ name: 'again' }] } })
    equal(seen, ['patch_add'])
  })

  test('a callback that throws rolls back; an apiError becomes the response', async () => {
    const before = await countRows(db, ...tables)
    const reported: unknown[] = []
    const config = withConfig({
      API_ADD_CALLBACK: (object, model) => {
        if (model.name !== 'Book') return object
        if (object.title === 'loan') throw apiError(418, 'On loan', 'Not now.')
        throw new Error('secret detail')
      },
    })
    const own = testApi(db, library, config, { onError: (error) => reported.push(error) })
    const post = (title: string) =>
      send(own, 'POST', '/api/authors', { body: { name: 'A', books: [{ title }] } })
    equal((await post('loan')).status, 418)
    const broken = await post('broken')
    equal([broken.status, broken.text.includes('secret')], [500, false])
    equal(reported.length, 1)
    equal(await countRows(db, ...tables), before)
  })

  test('a callback that returns an invalid value is 500, and nothing is stored', async () => {
    const before = await countRows(db, ...tables)
    const reported: unknown[] = []
    const config = withConfig({ API_ADD_CALLBACK: (object) => ({ ...object, name: 7 }) })
    const own = testApi(db, library, config, { onError: (error) => reported.push(error) })
    const { status } = await send(own, 'POST', '/api/tags', { body: { name: 'seven' } })
    equal(status, 500)
    equal(reported.map(String), [
      'Error: The add callback of Tag returned a value of name that is not a string.',
    ])
    equal(await countRows(db, ...tables), before)
  })

  test('API_SESSION_GETTER may return a transaction, which the API does not commit', async () => {
    const before = await countRows(db, ...tables)
    const failure = await db.kysely
      .transaction()
      .execute(async (transaction) => {
        const config = withConfig({ API_SESSION_GETTER: () => transaction })
        const own = testApi(db, library, config)
        const created = await send(own, 'POST', '/api/authors', {
          body: { name: 'Inside', books: [{ title: 'x' }] },
        })
        equal(created.status, 201)
        equal((await get(own, created.headers.location ?? '')).status, 200)
        throw new Error('the host rolls back')
      })
      .catch((error: Error) => error.message)
    equal(failure, 'the host rolls back')
    equal(await countRows(db, ...tables), before)
  })

  test('50 parallel POSTs of one unique key give one 201 and 49 409s', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => send(api, 'POST', '/api/tags', { body: { name: 'race' } })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    equal(statuses, [201, ...Array.from({ length: 49 }, () => 409)])
    equal((await get(api, '/api/tags?name__eq=race')).total, 1)
  })

  test('30 parallel upserts of one key give one record and no failure', async () => {
    const url = '/api/tags?on_conflict=name'
    const body = { name: 'upsert race' }
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => send(api, 'POST', url, { body })),
    )
    equal([...new Set(answers.map(({ status }) => status))].sort(), [200, 201])
    equal((await get(api, '/api/tags?name__eq=upsert%20race')).total, 1)
  })

  test('a deadlock is retried: both writes succeed', async () => {
    // SQLite runs one write after the other, so they cannot conflict.
    if (db.name === 'sqlite') return
    const ids: number[] = []
    for (const title of ['d1', 'd2']) {
      ids.push((await send(api, 'POST', '/api/books', { body: { title } })).value.id)
    }
    let met = 0
    const config = withConfig({
      // Each callback waits until both requests hold a book; then each locks the book of the other.
      API_UPDATE_CALLBACK: async (object, model) => {
        if (model.name !== 'Book' || met >= 2) return object
        met += 1
        while (met < 2) await new Promise((resolve) => setTimeout(resolve, 5))
        return object
      },
    })
    const own = testApi(db, library, config)
    const answers = await Promise.all(
      [ids, [...ids].reverse()].map((list, i) => {
        const body = list.map((id) => ({ name: `Deadlock ${i}`, books: [{ id }] }))
        return send(own, 'POST', '/api/authors', { body })
      }),
    )
    equal(
      answers.map(({ status }) => status),
      [201, 201],
    )
    const rows = await db.kysely
      .selectFrom('books')
      .innerJoin('authors', 'authors.id', 'books.author_id')
      .select('authors.name')
      .where('books.id', 'in', ids)
      .execute()
    equal([rows.length, new Set(rows.map(({ name }) => name)).size], [2, 1])
  })

  test('a write that the database or a callback refuses is tried once', async () => {
    let calls = 0
    const config = withConfig({
      API_ADD_CALLBACK: (object) => {
        calls += 1
        if (object.name === 'fails') throw new Error('failed')
        return object
      },
    })
    const own = testApi(db, library, config, { onError: () => {} })
    equal((await send(own, 'POST', '/api/tags', { body: { name: 'once' } })).status, 201)
    calls = 0
    equal((await send(own, 'POST', '/api/tags', { body: { name: 'once' } })).status, 409)
    equal(calls, 1)
    equal((await send(own, 'POST', '/api/tags', { body: { name: 'fails' } })).status, 500)
    equal(calls, 2)
  })

  test('three deadlocks in a row are retried; endless deadlocks are 503 that says so, and nothing is written', async () => {
    if (db.name === 'sqlite') return
    const ids: number[] = []
    for (const title of ['first', 'second']) {
      ids.push((await send(api, 'POST', '/api/books', { body: { title } })).value.id)
    }
    const [first, second] = ids
    const change = (id: number | undefined) => `update books set title = 'changed' where id = ${id}`
    for (const [times, status, code] of [
      [3, 201, undefined],
      [Number.POSITIVE_INFINITY, 503, 'database_conflict'],
    ] as const) {
      const opponent = await deadlockOpponent(db)
      let met = 0
      let over: Promise<void> | undefined
      const config = withConfig({
        // Holds the first book from here on, and locks the second one later.
        API_UPDATE_CALLBACK: async (object, model) => {
          if (model.name !== 'Book' || object.id !== first || met === times) return object
          met += 1
          await over
          over = (await opponent.meet(change(second), change(first))).over
          return object
        },
      })
      const own = testApi(db, library, config, { db: opponent.victims, onError: () => {} })
      const name = `After ${times} deadlocks`
      const answer = await send(own, 'POST', '/api/authors', {
        body: ids.map((id) => ({ name, books: [{ id }] })),
      })
      await over
      await opponent.close()
      const { status: answered, errors, headers } = answer
      equal([answered, errors?.code, Math.min(met, 4)], [status, code, Math.min(times, 4)])
      equal(headers['retry-after'], code && '1')
      const { total } = await get(api, `/api/authors?name__eq=${encodeURIComponent(name)}`)
      equal(total, status === 201 ? 2 : 0)
    }
  })

  test('killing the connection between two nested inserts leaves nothing behind', async () => {
    if (db.name === 'sqlite' || db.url === undefined) return
    const url = db.url
    const before = await countRows(db, ...tables)
    const mortal = await mortalDatabase(url)
    const config = withConfig({
      API_ADD_CALLBACK: async (object, model) => {
        if (model.name === 'Book') await killWriters(url)
        return object
      },
    })
    const own = testApi(db, library, config, {
      onError: () => {},
      ...(mortal === undefined ? {} : { db: mortal }),
    })
    const { status, headers } = await send(own, 'POST', '/api/authors', {
      body: { name: 'Killed', books: [{ title: 'x' }] },
    })
    equal([status, headers['retry-after']], [503, '1'])
    equal(await countRows(db, ...tables), before)
    equal((await send(own, 'POST', '/api/tags', { body: { name: 'alive' } })).status, 201)
    await mortal?.destroy()
  })

  /** With pg, a connection that breaks while it is in use ends the process, unless there is an error handler. */
  // biome-ignore lint/suspicious/noExplicitAny: any tables
  async function mortalDatabase(url: string): Promise<Kysely<any> | undefined> {
    if (db.name !== 'postgres') return undefined
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    pool.on('error', () => {})
    pool.on('connect', (client) => void client.on('error', () => {}))
    return new Kysely({ dialect: new PostgresDialect({ pool }) })
  }

  /** Ends every connection that is inside a transaction of this database. */
  async function killWriters(url: string): Promise<void> {
    if (db.name === 'postgres') {
      const kill = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`
      await runScript('postgres', url, kill)
      return
    }
    for (const { id } of await mysqlTransactions(db.kysely, new URL(url).pathname.slice(1))) {
      await runScript('mysql', url, `kill ${id}`)
    }
  }
})
