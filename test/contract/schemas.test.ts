/** Models in several schemas: each is read and written in its own schema, with relations between them. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { sql } from 'kysely'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { send, testApi } from '../support/api.ts'
import { equal, throws } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { column, read, withMeta } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const id = { type: 'integer', primaryKey: true } as const
const name = { type: 'string', maxLength: 40, unique: true } as const

/** Authors and tags are in the schema `other`, books in the default one. Each table exists in both, with different rows. */
function modelsOf(other: string, schema?: string) {
  const own = schema === undefined ? {} : { schema }
  const Author = defineModel('Author', {
    table: 'authors',
    schema: other,
    columns: { id, name },
    relations: { books: hasMany('Book', 'author_id') },
    meta: {},
  })
  const Book = defineModel('Book', {
    table: 'books',
    ...own,
    columns: {
      id,
      name,
      author_id: { type: 'integer', nullable: true },
      local_id: { type: 'integer', nullable: true },
    },
    relations: {
      author: belongsTo('Author', 'author_id'),
      local: belongsTo('LocalAuthor', 'local_id'),
      tags: manyToMany('Tag', {
        through: 'book_tags',
        schema: other,
        from: 'book_id',
        to: 'tag_id',
      }),
    },
    meta: {},
  })
  const Tag = defineModel('Tag', {
    table: 'tags',
    schema: other,
    columns: { id, name },
    relations: {
      books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }),
    },
    meta: {},
  })
  const LocalAuthor = defineModel('LocalAuthor', {
    table: 'authors',
    ...own,
    columns: { id, name },
    relations: { books: hasMany('Book', 'local_id') },
    meta: {},
  })
  return [Author, Book, Tag, LocalAuthor]
}

const BookTag = (schema?: string): AnyModel =>
  defineModel('BookTag', {
    table: 'book_tags',
    ...(schema === undefined ? {} : { schema }),
    columns: {
      book_id: { type: 'integer', primaryKey: true },
      tag_id: { type: 'integer', primaryKey: true },
    },
    meta: {},
  })

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_SERIALIZATION_TYPE: 'url',
}

eachDatabase('models in several schemas', (test, db) => {
  const other = schemaName(db)
  test.before(() => createTables(db, other))
  // The server cannot drop a database while foreign keys of another one refer to it.
  const drops = `drop table ${other}.book_tags; drop table books; drop database ${other}`
  if (db.name === 'mysql') test.after(() => db.execScript(drops))
  const models: readonly AnyModel[] = modelsOf(other)
  const api = testApi(db, models, config)
  const rowsOf = async (...table: string[]): Promise<unknown> =>
    (await sql`select * from ${sql.id(...table)} order by 1, 2`.execute(db.kysely)).rows
  /** The rows of tables with the same names in the wrong schema, which no request may touch. */
  const decoys = () =>
    Promise.all([rowsOf('tags'), rowsOf('book_tags'), rowsOf('authors'), rowsOf(other, 'books')])

  test('every read uses the schemas of its models', async () => {
    equal(await column(api, '/api/authors', 'name'), ['Ann', 'Bob'])
    equal(await column(api, '/api/local-authors', 'name'), ['Local', 'Decoy'])
    equal(await column(api, '/api/books', 'name'), ['Arrows', 'Boats'])
    equal((await read(api, '/api/books/1/author')).name, 'Ann')
    equal((await read(api, '/api/books/1/local')).name, 'Decoy')
    equal(await column(api, '/api/authors/1/books', 'name'), ['Arrows', 'Boats'])
    equal(await column(api, '/api/tags/1/books', 'name'), ['Arrows'])
    const [first] = await read(api, '/api/books?dump=json&join=author,local,tags')
    equal([first.author.name, first.local.name], ['Ann', 'Decoy'])
    equal(
      first.tags.map((tag: { name: string }) => tag.name),
      ['old'],
    )
    equal(await column(api, '/api/books?join=tags&tags.name__eq=old', 'name'), ['Arrows'])
    equal(await column(api, '/api/books?join=tags&tags.name__eq=decoy', 'name'), [])
    equal(await column(api, '/api/authors?exists(books.tags.name__eq=old)', 'name'), ['Ann'])
    equal(await column(api, '/api/authors?missing(books)', 'name'), ['Bob'])
    const groups = '/api/books?join=author,local&groupby=author.name,local.name&id|n__count=1'
    equal((await read(api, `${groups}&order_by=-n`))[0].n, 1)
    const fields = '/api/books?join=author,local&fields=name,author.name,local.name&join_type=inner'
    equal(await read(api, fields), [
      { name: 'Arrows', 'author.name': 'Ann', 'local.name': 'Decoy' },
    ])
  })

  test('every write uses the schema of its model, and so do its look-ups and probes', async () => {
    const before = await decoys()
    const created = await send(api, 'POST', '/api/books', {
      body: {
        id: 5,
        name: 'Clouds',
        author: { id: 3, name: 'Cid' },
        tags: [{ id: 2, name: 'new' }, { id: 1 }],
      },
    })
    equal(created.status, 201, created.text)
    equal(await column(api, '/api/books/5/tags', 'name'), ['old', 'new'])
    const taken = await send(api, 'POST', '/api/tags', { body: { id: 9, name: 'old' } })
    equal([taken.status, Object.keys(taken.errors.reason)], [409, ['name']])
    const changed = await send(api, 'PATCH', '/api/books/5', { body: { author_id: 2, tags: [] } })
    equal([changed.status, changed.value.author_id], [200, 2])
    equal(await column(api, '/api/books/5/tags', 'name'), [])
    const many = { name: 'Cliffs', tags: [{ id: 1 }] }
    equal((await send(api, 'PATCH', '/api/books/5', { body: many })).status, 200)
    if (db.name !== 'sqlite') {
      const dangling = await send(api, 'PATCH', '/api/books/5', { body: { author_id: 77 } })
      equal([dangling.status, Object.keys(dangling.errors.reason)], [422, ['author_id']])
    }
    const bulk = await send(api, 'PATCH', '/api/books?name__eq=Cliffs', { body: { name: 'Dunes' } })
    equal(bulk.value.length, 1)
    equal((await send(api, 'DELETE', '/api/authors/2')).status, 409)
    equal((await send(api, 'DELETE', '/api/books/5')).status, 200)
    equal((await send(api, 'DELETE', '/api/tags/2')).status, 200)
    equal((await send(api, 'DELETE', '/api/authors/3')).status, 200)
    equal(await decoys(), before)
    equal(await column(api, '/api/authors', 'name'), ['Ann', 'Bob'])
  })

  test('a published junction in another schema follows its own rules', async () => {
    const policy: AccessPolicy = { scope_query: (query) => query.where('tag_id', '<>', 1) }
    const junction = withMeta([...models, BookTag(other)], 'BookTag', { access_policy: policy })
    const own = testApi(db, junction, config)
    equal(await column(own, '/api/books/1/tags', 'name'), [])
    equal(await column(own, '/api/books?exists(tags)', 'name'), [])
    // The table of the same name in the default schema is not the junction of these models.
    const local = withMeta([...models, BookTag()], 'BookTag', { access_policy: policy })
    const plain = testApi(db, local, config)
    equal(await column(plain, '/api/books/1/tags', 'name'), ['old'])
  })

  test('the query of a policy uses the schema of its model, with and without a schema plugin', async () => {
    const policy: AccessPolicy = { scope_query: (query) => query.where('name', '<>', 'Bob') }
    const scoped = withMeta(models, 'Author', { access_policy: policy })
    const own = testApi(db, scoped, config)
    equal(await column(own, '/api/authors', 'name'), ['Ann'])
    equal(await column(own, '/api/books?join=author&author.name__eq=Decoy', 'name'), [])
    equal(await column(own, '/api/books?exists(author.name__eq=Ann)', 'name'), ['Arrows', 'Boats'])
    const schema = ownSchema(db)
    const plugged = testApi(db, scoped, config, { db: db.kysely.withSchema(schema), schema })
    equal(await column(plugged, '/api/authors', 'name'), ['Ann'])
    equal(await column(plugged, '/api/local-authors', 'name'), ['Local', 'Decoy'])
    equal((await send(plugged, 'DELETE', '/api/authors/1')).status, 409)
  })

  test('a model may name the schema of the connection as well', async () => {
    const named = testApi(db, modelsOf(other, ownSchema(db)), config)
    equal(await column(named, '/api/authors/1/books', 'name'), ['Arrows', 'Boats'])
    equal(await column(named, '/api/local-authors', 'name'), ['Local', 'Decoy'])
  })

  test('an empty schema name is an error at start-up', () => {
    const { message } = throws(() => testApi(db, modelsOf(''), config))
    equal(message.includes('models.Author.schema: expected the name of a schema.'), true, message)
    equal(message.includes('models.Book.relations.tags.schema: '), true, message)
  })
})

/** A name that is unique on the server: schemas of MySQL are separate databases. */
function schemaName({ name, url }: TestDatabase): string {
  if (name !== 'mysql' || url === undefined) return 'other'
  // Ends in digits, as every database of a run does, so that the runner finds and drops it if this process is killed.
  return `${new URL(url).pathname.slice(1)}000`
}

const ownSchema = ({ name, url }: TestDatabase): string =>
  name === 'sqlite' ? 'main' : name === 'postgres' ? 'public' : new URL(url ?? '').pathname.slice(1)

async function createTables(db: TestDatabase, other: string): Promise<void> {
  await db.execScript(
    db.name === 'sqlite'
      ? `attach ':memory:' as ${other}`
      : db.name === 'postgres'
        ? `create schema ${other}`
        : `create database ${other} character set utf8mb4`,
  )
  const own = ownSchema(db)
  // SQLite has no foreign keys between databases.
  const key = (column: string, table: string): string =>
    db.name === 'sqlite' ? '' : `, foreign key (${column}) references ${table} (id)`
  for (const schema of [own, other]) {
    await db.execScript(`
      create table ${schema}.authors (id integer primary key, name varchar(40) not null unique);
      create table ${schema}.tags (id integer primary key, name varchar(40) not null unique);`)
  }
  const books = 'id integer primary key, name varchar(40) not null unique, author_id integer'
  await db.execScript(`
    create table ${own}.books (${books}, local_id integer
      ${key('author_id', `${other}.authors`)}${key('local_id', `${own}.authors`)});
    create table ${other}.books (${books}, local_id integer);
    create table ${own}.book_tags (book_id integer, tag_id integer, primary key (book_id, tag_id));
    create table ${other}.book_tags (book_id integer, tag_id integer, primary key (book_id, tag_id)
      ${key('book_id', `${own}.books`)}${key('tag_id', `${other}.tags`)});
    insert into ${other}.authors values (1, 'Ann'), (2, 'Bob');
    insert into ${own}.authors values (1, 'Local'), (2, 'Decoy');
    insert into ${other}.tags values (1, 'old');
    insert into ${own}.tags values (1, 'decoy'), (2, 'decoy 2');
    insert into ${own}.books values (1, 'Arrows', 1, 2), (2, 'Boats', 1, null);
    insert into ${other}.books values (1, 'Decoy', 2, null);
    insert into ${other}.book_tags values (1, 1);
    insert into ${own}.book_tags values (1, 2), (2, 1), (2, 2);`)
}
