/** preparedSqlite: cached statements with the same results, also after a change of the schema and while rows are being read. */
import { preparedSqlite } from '@model-api/core/drivers'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { equal, ok, throws } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

suite('preparedSqlite', (test) => {
  const counted = (statements?: number) => {
    const file = new Sqlite(':memory:')
    let prepared = 0
    const counting = {
      prepare: (text: string) => {
        prepared += 1
        return file.prepare(text)
      },
      close: () => file.close(),
    }
    const options = statements === undefined ? {} : { statements }
    const database = preparedSqlite(counting, options)
    // biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
    const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
    file.exec(`create table things (id integer primary key, name text);
      insert into things values (1, 'one'), (2, 'two'), (3, 'three');`)
    return { db, file, prepared: () => prepared }
  }

  test('a repeated statement is prepared once, whatever its values', async () => {
    const { db, prepared } = counted()
    for (const id of [1, 2, 3, 1]) {
      const row = await db.selectFrom('things').selectAll().where('id', '=', id).executeTakeFirst()
      equal(row?.id, id)
    }
    equal(prepared(), 1)
    await db.destroy()
  })

  test('at most the configured number of statements is cached', async () => {
    const { db, prepared } = counted(3)
    for (let times = 0; times < 2; times++) {
      for (let i = 0; i < 6; i++) await sql`select ${sql.lit(i)}`.execute(db)
    }
    equal(prepared(), 12)
    for (let times = 0; times < 5; times++) await sql`select 5`.execute(db)
    equal(prepared(), 12)
    await db.destroy()
  })

  test('EXPLAIN is prepared each time, because SQLite does not prepare it again when a table changes', () => {
    const texts: string[] = []
    const database = preparedSqlite({
      prepare: (text) => {
        texts.push(text)
        return { reader: true } as never
      },
      close: () => {},
    })
    for (const text of ['explain delete from a', 'select 1']) {
      database.prepare(text)
      database.prepare(text)
    }
    equal(texts, ['explain delete from a', 'explain delete from a', 'select 1'])
  })

  test('whether a cached statement returns rows is read once', () => {
    let asked = 0
    const statement = {
      get reader() {
        asked += 1
        return true
      },
      raw: () => statement,
      all: () => [],
      get: () => undefined,
      run: () => ({ changes: 0, lastInsertRowid: 0 }),
      iterate: () => [].values(),
    }
    const database = preparedSqlite({ prepare: () => statement, close: () => {} })
    for (let times = 0; times < 3; times++) ok(database.prepare('select 1').reader)
    equal(asked, 1)
  })

  test('a read of the API with at most one row reads one row', () => {
    const file = new Sqlite(':memory:')
    file.exec(
      "create table things (id integer, name text); insert into things values (1, 'a'), (1, 'b')",
    )
    const database = preparedSqlite(file)
    const text = '/* model-api: rows as arrays */ select name from things where id = ? limit 1'
    for (let times = 0; times < 2; times++) {
      equal(database.prepare(text).all([1]), [['a']])
      equal(database.prepare(text).all([2]), [])
    }
    // No statement is left open, so the table can be dropped.
    file.exec('drop table things')
    throws(() => database.prepare(text).all([1]), /no such table/)
    database.close()
  })

  test('a statement whose rows are being read is not shared', () => {
    const file = new Sqlite(':memory:')
    const database = preparedSqlite(file)
    const text = 'select value from json_each(?)'
    const rows = database.prepare(text).iterate(['[1,2,3]'])
    rows.next()
    equal(database.prepare(text).all(['[4]']), [{ value: 4 }])
    equal([...rows], [{ value: 2 }, { value: 3 }])
    equal(database.prepare(text).all(['[5]']), [{ value: 5 }])
    database.close()
  })

  test('a changed table changes the response', async () => {
    const { db, file } = counted()
    const read = () => db.selectFrom('things').selectAll().where('id', '=', 1).executeTakeFirst()
    equal(await read(), { id: 1, name: 'one' })
    file.exec("alter table things add colour text default 'red'")
    equal(await read(), { id: 1, name: 'one', colour: 'red' })
    file.exec('alter table things drop column name')
    equal(await read(), { id: 1, colour: 'red' })
    file.exec('drop table things; create table things (id integer, size integer)')
    equal(await read(), undefined)
    await db.destroy()
  })

  test('changes, keys and transactions are those of the driver', async () => {
    const { db } = counted()
    for (const name of ['four', 'five']) {
      const { insertId } = await db.insertInto('things').values({ name }).executeTakeFirstOrThrow()
      ok((insertId ?? 0n) > 3n)
    }
    for (let times = 0; times < 2; times++) {
      const failed = db.transaction().execute(async (trx) => {
        await trx.deleteFrom('things').execute()
        throw new Error('no')
      })
      await failed.catch(() => {})
      equal((await db.selectFrom('things').select('id').execute()).length, 5)
    }
    await db.destroy()
  })
})
