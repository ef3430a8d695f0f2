/** The isolation of a write with callbacks: a single statement runs at the level of its connection, several run at READ COMMITTED. */
import { type AnyModel, defineModel } from '@model-api/core'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Box = defineModel('Box', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'string', maxLength: 20 },
  },
  meta: {},
})
const boxes = [Box as AnyModel]
const config = { API_RETURN_CALLBACK: <T>(value: T): T => value }
const committed = 'isolation level read committed'

/** The first words of statements, and whether they set READ COMMITTED. */
const shortened = (statements: readonly string[]): string[] =>
  statements.map((text) => {
    const [word = ''] = text.replace(/^\/\*.*?\*\/ /, '').split(' ')
    return text.includes(committed) ? `${word} committed` : word
  })

eachDatabase('the isolation level of a write with callbacks', (test, db) => {
  const api = testApi(db, boxes, config)
  test.before(async () => {
    await createTables(db, boxes)
    await send(api, 'POST', '/api/boxes', { body: { label: 'first' } })
  })
  const patch = async (url: string) => {
    const { result, statements } = await db.capture(() =>
      send(api, 'PATCH', url, { body: { label: 'changed' } }),
    )
    return [result.status, shortened(statements.map((one) => one.sql))] as const
  }
  const readsBack = db.name === 'mysql' ? ['select'] : []

  test('a single statement uses the isolation level of its connection', async () => {
    equal(await patch('/api/boxes/1'), [200, ['begin', 'update', ...readsBack, 'commit']])
  })

  test('if it changes no row, further statements find the reason at READ COMMITTED', async () => {
    const begins = {
      sqlite: ['begin'],
      postgres: ['start committed'],
      mysql: ['set committed', 'begin'],
    }[db.name]
    const [status, statements] = await patch('/api/boxes/999')
    equal(
      [status, statements.slice(0, 3 + begins.length)],
      [404, ['begin', 'update', 'rollback', ...begins]],
    )
  })

  if (db.name !== 'postgres') return
  test('a serialization conflict is retried at READ COMMITTED', async () => {
    const { own, seen } = await repeatable(db)
    const mine = testApi(db, boxes, config, { db: own })
    await mine.ready
    const other = await db.kysely.startTransaction().execute()
    await sql`update boxes set label = 'of another' where id = 1`.execute(other)
    seen.length = 0
    const answer = send(mine, 'PATCH', '/api/boxes/1', { body: { label: 'last' } })
    while (!(await isWaiting(db))) await new Promise((resolve) => setTimeout(resolve, 5))
    await other.commit().execute()
    const { status, value } = await answer
    // Otherwise the process would not end if the test fails.
    await own.destroy()
    equal([status, value.label], [200, 'last'])
    equal(shortened(seen), ['begin', 'update', 'rollback', 'start committed', 'update', 'commit'])
  })
})

/** An instance whose connections have a level other than READ COMMITTED, and the statements that it has sent. */
async function repeatable(db: TestDatabase) {
  const { default: pg } = await import('pg')
  const options = '-c default_transaction_isolation=repeatable\\ read'
  const pool = new pg.Pool({ connectionString: db.url, max: 2, options })
  const seen: string[] = []
  const own = new Kysely({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void seen.push(query.sql),
  })
  return { own, seen }
}

async function isWaiting(db: TestDatabase): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db.kysely)
  return rows.length > 0
}
