/** Idempotency-Key when the database is unavailable, the first request is slow, COMMIT gets no response, or a clock is wrong. */
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyModel, type Api, type ApiConfig, defineModel } from '@model-api/core'
import { guardedMysql, preparedPg, preparedSqlite } from '@model-api/core/drivers'
import { detectDialect } from '@model-api/core/internals'
import Sqlite from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect, sql } from 'kysely'
import { createPool, type PoolOptions } from 'mysql2'
import pg from 'pg'
import type { InternalDialect } from '../../packages/core/src/dialect/internal-dialect.ts'
import { type Answer, frozenClock, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type Command, type Decide, type FaultProxy, faultProxy } from '../support/fault-proxy.ts'
import { rotatingPool } from '../support/rotating-pool.ts'
import { eachDatabase, runsOn, type Test } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

runsOn('one server of each engine')

type AnyKysely = TestDatabase['kysely']

const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'text' },
  },
  meta: {},
})

const quiet = { onError: () => {} }
const post = (api: Api, label: string, key = label): Promise<Answer> =>
  send(api, 'POST', '/api/notes', {
    headers: { 'idempotency-key': `a-key-of-16-or-more-${key.replaceAll(' ', '-')}` },
    body: { label },
  })
const outcome = ({ status, errors, headers }: Answer) => [
  status,
  errors?.code ?? headers['idempotency-replayed'],
]
const stored = async (db: { readonly kysely: AnyKysely }, label: string): Promise<number> => {
  const rows = db.kysely.selectFrom('notes').select('id').where('label', '=', label)
  return (await rows.execute()).length
}
/** Moves the times of claims by milliseconds, into the past or the future. */
const moveClaims = async (db: { readonly kysely: AnyKysely }, ms: number): Promise<void> => {
  await sql`update idempotency_keys set claimed_at = claimed_at - ${ms}, expires_at = expires_at - ${ms}`.execute(
    db.kysely,
  )
}
const minute = 60 * 1000
const day = 24 * 60 * minute

eachDatabase('idempotency keys on every database', (test, db) => {
  const api = testApi(db, [Note], {}, quiet)
  test.before(() => createTables(db, [Note]))

  test('the key of a request that died is free once its lease has expired, not before', async () => {
    equal((await post(api, 'first')).status, 201)
    await sql`update idempotency_keys set answer = null`.execute(db.kysely)
    equal(outcome(await post(api, 'first')), [409, 'request_in_progress'])
    await moveClaims(db, minute + 1)
    equal((await post(api, 'first')).status, 201)
    equal(await stored(db, 'first'), 2)
  })

  test('with a time in the future, an unfinished claim is free at once and a stored response is valid', async () => {
    equal((await post(api, 'tomorrow')).status, 201)
    await moveClaims(db, -day + minute)
    equal(outcome(await post(api, 'tomorrow')), [201, 'true'])
    await sql`update idempotency_keys set answer = null`.execute(db.kysely)
    equal(outcome(await post(api, 'tomorrow')), [201, undefined])
    equal(outcome(await post(api, 'tomorrow')), [201, 'true'])
    await moveClaims(db, -10 * day)
    equal(outcome(await post(api, 'tomorrow')), [201, undefined])
    equal(await stored(db, 'tomorrow'), 3)
  })

  test('long responses with any characters are stored', async () => {
    // Longer than a text column of MariaDB, in bytes.
    for (const label of ['𝔘'.repeat(20_000), `"\\é€𝔘\u2028\uffff`]) {
      const key = String(label.length)
      const first = await post(api, label, key)
      equal([first.status, first.value?.label], [201, label])
      const again = await post(api, label, key)
      equal([...outcome(again), again.text], [201, 'true', first.text])
    }
  })

  test('thirty concurrent requests with one key: one record, and no error', async () => {
    await sql`drop table idempotency_keys`.execute(db.kysely)
    const others = testApi({ ...db, kysely: await another(db) }, [Note], {}, quiet)
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => post(i % 2 === 0 ? api : others, 'at once')),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    ok(statuses.has(201))
    equal(
      [...statuses].filter((status) => status !== 201 && status !== 409),
      [],
      answers.find(({ status }) => status > 409)?.text,
    )
    equal(new Set(answers.flatMap(({ value }) => value?.id ?? [])).size, 1)
    equal(await stored(db, 'at once'), 1)
  })

  test('a transaction of the host that uses a key twice', async () => {
    const answers = await db.kysely.transaction().execute(async (transaction) => {
      const own = testApi(db, [Note], { API_SESSION_GETTER: () => transaction }, quiet)
      return [await post(own, 'hosted'), await post(own, 'hosted')]
    })
    equal(answers.map(outcome), [
      [201, undefined],
      [201, 'true'],
    ])
    equal(await stored(db, 'hosted'), 1)
  })
})

/** Returns a promise, and the function that resolves it. */
function opening(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

/** Opens a second connection to the database. */
async function another(db: TestDatabase): Promise<AnyKysely> {
  if (db.name === 'sqlite') return db.kysely
  const kysely = open(db.name, db.url ?? '', 4)
  opened.push(kysely)
  return kysely
}
const opened: AnyKysely[] = []

eachDatabase('idempotency: a request that outlives its lease', (test, db) => {
  /** For SQLite a file, because both requests need a connection at the same time. */
  const file = join(tmpdir(), `model-api-lease-${process.pid}.db`)
  const pools: AnyKysely[] = []
  const openOne = (): TestDatabase => {
    const { name } = db
    if (name !== 'sqlite') return db
    const database = preparedSqlite(new Sqlite(file, { timeout: 1 }))
    const kysely: AnyKysely = new Kysely({ dialect: new SqliteDialect({ database }) })
    pools.push(kysely)
    return { ...db, kysely }
  }
  /** An API whose clock is ahead by this many milliseconds. */
  const later = (on: TestDatabase, ms: number, config: ApiConfig = {}): Api => {
    const clock = frozenClock()
    clock.tick(ms)
    const own = detectDialect(on.kysely)
    const dialect: InternalDialect = {
      ...own,
      connect: async (...about) => {
        const known = (await own.connect?.(...about)) ?? own
        const { server } = known
        if (server?.clock === undefined) return known
        return { ...known, server: { ...server, clock: sql`(${server.clock} + ${sql.lit(ms)})` } }
      },
    }
    return testApi(on, [Note], config, { clock, dialect, ...quiet })
  }
  test.before(() => createTables(openOne(), [Note]))
  test.after(async () => {
    for (const kysely of [...pools, ...opened.splice(0)]) await kysely.destroy()
    rmSync(file, { force: true })
  })

  /** The second request is sent a minute later, while the first one is in its callback. */
  const race = async (label: string, whileSecond: boolean): Promise<readonly Answer[]> => {
    const [slowDb, fastDb] = [openOne(), openOne()]
    const second = later(fastDb, minute + 1)
    await post(second, `${label} before`)
    const gate = opening()
    const inside = opening()
    const slow = later(slowDb, 0, {
      API_ADD_CALLBACK: async (object) => {
        inside.resolve()
        await gate.promise
        return object
      },
    })
    const first = post(slow, label)
    await inside.promise
    if (whileSecond) {
      const meanwhile = later(fastDb, minute + 1, {
        API_ADD_CALLBACK: async (object) => {
          gate.resolve()
          await first
          return object
        },
      })
      return [await post(meanwhile, label), await first]
    }
    const taken = await post(second, label)
    gate.resolve()
    return [taken, await first]
  }

  test('commits if no other request took over its key', async () => {
    const on = openOne()
    const slow = later(on, 0, {
      API_ADD_CALLBACK: async (object) => object,
    })
    equal((await post(slow, 'alone')).status, 201)
    equal(outcome(await post(later(on, minute + 1), 'alone')), [201, 'true'])
  })

  if (db.name === 'sqlite') {
    test('holds the write lock, so its key cannot be taken over: a later request waits and gets the same response', async () => {
      const [slowDb, fastDb] = [openOne(), openOne()]
      const second = later(fastDb, minute + 1)
      await post(second, 'held before')
      const gate = opening()
      const inside = opening()
      const slow = later(slowDb, 0, {
        API_ADD_CALLBACK: async (object) => {
          inside.resolve()
          await gate.promise
          return object
        },
      })
      const first = post(slow, 'held')
      await inside.promise
      const waiting = post(second, 'held')
      await sleep(30)
      gate.resolve()
      const [early, late] = await Promise.all([first, waiting])
      equal(
        [outcome(early), outcome(late)],
        [
          [201, undefined],
          [201, 'true'],
        ],
      )
      equal(late.value, early.value)
      equal(await stored(openOne(), 'held'), 1)
    })
    return
  }

  test('does not commit if another took over its key, and gets the response of that request', async () => {
    const [taken, late] = (await race('late', false)) as [Answer, Answer]
    equal(
      [outcome(taken), outcome(late)],
      [
        [201, undefined],
        [201, 'true'],
      ],
    )
    equal(late.value, taken.value)
    equal(await stored(openOne(), 'late'), 1)
  })

  test('is 409 while the request that took over its key is running', async () => {
    const [taken, late] = (await race('busy', true)) as [Answer, Answer]
    equal(
      [outcome(taken), outcome(late)],
      [
        [201, undefined],
        [409, 'request_in_progress'],
      ],
    )
    equal(await stored(openOne(), 'busy'), 1)
  })
})

eachDatabase('idempotency: an unavailable database', (test, db) => {
  if (db.name === 'sqlite') onSqlite(test)
  else onServer(test, db, db.name)
})

function onServer(test: Test, db: TestDatabase, name: 'postgres' | 'mysql'): void {
  let decide: Decide = () => 'forward'
  let proxy: FaultProxy
  let behind: TestDatabase
  const pools: AnyKysely[] = []
  const openPool = (url: string, size: number, settings: object = {}): TestDatabase => {
    const kysely = open(name, url, size, settings)
    pools.push(kysely)
    return { ...db, kysely }
  }
  test.before(async () => {
    await createTables(db, [Note])
    equal((await post(testApi(db, [Note]), 'makes the table')).status, 201)
    proxy = await faultProxy(name, db.url ?? '', (command) => decide(command))
    behind = openPool(proxy.url, 2)
  })
  test.before.each(() => {
    decide = () => 'forward'
  })
  test.after(async () => {
    for (const kysely of pools) await kysely.destroy()
    await proxy.close()
  })
  const ready = async (on: TestDatabase): Promise<Api> => {
    const api = testApi(on, [Note], {}, quiet)
    await api.ready
    return api
  }
  const unavailable = [503, 'database_unavailable']

  test('connections that break: 503, and served once the database is back', async () => {
    const api = await ready(behind)
    decide = () => 'cut'
    equal(outcome(await post(api, 'cut')), unavailable)
    equal(outcome(await post(api, 'cut')), unavailable)
    decide = () => 'forward'
    equal(outcome(await post(api, 'cut')), [201, undefined])
    equal(await stored(db, 'cut'), 1)
  })

  test('connections that are refused: 503', async () => {
    const away = await faultProxy(name, db.url ?? '', () => 'forward')
    const api = await ready(openPool(away.url, 1))
    await away.close()
    equal(outcome(await post(api, 'refused')), unavailable)
  })

  test('read-only: 503', async () => {
    const readOnly =
      name === 'postgres'
        ? openPool(db.url ?? '', 1, { options: '-c default_transaction_read_only=on' })
        : openPool(db.url ?? '', 1)
    const set = sql`set session transaction read only`
    if (name === 'mysql') await set.execute(readOnly.kysely)
    equal(outcome(await post(await ready(readOnly), 'read-only')), unavailable)
  })

  test('no free connection: 503', async () => {
    const settings =
      name === 'postgres' ? { connectionTimeoutMillis: 1_000 } : { waitForConnections: false }
    const full = openPool(db.url ?? '', 1, settings)
    const api = await ready(full)
    const refused = await full.kysely.connection().execute(() => post(api, 'full'))
    equal(outcome(refused), unavailable)
    equal(outcome(await post(api, 'full')), [201, undefined])
  })

  test('a locked table: 503 after the time limit', async () => {
    const bounded = openPool(db.url ?? '', 1)
    const api = await ready(bounded)
    // MySQL limits the duration of reads only; the wait for a lock it limits for every statement, in whole seconds.
    const limit = {
      postgres: ["set statement_timeout = '1s'", 'reset statement_timeout'],
      mariadb: ['set max_statement_time = 1', 'set max_statement_time = default'],
      mysql: ['set lock_wait_timeout = 1', 'set lock_wait_timeout = default'],
    }[name === 'postgres' ? name : db.engine === 'mariadb' ? 'mariadb' : 'mysql']
    await sql.raw(limit[0] ?? '').execute(bounded.kysely)
    const locked = await db.kysely.connection().execute(async (other) => {
      const lock =
        name === 'mysql'
          ? ['lock tables idempotency_keys write', 'unlock tables']
          : ['begin; lock table idempotency_keys', 'commit']
      await sql.raw(lock[0] ?? '').execute(other)
      const answer = await post(api, 'locked')
      await sql.raw(lock[1] ?? '').execute(other)
      return answer
    })
    // MySQL's error is the one that ends the wait for a row, which is a conflict.
    const conflict = [503, 'database_conflict']
    equal(outcome(locked), db.engine === 'mysql' ? conflict : unavailable)
    await sql.raw(limit[1] ?? '').execute(bounded.kysely)
    equal(outcome(await post(api, 'locked')), [201, undefined])
  })

  const isCommit = ({ text }: Command) => text === 'commit'

  test('a COMMIT without a reply keeps the key: the stored response is replayed', async () => {
    const api = await ready(behind)
    decide = (command) => (isCommit(command) ? 'cut afterwards' : 'forward')
    equal(outcome(await post(api, 'unanswered')), [503, 'outcome_unknown'])
    decide = () => 'forward'
    equal(outcome(await post(api, 'unanswered')), [201, 'true'])
    equal(await stored(db, 'unanswered'), 1)
  })

  test('a COMMIT that did not reach the server keeps the key until the lease expires', async () => {
    const api = await ready(behind)
    decide = (command) => (isCommit(command) ? 'cut' : 'forward')
    equal(outcome(await post(api, 'lost')), [503, 'outcome_unknown'])
    decide = () => 'forward'
    equal(outcome(await post(api, 'lost')), [409, 'request_in_progress'])
    equal(await stored(db, 'lost'), 0)
    await moveClaims(db, minute + 1)
    equal(outcome(await post(api, 'lost')), [201, undefined])
    equal(await stored(db, 'lost'), 1)
  })

  for (const verdict of ['cut', 'cut afterwards'] as const) {
    test(`a claim whose connection is lost (${verdict}) leaves the key free`, async () => {
      const api = await ready(behind)
      let left = 1
      const isClaim = ({ kind, text }: Command) =>
        kind !== 'prepare' && text.startsWith('insert into') && text.includes('idempotency_keys')
      decide = (command) => (isClaim(command) && left-- > 0 ? verdict : 'forward')
      const label = `claim ${verdict}`
      equal(outcome(await post(api, label)), unavailable)
      equal(outcome(await post(api, label)), [201, undefined])
      equal(await stored(db, label), 1)
    })
  }

  test('a failure before COMMIT releases the key', async () => {
    const api = await ready(behind)
    let isCut = false
    decide = ({ kind, text }) => {
      if (isCut || kind === 'prepare' || !/^insert into [`"]notes/.test(text)) return 'forward'
      isCut = true
      return 'cut'
    }
    equal(outcome(await post(api, 'before')), unavailable)
    equal(outcome(await post(api, 'before')), [201, undefined])
    equal(await stored(db, 'before'), 1)
  })

  test('the claim, the stored response and the reads for it use one connection', async () => {
    const several = rotatingPool(name, [proxy.url, proxy.url, proxy.url])
    pools.push(several)
    const api = await ready({ ...db, kysely: several })
    equal((await post(api, 'one connection')).status, 201)
    const before = proxy.commands.length
    equal(outcome(await post(api, 'one connection')), [201, 'true'])
    const used = proxy.commands.slice(before).filter(({ kind }) => kind !== 'other')
    ok(used.length >= 2)
    equal(new Set(used.map(({ connection }) => connection)).size, 1)
  })

  if (name !== 'mysql') return

  test('conflicts with other nodes about the key are retried', async () => {
    const api = await ready(behind)
    let conflicts = 0
    decide = ({ kind, text }) => {
      if (kind === 'prepare' || !text.startsWith('insert into `idempotency_keys`')) return 'forward'
      conflicts += 1
      return conflicts > 3 ? 'forward' : { error: [1213, 'Deadlock found'] }
    }
    equal(outcome(await post(api, 'nodes')), [201, undefined])
    equal([conflicts, await stored(db, 'nodes')], [4, 1])
  })

  test('a node that is not ready, or read-only, is 503 on every route', async () => {
    const api = await ready(behind)
    for (const error of [
      [1047, 'WSREP has not yet prepared node for application use'],
      [1290, 'The MariaDB server is running with the --read-only option'],
      [1836, 'Running in read-only mode'],
    ] as const) {
      decide = () => ({ error })
      equal(outcome(await post(api, String(error[0]))), unavailable)
      for (const [method, url, body] of [
        ['GET', '/api/notes'],
        ['GET', '/api/notes/1'],
        ['POST', '/api/notes', { label: 'x' }],
        ['PATCH', '/api/notes/1', { label: 'x' }],
        ['DELETE', '/api/notes/1'],
      ] as const) {
        equal(outcome(await send(api, method, url, { body })), unavailable, `${method} ${url}`)
      }
    }
  })
}

function onSqlite(test: Test): void {
  const file = join(tmpdir(), `model-api-away-${process.pid}.db`)
  const db = (options: Sqlite.Options = {}): TestDatabase => {
    const database = new Sqlite(file, { timeout: 1, ...options })
    return {
      name: 'sqlite',
      kysely: new Kysely({ dialect: new SqliteDialect({ database }) }),
    } as TestDatabase
  }
  const first = db()
  test.before(async () => {
    await createTables(first, [Note])
    equal((await post(testApi(first, [Note]), 'makes the table')).status, 201)
  })
  test.after(async () => {
    await first.kysely.destroy()
    rmSync(file, { force: true })
  })

  test('read-only: 503', async () => {
    const readOnly = db({ readonly: true })
    const api = testApi(readOnly, [Note], {}, quiet)
    equal(outcome(await post(api, 'read-only')), [503, 'database_unavailable'])
    await readOnly.kysely.destroy()
  })

  test('locked: 503, and served once the lock is released', async () => {
    const own = db()
    const api = testApi(own, [Note], {}, quiet)
    await api.ready
    const other = new Sqlite(file)
    other.exec('begin exclusive')
    equal(outcome(await post(api, 'locked')), [503, 'database_unavailable'])
    other.exec('rollback')
    other.close()
    equal(outcome(await post(api, 'locked')), [201, undefined])
    equal(await stored(own, 'locked'), 1)
    await own.kysely.destroy()
  })
}

function open(
  name: 'postgres' | 'mysql',
  url: string,
  size: number,
  settings: object = {},
): AnyKysely {
  if (name === 'mysql') {
    const options: PoolOptions = { uri: url, connectionLimit: size, ...settings }
    return new Kysely({ dialect: new MysqlDialect({ pool: guardedMysql(createPool(options)) }) })
  }
  const pool = new pg.Pool({ connectionString: url, max: size, ...settings })
  return new Kysely({ dialect: new PostgresDialect({ pool: preparedPg(pool) }) })
}
