// Errors that the drivers really throw, classified by what the caller can do (reliability §3).
import { sql } from 'kysely'
import { detectDialect } from '../../packages/core/src/dialect/detect.ts'
import type { DatabaseFailure } from '../../packages/core/src/dialect/dialect.ts'
import { equal, fail } from '../support/assert.ts'
import type { DatabaseName } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'

const ddl: Readonly<Record<DatabaseName, string>> = {
  sqlite: `create table owners (id integer primary key, email text not null constraint email_given check (email <> ''), site text, unique (site));
    create unique index owners_email on owners (email);
    create table pets (id integer primary key, owner_id integer not null constraint pets_owner references owners (id), name text)`,
  postgres: `create table owners (id int primary key, email varchar(20) not null constraint email_given check (email <> ''), site text unique, n smallint);
    create unique index owners_email on owners (email);
    create table pets (id int primary key, owner_id int not null constraint pets_owner references owners (id), name text)`,
  mysql: `create table owners (id int primary key, email varchar(20) not null, site varchar(20) unique, n smallint, kind enum('a'),
      constraint email_given check (email <> ''));
    create unique index owners_email on owners (email);
    create table pets (id int primary key, owner_id int not null, name text, constraint pets_owner foreign key (owner_id) references owners (id))`,
}

eachDatabase('dialect/failures', (test, db) => {
  const dialect = detectDialect(db.kysely)

  test.before(async () => {
    await db.execScript(ddl[db.name])
    await db.execScript(
      `insert into owners (id, email) values (1, 'a'); insert into pets (id, owner_id) values (1, 1)`,
    )
  })

  const failure = async (statement: string): Promise<DatabaseFailure> => {
    try {
      await sql.raw(statement).execute(db.kysely)
    } catch (error) {
      return dialect.classify(error)
    }
    return fail(`no error: ${statement}`)
  }

  const names = <T>(of: Readonly<Record<DatabaseName, T>>): T => of[db.name]

  test('unique', async () => {
    equal(await failure(`insert into owners (id, email) values (1, 'b')`), {
      kind: 'unique',
      ...names<object>({
        sqlite: { column: 'id', constraint: '"id"' },
        postgres: { constraint: 'owners_pkey' },
        mysql: { constraint: 'PRIMARY' },
      }),
    })
    equal(await failure(`insert into owners (id, email) values (2, 'a')`), {
      kind: 'unique',
      ...names<object>({
        sqlite: { column: 'email', constraint: '"email"' },
        postgres: { constraint: 'owners_email' },
        mysql: { constraint: 'owners_email' },
      }),
    })
  })

  test('foreign key, on write and on delete', async () => {
    const named = names<object>({
      sqlite: {},
      postgres: { constraint: 'pets_owner' },
      mysql: { constraint: 'pets_owner', column: 'owner_id' },
    })
    equal(await failure('insert into pets (id, owner_id) values (2, 99)'), {
      kind: 'foreignKey',
      ...named,
    })
    equal(await failure('delete from owners where id = 1'), { kind: 'foreignKey', ...named })
  })

  test('not null', async () => {
    equal(await failure('insert into owners (id, email) values (3, null)'), {
      kind: 'notNull',
      column: 'email',
    })
    equal(await failure('insert into owners (id) values (3)'), { kind: 'notNull', column: 'email' })
  })

  test('check', async () => {
    equal(await failure(`insert into owners (id, email) values (3, '')`), {
      kind: 'check',
      constraint: 'email_given',
    })
  })

  test('values that do not fit', async () => {
    if (db.name === 'sqlite') {
      equal((await failure(`insert into owners (id, email) values ('x', 'y')`)).kind, 'value')
      equal((await failure(`select 'x' glob '${'[ab]'.repeat(20_000)}'`)).kind, 'value')
      return
    }
    const long = 'x'.repeat(30)
    equal((await failure(`insert into owners (id, email) values (3, '${long}')`)).kind, 'value')
    equal((await failure(`insert into owners (id, email, n) values (3, 'c', 70000)`)).kind, 'value')
    equal((await failure(`insert into owners (id, email, n) values (3, 'c', 'x')`)).kind, 'value')
    if (db.name === 'postgres') {
      equal((await failure(`select '2024-02-31'::date`)).kind, 'value')
      equal((await failure(`select 'x'::uuid`)).kind, 'value')
      equal((await failure(`select '{'::json`)).kind, 'value')
    } else {
      equal(await failure(`insert into owners (id, email) values (3, '${long}')`), {
        kind: 'value',
        column: 'email',
      })
      equal(await failure(`insert into owners (id, email, kind) values (3, 'c', 'b')`), {
        kind: 'value',
        column: 'kind',
      })
    }
  })

  test('a statement that is too slow', async () => {
    if (db.name === 'sqlite') return
    const onMariadb = db.engine === 'mariadb'
    const kind = await db.kysely.connection().execute(async (connection) => {
      await sql
        .raw(
          names({
            sqlite: '',
            postgres: 'set statement_timeout = 50',
            mysql: onMariadb ? 'set max_statement_time = 0.05' : 'set max_execution_time = 50',
          }),
        )
        .execute(connection)
      try {
        await sql
          .raw(
            names({
              sqlite: '',
              postgres: 'select pg_sleep(5)',
              mysql: 'select sum(sleep(1)) from (select 1 union select 2 union select 3) t',
            }),
          )
          .execute(connection)
        return 'none'
      } catch (error) {
        return dialect.classify(error).kind
      } finally {
        await sql
          .raw(
            names({
              sqlite: '',
              postgres: 'reset statement_timeout',
              mysql: `set ${onMariadb ? 'max_statement_time' : 'max_execution_time'} = default`,
            }),
          )
          .execute(connection)
      }
    })
    equal(kind, 'timeout')
  })

  test('deadlocks are retryable', async () => {
    if (db.name === 'sqlite') return
    await db.execScript(`insert into owners (id, email) values (11, 'm'), (12, 'n')`)
    let ready = 0
    const both = async (): Promise<void> => {
      ready += 1
      while (ready % 2 !== 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const run = (first: number, second: number): Promise<string> =>
      db.kysely
        .transaction()
        .execute(async (trx) => {
          await sql`update owners set site = ${`s${first}${second}`} where id = ${first}`.execute(
            trx,
          )
          await both()
          await sql`update owners set site = ${`t${first}${second}`} where id = ${second}`.execute(
            trx,
          )
          return 'done'
        })
        .catch((error: unknown) => dialect.classify(error).kind)
    equal((await Promise.all([run(11, 12), run(12, 11)])).sort(), ['done', 'retry'])
  })

  test('errors in own SQL are internal errors', async () => {
    equal((await failure('select nothing from nowhere')).kind, 'other')
    equal((await failure('selec 1')).kind, 'other')
  })

  test('a server that is down', async () => {
    if (db.name === 'sqlite') return
    const { Kysely, MysqlDialect, PostgresDialect } = await import('kysely')
    const pg = await import('pg')
    const mysql = await import('mysql2')
    const away = new Kysely<Record<string, never>>({
      dialect:
        db.name === 'postgres'
          ? new PostgresDialect({ pool: new pg.default.Pool({ host: '127.0.0.1', port: 1 }) })
          : new MysqlDialect({ pool: mysql.default.createPool({ host: '127.0.0.1', port: 1 }) }),
    })
    const thrown = await sql`select 1`.execute(away).catch((error: unknown) => error)
    equal(dialect.classify(thrown), { kind: 'unavailable' })
    await away.destroy()
    const closed = await sql`select 1`.execute(away).catch((error: unknown) => error)
    equal(dialect.classify(closed), { kind: 'unavailable' })
  })
})
