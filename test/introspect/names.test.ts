/** Names that introspect chooses if a name of the database cannot be used in a request, or if two names would collide. */
import { createApi } from '@model-api/core'
import { type Introspection, introspect } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from './support.ts'

const script = `
create table products (id {id});
create table people (id {id}, name varchar(80) not null);
create table person (id {id});
create table "order details" (id {id}, "unit price" integer not null, "2nd" integer, "x__eq" integer,
  "x_eq" integer, "nullslast" integer, "Größe" integer, "__proto__" integer, "from" integer, "数" integer,
  "page" integer, "or" integer, "constructor" integer, "a__b__sum" integer);
create table "2024_sales" (id {id}, person_id integer, foreign key (person_id) references people (id));
create table news (id {id}, "1st_person_id" integer, foreign key ("1st_person_id") references people (id));
create table "InvoiceLines" (id {id});
create table "UserURLs" (id {id});
create table geodetic_crs (id {id});
create table user_data (id {id});
create table statuses (id {id}, exists_id integer, foreign key (exists_id) references news (id));
create table "顧客" (id {id}, "имя" varchar(20));
create table "заказы" (id {id}, "顧客_id" integer, foreign key ("顧客_id") references "顧客" (id));
create table departments (dept_no varchar(4) primary key);
create table languages (language_id integer primary key);
create table films (id {id}, language_id integer, original_language_id integer, deptno varchar(4), productid integer,
  foreign key (language_id) references languages (language_id),
  foreign key (original_language_id) references languages (language_id),
  foreign key (deptno) references departments (dept_no), foreign key (productid) references products (id));
create table staff (id {id}, dept_no varchar(4), foreign key (dept_no) references departments (dept_no));
create table accounts (id {id}, login varchar(80) not null, password_hash varchar(80) not null, api_key varchar(80),
  password_changed_on date, secretary varchar(80));
`

eachDatabase('names of introspect', (test, db) => {
  let found: Introspection
  const fields = (name: string): string[] => {
    const model = found.models.find((one) => one.name === name)
    return Object.entries(model?.columns ?? {}).map(([field, column]) =>
      column.column === undefined ? field : `${field} = ${column.column}`,
    )
  }
  test.before(async () => {
    await createTables(db, script)
    found = await introspect(db.kysely)
  })

  test('models are the singular of their table in Pascal case', () => {
    const names = Object.fromEntries(found.models.map((model) => [model.table, model.name]))
    equal(names, {
      '2024_sales': 'Table2024Sale',
      InvoiceLines: 'InvoiceLine',
      UserURLs: 'UserUrl',
      accounts: 'Account',
      departments: 'Department',
      films: 'Film',
      geodetic_crs: 'GeodeticCrs',
      languages: 'Language',
      news: 'News',
      'order details': 'OrderDetail',
      people: 'Person',
      person: 'Person2',
      products: 'Product',
      staff: 'Staff',
      statuses: 'Status',
      user_data: 'UserData',
      заказы: 'Zakazy',
      顧客: 'U9867u5ba2',
    })
  })

  test('a model that would have the endpoint of another is renamed with a note', () => {
    const notes = found.notes.filter(({ table }) => table === 'person')
    equal(notes, [
      {
        table: 'person',
        note: 'its model is called Person2, because another table is served as Person',
      },
    ])
  })

  test('fields keep the name of their column unless a request could not hold it', () => {
    equal(fields('OrderDetail'), [
      'id',
      'unit_price = unit price',
      '_2nd = 2nd',
      'x_eq_2 = x__eq',
      'x_eq',
      'nullslast_column = nullslast',
      'Grosse = Größe',
      'proto = __proto__',
      'from',
      'u6570 = 数',
      'page',
      'or',
      'constructor_column = constructor',
      'a__b_sum = a__b__sum',
    ])
  })

  test('a table and a column in another alphabet have their own names as descriptions', () => {
    const described = found.models.filter(({ description }) => description !== undefined)
    equal(
      described.map(({ table, description }) => [table, description]),
      [
        ['заказы', 'заказы'],
        ['顧客', '顧客'],
      ],
    )
    equal(found.models.find(({ name }) => name === 'U9867u5ba2')?.columns.imya, {
      type: 'string',
      maxLength: 20,
      column: 'имя',
      nullable: true,
      description: 'имя',
    })
  })

  test('a foreign key named like the key it refers to takes the name of its target', () => {
    const of = (name: string): string[] =>
      Object.keys(found.models.find((model) => model.name === name)?.relations ?? {})
    equal(of('Staff'), ['department'])
    equal(of('Film'), ['language', 'original_language', 'department', 'product'])
    equal(of('Language'), ['films_by_language', 'films_by_original_language'])
    equal(of('Zakazy'), ['u9867u5ba2'])
    equal(of('U9867u5ba2'), ['zakazies'])
  })

  test('a relation avoids the keywords of the query language', () => {
    const of = (name: string): string[] =>
      Object.keys(found.models.find((model) => model.name === name)?.relations ?? {})
    equal(of('Person'), ['table2024_sales', 'news'])
    equal(of('News'), ['_1st_person', 'statuses'])
    const status = found.models.find((model) => model.name === 'Status')
    equal(Object.keys(status?.relations ?? {}), ['exists_news'])
  })

  test('columns with the name of a secret are hidden', () => {
    const account = found.models.find((model) => model.name === 'Account')
    const hidden = Object.entries(account?.columns ?? {}).filter(([, column]) => column.hidden)
    equal(
      hidden.map(([name]) => name),
      ['password_hash', 'api_key'],
    )
  })

  test('every name is accepted by createApi', () => {
    const models = found.models.map((model) => ({ ...model, meta: {} }))
    const api = createApi({ db: db.kysely, models })
    equal(api.registry.resources.length, found.models.length)
  })
})
