/** openDatabase: limits that the database itself enforces, and connections that are replaced. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, type Envelope } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { type OpenDatabase, openDatabase } from '@model-api/http-node'
import { type Kysely, sql } from 'kysely'
import { equal, match, ok, rejects } from '../support/assert.ts'
import { runScript } from '../support/databases.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { sqliteFile } from './support.ts'

runsOn('one server of each engine')

const script = `create table things (id integer primary key, name varchar(20));
  insert into things values (1, 'one');`

eachDatabase('openDatabase', (test, db) => {
  let target: string
  const opened: OpenDatabase[] = []
  const open: typeof openDatabase = async (...args) => {
    const database = await openDatabase(...args)
    opened.push(database)
    return database
  }
  const value = async <T>(on: Kysely<Record<string, never>>, expression: string): Promise<T> => {
    const { rows } = await sql<{ value: T }>`select ${sql.raw(expression)} as value`.execute(on)
    return rows[0]?.value as T
  }
  test.before(async () => {
    if (db.name === 'sqlite') target = sqliteFile(script)
    else {
      await db.execScript(script)
      target = db.url ?? ''
    }
  })
  test.after(async () => {
    for (const database of opened) await database.close()
  })

  test('reads, and writes unless it is opened read-only', async () => {
    const { db: writable } = await open(target)
    await sql`insert into things values (2, 'two')`.execute(writable)
    const { db: readOnly } = await open(target, { readOnly: true })
    await rejects(sql`insert into things values (3, 'three')`.execute(readOnly), /read.?only/i)
    equal(await value(readOnly, '(select count(*) from things where id < 3)').then(Number), 2)
  })

  test('reads of a node of a Galera cluster can wait for what the cluster has committed', async () => {
    if (db.engine === 'mysql') {
      const { db: causal } = await open(target, { causalReads: true })
      await rejects(value(causal, '1'), /causalReads is for nodes of a Galera cluster/)
      return
    }
    if (db.engine === 'mariadb') {
      const { db: causal } = await open(target, { causalReads: true })
      equal(await value(causal, '@@wsrep_sync_wait').then(Number), 1)
      const { db: plain } = await open(target)
      equal(await value(plain, '@@wsrep_sync_wait').then(Number), 0)
      return
    }
    await rejects(
      open(target, { causalReads: true }),
      /causalReads is for nodes of a Galera cluster/,
    )
  })

  test('a repeated request gets the same response, prepared or not', async () => {
    const texts = new Set<string>()
    for (const prepared of [true, false]) {
      const { db: one } = await open(target, { prepared })
      const { models } = await introspect(one)
      const api = createApi({ db: one, models: models.map((model) => ({ ...model, meta: {} })) })
      for (let times = 0; times < 4; times++) {
        const url = '/api/things?name__in=(one,none)&limit=5'
        const { body } = await api.handle({ method: 'GET', url })
        const { value, total_count } = body as Envelope
        texts.add(JSON.stringify({ value, total_count }))
      }
    }
    equal([...texts], ['{"value":[{"id":1,"name":"one"}],"total_count":1}'])
  })

  test('may be closed twice', async () => {
    const { db: one, close } = await open(target)
    await value(one, '1')
    await Promise.all([close(), close()])
  })

  const server = db.name
  if (server !== 'sqlite') {
    const sleeping = { postgres: 'pg_sleep(20)::text', mysql: 'sleep(20)' }[server]
    const current = { postgres: 'pg_backend_pid()', mysql: 'connection_id()' }[server]
    const kill = (id: unknown): string =>
      server === 'postgres' ? `select pg_terminate_backend(${id})` : `kill ${id}`

    test('the server cancels a statement that takes too long, and the connection stays usable', async () => {
      const { db: one } = await open(target, { statementTimeout: 200, connections: 1 })
      const before = await value(one, current)
      const started = Date.now()
      // MySQL ends a sleep early with a value instead of an error; a slow query is an error on both.
      await value(one, sleeping).catch(() => {})
      ok(Date.now() - started < 15_000)
      equal(await value(one, current), before)
    })

    test('a request that times out is 503, and the connection stays usable', async () => {
      // Reading the schema of a busy server takes longer than the time limit of this test.
      const { models } = await introspect((await open(target)).db)
      const { db: one } = await open(target, { statementTimeout: 200, connections: 1 })
      const api = createApi({
        db: one,
        models: models.map((model) => ({
          ...model,
          meta: {},
          computed: { slow: { type: 'text', expression: () => sql.raw(slowText[server]) } },
        })),
        onError: () => {},
      })
      const { status, headers } = await api.handle({ method: 'GET', url: '/api/things?slow__eq=x' })
      equal([status, headers['retry-after'] !== undefined], [503, true])
      equal(Number(await value(one, '1')), 1)
    })

    test('waiting for a connection times out with 503', async () => {
      const { db: one } = await open(target, { connections: 1, connectionTimeout: 1_000 })
      const { models } = await introspect(one)
      const api = createApi({
        db: one,
        models: models.map((model) => ({ ...model, meta: {} })),
        onError: () => {},
      })
      await api.ready
      const answer = await one.connection().execute(async () => {
        return await api.handle({ method: 'GET', url: '/api/things' })
      })
      equal(answer.status, 503)
      await sleep(50)
      const { status, body } = await api.handle({ method: 'GET', url: '/api/things' })
      equal([status, (body as Envelope).total_count], [200, 2])
    })

    test('a connection that the server ends is replaced', async () => {
      const { db: one } = await open(target, { connections: 1 })
      const id = await value(one, current)
      await runScript(server, target, kill(id))
      await sleep(100)
      ok((await value(one, current)) !== id)
    })

    test('sessions are in UTC and return values unchanged', async () => {
      const { db: one } = await open(target)
      const zone = { postgres: "current_setting('TimeZone')", mysql: '@@session.time_zone' }[server]
      match(await value<string>(one, zone), /^(UTC|\+00:00)$/)
      if (server !== 'mysql') return
      equal(await value(one, "timestamp'2024-02-29 10:00:00'"), '2024-02-29 10:00:00')
      equal(await value(one, '9007199254740993'), '9007199254740993')
    })
  }
})

/** An expression that takes longer than the limit to compute, without a sleep. */
const slowText = {
  postgres: "(select pg_sleep(20)::text || 'x')",
  mysql:
    "(select concat('x', count(*)) from information_schema.collations a, information_schema.collations b, information_schema.collations c, information_schema.collations d)",
}
