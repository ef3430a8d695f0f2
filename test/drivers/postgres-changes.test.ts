/** Tables that change while an API serves them: PostgreSQL refuses statements that were prepared before the change. */
import { type AnyModel, type Api, defineModel } from '@model-api/core'
import { preparedPg } from '@model-api/core/drivers'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase, type Test } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'string', maxLength: 40 },
  },
  meta: {},
})

eachDatabase('prepared/postgres changes', define, { only: 'postgres' })

function define(test: Test, db: TestDatabase): void {
  const connections = 4
  const refused: unknown[] = []
  const pool = new pg.Pool({
    connectionString: db.url ?? '',
    max: connections,
    Client: watched(pg.Client, (error) => void refused.push((error as { code?: unknown }).code)),
  } as pg.PoolConfig)
  const kysely: TestDatabase['kysely'] = new Kysely({
    dialect: new PostgresDialect({ pool: preparedPg(pool) }),
  })
  const errors: unknown[] = []
  const api: Api = testApi(
    { ...db, kysely },
    [Note],
    { API_ALLOW_BULK: true },
    { onError: (error) => void errors.push(error) },
  )
  test.before(async () => {
    await createTables(db, [Note])
    await api.ready
    for (const label of ['a', 'b']) await send(api, 'POST', '/api/notes', { body: { label } })
  })
  test.after(async () => {
    await kysely.destroy()
    await db.close()
  })

  let serial = 0
  const requests: readonly (() => ReturnType<typeof send>)[] = [
    () => send(api, 'GET', '/api/notes'),
    () => send(api, 'GET', '/api/notes/1'),
    () => send(api, 'POST', '/api/notes', { body: { label: 'one' } }),
    () => send(api, 'POST', '/api/notes', { body: [{ label: 'two' }, { label: 'three' }] }),
    () =>
      send(api, 'POST', '/api/notes', {
        headers: { 'idempotency-key': `a-key-of-sixteen-or-more-${++serial}` },
        body: { label: 'four' },
      }),
    () => send(api, 'PATCH', '/api/notes/1', { body: { label: 'five' } }),
    () =>
      send(api, 'PATCH', '/api/notes/1', { headers: { 'if-match': '*' }, body: { label: 'six' } }),
    () => send(api, 'PATCH', '/api/notes?id__eq=2', { body: { label: 'seven' } }),
  ]
  const statusesOf = async (request: () => ReturnType<typeof send>) =>
    (await Promise.all(Array.from({ length: connections }, request))).map(({ status }) => status)
  const all = async (): Promise<readonly number[]> => {
    const statuses: number[] = []
    for (const request of requests) statuses.push(...(await statusesOf(request)))
    return statuses
  }
  const named = async (): Promise<number> => {
    const { rows } = await sql<{ n: string }>`select count(*) as n from pg_prepared_statements
      where name like 'model%'`.execute(kysely)
    return Number(rows[0]?.n)
  }
  const isFine = (status: number): boolean => status === 200 || status === 201

  for (const change of [
    'alter table notes alter id type bigint',
    'alter table notes alter id type integer, add extra integer',
    'alter table notes drop extra, alter label type text, alter id type bigint',
  ]) {
    test(`${change}: every request on every connection gets the same response as before`, async () => {
      for (let times = 0; times < 4; times++) ok((await all()).every(isFine))
      await db.execScript(change)
      errors.length = 0
      refused.length = 0
      equal([(await all()).filter((status) => !isFine(status)), errors], [[], []])
      ok(refused.includes('0A000'))
      // New connections have no prepared statements from before, so they prepare them again.
      for (let times = 0; times < 4; times++) ok((await all()).every(isFine))
      ok((await named()) > 2)
      ok((await named()) < 40, `${await named()} statements`)
    })
  }

  test('a transaction whose prepared statements are lost is retried without names', async () => {
    const own = new pg.Pool({ connectionString: db.url ?? '', max: 1 })
    const lost: TestDatabase['kysely'] = new Kysely({
      dialect: new PostgresDialect({ pool: preparedPg(own) }),
    })
    const served = testApi({ ...db, kysely: lost }, [Note], { API_ALLOW_BULK: true })
    const bulk = (label: string) =>
      send(served, 'POST', '/api/notes', { body: [{ label }, { label }] })
    for (let times = 0; times < 3; times++) equal((await bulk('kept')).status, 201)
    await sql`discard all`.execute(lost)
    equal((await bulk('lost')).status, 201)
    const rows = db.kysely.selectFrom('notes').select('id').where('label', '=', 'lost')
    equal((await rows.execute()).length, 2)
    await lost.destroy()
  })

  test('one failed transaction is enough for all connections', async () => {
    const change = requests[6] as (typeof requests)[number]
    for (let times = 0; times < 4; times++) ok((await statusesOf(change)).every(isFine))
    await db.execScript('alter table notes alter id type integer')
    refused.length = 0
    for (let times = 0; times < connections; times++) equal((await change()).status, 200)
    equal(refused, ['0A000'])
  })
}

/** A client that reports the errors of its statements. */
function watched(Client: typeof pg.Client, tell: (error: unknown) => void): typeof pg.Client {
  return class extends Client {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
    override query(...args: any[]): any {
      const [query, callback] = args
      const watching =
        (settle: (error: unknown, result: unknown) => void) =>
        (error: unknown, result: unknown): void => {
          if (error) tell(error)
          settle(error, result)
        }
      if (typeof query?.callback === 'function') query.callback = watching(query.callback)
      if (typeof callback === 'function') args[1] = watching(callback)
      return (super.query as (...given: unknown[]) => unknown)(...args)
    }
  } as typeof pg.Client
}
