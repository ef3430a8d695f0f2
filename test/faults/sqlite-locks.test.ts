/**
 * A SQLite file that other connections lock: requests wait without blocking the process, requests that need no lock continue,
 * and the deadline gives 503.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type AnyModel, type Api, defineModel } from '@model-api/core'
import { preparedSqlite } from '@model-api/core/drivers'
import { introspect } from '@model-api/core/introspect'
import { openDatabase } from '@model-api/http-node'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { createPeople, login, peopleApi, refresh } from '../auth/people.ts'
import { command } from '../cli/support.ts'
import { equal, match, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type AnyKysely, loggingApi } from '../support/faults.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { suite } from '../support/suite.ts'

const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'string', maxLength: 40 },
  },
  meta: {},
})
/** The callback makes a write take a transaction. */
const added: string[] = []
const Tale: AnyModel = defineModel('Tale', {
  table: 'notes',
  columns: Note.columns,
  meta: {
    add_callback: (record: { label?: unknown }) => {
      added.push(String(record.label))
      return record
    },
  },
} as never)

const script = `create table notes (id integer primary key, label varchar(40) not null);
  insert into notes (label) values ('first');`
const config = { API_STATEMENT_TIMEOUT: 300, API_ALLOW_BULK: true, API_HEALTH_ROUTE: '/health' }

/** The ways in which a host opens its instance. Without a setting, better-sqlite3 waits 5 s inside SQLite. */
const ways: Readonly<Record<string, (file: string) => Promise<AnyKysely>>> = {
  openDatabase: async (file) => (await openDatabase(file)).db,
  'an instance of the host': async (file) =>
    new Kysely({ dialect: new SqliteDialect({ database: new Sqlite(file) }) }),
  'a wrapped instance of the host': async (file) =>
    new Kysely({ dialect: new SqliteDialect({ database: preparedSqlite(new Sqlite(file)) }) }),
}

for (const [way, open] of Object.entries(ways)) {
  for (const journal of ['wal', 'delete'] as const) define(way, open, journal)
}

function define(
  way: string,
  open: (file: string) => Promise<AnyKysely>,
  journal: 'wal' | 'delete',
): void {
  suite(`a locked file, ${way}, journal ${journal}`, (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'model-api-locks-'))
    const file = join(folder, 'notes.sqlite')
    const holder = new Sqlite(file, { timeout: 0 })
    let db: AnyKysely
    let api: Api
    test.before(async () => {
      holder.pragma(`journal_mode = ${journal}`)
      holder.exec(script)
      db = await open(file)
      api = apiOn(db).api
      await api.ready
    })
    test.before.each(() => {
      if (holder.inTransaction) holder.exec('rollback')
    })
    test.after(async () => {
      await db.destroy()
      holder.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const apiOn = (on: AnyKysely) => loggingApi(on, [Note, Tale], { config })
    const labels = (): unknown[] => holder.prepare('select label from notes').pluck().all()
    const ask = (
      method: string,
      url: string,
      { label, key, signal }: { label?: string; key?: string; signal?: AbortSignal } = {},
    ) =>
      api.handle({
        method,
        url,
        headers: key === undefined ? {} : { 'idempotency-key': `a-key-of-sixteen-${key}` },
        ...(label === undefined ? {} : { body: { label } }),
        signal,
      })

    const writes = {
      'a single statement': (label: string) => ask('POST', '/api/notes', { label }),
      'a transaction': (label: string) => ask('POST', '/api/tales', { label }),
      'a key': (label: string) =>
        ask('POST', '/api/notes', { label, key: label.replaceAll(' ', '-') }),
    }

    for (const [what, write] of Object.entries(writes)) {
      test(`${what} waits for the lock, and reads are served meanwhile`, async () => {
        holder.exec('begin immediate')
        added.length = 0
        let answered = false
        const writing = write(what).finally(() => {
          answered = true
        })
        for (let i = 0; i < 5; i++) {
          equal((await ask('GET', '/api/notes/1')).status, 200)
          await sleep(5)
        }
        equal([answered, added.length], [false, 0])
        holder.exec('commit')
        equal((await writing).status, 201)
        equal(labels().filter((label) => label === what).length, 1)
        equal(added.length, what === 'a transaction' ? 1 : 0)
      })

      test(`${what} is 503 at the deadline, and nothing is stored`, async () => {
        holder.exec('begin immediate')
        added.length = 0
        const before = labels()
        const { status, headers } = await write('too late')
        equal([status, headers['retry-after']], [503, '1'])
        equal(added.length, 0)
        holder.exec('commit')
        equal(labels(), before)
        equal((await write('after it')).status, 201)
      })
    }

    test('many waiting writes do not block the process, and all are stored once the file is unlocked', async () => {
      holder.exec('begin immediate')
      const writing = Array.from({ length: 40 }, (_, i) =>
        (i % 2 === 0 ? writes['a transaction'] : writes['a single statement'])('many'),
      )
      for (let i = 0; i < 10; i++) {
        equal((await ask('GET', '/api/notes/1')).status, 200)
        await sleep(1)
      }
      holder.exec('commit')
      equal([...new Set((await Promise.all(writing)).map(({ status }) => status))], [201])
      equal(labels().filter((label) => label === 'many').length, 40)
    })

    test('a client that disconnects stops waiting, and nothing is stored', async () => {
      holder.exec('begin immediate')
      const gone = new AbortController()
      const writing = ['/api/notes', '/api/tales'].map((url) =>
        ask('POST', url, { label: 'gone', signal: gone.signal }),
      )
      await sleep(20)
      gone.abort()
      for (const { status } of await Promise.all(writing)) ok(status !== 503 && status >= 400)
      holder.exec('commit')
      await sleep(60)
      equal(labels().includes('gone'), false)
    })

    test('the look-ups at start-up and introspection wait, too', async () => {
      const own = await open(file)
      lockForReaders()
      const { api: fresh } = apiOn(own)
      const both = Promise.all([fresh.ready, introspect(own)])
      // The failure is checked below.
      both.catch(() => {})
      await sleep(20)
      unlockForReaders()
      const [, { models }] = await both
      equal(
        models.map(({ table }) => table),
        ['notes'],
      )
      await own.destroy()
    })

    /** Prevents reads: in WAL mode, only a connection in exclusive mode does. */
    const lockForReaders = (): void => void holder.exec('begin exclusive')
    const unlockForReaders = (): void => void holder.exec('commit')

    if (journal === 'wal') return

    test('reads wait for an exclusive lock; requests without a statement are served', async () => {
      lockForReaders()
      let answered = false
      const reading = ask('GET', '/api/notes/1').finally(() => {
        answered = true
      })
      for (let i = 0; i < 5; i++) {
        equal((await ask('GET', '/health')).status, 200)
        await sleep(5)
      }
      equal(answered, false)
      unlockForReaders()
      equal((await reading).status, 200)
    })

    test('reads are 503 at the deadline', async () => {
      lockForReaders()
      const [list, one] = await Promise.all(
        ['/api/notes', '/api/notes/1'].map((url) => ask('GET', url)),
      )
      equal([list?.status, one?.status], [503, 503])
      equal(list?.headers['retry-after'], '1')
      unlockForReaders()
      equal((await ask('GET', '/api/notes/1')).status, 200)
    })

    test('a COMMIT waits for readers, and its callbacks run once', async () => {
      holder.exec('begin; select * from notes')
      added.length = 0
      const writing = writes['a transaction']('committed')
      await sleep(30)
      equal(added.length, 1)
      holder.exec('commit')
      equal((await writing).status, 201)
      equal([added.length, labels().filter((label) => label === 'committed').length], [1, 1])
    })

    test('a COMMIT that readers block until the deadline is 503 and stores nothing', async () => {
      holder.exec('begin; select * from notes')
      const { status, body } = await writes['a transaction']('kept out')
      equal([status, JSON.stringify(body).includes('outcome_unknown')], [503, false])
      holder.exec('commit')
      equal(labels().includes('kept out'), false)
      equal((await writes['a transaction']('let in')).status, 201)
    })

    test('a write in a transaction of the host waits', async () => {
      holder.exec('begin; select * from notes')
      const status = await db.transaction().execute(async (transaction) => {
        const { api: inside } = loggingApi(db, [Note], {
          config: { ...config, API_SESSION_GETTER: () => transaction },
        })
        // The host has read and is about to write. A reader does not prevent that, but a writer does.
        await sql`select * from notes`.execute(transaction)
        holder.exec('commit; begin immediate')
        const body = { label: 'inside' }
        const writing = inside.handle({ method: 'POST', url: '/api/notes', body })
        await sleep(20)
        holder.exec('rollback')
        return (await writing).status
      })
      equal([status, labels().includes('inside')], [201, true])
    })
  })
}

suite('a locked file and its users', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-locks-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))

  /** A file with the users of the authentication tests. */
  const people = async (file: string) => {
    const kysely: AnyKysely = new Kysely({
      dialect: new SqliteDialect({ database: new Sqlite(join(folder, file)) }),
    })
    const db = { name: 'sqlite', kysely } as TestDatabase
    await createPeople(db)
    return { kysely, ...peopleApi(db) }
  }

  test('a login and a refresh wait for the lock; each token is used once', async () => {
    const { api, kysely } = await people('people.sqlite')
    const holder = new Sqlite(join(folder, 'people.sqlite'), { timeout: 0 })
    await api.ready
    holder.exec('begin immediate')
    const signing = login(api, 'ann')
    const books = await api.handle({ method: 'GET', url: '/api/books' })
    ok(books.status !== 503)
    await sleep(300)
    holder.exec('commit')
    const { status, value } = await signing
    equal(status, 200)
    holder.exec('begin immediate')
    const refreshing = [refresh(api, value.refresh_token), refresh(api, value.refresh_token)]
    await sleep(30)
    holder.exec('commit')
    const statuses = (await Promise.all(refreshing)).map((answer) => answer.status)
    equal(statuses.sort(), [200, 403])
    holder.close()
    await kysely.destroy()
  })

  test('two processes that write with the same Idempotency-Keys store one record for each', async () => {
    const file = join(folder, 'keys.sqlite')
    const database = new Sqlite(file)
    database.exec(script)
    const path = fileURLToPath(new URL('./sqlite-writer.ts', import.meta.url))
    const start = () => fork(path, [file], { execArgv: [...sourceArguments], stdio: 'inherit' })
    const writers = [start(), start()]
    const ask = (writer: ReturnType<typeof start>): Promise<number[]> =>
      new Promise((resolve, reject) => {
        writer.once('message', (statuses) => resolve(statuses as number[]))
        writer.once('exit', () => reject(new Error('the writer ended')))
        writer.send(30)
      })
    const answers = await Promise.all(writers.map(ask))
    for (const writer of writers) writer.disconnect()
    const statuses = answers.flat()
    equal([...new Set(statuses.filter((status) => status !== 409))], [201])
    const stored = database
      .prepare("select label from notes where label like 'key %'")
      .pluck()
      .all()
    equal([stored.length, new Set(stored).size], [30, 30])
    database.close()
  })

  test('reading the schema of a file that stays locked fails with an error that says so', async () => {
    const file = join(folder, 'served.sqlite')
    const holder = new Sqlite(file)
    holder.exec(script)
    holder.exec('begin exclusive')
    const said = await command(['models', file])
    equal(said.code, 1)
    match(said.err, 'another process has locked it')
    holder.close()
  })
})
