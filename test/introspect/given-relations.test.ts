/** Relations without foreign keys: given ones are treated like foreign keys; relations that only names suggest are not added. */
import { introspect } from '@model-api/core/introspect'
import { testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { column, read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from './support.ts'

const script = `
create table customers (id {id}, name varchar(40) not null);
create table wp_posts (id {id}, title varchar(40), post_author integer);
create table staff (emp_no integer primary key, name varchar(40));
create table orders (id {id}, customer_id integer, post_id integer, emp_no integer, partner_id integer, customer varchar(20),
  status_id varchar(20));
create table statuses (id {id});
create table order_lines (order_id integer not null, no integer not null, primary key (order_id, no));
create table parcels (id {id}, line_order integer, line_no integer);
insert into customers (name) values ('Ann'), ('Bob');
insert into order_lines values (1, 7);
insert into parcels (line_order, line_no) values (1, 7);
insert into orders (customer_id, partner_id) values (2, 1);
`

eachDatabase('relations without foreign keys', (test, db) => {
  test.before(() => createTables(db, script))

  test('are suggested by name and type, but not used', async () => {
    const { models, suggestions } = await introspect(db.kysely)
    const lines = suggestions.map(
      ({ table, columns, to, references }) => `${table}.${columns} -> ${to}.${references}`,
    )
    equal(lines, [
      'order_lines.order_id -> orders.id',
      'orders.customer_id -> customers.id',
      'orders.post_id -> wp_posts.id',
      'orders.emp_no -> staff.emp_no',
    ])
    equal(
      models.flatMap(({ relations }) => Object.keys(relations)),
      [],
    )
  })

  test('are served if they are configured, and no longer suggested', async () => {
    const relations = [
      { table: 'orders', columns: ['customer_id'], to: 'customers', references: ['id'] },
      { table: 'orders', columns: ['partner_id'], to: 'customers', references: ['id'] },
      {
        table: 'parcels',
        columns: ['line_no', 'line_order'],
        to: 'order_lines',
        references: ['no', 'order_id'],
      },
    ]
    const { models, suggestions } = await introspect(db.kysely, { relations })
    equal(suggestions.length, 3)
    const published = models.map((model) => ({ ...model, meta: {} }))
    const api = testApi(db, published, { API_ALLOW_JOIN: true })
    equal((await read(api, '/api/orders/1/partner')).name, 'Ann')
    equal(await column(api, '/api/customers/2/orders-by-customer', 'id'), [1])
    equal((await read(api, '/api/parcels/1/order-line')).no, 7)
  })

  test('with a misspelt name are an error with a suggestion', async () => {
    const failure = async (table: string, name: string): Promise<string> => {
      const one = { table, columns: [name], to: 'customers', references: ['id'] }
      return introspect(db.kysely, { relations: [one] }).then(
        () => '',
        (error: Error) => error.message,
      )
    }
    equal(
      await failure('order', 'customer_id'),
      'relations: there is no table "order". Did you mean "orders"?',
    )
    match(await failure('orders', 'custmer_id'), 'orders has no column "custmer_id". Did you mean')
  })
})

const unclear = `
create table users (id {id}, name varchar(40));
create table profiles (user_id integer primary key, foreign key (user_id) references users (id));
create table members (member_no integer primary key, foreign key (member_no) references users (id));
create table posts (id {id}, title varchar(40));
create table wp_posts (id {id}, title varchar(40));
create table visits (id {id}, user_id integer, member_no integer, post_id integer);
create table notes (id {id}, post_id integer, post_type varchar(20));
`

eachDatabase('relations that names suggest', (test, db) => {
  test.before(() => createTables(db, unclear))

  test('lead to the table of this name, not to keys that are foreign keys, and not to one of several tables', async () => {
    const { suggestions } = await introspect(db.kysely)
    equal(
      suggestions.map(({ table, columns, to }) => `${table}.${columns} -> ${to}`),
      ['visits.user_id -> users', 'visits.post_id -> posts'],
    )
  })
})
