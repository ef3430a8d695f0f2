/** Several schemas introspected together: models that name their schema, and relations between schemas. */
import type { AnyModel } from '@model-api/core'
import { introspect, printModels, schemasWithTables } from '@model-api/core/introspect'
import { testApi } from '../support/api.ts'
import { equal, ok, rejects } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import type { TestDatabase } from '../support/databases.ts'
import { column, read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const key = 'integer primary key'

/** The tables of the schema `sales`; foreign keys to other schemas are in the script below. */
const sales = (prefix: string): string => `
create table ${prefix}users (id ${key}, name varchar(40) not null);
create table ${prefix}orders (id ${key}, user_id integer not null, product_id integer, {product}
  foreign key (user_id) references {local}users (id));
create table ${prefix}order_tags (order_id integer not null, tag_id integer not null, primary key (order_id, tag_id),
  {tag} foreign key (order_id) references {local}orders (id));
create view ${prefix}people as select id, name from {local}users;
create table ${prefix}api_keys (id ${key}, value varchar(40));
insert into ${prefix}users values (1, 'Ann');
insert into ${prefix}orders values (1, 1, 7);
insert into ${prefix}order_tags values (1, 3);`

const stock = (prefix: string): string => `
create table ${prefix}users (id ${key}, name varchar(40) not null);
create table ${prefix}products (id ${key}, name varchar(40) not null);
create table ${prefix}tags (id ${key}, name varchar(40) not null);
insert into ${prefix}users values (1, 'Store keeper');
insert into ${prefix}products values (7, 'Lamp');
insert into ${prefix}tags values (3, 'bright');`

/** The default schema contains the stock, the other one the sales. */
async function createTables(db: TestDatabase, own: string, other: string): Promise<void> {
  if (db.name === 'sqlite') await db.execScript(`attach ':memory:' as ${other}`)
  else if (db.name === 'postgres') await db.execScript(`create schema ${other}`)
  else {
    await db.execScript('alter database default collate utf8mb4_bin')
    await db.execScript(`create database ${other} character set utf8mb4 collate utf8mb4_bin`)
  }
  // SQLite has no foreign keys between databases.
  const across = (name: string): string =>
    db.name === 'sqlite' ? '' : `foreign key (${name}_id) references ${own}.${name}s (id),`
  await db.execScript(stock(''))
  await db.execScript(
    sales(`${other}.`)
      .replace('{product}', across('product'))
      .replace('{tag}', across('tag'))
      .replaceAll('{local}', db.name === 'sqlite' ? '' : `${other}.`),
  )
}

eachDatabase('introspect of several schemas', (test, db) => {
  // Without a server there is no URL, and the tests are skipped.
  const database =
    db.name === 'mysql' && db.url !== undefined ? new URL(db.url).pathname.slice(1) : ''
  const own = db.name === 'sqlite' ? 'main' : db.name === 'postgres' ? 'public' : database
  // Ends in digits, as every database of a run does, so that the runner finds and drops it if this process is killed.
  const other = db.name === 'mysql' ? `${database}000` : 'sales'
  const schema = [own, other]
  const crosses = db.name !== 'sqlite'
  test.before(() => createTables(db, own, other))
  if (db.name === 'mysql') test.after(() => db.execScript(`drop database ${other}`))
  const published = (models: readonly AnyModel[]) => models.map((model) => ({ ...model, meta: {} }))

  test('models name their schema, which prefixes the second of two equal names', async () => {
    const { models, leftOut, heldBack, notes } = await introspect(db.kysely, { schema })
    const second = `${other.replace(/(?:^|_)([a-z0-9])/g, (_, letter) => letter.toUpperCase())}User`
    equal(
      models.map((one) => [one.schema, one.table]),
      [
        [own, 'products'],
        [own, 'tags'],
        [own, 'users'],
        [other, 'api_keys'],
        ...(crosses ? [] : [[other, 'order_tags']]),
        [other, 'orders'],
        [other, 'people'],
        [other, 'users'],
      ],
    )
    const users = models.filter(({ table }) => table === 'users').map(({ name }) => name)
    equal(users[0], 'User')
    if (db.name !== 'mysql') equal(users[1], second)
    equal(
      heldBack.map(({ table, column }) => `${table} ${column ?? ''}`),
      [`${other}.api_keys `, `${other}.api_keys value`],
    )
    equal(
      leftOut,
      crosses ? [{ table: `${other}.order_tags`, reason: 'junction of Order and Tag' }] : [],
    )
    equal(
      notes.filter(({ note }) => note.includes('another table')).map(({ table }) => table),
      [`${other}.users`],
    )
  })

  test('relations lead from one schema to another, and are served', async () => {
    const { models } = await introspect(db.kysely, { schema })
    const api = testApi(db, published(models), { API_ALLOW_JOIN: true })
    equal((await read(api, '/api/orders/1/user')).name, 'Ann')
    equal(await column(api, '/api/users', 'name'), ['Store keeper'])
    equal((await read(api, '/api/people/1')).name, 'Ann')
    if (!crosses) return
    equal((await read(api, '/api/orders/1/product')).name, 'Lamp')
    equal(await column(api, '/api/products/7/orders', 'id'), [1])
    equal(await column(api, '/api/orders/1/tags', 'name'), ['bright'])
    equal(await column(api, '/api/orders?join=product&product.name__eq=Lamp', 'id'), [1])
    equal(await column(api, '/api/tags?exists(orders.product.name__eq=Lamp)', 'name'), ['bright'])
  })

  test('printed models keep their schemas', async () => {
    const { models } = await introspect(db.kysely, { schema })
    equal((await compiled(printModels(models))).models, models)
  })

  test('tables are chosen by their name in every schema, or in one', async () => {
    const tables = async (options: object): Promise<readonly string[]> => {
      const { models } = await introspect(db.kysely, { schema, ...options })
      return models.map((one) => `${one.schema === own ? 'own' : 'other'}.${one.table}`)
    }
    equal(await tables({ only: ['users'] }), ['own.users', 'other.users'])
    equal(await tables({ only: [`${other}.users`, 'tags'] }), ['own.tags', 'other.users'])
    const except = await tables({ except: [`${own}.users`] })
    equal([except.includes('own.users'), except.includes('other.users')], [false, true])
    await rejects(introspect(db.kysely, { schema, only: [`${other}.tags`] }))
  })

  test('a single schema in a list is that schema', async () => {
    const one = await introspect(db.kysely, { schema: [other] })
    equal(one, await introspect(db.kysely, { schema: other }))
    equal(
      one.models.filter(({ schema }) => schema !== undefined),
      [],
    )
  })

  test('a schema that does not exist is an error', async () => {
    await rejects(introspect(db.kysely, { schema: [own, 'nowhere_000'] }))
  })

  test('the schemas with tables are listed', async () => {
    const found = await schemasWithTables(db.kysely)
    const size = (name: string) => found.find((one) => one.schema === name)
    equal(size(own), { schema: own, tables: 3, isOwn: true })
    equal(size(other), { schema: other, tables: 5, isOwn: false })
    ok(found.every((one) => !/^(?:pg_|information_schema|mysql$|sys$)/.test(one.schema)))
  })
})
