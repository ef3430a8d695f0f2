/** Settings of a connection that change what a statement means: such a connection serves no request, and the error names the line to add. */
import { type Api, createApi, defineModel } from '@model-api/core'
import { guardedMysql, preparedPg } from '@model-api/core/drivers'
import { openDatabase } from '@model-api/http-node'
import { Kysely, MysqlDialect, type MysqlPool, PostgresDialect, sql } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import { get, send } from '../support/api.ts'
import { equal, match, ok, rejects } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import type { AnyKysely } from '../support/faults.ts'
import { eachDatabase } from '../support/suite.ts'

const Name = defineModel('Name', {
  table: 'names',
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 80 },
  },
  meta: {},
})

const script = `
  create table names (id integer primary key, name varchar(80) not null);
  create table vault (secret varchar(40) not null);
  insert into names values (1, 'Ann');
  insert into vault values ('of the vault');`

/** With NO_BACKSLASH_ESCAPES, the quote after the escaped backslash ends the literal of mysql2. */
const attack = `/api/names?count=none&name__eq=${encodeURIComponent(
  "\\') union select 9, secret from vault -- ",
)}`

interface Served {
  readonly api: Api
  readonly db: AnyKysely
  /** The messages of `onError`, with those of the causes. */
  readonly errors: string[]
  /** The statements that were sent. */
  readonly statements: string[]
}

const messagesOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : ''

function serve(
  dialect: MysqlDialect | PostgresDialect,
  options: Partial<Parameters<typeof createApi>[0]> = {},
): Served {
  const statements: string[] = []
  const errors: string[] = []
  const db: AnyKysely = new Kysely<never>({
    dialect,
    log: ({ query }) => {
      statements.push(query.sql)
    },
  })
  const api = createApi({
    db,
    models: [Name],
    config: { API_SCHEMA_CHECK: 'off' },
    onWarning: () => {},
    onError: (error) => errors.push(messagesOf(error)),
    ...options,
  })
  return { api, db, errors, statements }
}

const kinds = ['a pool of mysql2', 'a wrapped pool'] as const

/** A pool of the host's; `setUp` has the statements of each new connection, by its number. */
function mysqlPool(
  { url }: TestDatabase,
  kind: (typeof kinds)[number],
  setUp: (connection: number) => readonly string[],
  options: mysql.PoolOptions = {},
): MysqlPool {
  const pool = mysql.createPool({ uri: url ?? '', connectionLimit: 3, ...options })
  let count = 0
  pool.on('connection', (connection) => {
    count += 1
    for (const statement of setUp(count)) connection.query(statement)
  })
  return kind === 'a wrapped pool' ? guardedMysql(pool) : pool
}

const injectable = "set session sql_mode = concat(@@sql_mode, ',NO_BACKSLASH_ESCAPES')"

eachDatabase(
  'settings of a session',
  (test, db) => {
    test.before(() => db.execScript(script))

    for (const kind of kinds) {
      const serveWith = (
        setUp: readonly string[] | ((connection: number) => readonly string[]),
        options?: mysql.PoolOptions,
      ): Served => {
        const each = typeof setUp === 'function' ? setUp : () => setUp
        return serve(new MysqlDialect({ pool: mysqlPool(db, kind, each, options) }))
      }

      /** Every request is 503, and `ready` and `onError` say why. */
      const isRefused = async (
        { api, db: own, errors }: Served,
        why: RegExp,
        line: RegExp,
      ): Promise<void> => {
        await rejects(api.ready, (error) => {
          match(error.message, why)
          match(error.message, line)
        })
        for (const url of ['/api/names', '/api/names/1', attack]) {
          const { status, text } = await get(api, url)
          equal([url, status, text.includes('of the vault')], [url, 503, false])
        }
        const { status } = await send(api, 'POST', '/api/names', { body: { id: 7, name: 'Bob' } })
        equal(status, 503)
        match(errors.at(-1) ?? '', line)
        await own.destroy()
      }

      test(`${kind}: NO_BACKSLASH_ESCAPES, by which values become SQL, is refused`, () =>
        isRefused(serveWith([injectable]), /NO_BACKSLASH_ESCAPES/, /pool\.on\('connection', /))

      test(`${kind}: a character set whose characters may contain a backslash is refused`, () =>
        isRefused(
          serveWith(['set names gbk']),
          /character_set_client is "gbk"/,
          /charset: 'utf8mb4'/,
        ))

      test(`${kind}: a character set that lacks characters is refused`, () =>
        isRefused(
          serveWith([], { charset: 'LATIN1_SWEDISH_CI' }),
          /character_set_client is "latin1"/,
          /charset: 'utf8mb4'/,
        ))

      for (const option of ['typeCast', 'rowsAsArray', 'nestTables'] as const) {
        test(`${kind}: ${option}, by which rows have another form, is refused`, async () => {
          const { api, db: own } = serveWith([], { [option]: option !== 'typeCast' })
          await rejects(api.ready, /rows of the driver are no objects/)
          equal((await get(api, '/api/names')).status, 503)
          await own.destroy()
        })
      }

      test(`${kind}: a mode that is not strict, which stores other values, is refused`, () =>
        isRefused(
          serveWith(["set session sql_mode = 'NO_ENGINE_SUBSTITUTION'"]),
          /not strict/,
          /STRICT_ALL_TABLES/,
        ))

      for (const mode of ['HIGH_NOT_PRECEDENCE', 'PAD_CHAR_TO_FULL_LENGTH']) {
        test(`${kind}: ${mode}, which changes conditions or values, is refused`, () =>
          isRefused(
            serveWith([`set session sql_mode = concat(@@sql_mode, ',${mode}')`]),
            new RegExp(mode),
            /pool\.on\('connection', /,
          ))
      }

      for (const line of ['sql_auto_is_null = 1', 'sql_select_limit = 1']) {
        test(`${kind}: ${line}, which changes which rows are found, is refused`, async () => {
          const name = line.split(' ')[0] ?? ''
          await isRefused(
            serveWith([`set session ${line}`]),
            new RegExp(`${name} is "1"`),
            new RegExp(`set session ${name} = `),
          )
        })
      }

      if (db.engine === 'mariadb') {
        test(`${kind}: the modes of MariaDB that change literals and functions are refused`, async () => {
          for (const mode of ['EMPTY_STRING_IS_NULL', 'ORACLE']) {
            await isRefused(
              serveWith([`set session sql_mode = concat(@@sql_mode, ',${mode}')`]),
              new RegExp(mode),
              /pool\.on\('connection', /,
            )
          }
        })
      }

      test(`${kind}: the line that the error names makes the pool safe`, async () => {
        const modes = "'NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE,ANSI_QUOTES'"
        const bad = [`set session sql_mode = ${modes}`]
        const refused = serveWith(bad)
        const message = await refused.api.ready.then(
          () => '',
          (error: Error) => error.message,
        )
        await refused.db.destroy()
        const line = /connection\.query\("(.*)"\)/.exec(message)?.[1] ?? ''
        match(line, /^set session sql_mode = /)
        const { api, db: own } = serveWith([...bad, line])
        await api.ready
        const { status, value } = await get(api, attack)
        equal([status, value.length], [200, 0])
        const { rows } = await sql<{ mode: string }>`select @@sql_mode as mode`.execute(own)
        equal(rows[0]?.mode, 'ANSI_QUOTES,STRICT_ALL_TABLES')
        await own.destroy()
      })

      test(`${kind}: modes that change no statement of the service are accepted`, async () => {
        const modes = "'STRICT_TRANS_TABLES,ANSI_QUOTES,PIPES_AS_CONCAT,IGNORE_SPACE,REAL_AS_FLOAT'"
        const { api, db: own } = serveWith([`set session sql_mode = ${modes}`])
        await api.ready
        for (const query of ['', '?name__ilike=ann', '?name__ne=Bob', '?order_by=name']) {
          const { status, value } = await get(api, `/api/names${query}`)
          equal([query, status, value], [query, 200, [{ id: 1, name: 'Ann' }]])
        }
        await own.destroy()
      })

      test(`${kind}: each new connection is checked, by one statement before its first`, async () => {
        const {
          api,
          db: own,
          statements,
        } = serveWith((number) => (number === 3 ? [injectable] : []))
        await api.ready
        const isCheck = (text: string): boolean => text.includes('@@sql_mode')
        const checks = (): number => statements.filter(isCheck).length
        equal(checks(), 1)
        for (let times = 0; times < 3; times++) equal((await get(api, '/api/names')).status, 200)
        equal(checks(), 1)
        // Two connections at once, of which one is new.
        await own.connection().execute(async () => {
          for (let times = 0; times < 3; times++) equal((await get(api, attack)).status, 200)
          equal(checks(), 2)
          await own.connection().execute(async () => {
            const { status, text } = await get(api, attack)
            equal([status, text.includes('of the vault')], [503, false])
            const written = await send(api, 'POST', '/api/names', { body: { id: 8, name: 'Eve' } })
            equal(written.status, 503)
          })
        })
        equal((await get(api, '/api/names')).status, 200)
        await own.destroy()
      })

      test(`${kind}: the connection of a session is checked too`, async () => {
        const bad = new Kysely<never>({
          dialect: new MysqlDialect({ pool: mysqlPool(db, kind, () => [injectable]) }),
        })
        let inTransaction: AnyKysely | undefined
        const {
          api,
          db: own,
          errors,
        } = serve(new MysqlDialect({ pool: mysqlPool(db, kind, () => []) }), {
          config: {
            API_SCHEMA_CHECK: 'off',
            API_SESSION_GETTER: () => (inTransaction ?? bad) as never,
          },
        })
        await api.ready
        const all = async (): Promise<void> => {
          const read = await get(api, attack)
          equal([read.status, read.text.includes('of the vault')], [503, false])
          const body = { name: "\\'), (9, (select secret from vault)) #" }
          const written = await send(api, 'POST', '/api/names', { body: { id: 9, ...body } })
          equal(written.status, 503)
          equal((await send(api, 'PATCH', '/api/names/1', { body })).status, 503)
        }
        await all()
        await bad.transaction().execute(async (transaction) => {
          inTransaction = transaction as AnyKysely
          await all()
        })
        match(errors.at(-1) ?? '', /NO_BACKSLASH_ESCAPES/)
        await bad.destroy()
        await own.destroy()
      })

      test(`${kind}: with the dialect "generic" too`, async () => {
        const pool = mysqlPool(db, kind, () => [injectable])
        const { api, db: own } = serve(new MysqlDialect({ pool }), { dialect: 'generic' })
        await rejects(api.ready, /NO_BACKSLASH_ESCAPES/)
        const { status, text } = await get(api, attack)
        equal([status, text.includes('of the vault')], [503, false])
        await own.destroy()
      })
    }

    for (const kind of kinds) {
      const checksOf = (statements: readonly string[]): number =>
        statements.filter((text) => text.includes('@@sql_mode')).length

      test(`${kind} that resets connections is checked each time it lends one`, async () => {
        // The pool sets the mode of a new connection; the reset takes it back.
        const options = { connectionLimit: 1, resetOnRelease: true }
        const {
          api,
          db: own,
          statements,
        } = serve(new MysqlDialect({ pool: mysqlPool(db, kind, () => [], options) }))
        await api.ready
        equal(checksOf(statements), 1)
        await get(api, '/api/names')
        await get(api, '/api/names')
        equal(checksOf(statements), 3)
        await send(api, 'POST', '/api/names', { body: { id: 70, name: 'Bob' } })
        equal(checksOf(statements), 4)
        await send(api, 'DELETE', '/api/names/70')
        await own.destroy()
      })

      test(`${kind} whose database is away at start is checked once when it is back`, async () => {
        const own = mysqlPool(db, kind, () => [])
        let isAway = true
        const pool: MysqlPool = {
          getConnection: (callback) =>
            isAway
              ? callback(
                  Object.assign(new Error('away'), { code: 'ECONNREFUSED' }),
                  undefined as never,
                )
              : own.getConnection(callback),
          end: (callback) => own.end(callback),
        }
        const { api, db: served, statements } = serve(new MysqlDialect({ pool }))
        await api.ready.catch(() => {})
        isAway = false
        for (let times = 0; times < 3; times++) equal((await get(api, '/api/names')).status, 200)
        equal(checksOf(statements), 1)
        await served.destroy()
      })

      test(`${kind} of a session is checked at each use, unless it is that of db`, async () => {
        const other = serve(new MysqlDialect({ pool: mysqlPool(db, kind, () => []) }))
        let session = other.db
        const {
          api,
          db: own,
          statements,
        } = serve(new MysqlDialect({ pool: mysqlPool(db, kind, () => []) }), {
          config: { API_SCHEMA_CHECK: 'off', API_SESSION_GETTER: () => session as never },
        })
        await api.ready
        await get(api, '/api/names')
        await get(api, '/api/names')
        equal([checksOf(other.statements), checksOf(statements)], [2, 1])
        session = own
        await get(api, '/api/names')
        await own.transaction().execute(async (transaction) => {
          session = transaction as AnyKysely
          await get(api, '/api/names')
        })
        equal([checksOf(other.statements), checksOf(statements)], [2, 1])
        await other.db.destroy()
        await own.destroy()
      })
    }

    test('openDatabase sets them on every connection', async () => {
      const { db: own, close } = await openDatabase(db.url ?? '')
      const { rows } = await sql<{ mode: string }>`select @@sql_mode as mode`.execute(own)
      match(rows[0]?.mode ?? '', /STRICT_ALL_TABLES/)
      await close()
    })
  },
  { only: 'mysql' },
)

eachDatabase(
  'settings of a session',
  (test, db) => {
    test.before(() => db.execScript(script))
    const settings = [
      ['standard_conforming_strings', 'off'],
      ['client_encoding', 'LATIN1'],
      ['DateStyle', 'SQL, DMY'],
      ['DateStyle', 'German, DMY'],
      ['extra_float_digits', '0'],
      ['extra_float_digits', '-15'],
    ] as const

    for (const [setting, value] of settings) {
      const line = `set ${setting} = ${value}`
      const open = (setUp: string, isWrapped: boolean): PostgresDialect => {
        const pool = new pg.Pool({ connectionString: db.url ?? '', max: 2 })
        if (isWrapped) {
          return new PostgresDialect({
            pool: preparedPg(pool, { setUp: (client) => client.query(setUp) }),
          })
        }
        pool.on('connect', (client) => {
          client.on('error', () => {})
          client.query(setUp)
        })
        return new PostgresDialect({ pool })
      }

      for (const isWrapped of [false, true]) {
        test(`${isWrapped ? 'a wrapped pool' : 'a pool of pg'}: ${line} is refused`, async () => {
          const { api, db: own, errors } = serve(open(line, isWrapped))
          const message = await api.ready.then(
            () => '',
            (error: Error) => error.message,
          )
          match(message, new RegExp(`${setting} is "${value}"`, 'i'))
          equal((await get(api, '/api/names')).status, 503)
          match(errors.at(-1) ?? '', /client\.query\(/)
          await own.destroy()
          const [, added = ''] = /client\.query\("(.*?)"\)/.exec(message) ?? []
          const mended = serve(open(`${line}; ${added}`, isWrapped))
          await mended.api.ready
          equal((await get(mended.api, '/api/names')).value, [{ id: 1, name: 'Ann' }])
          ok(mended.statements.filter((text) => text.includes(setting)).length <= 2)
          await mended.db.destroy()
        })
      }
    }

    test('openDatabase sets them on every connection', async () => {
      const [name = ''] = (db.url ?? '').split('/').slice(-1)
      const hostile = [...settings, ['array_nulls', 'off'], ['row_security', 'off']] as const
      const lines = hostile.map(([one, value]) => `alter database ${name} set ${one} = ${value}`)
      await db.execScript(lines.join(';'))
      const { db: own, close } = await openDatabase(db.url ?? '')
      const api = createApi({ db: own, models: [Name], config: { API_SCHEMA_CHECK: 'off' } })
      await api.ready
      equal((await get(api, '/api/names')).value, [{ id: 1, name: 'Ann' }])
      await close()
      await db.execScript(`alter database ${name} reset all`)
    })
  },
  { only: 'postgres' },
)
