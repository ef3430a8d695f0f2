/** Batches that are interrupted at each of their statements: all operations are stored, or none. */
import { defineModel } from '@model-api/core'
import { guardedMysql, preparedPg } from '@model-api/core/drivers'
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { getting, type Operation, posting, sendBatch } from '../support/batch.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type Decide, type FaultProxy, faultProxy, type Verdict } from '../support/fault-proxy.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

runsOn('one server of each engine')

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'string', maxLength: 40, unique: true },
  },
  meta: {},
})

const config = { API_ALLOW_BATCH: true, API_ALLOW_BULK: true } as const

const operations = (label: string): readonly Operation[] => [
  { id: 'a', ...posting('/api/notes', { label: `${label} 1` }) },
  { id: 'b', method: 'PATCH', url: '/api/notes/{a.id}', body: { label: `${label} 2` } },
  { id: 'c', ...getting('/api/notes/{a.id}') },
  { id: 'd', ...posting('/api/notes', [{ label: `${label} 3` }, { label: `${label} 4` }]) },
  { id: 'e', method: 'DELETE', url: '/api/notes/{d.0.id}' },
]
const stored = (label: string): readonly string[] => [`${label} 2`, `${label} 4`]

eachDatabase('interrupted batches', (test, db) => {
  test.before(() => createTables(db, [Note]))

  const labels = async (like: string): Promise<readonly string[]> =>
    (
      await db.kysely
        .selectFrom('notes')
        .select('label')
        .where('label', 'like', `${like} %`)
        .execute()
    )
      .map(({ label }) => label)
      .sort()

  test('a batch stores nothing, whichever of its operations is refused', async () => {
    const api = testApi(db, [Note], config)
    const failing = posting('/api/notes', { label: 'taken' })
    equal((await sendBatch(api, [failing])).status, 200)
    for (let at = 0; at <= 5; at++) {
      const all = operations(`refused ${at}`)
      const answer = await sendBatch(api, [
        ...all.slice(0, at),
        { ...failing, id: 'x' },
        ...all.slice(at),
      ])
      equal([answer.status, answer.errors?.at], [409, `operations[${at}]`])
      equal(await labels(`refused ${at}`), [])
    }
  })

  // It is not connected by a network.
  if (db.name === 'sqlite') return

  const { name } = db
  let decide: Decide = () => 'forward'
  let proxy: FaultProxy
  let behind: TestDatabase
  test.before(async () => {
    proxy = await faultProxy(name, db.url ?? '', (command) => decide(command))
    behind = { ...db, kysely: open(name, proxy.url) }
  })
  test.after(async () => {
    await behind.kysely.destroy()
    await proxy.close()
  })

  /** Sends a batch and injects a fault into the command at this place; returns whether there was such a command. */
  const faultAt = async (place: number, verdict: Verdict, label: string) => {
    const api = testApi(behind, [Note], config, { onError: () => {} })
    await api.ready
    let seen = 0
    let faulty: string | undefined
    decide = ({ kind, text, inTransaction }) => {
      if (kind === 'prepare' || kind === 'other') return 'forward'
      const belongs = inTransaction || /^(?:begin|start transaction)/i.test(text)
      if (!belongs || faulty !== undefined || seen++ !== place) return 'forward'
      faulty = text
      return verdict
    }
    const answer = await sendBatch(api, operations(label))
    decide = () => 'forward'
    return { answer, faulty }
  }

  const faults: readonly (readonly [string, Verdict])[] = [
    ['a connection that ends before', 'cut'],
    ['a connection that ends after', 'cut afterwards'],
    ...(name === 'mysql'
      ? ([['a deadlock at', { error: [1213, 'Deadlock found'], rollback: true }]] as const)
      : []),
  ]
  for (const [i, [title, verdict]] of faults.entries()) {
    test(`${title} each statement: the batch stores everything or nothing`, async () => {
      let places = 0
      for (; ; places++) {
        const label = `fault ${i}-${places}`
        const { answer, faulty } = await faultAt(places, verdict, label)
        const found = await labels(label)
        const { status, errors } = answer
        const about = `${places} ${faulty}: ${status} ${JSON.stringify(errors)}`
        if (faulty === undefined) {
          equal([status, found], [200, stored(label)], about)
          break
        }
        if (status === 200) equal(found, stored(label), about)
        else if (errors.code === 'outcome_unknown') {
          equal([faulty.toLowerCase(), status], ['commit', 503], about)
          equal(found, verdict === 'cut' ? [] : stored(label), about)
        } else equal([status, errors.code, found], [503, 'database_unavailable', []], about)
        if (typeof verdict === 'object') equal(status, 200, about)
        ok(places < 60, about)
      }
      ok(places >= 6, `${places} statements`)
    })
  }
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
