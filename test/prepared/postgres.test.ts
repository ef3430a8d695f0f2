/** preparedPg: named statements with the same answers, also after the schema changed and behind a pooler. */
import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PgOptions, preparedPg } from '@model-api/core/prepared'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { equal, match, ok, rejects } from '../support/assert.ts'
import { everyDatabase, type TestDatabase } from '../support/databases.ts'
import { notRun, suite, type Test } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
type Database = Kysely<any>

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(existsSync)
if (pgbouncer === undefined) {
  notRun('prepared statements behind PgBouncer in transaction mode', 'pgbouncer is not installed')
}

const db = everyDatabase().find(({ name }) => name === 'postgres') as TestDatabase
if (db.missing !== undefined) notRun('preparedPg', db.missing)
else suite('preparedPg', define)

function define(test: Test): void {
  const opened: Database[] = []
  const open = (options: PgOptions = {}, max = 1, url = db.url ?? ''): Database => {
    const pool = new pg.Pool({ connectionString: url, max })
    pool.on('error', () => {})
    const kysely: Database = new Kysely({
      dialect: new PostgresDialect({ pool: preparedPg(pool, options) }),
    })
    opened.push(kysely)
    return kysely
  }
  const names = async (on: Database): Promise<readonly string[]> => {
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(
      on,
    )
    return rows.map(({ name }) => name).filter((name) => name !== '')
  }
  const pid = async (on: Database): Promise<unknown> =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on)).rows[0]?.pid

  test.before(() =>
    db.execScript(`create table things (id integer primary key, name text);
      insert into things values (1, 'one'), (2, 'two');`),
  )
  test.after(async () => {
    for (const kysely of opened) await kysely.destroy()
    await db.close()
  })

  const one = (on: Database, id: number): Promise<unknown> =>
    on.selectFrom('things').selectAll().where('id', '=', id).executeTakeFirst()

  test('a statement that comes again is named once, whatever its values', async () => {
    const on = open()
    for (const id of [1, 2, 1, 2]) equal((await one(on, id)) !== undefined, true)
    equal(await one(on, 3), undefined)
    equal((await names(on)).filter((name) => name.startsWith('model_api_')).length, 1)
  })

  test('off, no statement has a name', async () => {
    const on = open({ named: false })
    for (const id of [1, 2, 1, 2]) await one(on, id)
    equal(await names(on), [])
  })

  test('numbers of changed rows and errors are those of the driver', async () => {
    const on = open()
    for (let times = 0; times < 4; times++) {
      const { numUpdatedRows } = await on
        .updateTable('things')
        .set({ name: `times ${times}` })
        .where('id', '=', 1)
        .executeTakeFirstOrThrow()
      equal(numUpdatedRows, 1n)
      const twice = on.insertInto('things').values({ id: 1, name: 'again' })
      await rejects(twice.execute(), /duplicate key/)
    }
  })

  test('the statements of a connection are bounded', async () => {
    const on = open({ statements: 5 })
    let most = 0
    const connections = new Set<unknown>()
    for (let i = 0; i < 40; i++) {
      const text = sql`select ${sql.lit(i)}::int as n, ${'x'}::text as x`
      for (let times = 0; times < 3; times++)
        equal((await text.execute(on)).rows, [{ n: i, x: 'x' }])
      most = Math.max(most, (await names(on)).length)
      connections.add(await pid(on))
    }
    ok(most <= 12, `${most} statements`)
    ok(connections.size > 1)
  })

  test('a column that is added or changes its type changes the answer, not the status', async () => {
    const on = open()
    await db.execScript(`create table shapes (id integer primary key, size integer);
      insert into shapes values (1, 7);`)
    const read = (): Promise<unknown> =>
      on.selectFrom('shapes').selectAll().where('id', '=', 1).executeTakeFirst()
    for (let times = 0; times < 3; times++) equal(await read(), { id: 1, size: 7 })
    await db.execScript(`alter table shapes add colour text default 'red'`)
    for (let times = 0; times < 3; times++) equal(await read(), { id: 1, size: 7, colour: 'red' })
    await db.execScript(`alter table shapes alter size type text`)
    for (let times = 0; times < 3; times++) equal(await read(), { id: 1, size: '7', colour: 'red' })
  })

  test('inside a transaction such a change is an error, and the next transaction succeeds', async () => {
    const on = open()
    await db.execScript('create table moving (id integer); insert into moving values (1);')
    const read = (trx: Database): Promise<unknown> =>
      trx.selectFrom('moving').selectAll().where('id', '=', 1).executeTakeFirst()
    for (let times = 0; times < 3; times++) await on.transaction().execute(read)
    await db.execScript('alter table moving add extra integer')
    await rejects(on.transaction().execute(read), /cached plan/)
    equal(await on.transaction().execute(read), { id: 1, extra: null })
    equal(await read(on), { id: 1, extra: null })
  })

  test('a statement lost on the way is sent without a name', async () => {
    const on = open()
    for (const id of [1, 2, 1]) await one(on, id)
    await sql`discard all`.execute(on)
    ok((await one(on, 1)) !== undefined)
    equal((await names(on)).length, 0)
  })

  test('the time limit is told to every connection', async () => {
    const on = open({ statementTimeout: 150 }, 2)
    await rejects(sql`select pg_sleep(${10})`.execute(on), /statement timeout/)
    const limit = await sql<{
      s: string
    }>`select current_setting('statement_timeout') as s`.execute(on)
    equal(limit.rows[0]?.s, '150ms')
  })

  if (pgbouncer === undefined) return
  for (const [named, title] of [
    [false, 'switched off behind a pooler in transaction mode, everything works'],
    [true, 'behind such a pooler it notices, and goes on without names'],
  ] as const) {
    test(title, async () => {
      const pooler = await startPooler(pgbouncer, db.url ?? '')
      try {
        const on = open({ named }, 4, pooler.url)
        for (let round = 0; round < 10; round++) {
          const found = await Promise.all([1, 2, 1, 2].map((id) => one(on, id)))
          equal(
            found.map((row) => (row as { id: number }).id),
            [1, 2, 1, 2],
          )
        }
        await on.transaction().execute(async (trx) => {
          equal(((await one(trx, 2)) as { id: number }).id, 2)
        })
        match(pooler.mode, /transaction/)
      } finally {
        await opened.pop()?.destroy()
        await pooler.stop()
      }
    })
  }
}

/** A pooler in front of the test server that knows nothing of named statements, with two server connections. */
async function startPooler(
  program: string,
  target: string,
): Promise<{ url: string; mode: string; stop(): Promise<void> }> {
  const server = new URL(target)
  const folder = mkdtempSync(join(tmpdir(), 'model-api-pgbouncer-'))
  const port = await freePort()
  const user = server.username || 'postgres'
  const mode = 'pool_mode = transaction'
  const settings = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port || '5432'} user=${user}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'default_pool_size = 2',
    mode,
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), settings.join('\n'))
  // It refuses to be root.
  const nobody = 65_534
  const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  if ('uid' in owner) chownSync(folder, nobody, nobody)
  const child = spawn(program, ['-q', join(folder, 'pgbouncer.ini')], { ...owner, stdio: 'ignore' })
  const url = new URL(target)
  url.port = String(port)
  url.hostname = '127.0.0.1'
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(url.href)
    try {
      await client.connect()
      await client.end()
      break
    } catch (error) {
      if (tries > 100 || child.exitCode !== null) throw error
      await sleep(50)
    }
  }
  return {
    url: url.href,
    mode,
    stop: async () => {
      child.kill()
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
