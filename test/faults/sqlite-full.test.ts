/** A SQLite file on a full disk: the request gets 503, nothing of it is stored, and it can be repeated. */
import { type AnyModel, defineModel } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { type AnyKysely, loggingApi } from '../support/faults.ts'
import { suite } from '../support/suite.ts'

const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'text' },
  },
  meta: {},
})

const script = 'create table notes (id integer primary key, label text not null)'
const long = 'x'.repeat(100_000)

suite('a SQLite file on a full disk', (test) => {
  let file: Sqlite.Database
  let db: AnyKysely
  /** Whether COMMIT fails because the disk is full. */
  let commitFails = false
  test.before.each(() => {
    file = new Sqlite(':memory:')
    file.exec(script)
    commitFails = false
    const prepare = (text: string) =>
      commitFails && text === 'commit' ? fullCommit(file) : file.prepare(text)
    const database = { prepare, close: () => void file.close() }
    db = new Kysely({ dialect: new SqliteDialect({ database: database as never }) })
  })
  test.after.each(() => db.destroy())
  const apiOf = (meta: object = {}) =>
    loggingApi(db, [defineModel('Note', { columns: Note.columns, meta }) as AnyModel]).api
  const stored = (): number => file.prepare('select count(*) from notes').pluck().get() as number
  const fill = (): void => {
    file.pragma(`max_page_count = ${Number(file.pragma('page_count', { simple: true })) + 5}`)
  }
  const post = (api: ReturnType<typeof apiOf>, label: string, key?: string) =>
    api.handle({
      method: 'POST',
      url: '/api/notes',
      headers: key === undefined ? {} : { 'idempotency-key': key },
      body: { label },
    })

  test('a failed statement is 503 with Retry-After, and stores nothing', async () => {
    const api = apiOf()
    await api.ready
    fill()
    for (const key of [undefined, 'a-key-of-sixteen-characters']) {
      const { status, headers, body } = await post(api, long, key)
      equal([status, headers['retry-after']], [503, '1'])
      equal((body as { errors: { code: string } }).errors.code, 'database_unavailable')
      equal(stored(), 0)
    }
    equal((await post(api, 'short')).status, 201)
  })

  test('a failed COMMIT is 503, and stores nothing', async () => {
    const api = apiOf({ add_callback: (record: unknown) => record })
    await api.ready
    const key = 'a-key-of-sixteen-characters'
    equal((await post(api, 'first', key)).status, 201)
    commitFails = true
    for (const again of [undefined, `${key}-2`]) {
      const { status, body } = await post(api, 'second', again)
      equal(status, 503)
      equal((body as { errors: { code: string } }).errors.code, 'database_unavailable')
      equal(stored(), 1)
    }
    commitFails = false
    equal((await post(api, 'second', `${key}-2`)).status, 201)
    equal(stored(), 2)
  })

  test('SQLite ends the transaction itself; a hook that hides the error causes no write outside of it', async () => {
    let hidden = 0
    const hides = async (record: unknown, _: AnyModel, { db: own }: { db: AnyKysely }) => {
      await own
        .insertInto('notes')
        .values({ label: long })
        .execute()
        .catch(() => {
          hidden += 1
        })
      return record
    }
    const api = apiOf({ add_callback: hides })
    await api.ready
    fill()
    const { status } = await post(api, 'short')
    equal([status, hidden], [503, 1])
    equal(stored(), 0)
    ok(!file.inTransaction)
  })
})

/** SQLite ends the transaction when COMMIT fails because the disk is full. */
function fullCommit(file: Sqlite.Database) {
  const fail = (): never => {
    file.exec('rollback')
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }
  return { reader: false, all: fail, run: fail, iterate: fail }
}
