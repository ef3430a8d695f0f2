/** The comparison reads only the tables of the models, however many others there are. */
import { type AnyModel, belongsTo, createApi, defineModel } from '@model-api/core'
import { CompiledQuery } from 'kysely'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const others = 60

const id = { type: 'integer', primaryKey: true } as const

const Author = defineModel('Author', {
  table: 'authors',
  columns: { id, name: { type: 'string', maxLength: 40 } },
  meta: {},
})
const Book = defineModel('Book', {
  table: 'books',
  columns: { id, title: { type: 'string', maxLength: 40 }, author_id: { type: 'integer' } },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})

eachDatabase('schema check: tables without a model', (test, db) => {
  const config = { API_SCHEMA_CHECK: 'off' } as const
  const compare = (models: readonly AnyModel[]) =>
    createApi({ db: db.kysely, models, config, onWarning: () => {} }).schemaDifferences()

  /** The number of statements of a comparison, and the rows that they return. */
  const cost = async (models: readonly AnyModel[]) => {
    const { statements } = await db.capture(() => compare(models))
    const asked = statements.filter(({ sql }) => /^\s*(?:select|with)\b/.test(sql))
    let rows = 0
    await db.kysely.connection().execute(async (own) => {
      for (const { sql, parameters } of asked) {
        rows += (await own.executeQuery(CompiledQuery.raw(sql, [...parameters]))).rows.length
      }
    })
    return { statements: statements.length, rows }
  }

  const add = (from: number, to: number): Promise<void> =>
    db.execScript(
      Array.from({ length: to - from }, (_, i) => {
        const name = `other_${from + i}`
        return `
          create table ${name} (id integer not null primary key, code varchar(20) not null unique, author_id integer check (author_id > 0),
            foreign key (author_id) references authors (id));
          create view ${name}_codes as select id, code from ${name};`
      }).join('\n'),
    )

  test.before(async () => {
    await db.execScript(`
      create table authors (id integer not null primary key, name varchar(40) not null);
      create table books (id integer not null primary key, title varchar(40) not null, author_id integer not null,
        foreign key (author_id) references authors (id));`)
    await add(0, 2)
    // The first comparison of a pool sends statements that others do not: whether the pool keeps the settings of its connections.
    await compare([Author])
  })

  test('cost no additional statements or rows', async () => {
    const before = await cost([Author, Book])
    await add(2, others)
    equal(await cost([Author, Book]), before)
    ok(before.rows > 10)
    equal(await compare([Author, Book]), [])
  })

  test('are suggested for a table that is missing', async () => {
    await db.execScript(`
      create table shelves (id integer not null primary key);
      create view catalogue_cards as select id from shelves;`)
    const Shelf = defineModel('Shelf', { table: 'shelvs', columns: { id }, meta: {} })
    const Card = defineModel('Card', { table: 'catalog_cards', columns: { id }, meta: {} })
    const messages = (await compare([Shelf, Card, Author])).map(({ message }) => message)
    equal(messages.length, 2)
    match(messages[0] ?? '', 'Did you mean shelves?')
    match(messages[1] ?? '', 'Did you mean catalogue_cards?')
  })
})

eachDatabase('schema check: foreign keys without a model', (test, db) => {
  test('show that the database uses foreign keys', async () => {
    await db.execScript(`
      create table authors (id integer not null primary key, name varchar(40) not null);
      create table books (id integer not null primary key, title varchar(40) not null, author_id integer not null);`)
    const api = createApi({
      db: db.kysely,
      models: [Author, Book],
      config: { API_SCHEMA_CHECK: 'off' },
      onWarning: () => {},
    })
    equal(await api.schemaDifferences(), [])
    await db.execScript(`
      create table others (id integer not null primary key, author_id integer not null, foreign key (author_id) references authors (id));`)
    const differences = await api.schemaDifferences()
    equal(
      differences.map(({ kind, model, column }) => `${kind} ${model}.${column}`),
      ['foreign key Book.author'],
    )
  })
})
