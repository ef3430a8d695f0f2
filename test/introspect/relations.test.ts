/** Relations that introspect finds in foreign keys, the same on every database. */
import type { AnyModel } from '@model-api/core'
import { type Introspection, introspect } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from './support.ts'

const script = `
create table countries (id {id}, code varchar(2) not null unique);
create table cities (id {id}, country_code varchar(2), name varchar(80) not null,
  foreign key (country_code) references countries (code));

create table teams (id {id}, name varchar(80) not null, games integer);
create table games (id {id}, home_team_id integer not null, away_team_id integer not null,
  foreign key (home_team_id) references teams (id), foreign key (away_team_id) references teams (id));

create table employees (id {id}, reports_to integer, mentor_id integer,
  foreign key (reports_to) references employees (id));
create table badges (id integer primary key, foreign key (id) references employees (id));
create table desks (id {id}, employee_id integer unique, employee varchar(20),
  foreign key (employee_id) references employees (id));

create table orders (id {id});
create table order_lines (line_no integer not null, order_id integer not null, text varchar(80),
  primary key (order_id, line_no), foreign key (order_id) references orders (id));
create table shipments (id {id}, line_order_id integer, line_line_no integer,
  foreign key (line_order_id, line_line_no) references order_lines (order_id, line_no));

create table books (id {id}, author integer, foreign key (author) references employees (id));
create table tags (id {id});
create table book_tags (book_id integer not null, tag_id integer not null,
  primary key (book_id, tag_id), foreign key (book_id) references books (id),
  foreign key (tag_id) references tags (id));
create table loans (book_id integer not null, employee_id integer not null, returned_on date,
  primary key (book_id, employee_id), foreign key (book_id) references books (id),
  foreign key (employee_id) references employees (id));
create table reviews (book_id integer not null, employee_id integer not null, stars integer not null,
  primary key (book_id, employee_id), foreign key (book_id) references books (id),
  foreign key (employee_id) references employees (id));
create table follows (follower_id integer not null, leader_id integer not null,
  primary key (follower_id, leader_id), foreign key (follower_id) references employees (id),
  foreign key (leader_id) references employees (id));
create table line_tags (tag_id integer not null, order_id integer not null, line_no integer not null,
  primary key (tag_id, line_no, order_id), foreign key (tag_id) references tags (id),
  foreign key (order_id, line_no) references order_lines (order_id, line_no));

create table units (auth_name varchar(20) not null, code varchar(20) not null, primary key (auth_name, code));
create table methods (id {id}, param1_uom_auth_name varchar(20), param1_uom_code varchar(20), param2_uom_auth_name varchar(20),
  param2_uom_code varchar(20), foreign key (param1_uom_auth_name, param1_uom_code) references units (auth_name, code),
  foreign key (param2_uom_auth_name, param2_uom_code) references units (auth_name, code));
create table nodes (id {id});
create table edges (id {id}, a_id integer, b_id integer,
  foreign key (a_id) references nodes (id), foreign key (b_id) references nodes (id));
create table labels (id {id}, n_id integer, foreign key (n_id) references nodes (id));

create table keyless (book_id integer, foreign key (book_id) references books (id));
create view book_list as select id from books;
create table kysely_migration (name varchar(255) primary key);
create table refresh_tokens (digest varchar(64) primary key);
create table idempotency_keys (id varchar(64) primary key);
`

/** One line per relation: `name kind Target key …`. */
function relations(model: AnyModel | undefined): string[] {
  return Object.entries(model?.relations ?? {}).map(([name, relation]) => {
    const key =
      relation.kind === 'manyToMany'
        ? `${relation.from} ${relation.through} ${relation.to}`
        : `${relation.key}${relation.references === undefined ? '' : ` -> ${relation.references}`}`
    return `${name}: ${relation.kind} ${relation.target} ${key}`
  })
}

eachDatabase('relations of introspect', (test, db) => {
  let found: Introspection
  const of = (name: string): string[] =>
    relations(found.models.find((model) => model.name === name))
  test.before(async () => {
    await createTables(db, script)
    found = await introspect(db.kysely)
  })

  test('a key to a unique column names that column, and the stem of its name names the relation', () => {
    equal(of('City'), ['country: belongsTo Country country_code -> code'])
    equal(of('Country'), ['cities: hasMany City country_code -> code'])
  })

  test('several keys to one table are distinguished by their columns', () => {
    equal(of('Game'), [
      'home_team: belongsTo Team home_team_id',
      'away_team: belongsTo Team away_team_id',
    ])
    equal(of('Team'), [
      'games_by_home_team: hasMany Game home_team_id',
      'games_by_away_team: hasMany Game away_team_id',
    ])
  })

  test('a composite key gives its relation what its columns have in common', () => {
    equal(of('Method'), [
      'param1_uom: belongsTo Unit param1_uom_auth_name,param1_uom_code',
      'param2_uom: belongsTo Unit param2_uom_auth_name,param2_uom_code',
    ])
    equal(of('Unit'), [
      'methods_by_param1_uom: hasMany Method param1_uom_auth_name,param1_uom_code',
      'methods_by_param2_uom: hasMany Method param2_uom_auth_name,param2_uom_code',
    ])
  })

  test('one letter is no name of a relation', () => {
    equal(of('Label'), ['node: belongsTo Node n_id'])
    equal(of('Edge'), ['a_node: belongsTo Node a_id', 'b_node: belongsTo Node b_id'])
    equal(of('Node'), [
      'edges_by_a_node: hasMany Edge a_id',
      'edges_by_b_node: hasMany Edge b_id',
      'labels: hasMany Label n_id',
    ])
  })

  test('a relation is renamed if its key has the same name', () => {
    equal(of('Book').slice(0, 1), ['author_employee: belongsTo Employee author'])
    equal(of('Desk'), ['employee_record: belongsTo Employee employee_id'])
  })

  test('a table may refer to itself', () => {
    equal(of('Employee'), [
      'reports_to_employee: belongsTo Employee reports_to',
      'badge: hasOne Badge id',
      'books: hasMany Book author',
      'desk: hasOne Desk employee_id',
      'employees: hasMany Employee reports_to',
      'loans: hasMany Loan employee_id',
      'reviews: hasMany Review employee_id',
      'leaders: manyToMany Employee follower_id follows leader_id',
      'followers: manyToMany Employee leader_id follows follower_id',
      'books_through_loan: manyToMany Book employee_id loans book_id',
      'books_through_review: manyToMany Book employee_id reviews book_id',
    ])
  })

  test('a key that is unique leads to one record, also when it is the primary key', () => {
    equal(of('Badge'), ['employee: belongsTo Employee id'])
  })

  test('composite keys are paired in the order of the model they lead to', () => {
    const line = found.models.find((model) => model.name === 'OrderLine')
    equal(Object.keys(line?.columns ?? {}), ['line_no', 'order_id', 'text'])
    equal(of('Shipment'), ['order_line: belongsTo OrderLine line_line_no,line_order_id'])
    equal(of('OrderLine'), [
      'order: belongsTo Order order_id',
      'shipments: hasMany Shipment line_line_no,line_order_id',
      'tags: manyToMany Tag line_no,order_id line_tags tag_id',
    ])
  })

  test('a junction is a relation of both sides, and also a model if it has further columns', () => {
    equal(of('Tag'), [
      'books: manyToMany Book tag_id book_tags book_id',
      'order_lines: manyToMany OrderLine tag_id line_tags line_no,order_id',
    ])
    equal(of('Loan'), ['book: belongsTo Book book_id', 'employee: belongsTo Employee employee_id'])
    equal(of('Review'), [
      'book: belongsTo Book book_id',
      'employee: belongsTo Employee employee_id',
    ])
    equal(of('Book'), [
      'author_employee: belongsTo Employee author',
      'keylesses: hasMany Keyless book_id',
      'loans: hasMany Loan book_id',
      'reviews: hasMany Review book_id',
      'tags: manyToMany Tag book_id book_tags tag_id',
      'employees: manyToMany Employee book_id loans employee_id',
      'employees_through_review: manyToMany Employee book_id reviews employee_id',
    ])
  })

  test('everything left out is listed with its reason', () => {
    equal(found.leftOut, [
      { table: 'book_tags', reason: 'junction of Book and Tag' },
      { table: 'follows', reason: 'junction of Employee and Employee' },
      {
        table: 'idempotency_keys',
        reason: 'book-keeping of a tool; name it in "include" to read it',
      },
      {
        table: 'kysely_migration',
        reason: 'book-keeping of a tool; name it in "include" to read it',
      },
      { table: 'line_tags', reason: 'junction of Tag and OrderLine' },
      {
        table: 'refresh_tokens',
        reason: 'book-keeping of a tool; name it in "include" to read it',
      },
    ])
  })

  test('no model is published', () => {
    equal(
      found.models.filter((model) => model.meta !== undefined),
      [],
    )
  })

  test('only and except choose tables, and relations to others are noted', async () => {
    const some = await introspect(db.kysely, { only: ['books', 'book_tags', 'tags'] })
    equal(
      some.models.map((model) => model.name),
      ['Book', 'Tag'],
    )
    equal(some.notes, [
      {
        table: 'books',
        note: 'no relation for the foreign key (author): "employees" is not published',
      },
    ])
    const others = await introspect(db.kysely, { except: ['employees', 'book_tags'] })
    equal(
      others.models.some((model) => model.name === 'Employee'),
      false,
    )
    equal(relations(others.models.find((model) => model.name === 'Tag')), [
      'order_lines: manyToMany OrderLine tag_id line_tags line_no,order_id',
    ])
    equal(others.leftOut.filter(({ reason }) => reason === 'in "except"').length, 2)
  })

  test('a misspelt table is an error with a suggestion', async () => {
    const error = await introspect(db.kysely, { only: ['bokks'] }).catch((thrown: Error) => thrown)
    equal(
      error instanceof Error && error.message,
      'only: there is no table "bokks". Did you mean "books"?',
    )
  })
})
