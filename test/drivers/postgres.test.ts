/** preparedPg: named statements with the same results, also after a change of the schema and behind a pooler. */
import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, defineModel, type Meta } from '@model-api/core'
import { type PgOptions, preparedPg } from '@model-api/core/drivers'
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { equal, match, ok, rejects } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase, notRun, type Test } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
type Database = Kysely<any>

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(existsSync)
if (pgbouncer === undefined) {
  notRun('prepared statements behind PgBouncer in transaction mode', 'pgbouncer is not installed')
}

eachDatabase('preparedPg', define, { only: 'postgres' })

function define(test: Test, db: TestDatabase): void {
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
  const openWith = (Client: typeof pg.Client, config: pg.PoolConfig = {}): Database => {
    const pool = new pg.Pool({
      connectionString: db.url ?? '',
      max: 1,
      ...config,
      Client,
    } as pg.PoolConfig)
    pool.on('error', () => {})
    const kysely: Database = new Kysely({
      dialect: new PostgresDialect({ pool: preparedPg(pool) }),
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

  test('a repeated statement gets one name, whatever its values', async () => {
    const on = open()
    for (const id of [1, 2, 1, 2]) equal((await one(on, id)) !== undefined, true)
    equal(await one(on, 3), undefined)
    equal((await names(on)).filter((name) => name.startsWith('model_api_')).length, 1)
  })

  test('if disabled, no statement has a name', async () => {
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

  test('the prepared statements of a connection are bounded', async () => {
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

  test('a column that is added or changes its type changes the response, not the status', async () => {
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

  test('a lost prepared statement is sent without a name', async () => {
    const on = open()
    for (const id of [1, 2, 1]) await one(on, id)
    await sql`discard all`.execute(on)
    ok((await one(on, 1)) !== undefined)
    equal((await names(on)).length, 0)
  })

  const arrays = async (on: Database, text: string, values: readonly unknown[] = []) =>
    on.executeQuery(CompiledQuery.raw(`/* model-api: rows as arrays */ ${text}`, [...values]))

  for (const [title, open] of [
    ['with our own queries', () => openWith(pg.Client)],
    ['with another driver', () => openWith(withoutQueries(pg.Client))],
  ] as const) {
    test(`rows as arrays of strings, ${title}`, async () => {
      const on = open()
      await db.execScript(
        'drop table if exists kinds; create table kinds (id serial, b boolean, d date, n numeric, j jsonb, t text);',
      )
      const insert = 'insert into kinds (b, d, n, j, t) values ($1, $2, $3, $4, $5)'
      const values = [true, '2024-02-29', '1.50', { a: [1] }, 'é"\\']
      for (let times = 1; times <= 3; times++) {
        const added = await arrays(on, insert, values)
        equal([added.rows, added.numAffectedRows], [[], 1n])
        const { rows, numAffectedRows } = await arrays(on, `${insert} returning *`, [
          null,
          null,
          null,
          null,
          '',
        ])
        equal([rows, numAffectedRows], [[[String(times * 2), null, null, null, null, '']], 1n])
        const read = await arrays(
          on,
          'select id, b, d, n, j, t from kinds where b order by id limit $1',
          [1],
        )
        equal(read.rows, [['1', 't', '2024-02-29', '1.50', '{"a": [1]}', 'é"\\']])
        equal((await arrays(on, 'select 1 where $1::int = 2', [1])).rows, [])
        equal((await arrays(on, 'select $1::int where false', [1])).rows, [])
        equal((await arrays(on, 'select 1, null, true')).rows, [['1', null, 't']])
        const changed = await arrays(on, 'update kinds set t = $1 where not b is true', ['x'])
        equal([changed.rows, changed.numAffectedRows], [[], BigInt(times)])
      }
      const many = await arrays(on, 'select n, n * 2 from generate_series(1, $1::int) n', [3_000])
      equal([many.rows.length, many.rows[2_999]], [3_000, ['3000', '6000']])
    })

    test(`their errors do not affect the connection, ${title}`, async () => {
      const on = open()
      const divided = (by: number) =>
        arrays(on, 'select 10 / (n - $1::int) from generate_series(1, 5) n', [by])
      for (let times = 0; times < 3; times++) {
        equal((await divided(9)).rows.length, 5)
        // Two rows have already been received.
        await rejects(divided(3), /division by zero/)
        await rejects(arrays(on, 'select $1::int', ['x']), /invalid input syntax/)
        await rejects(arrays(on, 'select nothing'), /does not exist/)
        const unusable = { toPostgres: () => fail('of the value itself') }
        await rejects(arrays(on, 'select $1::text', [unusable]), /of the value itself/)
        equal((await arrays(on, 'select $1::text', ['x'])).rows, [['x']])
      }
      const failing = on.transaction().execute(async (trx) => {
        await arrays(trx, 'select 1 / $1::int', [0])
      })
      await rejects(failing, /division by zero/)
      equal((await arrays(on, 'select $1::text', ['y'])).rows, [['y']])
    })
  }

  test('a changed table changes rows of strings, not the status', async () => {
    const on = open()
    await db.execScript(
      'create table turning (id integer, size integer); insert into turning values (1, 7);',
    )
    const read = async () => (await arrays(on, 'select * from turning where id = $1', [1])).rows
    for (let times = 0; times < 3; times++) equal(await read(), [['1', '7']])
    await db.execScript(
      "alter table turning alter size type text using size || ' m'; alter table turning add extra text",
    )
    for (let times = 0; times < 3; times++) equal(await read(), [['1', '7 m', null]])
  })

  test('an instrumented driver may replace the callback of a query', async () => {
    const seen: unknown[] = []
    const on = openWith(watched(pg.Client, seen))
    await rejects(arrays(on, 'select 1 / $1::int', [0]), /division by zero/)
    equal((await arrays(on, 'select $1::text', ['x'])).rows, [['x']])
    equal(seen, [
      { text: 'select 1 / $1::int', values: [0], failed: true },
      { text: 'select $1::text', values: ['x'], failed: false },
    ])
  })

  test('a driver that is configured for binary values gets text values', async () => {
    const on = openWith(pg.Client, { binary: true } as pg.PoolConfig)
    for (let times = 0; times < 3; times++) {
      equal((await arrays(on, 'select $1::text, 7::text', ['x'])).rows, [['x', '7']])
    }
  })

  test('a page of all rows of a usual size is planned once, a page with conditions each time', async () => {
    await db.execScript(`create table samples (id integer primary key, kind integer);
      insert into samples select n, n % 3 from generate_series(1, 5000) n; analyze samples;`)
    const sample = (meta: Meta) =>
      defineModel('Sample', {
        table: 'samples',
        columns: { id: { type: 'integer', primaryKey: true }, kind: { type: 'integer' } },
        meta: { pagination_size_default: 30, pagination_size_max: 70, ...meta },
      })
    /** Sends a list 12 times; returns whether PostgreSQL plans its statement once or each time, and the end of its text. */
    const planned = async (query: string, meta: Meta = {}): Promise<unknown> => {
      const on = open()
      const api = createApi({ db: on, models: [sample(meta)], onWarning: () => {} })
      for (let times = 0; times < 12; times++) {
        equal((await api.handle({ method: 'GET', url: `/api/samples?${query}` })).status, 200)
      }
      const { rows } = await sql<{ end: string; generic: boolean }>`
        select substring(statement from 'limit.*') as end, generic_plans > 0 as generic
        from pg_prepared_statements where statement like '%order by "samples"."id" asc limit%'`.execute(
        on,
      )
      return rows.map(({ end, generic }) => `${generic ? 'once' : 'each time'}: ${end}`)
    }
    equal(await planned('count=none'), ['once: limit 31'])
    equal(await planned('count=exact&limit=70'), ['once: limit 70'])
    equal(await planned('count=none&paging=cursor&limit=70'), ['once: limit 71'])
    equal(await planned('count=none&limit=20'), ['each time: limit $1'])
    equal(await planned('count=none&kind__eq=1'), ['each time: limit $2'])
    const marked: Meta = {
      soft_delete: true,
      soft_delete_attribute: 'kind',
      soft_delete_values: [0, 1],
    }
    equal(await planned('count=none', marked), ['each time: limit $2'])
    const ofKind: AccessPolicy = { scope_query: (query) => query.where('kind', '=', 2) }
    equal(await planned('count=none', { access_policy: ofKind }), ['each time: limit $2'])
  })

  test('every connection gets the time limit, and disables JIT, which ignores it', async () => {
    const on = open({ statementTimeout: 150 }, 2)
    await rejects(sql`select pg_sleep(${10})`.execute(on), /statement timeout/)
    const limit = await sql<{
      s: string
    }>`select current_setting('statement_timeout') as s`.execute(on)
    equal(limit.rows[0]?.s, '150ms')
    const jit = await sql<{ s: string }>`select current_setting('jit') as s`.execute(on)
    equal(jit.rows[0]?.s, 'off')
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

/** A driver whose queries do not receive the messages of the protocol. */
function withoutQueries(Client: typeof pg.Client): typeof pg.Client {
  return class extends Client {
    static readonly Query = undefined
  } as typeof pg.Client
}

/** Wraps the client's methods, as tracing libraries do. */
function watched(Client: typeof pg.Client, seen: unknown[]): typeof pg.Client {
  return class extends Client {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
    override query(...args: any[]): any {
      const [query] = args
      const { text, values, callback } = query
      if (typeof callback === 'function') {
        query.callback = (error: unknown, result: unknown): void => {
          seen.push({ text, values, failed: Boolean(error) })
          callback(error, result)
        }
      }
      return (super.query as (...given: unknown[]) => unknown)(...args)
    }
  } as typeof pg.Client
}

function fail(message: string): never {
  throw new Error(message)
}

/** A pooler in front of the test server that does not support named statements, with two server connections. */
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
  // The pooler refuses to run as root.
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
