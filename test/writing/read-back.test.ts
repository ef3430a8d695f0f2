/** A write of one statement and the read of its response: both use one connection, and the status depends on which of them is lost. */
import { type AnyModel, type Api, defineModel } from '@model-api/core'
import { guardedMysql, preparedPg } from '@model-api/core/drivers'
import { detectDialect } from '@model-api/core/internals'
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { everyDatabase, type TestDatabase } from '../support/databases.ts'
import { type Command, type Decide, type FaultProxy, faultProxy } from '../support/fault-proxy.ts'
import { readBackDialect } from '../support/read-back-dialect.ts'
import { rotatingPool } from '../support/rotating-pool.ts'
import type { ServerName } from '../support/servers.ts'
import { notRun, suiteOn, type Test } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

type AnyKysely = TestDatabase['kysely']

const Note: AnyModel = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'string', maxLength: 40 },
  },
  meta: {},
})

for (const db of everyDatabase()) {
  const { name } = db
  if (name === 'sqlite') continue
  const title = 'read-back of a write'
  if (db.missing !== undefined) notRun(`${title} (${db.label})`, db.missing)
  else suiteOn(db, title, (test) => define(test, db, name))
}

function define(test: Test, db: TestDatabase, name: ServerName): void {
  let decide: Decide = () => 'forward'
  let proxy: FaultProxy
  let behind: AnyKysely
  let several: AnyKysely
  test.before(async () => {
    await createTables(db, [Note])
    proxy = await faultProxy(name, db.url ?? '', (command) => decide(command))
    behind = open(name, proxy.url)
    several = rotatingPool(name, [proxy.url, proxy.url, proxy.url])
    equal((await write(await ready(behind), 'POST', 'first')).status, 201)
  })
  test.before.each(() => {
    decide = () => 'forward'
  })
  test.after(async () => {
    for (const kysely of [behind, several]) await kysely.destroy()
    await proxy.close()
    await db.close()
  })

  /** `reading`: inserted rows are read afterwards, as on MySQL. */
  const ready = async (kysely: AnyKysely, reading = false): Promise<Api> => {
    const dialect = readBackDialect(detectDialect(kysely))
    const api = testApi(
      { ...db, kysely },
      [Note],
      {},
      {
        onError: () => {},
        ...(reading ? { dialect } : {}),
      },
    )
    await api.ready
    return api
  }
  const write = (api: Api, method: 'POST' | 'PATCH', label: string) =>
    send(api, method, method === 'POST' ? '/api/notes' : '/api/notes/1', { body: { label } })
  const stored = async (label: string): Promise<number> => {
    const rows = db.kysely.selectFrom('notes').select('id').where('label', '=', label)
    return (await rows.execute()).length
  }
  const methods = ['POST', 'PATCH'] as const
  const isRead = ({ kind, text }: Command) =>
    kind !== 'prepare' && text.startsWith('select') && text.endsWith('for update')
  const isWrite = ({ kind, text }: Command) =>
    kind !== 'prepare' && /^(?:insert into|update) [`"]notes/.test(text)
  /** Decides about the first of these commands, up to a number. */
  const first = (
    times: number,
    which: (command: Command) => boolean,
    verdict: ReturnType<Decide>,
  ) => {
    let left = times
    decide = (command) => (which(command) && left-- > 0 ? verdict : 'forward')
  }

  // PostgreSQL returns the written row.
  const ways = name === 'mysql' ? [false, true] : [false]
  for (const reading of ways) {
    const how = reading ? 'read afterwards' : 'as the database does it'
    test(`the write and the read of its response use one connection, whichever the pool returns: ${how}`, async () => {
      const api = await ready(several, reading)
      for (const method of methods) {
        for (let times = 0; times < 4; times++) {
          const before = proxy.commands.length
          const { value } = await write(api, method, `${method} ${times}`)
          equal(value?.label, `${method} ${times}`)
          const used = proxy.commands.slice(before).filter((one) => isWrite(one) || isRead(one))
          const reads = reading || db.engine === 'mysql' || (name === 'mysql' && method === 'PATCH')
          equal(used.length, reads ? 2 : 1)
          equal(new Set(used.map(({ connection }) => connection)).size, 1)
        }
      }
    })
  }

  for (const verdict of ['cut', 'cut afterwards'] as const) {
    test(`a connection lost during the write (${verdict}): the outcome is unknown, and the write is not repeated`, async () => {
      for (const reading of ways) {
        const api = await ready(behind, reading)
        for (const method of methods) {
          const label = `${method} ${reading} ${verdict}`
          first(1, isWrite, verdict)
          const before = proxy.commands.length
          const { status, errors } = await write(api, method, label)
          equal([status, errors?.code], [503, 'outcome_unknown'])
          equal(proxy.commands.slice(before).filter(isWrite).length, 1)
          equal(await stored(label), verdict === 'cut' ? 0 : 1)
        }
      }
    })
  }

  test('a server that cannot be reached has written nothing', async () => {
    const away = await faultProxy(name, db.url ?? '', () => 'forward')
    const kysely = open(name, away.url)
    const apis = await Promise.all(ways.map((reading) => ready(kysely, reading)))
    for (const api of apis) equal((await write(api, 'POST', 'there')).status, 201)
    await away.close()
    for (const api of apis) {
      // The pool first has to notice that its connection is lost.
      for (let times = 0; times < 3; times++) await write(api, 'POST', 'away')
      const { status, errors } = await write(api, 'POST', 'away')
      equal([status, errors?.code], [503, 'database_unavailable'])
    }
    await kysely.destroy()
  })

  if (name !== 'mysql') return

  for (const verdict of ['cut', 'cut afterwards'] as const) {
    test(`a connection lost during the read (${verdict}): the read is repeated`, async () => {
      const api = await ready(behind, true)
      for (const method of methods) {
        const label = `${method} ${verdict}`
        first(2, isRead, verdict)
        const { status, value } = await write(api, method, label)
        equal([status, value?.label], [method === 'POST' ? 201 : 200, label])
        equal(await stored(label), 1)
      }
    })
  }

  test('a read that always fails: 503, and written once', async () => {
    const api = await ready(behind, true)
    for (const method of methods) {
      const label = `${method} unread`
      decide = (command) => (isRead(command) ? 'cut' : 'forward')
      const before = proxy.commands.length
      const { status, errors } = await write(api, method, label)
      equal([status, errors?.code], [503, 'outcome_unknown'])
      const sent = proxy.commands.slice(before)
      equal(sent.filter(isWrite).length, 1)
      ok(sent.filter(isRead).length > 2)
      equal(await stored(label), 1)
    }
  })

  for (const error of [
    [1213, 'Deadlock found'],
    [1205, 'Lock wait timeout exceeded'],
    [1969, 'Query execution was interrupted (max_statement_time exceeded)'],
  ] as const) {
    test(`a read that fails with ${error[0]} is repeated, the write is not`, async () => {
      const api = await ready(behind, true)
      first(2, isRead, { error })
      const before = proxy.commands.length
      const { status, value } = await write(api, 'POST', `met ${error[0]}`)
      equal([status, value?.label], [201, `met ${error[0]}`])
      equal(proxy.commands.slice(before).filter(isWrite).length, 1)
    })
  }
}

function open(name: ServerName, url: string): AnyKysely {
  if (name === 'mysql') {
    const pool = guardedMysql(createPool({ uri: url, connectionLimit: 1 }))
    return new Kysely({ dialect: new MysqlDialect({ pool }) })
  }
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  return new Kysely({ dialect: new PostgresDialect({ pool: preparedPg(pool) }) })
}
