/** A Galera node that aborts a transaction because of another node's commit: it reports that once, to the next command of any kind. */
import { type Api, defineModel } from '@model-api/core'
import { preparedMysql } from '@model-api/core/prepared'
import { CompiledQuery, Kysely, MysqlDialect, type MysqlPoolConnection, sql } from 'kysely'
import { createPool } from 'mysql2'
import { send, testApi } from '../support/api.ts'
import { equal, ok, rejects } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type Command, type FaultProxy, faultProxy, type Verdict } from '../support/fault-proxy.ts'
import { eachDatabase, notRun, type Test } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
type Database = Kysely<any>

eachDatabase('prepared/mysql conflicts', define, { only: 'mysql' })

function define(test: Test, db: TestDatabase): void {
  const opened: { kysely: Database; proxy: FaultProxy }[] = []
  /** Decides about the next commands; tests replace it. */
  let decide: (command: Command) => Verdict = () => 'forward'

  /** A pool with one connection, whose prepared statements the proxy sees. */
  const open = async () => {
    const proxy = await faultProxy('mysql', db.url ?? '', (command) => decide(command))
    const pool = preparedMysql(createPool({ uri: proxy.url, connectionLimit: 1 }))
    const kysely: Database = new Kysely({ dialect: new MysqlDialect({ pool }) })
    opened.push({ kysely, proxy })
    return { kysely, proxy }
  }
  const arrays = async (on: Database, text: string, values: readonly unknown[]) =>
    (
      await on.executeQuery(
        CompiledQuery.raw(`/* model-api: rows as arrays */ ${text}`, [...values]),
      )
    ).rows
  /** How a statement was sent each time. As text, a statement contains its values. */
  const sent = ({ commands }: FaultProxy, text: string): readonly string[] => {
    const start = text.slice(0, text.indexOf('?'))
    return commands.filter((one) => one.text.startsWith(start)).map(({ kind }) => kind)
  }
  /** Applies the verdict to the first chosen command; all others are forwarded. */
  const once = (chosen: (command: Command) => boolean, verdict: Verdict): void => {
    let armed = true
    decide = (command) => {
      if (!armed || !chosen(command)) return 'forward'
      armed = false
      return verdict
    }
  }
  const aborted = {
    error: [1213, 'Deadlock found when trying to get lock'],
    rollback: true,
  } as const

  let isMariadb = false
  test.before(async () => {
    await db.execScript(`create table accounts (id integer primary key auto_increment, label varchar(40), cents integer);
      insert into accounts values (1, 'one', 100), (2, 'two', 100);`)
    const { rows } = await sql<{ v: string }>`select version() as v`.execute(db.kysely)
    isMariadb = /mariadb/i.test(rows[0]?.v ?? '')
    if (!isMariadb) notRun('conflicts of prepared statements', 'the server is not MariaDB')
  })
  test.before.each(() => {
    decide = () => 'forward'
  })
  test.after(async () => {
    for (const { kysely, proxy } of opened) {
      await kysely.destroy()
      await proxy.close()
    }
    await db.close()
  })
  const balances = async () =>
    (
      await sql<{ cents: number }>`select cents from accounts where id < 3 order by id`.execute(
        db.kysely,
      )
    ).rows.map(({ cents }) => cents)

  test('the error of PREPARE in a transaction is the error of the statement, which is not sent again', async () => {
    if (!isMariadb) return
    const { kysely, proxy } = await open()
    const take = 'update accounts set cents = cents - ? where id = ?'
    const give = 'update accounts set cents = cents + ? where id = ?'
    // Both texts have been sent once, so the next time prepares them.
    for (const text of [take, give]) await kysely.executeQuery(CompiledQuery.raw(text, [0, 1]))
    const before = await balances()
    once(
      ({ kind, text, inTransaction }) => kind === 'prepare' && inTransaction && text === give,
      aborted,
    )
    const moved = kysely.transaction().execute(async (trx) => {
      await trx.executeQuery(CompiledQuery.raw(take, [10, 1]))
      await trx.executeQuery(CompiledQuery.raw(give, [10, 2]))
    })
    await rejects(moved, /Deadlock found/)
    equal(await balances(), before)
    equal(sent(proxy, give), ['query', 'prepare'])
    equal(
      proxy.commands.some(({ text }) => text === 'commit'),
      false,
    )
  })

  for (const [errno, message] of [
    [1047, 'WSREP has not yet prepared node for application use'],
    [1205, 'Lock wait timeout exceeded'],
    [1146, 'Table does not exist'],
    [1927, 'Connection was killed'],
  ] as const) {
    test(`error ${errno} of PREPARE is thrown outside a transaction, too`, async () => {
      if (!isMariadb) return
      const { kysely, proxy } = await open()
      const read = `select id, ${errno} from accounts where id = ?`
      await arrays(kysely, read, [1])
      once(({ kind }) => kind === 'prepare', { error: [errno, message] })
      await rejects(arrays(kysely, read, [1]), new RegExp(message))
      equal(sent(proxy, read), ['query', 'prepare'])
      // The connection is unchanged, and the next time prepares the statement.
      equal(await arrays(kysely, read, [1]), [[1, errno]])
      equal(proxy.commands.at(-1)?.kind, 'execute')
    })
  }

  for (const [errno, name] of [
    [1461, 'too many prepared statements'],
    [1295, 'a statement that cannot be prepared'],
    [1390, 'too many values'],
  ] as const) {
    test(`${name}: it is sent as text, in the same transaction`, async () => {
      if (!isMariadb) return
      const { kysely, proxy } = await open()
      const take = `update accounts set cents = cents - ${errno} - ? where id = ?`
      await kysely.executeQuery(CompiledQuery.raw(take, [-errno, 1]))
      const [before = 0] = await balances()
      once(({ kind, inTransaction }) => kind === 'prepare' && inTransaction, {
        error: [errno, name],
      })
      await kysely.transaction().execute(async (trx) => {
        await trx.executeQuery(CompiledQuery.raw(take, [1 - errno, 1]))
      })
      equal((await balances())[0], before - 1)
      equal(sent(proxy, take), ['query', 'prepare', 'query'])
      const commands = proxy.commands.map(({ text }) => text)
      equal(commands.at(-1), 'commit')
      ok(commands.at(-2)?.startsWith('update accounts'))
    })
  }

  test('statements are sent in their order while one is being prepared', async () => {
    if (!isMariadb) return
    const { kysely, proxy } = await open()
    const take = 'update accounts set cents = cents - 9 - ? where id = ?'
    await kysely.executeQuery(CompiledQuery.raw(take, [-9, 1]))
    const before = await balances()
    await kysely.destroy()
    const pool = preparedMysql(createPool({ uri: proxy.url, connectionLimit: 1 }))
    const query = (on: MysqlPoolConnection, text: string, values: unknown[] = []) =>
      new Promise((resolve, reject) =>
        on.query(text, values, (error, result) => (error ? reject(error) : resolve(result))),
      )
    const connected = () =>
      new Promise<MysqlPoolConnection>((resolve, reject) =>
        pool.getConnection((error, on) => (error ? reject(error) : resolve(on))),
      )
    const on = await connected()
    // Twice: the first time, the statement is sent as text.
    for (let times = 0; times < 2; times++) {
      await Promise.all([query(on, 'begin'), query(on, take, [1, 1]), query(on, 'rollback')])
    }
    const last = proxy.commands.slice(-4)
    equal(
      last.map(({ kind }) => kind),
      ['query', 'prepare', 'execute', 'query'],
    )
    equal(last.at(-1)?.text, 'rollback')
    equal(await balances(), before)
    on.release()
    await new Promise((resolve) => pool.end(resolve))
  })

  test('a statement that the server has lost is an error in a transaction, which may be lost, too', async () => {
    if (!isMariadb) return
    const { kysely, proxy } = await open()
    const take = 'update accounts set cents = cents - 7 - ? where id = ?'
    for (let times = 0; times < 2; times++) {
      await kysely.executeQuery(CompiledQuery.raw(take, [-7, 1]))
    }
    const before = await balances()
    const unknown = ({ kind, inTransaction }: Command) => kind === 'execute' && inTransaction
    once(unknown, { error: [1243, 'Unknown prepared statement handler'] })
    const run = () =>
      kysely.transaction().execute(async (trx) => {
        await trx.executeQuery(CompiledQuery.raw(take, [3, 1]))
      })
    await rejects(run(), /Unknown prepared statement/)
    equal(await balances(), before)
    await run()
    equal((await balances())[0], (before[0] ?? 0) - 10)
    equal(sent(proxy, take), ['query', 'prepare', 'execute', 'execute', 'query'])
  })

  test('a write through the API is stored as a whole, or not at all', async () => {
    if (!isMariadb) return
    const Account = defineModel('Account', {
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        label: { type: 'string', maxLength: 40 },
        cents: { type: 'integer' },
      },
      // The response is then read by a separate statement, which is prepared too.
      meta: { access_policy: { scope_query: (query) => query } },
    })
    const post = async (api: Api, label: string) => {
      const body = [1, 2, 3].map((cents) => ({ label, cents }))
      return (await send(api, 'POST', '/api/accounts', { body })).status
    }
    let times = 0
    for (const kind of ['prepare', 'execute'] as const) {
      for (let nth = 1; nth <= 4; nth++) {
        // A new connection prepares statements that other connections have sent before.
        const { kysely } = await open()
        const api = testApi({ ...db, kysely }, [Account], { API_ALLOW_BULK: true })
        equal(await post(api, 'warm'), 201)
        let left = nth
        once((one) => one.kind === kind && one.inTransaction && --left === 0, aborted)
        const label = `${kind} ${nth}`
        equal(await post(api, label), 201)
        const stored = db.kysely.selectFrom('accounts').select('cents').where('label', '=', label)
        equal((await stored.execute()).map(({ cents }) => cents).sort(), [1, 2, 3])
        if (left <= 0) times += 1
      }
    }
    ok(times >= 4, `${times} transactions were aborted`)
  })
}
