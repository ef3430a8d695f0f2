/** Transactions that repeatedly conflict with others, and transactions whose COMMIT gets no response. */
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyModel, type ApiConfig, defineModel } from '@model-api/core'
import { guardedMysql, preparedPg } from '@model-api/core/drivers'
import Sqlite from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type Decide, type FaultProxy, faultProxy } from '../support/fault-proxy.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

runsOn('one server of each engine')

const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'string', maxLength: 40 },
  },
  meta: {},
})
const bulk = { API_ALLOW_BULK: true } as const
/** A list is written in a transaction. */
const two = (label: string) => [{ label }, { label }]

eachDatabase('interrupted writes', (test, db) => {
  // It is not connected by a network.
  if (db.name === 'sqlite') {
    test('a COMMIT that fails with a lock conflict is retried', () => lockedOut(10))
    test('a COMMIT that keeps failing with a lock conflict is 503 and stores nothing', () =>
      lockedOut(undefined))
    return
  }
  const { name } = db
  let decide: Decide = () => 'forward'
  let proxy: FaultProxy
  let behind: TestDatabase
  test.before(async () => {
    await createTables(db, [Note])
    proxy = await faultProxy(name, db.url ?? '', (command) => decide(command))
    behind = { ...db, kysely: open(name, proxy.url) }
  })
  test.before.each(() => {
    decide = () => 'forward'
  })
  test.after(async () => {
    await behind.kysely.destroy()
    await proxy.close()
  })
  const stored = async (label: string): Promise<number> => {
    const rows = db.kysely.selectFrom('notes').select('id').where('label', '=', label)
    return (await rows.execute()).length
  }
  const post = async (label: string) => {
    const api = testApi(behind, [Note], bulk, { onError: () => {} })
    await api.ready
    const before = proxy.commands.length
    const { status, errors, headers } = await send(api, 'POST', '/api/notes', { body: two(label) })
    // BEGIN may be sent as a prepared statement, with the first statement of the transaction.
    const sent = proxy.commands.slice(before).filter(({ kind }) => kind !== 'prepare')
    const begun = sent.filter(({ text }) => /^(?:begin|start transaction)/i.test(text)).length
    return { status, code: errors?.code, retryAfter: headers['retry-after'], begun }
  }
  const isCommit = ({ text }: { readonly text: string }) => text === 'commit'

  for (const [title, verdict, records] of [
    ['before it reaches the server', 'cut', 0],
    ['before the reply arrives', 'cut afterwards', 2],
  ] as const) {
    test(`a connection that is lost with COMMIT ${title}: 503, and it is not sent again`, async () => {
      decide = (command) => (isCommit(command) ? verdict : 'forward')
      const lost = await post(title)
      equal(lost, { status: 503, code: 'outcome_unknown', retryAfter: '1', begun: 1 })
      equal(await stored(title), records)
      decide = () => 'forward'
      equal((await post('afterwards')).status, 201)
    })
  }

  test('the after-commit callback gets only changes whose COMMIT was confirmed', async () => {
    const told: unknown[] = []
    const config: ApiConfig = {
      ...bulk,
      API_AFTER_COMMIT_CALLBACK: (changes) => {
        told.push(...changes.map(({ after }) => after?.label))
      },
    }
    const api = testApi(behind, [Note], config, { onError: () => {} })
    await api.ready
    for (const verdict of ['cut', 'cut afterwards', 'forward'] as const) {
      decide = (command) => (isCommit(command) ? verdict : 'forward')
      const { status } = await send(api, 'POST', '/api/notes', { body: two(verdict) })
      equal([verdict, status], [verdict, verdict === 'forward' ? 201 : 503])
    }
    equal(told, ['forward', 'forward'])
  })

  test('a connection that is lost before COMMIT: 503, and nothing is stored', async () => {
    for (const start of ['insert', 'begin', 'start transaction'] as const) {
      let isCut = false
      decide = ({ kind, text }) => {
        if (isCut || kind === 'prepare' || !text.startsWith(start)) return 'forward'
        isCut = true
        return 'cut'
      }
      const { status, code } = await post(start)
      // The database begins a transaction with other statements, so nothing was cut.
      if (!isCut) continue
      equal([status, code], [503, 'database_unavailable'])
      equal(await stored(start), 0)
    }
  })

  if (name !== 'mysql') return

  test('a transaction that is aborted five times succeeds the sixth time', async () => {
    let left = 5
    decide = (command) =>
      isCommit(command) && left-- > 0
        ? { error: [1213, 'Deadlock found'], rollback: true }
        : 'forward'
    const { random } = Math
    const { now } = performance
    Math.random = () => 0
    // The clock stands still, because on a busy machine six attempts may take longer than the second within which it repeats them.
    const started = performance.now()
    performance.now = () => started
    const { status, begun } = await post('sixth').finally(() => {
      Math.random = random
      performance.now = now
    })
    equal([status, begun], [201, 6])
    equal(await stored('sixth'), 2)
  })

  test('a transaction that is aborted for more than a second is 503', async () => {
    decide = (command) =>
      isCommit(command) ? { error: [1213, 'Deadlock found'], rollback: true } : 'forward'
    const { status, code, begun } = await post('never')
    equal([status, code, await stored('never')], [503, 'database_conflict', 0])
    ok(begun > 3, `${begun} times`)
  })

  test('a transaction whose lock wait exceeds five seconds is retried once', async () => {
    const { now } = performance
    let waited = 0
    performance.now = () => now.call(performance) + waited
    decide = ({ text }) => {
      if (!text.startsWith('insert')) return 'forward'
      waited += 5_000
      return { error: [1205, 'Lock wait timeout exceeded'] }
    }
    const { status, begun } = await post('locked').finally(() => {
      performance.now = now
    })
    equal([status, begun], [503, 2])
  })
})

function open(name: 'postgres' | 'mysql', url: string): TestDatabase['kysely'] {
  if (name === 'mysql') {
    const pool = guardedMysql(createPool({ uri: url, connectionLimit: 2 }))
    return new Kysely({ dialect: new MysqlDialect({ pool }) })
  }
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return new Kysely({ dialect: new PostgresDialect({ pool: preparedPg(pool) }) })
}

/** A reader keeps the writer from committing, for some milliseconds or until the response is there. */
async function lockedOut(milliseconds: number | undefined): Promise<void> {
  const file = join(tmpdir(), `model-api-locked-${process.pid}-${Math.random()}.db`)
  const writer = new Sqlite(file, { timeout: 1 })
  const reader = new Sqlite(file, { timeout: 1 })
  const kysely: TestDatabase['kysely'] = new Kysely({
    dialect: new SqliteDialect({ database: writer }),
  })
  try {
    const db = { name: 'sqlite', kysely } as TestDatabase
    await createTables(db, [Note])
    const api = testApi(db, [Note], bulk, { onError: () => {} })
    await api.ready
    reader.exec('begin; select count(*) from notes')
    if (milliseconds !== undefined) void sleep(milliseconds).then(() => reader.exec('commit'))
    const { status, errors } = await send(api, 'POST', '/api/notes', { body: two('x') })
    const found =
      milliseconds === undefined ? [503, 'database_unavailable', 0] : [201, undefined, 2]
    if (milliseconds === undefined) reader.exec('commit')
    const { n } = reader.prepare('select count(*) as n from notes').get() as { n: number }
    equal([status, errors?.code, n], found)
  } finally {
    await kysely.destroy()
    reader.close()
    rmSync(file, { force: true })
  }
}
