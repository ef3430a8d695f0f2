/** preparedMysql: prepared statements and rows as arrays, with the same results and errors as statements sent as text. */
import { createApi, defineModel } from '@model-api/core'
import { type MysqlOptions, preparedMysql } from '@model-api/core/prepared'
import { CompiledQuery, Kysely, MysqlDialect, sql } from 'kysely'
import { createPool, type PoolOptions } from 'mysql2'
import { equal, ok, rejects, throws } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase, notRun, type Test } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
type Database = Kysely<any>

eachDatabase('preparedMysql', define, { only: 'mysql' })

function define(test: Test, db: TestDatabase): void {
  const opened: Database[] = []
  const poolWith = (settings: PoolOptions = {}) =>
    createPool({ uri: db.url ?? '', connectionLimit: 1, ...settings })
  const openPool = (
    pool: Parameters<typeof preparedMysql>[0],
    options: MysqlOptions = {},
  ): Database => {
    const kysely: Database = new Kysely({
      dialect: new MysqlDialect({ pool: preparedMysql(pool, options) }),
    })
    opened.push(kysely)
    return kysely
  }
  const open = (options: MysqlOptions = {}, settings: PoolOptions = {}): Database =>
    openPool(poolWith(settings), options)

  /** The numbers of statements that this connection has prepared, executed and closed. */
  const counts = async (on: Database) => {
    const { rows } = await sql<{
      Variable_name: string
      Value: string
    }>`show session status like ${'Com_stmt_%'}`.execute(on)
    const of = (name: string) =>
      Number(rows.find(({ Variable_name }) => Variable_name === `Com_stmt_${name}`)?.Value)
    // Subtracts the look-up whether this is MariaDB.
    return { prepared: of('prepare') - 1, executed: of('execute') - 1, closed: of('close') - 1 }
  }
  const arrays = async (on: Database, text: string, values: readonly unknown[] = []) =>
    on.executeQuery(CompiledQuery.raw(`/* model-api: rows as arrays */ ${text}`, [...values]))
  const rowsOf = async (on: Database, text: string, values: readonly unknown[] = []) =>
    (await arrays(on, text, values)).rows

  let isMariadb = false
  test.before(async () => {
    await db.execScript(`create table things (id integer primary key auto_increment, name text);
      insert into things values (1, 'one'), (2, 'two');`)
    const { rows } = await sql<{ v: string }>`select version() as v`.execute(db.kysely)
    isMariadb = /mariadb/i.test(rows[0]?.v ?? '')
    if (!isMariadb) notRun('what preparedMysql prepares', 'the server is not MariaDB')
  })
  test.after(async () => {
    for (const kysely of opened) await kysely.destroy()
    await db.close()
  })
  test('a pool that accepts several statements in one text is refused', async () => {
    const url = new URL(db.url ?? '')
    url.searchParams.set('multipleStatements', 'true')
    const settings = [{ multipleStatements: true }, { flags: ['MULTI_STATEMENTS'] }]
    for (const pool of [...settings.map(poolWith), createPool(url.href)]) {
      throws(() => preparedMysql(pool), /multipleStatements/)
      pool.end()
    }
  })

  /** Expected counts of a statement that is sent four times; the first time it is not prepared. */
  const prepares = (prepared: number, executed: number) =>
    isMariadb ? { prepared, executed, closed: 0 } : { prepared: 0, executed: 0, closed: 0 }

  test('a repeated read of the API is prepared once, whatever its values', async () => {
    const on = open()
    const read = 'select name, id from things where id = ? limit ?'
    for (const id of [1, 2, 1, 2]) {
      equal(await rowsOf(on, read, [id, 5]), [[id === 1 ? 'one' : 'two', id]])
    }
    equal(await rowsOf(on, read, [3, 5]), [])
    equal(await counts(on), prepares(1, 4))
  })

  test('each connection prepares its own', async () => {
    const on = open({}, { connectionLimit: 3 })
    const read = () =>
      Promise.all(
        [1, 2, 1].map((id) => rowsOf(on, 'select id, sleep(0.05) from things where id = ?', [id])),
      )
    for (let times = 0; times < 4; times++) equal(await read(), [[[1, 0]], [[2, 0]], [[1, 0]]])
  })

  test('a read of the host gets the same values as without it', async () => {
    const on = open()
    const plain = open({ prepared: false })
    const read = (of: Database) =>
      of
        .selectFrom('things')
        .select(['id', sql`cast(${'2024-02-29 12:00:00'} as datetime)`.as('at')])
        .where('id', '=', 1)
        .execute()
    for (let times = 0; times < 4; times++) equal(await read(on), await read(plain))
    equal(await counts(on), prepares(0, 0))
  })

  test('a write of the host with RETURNING gets the same values as without it', async () => {
    if (!isMariadb) return
    await db.execScript('create table floats (id integer primary key auto_increment, f float)')
    const on = open()
    for (let times = 0; times < 4; times++) {
      const added = sql<{ f: number }>`insert into floats (f) values (${'0.1'}) returning f`
      equal((await added.execute(on)).rows, [{ f: 0.1 }])
    }
    const gone = sql<{ f: number }>`delete from floats where id = ${1} returning f`
    for (const rows of [[{ f: 0.1 }], [], []]) equal((await gone.execute(on)).rows, rows)
    equal(await counts(on), prepares(0, 0))
  })

  test('prepares nothing if no statement may be cached', async () => {
    const on = open({ statements: 0 })
    for (let times = 0; times < 4; times++) {
      equal(await rowsOf(on, 'select id from things where id = ?', [1]), [[1]])
    }
    const { prepared, executed } = await counts(on)
    equal([prepared, executed], [-1, -1])
  })

  test('if disabled, prepares nothing, and still returns rows as arrays', async () => {
    const on = open({ prepared: false })
    for (let times = 0; times < 4; times++) {
      equal(await rowsOf(on, 'select id, name from things where id = ?', [1]), [[1, 'one']])
    }
    const { prepared, executed } = await counts(on)
    equal([prepared, executed], [-1, -1])
  })

  test('numbers of changed rows, keys and errors are those of the driver', async () => {
    const on = open()
    for (let times = 0; times < 5; times++) {
      const changed = await on
        .updateTable('things')
        .set({ name: `times ${times}` })
        .where('id', '=', 1)
        .executeTakeFirstOrThrow()
      equal([changed.numUpdatedRows, changed.numChangedRows], [1n, 1n])
      const added = await on.insertInto('things').values({ name: 'new' }).executeTakeFirstOrThrow()
      equal(added.numInsertedOrUpdatedRows, 1n)
      ok((added.insertId ?? 0n) > 2n)
      const twice = on.insertInto('things').values({ id: 1, name: 'again' }).execute()
      equal(await codeOf(twice), 'ER_DUP_ENTRY')
      const gone = on.deleteFrom('things').where('id', '=', Number(added.insertId))
      equal((await gone.executeTakeFirstOrThrow()).numDeletedRows, 1n)
      equal(await codeOf(rowsOf(on, 'select nothing from things')), 'ER_BAD_FIELD_ERROR')
      equal(await codeOf(rowsOf(on, 'select id from nowhere')), 'ER_NO_SUCH_TABLE')
    }
    if (isMariadb) ok((await counts(on)).executed > 15)
  })

  test('an error in a transaction does not affect it or the connection', async () => {
    const on = open()
    for (let times = 0; times < 4; times++) {
      await on.transaction().execute(async (trx) => {
        await trx.updateTable('things').set({ name: 'two' }).where('id', '=', 2).execute()
        const twice = trx.insertInto('things').values({ id: 1, name: 'again' }).execute()
        equal(await codeOf(twice), 'ER_DUP_ENTRY')
        equal(await rowsOf(trx, 'select name from things where id = ?', [2]), [['two']])
      })
    }
  })

  test('values of all types are sent and read as in the text protocol', async () => {
    await db.execScript(`create table kinds (id integer primary key auto_increment,
      tiny tinyint(1), small smallint unsigned, big bigint, bits bit(1), d double, n decimal(20, 4),
      t varchar(80) character set utf8mb4, l varchar(80) character set latin1, b varbinary(80), j json, y year,
      e enum('a', 'b'), at datetime(6), day date)`)
    const on = open()
    const plain = open({ prepared: false })
    const rows = [
      [1, 65_535, 2_147_483_648, 1, 3, '1.5000', 'é"\\\'😀', 'é', 'b', '{"a": [1]}', 2024, 'a'],
      [0, 0, -9_007_199_254_740_991, 0, -0, '-0.0001', '', 'x', '', '[]', 1999, 'b'],
      [null, null, 9_007_199_254_740_991, null, 0.1, null, '?', '', 'b', '"x"', null, null],
      [1, 1, '9223372036854775807', 1, 1e21, '5', ' a ', ' ', 'é', 'null', 2000, 'b'],
      [1, 1, 1, 1, 5e-324, '5', 'a', 'b', new Uint8Array([0, 255]), '1', 2000, 'b'],
    ]
    const insert = `insert into kinds (tiny, small, big, bits, d, n, t, l, b, j, y, e, at, day)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    for (const row of rows) {
      for (const by of [on, plain]) {
        const values = [...row, '2024-02-29 23:59:59.123456', '2024-02-29']
        await by.executeQuery(CompiledQuery.raw(insert, values))
      }
    }
    const forms = `tiny, small, cast(big as char), bits, cast(d as char(60)), cast(n as char), t, l, b, cast(j as char), y, e,
      cast(at as char), cast(day as char)`
    const read = (of: Database, where: string, value: unknown) =>
      rowsOf(of, `select ${forms} from kinds where ${where} order by id limit ?`, [value, 20])
    for (const [where, ...values] of [
      ['id >= ?', 1, 3],
      ['big = ?', 2_147_483_648, -9_007_199_254_740_991, 9_007_199_254_740_991, 1, null],
      ['big = cast(? as signed)', '9223372036854775807', '1'],
      ['d = ?', 3, 0, 0.1, 1e21, 5e-324],
      ['n = cast(? as decimal(65, 4))', '1.5', '-0.0001', '5'],
      ['tiny = ?', 1, 0, null],
      ['t = ?', 'é"\\\'😀', '', '?', 'a', 'A', ' a '],
      ['l = ?', 'é', 'x', ' '],
      ['b = ?', 'b', 'é', new Uint8Array([0, 255])],
      ['e = ?', 'a', 'b', 'c'],
      ['at = ?', '2024-02-29 23:59:59.123456', '2024-02-29'],
      ['day >= ?', '2024-02-29', '2024-02-29 00:00:01'],
      ['small + 0.5 > ?', 1.2, 65_535],
    ] as const) {
      for (const value of [...values, ...values, ...values]) {
        equal(await read(on, where, value), await read(plain, where, value))
      }
    }
    const all = await read(on, 'id >= ?', 1)
    equal(all.length, 2 * rows.length)
    for (let i = 0; i < all.length; i += 2) equal(all[i], all[i + 1])
    if (isMariadb) ok((await counts(on)).executed > 90)
  })

  test('the prepared statements of a connection are bounded', async () => {
    const on = open({ statements: 5 })
    for (let i = 0; i < 40; i++) {
      for (let times = 0; times < 3; times++) {
        equal(await rowsOf(on, `select ${i} + ?`, [times]), [[i + times]])
      }
    }
    const { prepared, executed, closed } = await counts(on)
    if (!isMariadb) return
    // The first time, each is sent as text.
    equal([prepared, executed], [40, 80])
    equal(prepared - closed, 5)
  })

  test('the limit of the pool applies if it is lower', async () => {
    const on = open({}, { maxPreparedStatements: 3 })
    for (let i = 0; i < 9; i++) {
      for (let times = 0; times < 3; times++) {
        equal(await rowsOf(on, `select ${i} from things limit ?`, [1]), [[i]])
      }
    }
    const { prepared, closed } = await counts(on)
    if (isMariadb) equal([prepared, prepared - closed], [9, 3])
  })

  test('a changed table changes the response, not the status', async () => {
    const on = open()
    await db.execScript(
      'create table shapes (id integer primary key, size integer); insert into shapes values (1, 7);',
    )
    const read = () => rowsOf(on, 'select * from shapes where id = ?', [1])
    for (let times = 0; times < 3; times++) equal(await read(), [[1, 7]])
    await db.execScript("alter table shapes add colour varchar(9) default 'red'")
    for (let times = 0; times < 3; times++) equal(await read(), [[1, 7, 'red']])
    await db.execScript('alter table shapes modify size varchar(9)')
    for (let times = 0; times < 3; times++) equal(await read(), [[1, '7', 'red']])
    await db.execScript('drop table shapes')
    for (let times = 0; times < 3; times++) equal(await codeOf(read()), 'ER_NO_SUCH_TABLE')
    await db.execScript('create table shapes (id integer); insert into shapes values (1)')
    for (let times = 0; times < 3; times++) equal(await read(), [[1]])
  })

  test('a time limit applies each time', async () => {
    const on = open()
    if (!isMariadb) return
    const slow = 'set statement max_statement_time = 0.05 for select sleep(?)'
    for (let times = 0; times < 3; times++) {
      await rejects(rowsOf(on, slow, [5]), /max_statement_time exceeded/)
      equal(await rowsOf(on, slow, [0]), [[0]])
    }
  })

  test('the reads and writes of an API are prepared', async () => {
    const on = open()
    await db.execScript(
      'create table notes (id integer primary key auto_increment, text varchar(9))',
    )
    const Note = defineModel('Note', {
      table: 'notes',
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        text: { type: 'string', maxLength: 9 },
      },
      meta: {},
    })
    const api = createApi({ db: on, models: [Note], onWarning: () => {} })
    await api.ready
    const before = await counts(on)
    for (let times = 1; times <= 5; times++) {
      const body = { text: `note ${times}` }
      equal((await api.handle({ method: 'POST', url: '/api/notes', body })).status, 201)
      const { status, body: read } = await api.handle({ method: 'GET', url: `/api/notes/${times}` })
      equal([status, (read as { value: unknown }).value], [200, { id: times, ...body }])
    }
    const after = await counts(on)
    equal(after.executed - before.executed, isMariadb ? 8 : 0)
  })

  test('rows may be streamed', async () => {
    const on = open()
    for (let times = 0; times < 3; times++) {
      const ids: unknown[] = []
      const things = on.selectFrom('things').select('id').where('id', '<', 3).orderBy('id')
      for await (const { id } of things.stream()) ids.push(id)
      equal(ids, [1, 2])
    }
  })

  for (const [title, settings] of [
    ['a typeCast of its own', { typeCast: (_field: unknown, next: () => unknown) => next() }],
    ['a format of its own', { queryFormat: () => 'select 7' }],
    ['connections that are reset after each use', { resetOnRelease: true }],
  ] as const) {
    test(`a pool with ${title} uses the text protocol`, async () => {
      const on = open({}, settings as unknown as PoolOptions)
      const expected = 'queryFormat' in settings ? [[7]] : [[1]]
      for (let times = 0; times < 4; times++) {
        equal(await rowsOf(on, 'select id from things where id = ?', [1]), expected)
      }
      if ('queryFormat' in settings) return
      const { prepared, executed } = await counts(on)
      equal([prepared, executed], [-1, -1])
    })
  }

  for (const [title, code, errno] of [
    ['has too many statements', 'ER_MAX_PREPARED_STMT_COUNT_REACHED', 1461],
    ['does not know the statement any more', 'ER_UNKNOWN_STMT_HANDLER', 1243],
  ] as const) {
    test(`a server that ${title} gets the text protocol from then on`, async () => {
      const pool = poolWith()
      const refused: unknown[] = []
      const on = openPool(refusing(pool, Object.assign(new Error(code), { code, errno }), refused))
      for (let times = 0; times < 5; times++) {
        equal(await rowsOf(on, 'select name from things where id = ?', [2]), [['two']])
      }
      equal(refused, isMariadb ? ['select name from things where id = ?'] : [])
    })
  }
}

/** A pool whose connections refuse to execute prepared statements. */
function refusing(
  pool: ReturnType<typeof createPool>,
  error: Error,
  refused: unknown[],
): Parameters<typeof preparedMysql>[0] {
  return {
    end: (callback) => pool.end(callback),
    getConnection: (callback) =>
      pool.getConnection((failed, connection) => {
        if (failed) return callback(failed, connection)
        const execute = connection.execute.bind(connection) as (...args: unknown[]) => unknown
        Object.assign(connection, {
          execute: (statement: { sql: string }, done: (error: unknown) => void) => {
            if (statement.sql.includes('version()')) return execute(statement, done)
            refused.push(statement.sql)
            process.nextTick(done, error)
          },
        })
        callback(null, connection)
      }),
  }
}

async function codeOf(failing: Promise<unknown>): Promise<unknown> {
  let code: unknown
  await rejects(
    failing.catch((error) => {
      code = (error as { code?: unknown }).code
      throw error
    }),
  )
  return code
}
