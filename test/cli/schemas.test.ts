/** model-api serve of several schemas, and of a schema without tables. */
import type { Envelope } from '@model-api/core'
import { equal, match } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase, runsOn, suite, type Test } from '../support/suite.ts'
import { baseIn } from './processes.ts'
import { command, sqliteFile, started } from './support.ts'

runsOn('one server of each engine')

function define(test: Test, db: TestDatabase): void {
  const url = new URL(db.url ?? 'x:')
  const database = url.pathname.slice(1)
  // End in digits, as every database of a run does, so that the runner finds and drops them if this process is killed.
  const [sales, stock] =
    db.name === 'mysql' ? [`${database}000`, `${database}001`] : ['sales', 'stock']
  const kind = db.name === 'mysql' ? 'database' : 'schema'
  test.before(() =>
    db.execScript(`
      create ${kind} ${sales};
      create ${kind} ${stock};
      create table ${stock}.products (id integer primary key, name varchar(40) not null);
      create table ${sales}.orders (id integer primary key, product_id integer,
        foreign key (product_id) references ${stock}.products (id));
      create table ${sales}.products (id integer primary key, name varchar(40) not null);
      insert into ${stock}.products values (7, 'Lamp');
      insert into ${sales}.orders values (1, 7);
      insert into ${sales}.products values (1, 'Sold');`),
  )
  if (db.name === 'mysql') {
    test.after(() => db.execScript(`drop database ${sales}; drop database ${stock}`))
  }

  test('relations connect tables of different schemas', async () => {
    const args = ['serve', db.url ?? '', '--schema', `${stock}, ${sales}`, '--workers', '2']
    const running = started(args, { PORT: '0', HOST: '' })
    const base = baseIn(await running.until(/workers: processes .*\n/))
    const ask = async (path: string): Promise<Envelope> =>
      (await (await fetch(`${base}${path}`)).json()) as Envelope
    const { value } = await ask('/api/orders?join=product&dump=json')
    equal((value as { product: unknown }[])[0]?.product, {
      id: 7,
      name: 'Lamp',
      orders: '/api/products/7/orders',
    })
    equal((await ask('/api/products')).total_count, 1)
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
  })

  test('printed models name their schemas', async () => {
    const { out } = await command(['models', db.url ?? '', `--schema=${stock},${sales}`])
    match(out, `schema: '${sales}'`)
    match(out, `schema: '${stock}'`)
    match(out, "product: belongsTo('Product', 'product_id')")
  })

  test('the error for a schema without tables names those that have some', async () => {
    const { code, err } = await command(['serve', db.url ?? ''])
    equal(code, 1)
    match(err, 'has no table that can be published. Schemas with tables: ')
    if (db.name === 'postgres') {
      match(
        err,
        'Schemas with tables: sales (2 tables), stock (1 table). Name one or several with --schema.',
      )
    }
  })
}

for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase('model-api serve of several schemas', define, { only })
}

suite('model-api serve of several schemas', (test) => {
  test('a SQLite file has one schema', async () => {
    const { code, err } = await command(['serve', sqliteFile(''), '--schema', 'main,other'])
    equal(code, 1)
    match(err, 'There is no attached database "other". There is: "main".')
  })

  test('an empty name is a usage error', async () => {
    const { code, err } = await command(['serve', sqliteFile(''), '--schema', ' , '])
    equal(code, 2)
    match(err, '--schema needs the name of a schema.')
  })
})
