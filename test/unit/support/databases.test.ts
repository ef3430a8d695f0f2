/** The test databases themselves: fresh per caller, scripts, captured statements. */
import { sql } from 'kysely'
import { equal, match, ok } from '../../support/assert.ts'
import { openDatabases } from '../../support/databases.ts'
import { eachDatabase, suite } from '../../support/suite.ts'

eachDatabase('a test database', (test, db) => {
  test.before(async () => {
    await db.execScript(`
      create table books (id integer primary key, title varchar(40));
      insert into books values (1, 'To the Lighthouse');
    `)
  })

  test('has what the script created', async () => {
    const rows = await db.kysely.selectFrom('books').select(['id', 'title']).execute()
    equal(rows, [{ id: 1, title: 'To the Lighthouse' }])
  })

  test('tells which statements were sent', async () => {
    const { result, statements } = await db.capture(() =>
      db.kysely.selectFrom('books').select('id').where('id', '=', 1).execute(),
    )
    equal(result, [{ id: 1 }])
    equal(statements.length, 1)
    match(statements[0]?.sql ?? '', /^select .id. from .books. where .id. = /)
    equal(statements[0]?.parameters, [1])
  })

  test('keeps text in Unicode', async () => {
    const { rows } = await sql<{ text: string }>`select ${'Æsop 🦊'} as text`.execute(db.kysely)
    equal(rows, [{ text: 'Æsop 🦊' }])
  })
})

suite('test databases', (test) => {
  test('are another one for every caller, and gone when closed', async () => {
    const first = openDatabases()
    const second = openDatabases()
    for (const db of [...first, ...second]) {
      await db.kysely.schema.createTable('only_here').addColumn('id', 'integer').execute()
    }
    await Promise.all([...first, ...second].map((db) => db.close()))
    equal(new Set([...first, ...second].map((db) => db.url)).size, first.length * 2 - 1)
    ok(first.some((db) => db.name === 'sqlite'))
  })

  test('are empty where one was closed before', async () => {
    for (let round = 0; round < 3; round++) {
      const opened = openDatabases()
      for (const db of opened) {
        await db.execScript(
          'create table only_here (id integer); create view of_it as select * from only_here',
        )
        if (db.name !== 'postgres') continue
        const { rows } = await sql`show time zone`.execute(db.kysely)
        await db.execScript(`
          create schema beside; create table beside.only_here (id serial primary key);
          create type mood as enum ('good'); create domain whole as integer;
          create function one() returns integer language sql as 'select 1';
        `)
        // Only the second leaves something that cannot be dropped.
        const name = new URL(db.url ?? '').pathname.slice(1)
        if (round === 1) await db.execScript(`alter database ${name} set time zone 'Asia/Kolkata'`)
        ok(!JSON.stringify(rows).includes('Kolkata'))
      }
      for (const db of opened) await db.close()
    }
  })
})
