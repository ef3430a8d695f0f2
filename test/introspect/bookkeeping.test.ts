/** Tables of migration tools are left out, unless they are named; their keys suggest no relations. */
import { introspect } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('tables of migration tools', (test, db) => {
  test.before(() =>
    db.execScript(`
      create table Migrations (name varchar(80) not null primary key, run_at varchar(30) not null);
      create table labels (id integer not null primary key, name varchar(80) not null);
      create table states (status varchar(10) not null primary key);
      create table tickets (id integer not null primary key, status varchar(10) not null);`),
  )
  const own = () => (db.name === 'postgres' ? 'migrations' : 'Migrations')
  const tables = async (options: object): Promise<readonly string[]> =>
    (await introspect(db.kysely, options)).models.map(({ table }) => table.toLowerCase()).sort()

  test('are left out whatever the case of their names', async () => {
    const { models, leftOut } = await introspect(db.kysely)
    equal(
      models.map(({ name }) => name),
      ['Label', 'State', 'Ticket'],
    )
    const reason = 'book-keeping of a tool; name it in "include" to read it'
    equal(
      leftOut.map((one) => [one.table.toLowerCase(), one.reason]),
      [['migrations', reason]],
    )
  })

  test('are read if include or only names them', async () => {
    equal(await tables({ include: [own()] }), ['labels', 'migrations', 'states', 'tickets'])
    equal(await tables({ only: [own()] }), ['migrations'])
    equal(await tables({ include: [own()], only: ['labels'] }), ['labels'])
  })

  test('a misspelt name is an error with a suggestion', async () => {
    const error = await introspect(db.kysely, { include: ['lables'] }).catch((one: Error) => one)
    equal(
      error instanceof Error && error.message,
      'include: there is no table "lables". Did you mean "labels"?',
    )
  })

  test('columns with the same general name suggest no relation', async () => {
    equal((await introspect(db.kysely, { include: [own()] })).suggestions, [])
  })
})
