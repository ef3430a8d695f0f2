/** Tables in another schema: `createApi({ schema })` qualifies every table in every request. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  hashPassword,
  hasMany,
  manyToMany,
  passwordCheck,
} from '@model-api/core'
import { CamelCasePlugin, sql } from 'kysely'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, rejects, throws } from '../support/assert.ts'
import type { DatabaseName, TestDatabase } from '../support/databases.ts'
import { column, read, withMeta } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Author = defineModel('Author', {
  columns: {
    id,
    name: { type: 'string', maxLength: 40, unique: true },
    password: { type: 'string', maxLength: 80, nullable: true, hidden: true },
  },
  relations: { books: hasMany('Book', 'authorId') },
  methods: { check: passwordCheck('password') },
  meta: {},
})
const Book = defineModel('Book', {
  columns: {
    id,
    title: { type: 'string', maxLength: 40 },
    authorId: { type: 'integer', nullable: true, column: 'author_id' },
  },
  computed: {
    shout: {
      type: 'string',
      // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
      expression: (eb: any) => eb.fn('upper', ['title']),
    },
  },
  relations: {
    author: belongsTo('Author', 'authorId'),
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }),
  },
  meta: {},
})
const Tag = defineModel('Tag', {
  columns: {
    id,
    name: { type: 'string', maxLength: 40, unique: true },
    deleted: { type: 'integer', default: 0 },
  },
  relations: { books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }) },
  meta: {},
})
const models: readonly AnyModel[] = [Author, Book, Tag]

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'deleted',
  API_SOFT_DELETE_VALUES: [0, 1],
}

const tables = ['authors', 'books', 'tags', 'book_tags'] as const

eachDatabase('contract: schema', (test, db) => {
  const schema = schemaName(db)
  test.before(async () => {
    await createTwice(db, schema)
  })
  if (db.name === 'mysql') test.after(() => db.execScript(`drop database ${schema}`))
  const api = testApi(db, models, config, { schema })
  /** The rows of tables with the same names in the default schema, which no request may touch. */
  const decoys = async (): Promise<unknown> =>
    Promise.all(tables.map((table) => db.kysely.selectFrom(table).selectAll().execute()))

  test('every read uses that schema', async () => {
    equal(await column(api, '/api/authors', 'name'), ['Ann', 'Bob'])
    equal((await read(api, '/api/books/1')).shout, 'ARROWS')
    equal(await column(api, '/api/authors/1/books', 'title'), ['Arrows', 'Boats'])
    equal((await read(api, '/api/books/1/author')).name, 'Ann')
    const [first] = await read(api, '/api/books?dump=json&join=author,tags')
    equal([first.author.name, first.tags[0].name, first.tags.length], ['Ann', 'old', 1])
    equal(await column(api, '/api/books?join=tags&tags.name__eq=old', 'title'), ['Arrows'])
    equal(await column(api, '/api/authors?exists(books.tags.name__eq=old)', 'name'), ['Ann'])
    equal(await column(api, '/api/authors?missing(books)', 'name'), ['Bob'])
    const groups = '/api/books?join=author&groupby=author.name&id|n__count=1'
    equal(await read(api, groups), [{ name: 'Ann', n: 2 }])
    const page = await get(api, '/api/books?limit=1&page=2&order_by=-title')
    equal([page.value[0].title, page.total], ['Arrows', 2])
  })

  test('every write uses that schema, and so do its look-ups and probes', async () => {
    const before = await decoys()
    const created = await send(api, 'POST', '/api/books', {
      body: { title: 'Clouds', author: { name: 'Cid' }, tags: [{ name: 'new' }, { id: 1 }] },
    })
    equal(created.status, 201, created.text)
    const url = created.headers.location ?? ''
    equal(await column(api, `${url}/tags`, 'name'), ['old', 'new'])
    const changed = await send(api, 'PATCH', url, { body: { title: 'Cliffs', authorId: 2 } })
    equal([changed.status, changed.value.title], [200, 'Cliffs'])
    const taken = await send(api, 'POST', '/api/tags', { body: { name: 'old' } })
    equal([taken.status, Object.keys(taken.errors.reason)], [409, ['name']])
    const dangling = await send(api, 'PATCH', url, { body: { authorId: 99 } })
    equal(dangling.status, 422)
    const upsert = await send(api, 'POST', '/api/tags?on_conflict=name', { body: { name: 'new' } })
    equal(upsert.status, 200)
    const bulk = await send(api, 'PATCH', '/api/books?title__eq=Cliffs', { body: { title: 'D' } })
    equal(bulk.value.length, 1)
    equal((await send(api, 'DELETE', '/api/authors/2')).status, 409)
    equal((await send(api, 'DELETE', `${url}?cascade_delete=1`)).status, 200)
    equal((await send(api, 'DELETE', '/api/authors?name__in=(Cid)')).status, 200)
    equal((await send(api, 'DELETE', '/api/tags/2')).status, 200)
    equal(await column(api, '/api/tags', 'name'), ['old'])
    equal((await send(api, 'POST', '/api/tags/2/restore')).status, 200)
    equal(await decoys(), before)
  })

  test('the tables that the API creates are created in that schema', async () => {
    const withUsers = testApi(
      db,
      models,
      {
        ...config,
        API_AUTHENTICATE_METHOD: ['jwt'],
        API_USER_MODEL: Author,
        API_USER_LOOKUP_FIELD: 'name',
        API_CREDENTIAL_CHECK_METHOD: 'check',
        ACCESS_SECRET_KEY: 'access: 0f6c1f3e-8d52-4f7b-a3d9-7c2f',
        REFRESH_SECRET_KEY: 'refresh: 2b9d7a40-11c8-49e6-9f0e-55aa',
      },
      { schema },
    )
    const body = { username: 'Ann', password: 'in the schema' }
    const { status, value } = await send(withUsers, 'POST', '/auth/login', { body })
    equal(status, 200)
    const { refresh_token } = value
    const again = await send(withUsers, 'POST', '/auth/refresh', { body: { refresh_token } })
    equal(again.status, 200)
    const headers = {
      'idempotency-key': 'a-key-of-sixteen-or-more',
      authorization: `Bearer ${again.value.access_token}`,
    }
    const post = () => send(withUsers, 'POST', '/api/tags', { body: { name: 'once' }, headers })
    equal((await post()).text, (await post()).text)
    const there = await Promise.all(
      ['refresh_tokens', 'idempotency_keys'].map(async (table) => {
        const { rows } = await sql`select * from ${sql.id(schema, table)}`.execute(db.kysely)
        return rows.length
      }),
    )
    equal(there, [2, 1])
    // SQLite searches an unqualified table in all attached databases.
    const own = db.name === 'sqlite' ? ['main'] : []
    for (const table of ['refresh_tokens', 'idempotency_keys']) {
      await rejects(sql`select * from ${sql.id(...own, table)}`.execute(db.kysely))
    }
  })

  test('the queries of policies and filter callbacks use that schema', async () => {
    const policy: AccessPolicy = { scope_query: (query) => query.where('title', '<>', 'Boats') }
    const scoped = withMeta(models, 'Book', { access_policy: policy })
    const own = testApi(db, scoped, config, { schema })
    equal(await column(own, '/api/books', 'title'), ['Arrows'])
    equal(await column(own, '/api/authors?exists(books.title__eq=Boats)', 'name'), [])
    const filtered = withMeta(models, 'Author', {
      // biome-ignore lint/suspicious/noExplicitAny: the query builder of any database
      filter_callback: (query: any) => query.where('name', 'like', 'B%'),
    })
    equal(await column(testApi(db, filtered, config, { schema }), '/api/authors', 'name'), ['Bob'])
  })

  test('a schema plugin is refused if the schema is not given', () => {
    const plugged = db.kysely.withSchema(schema)
    const { message } = throws(() => testApi(db, models, config, { db: plugged }))
    equal(
      message,
      "createApi: `db` has a schema plugin (withSchema). Pass the schema as an option: createApi({ db, schema: 'library', … }).",
    )
    throws(() => testApi(db, models, config, { db: plugged.withPlugin(new CamelCasePlugin()) }))
  })

  test('with the plugin and the schema everything is served, policies included', async () => {
    const kysely = db.kysely.withSchema(schema).withPlugin(new CamelCasePlugin())
    const policy: AccessPolicy = {
      scope_query: (query) =>
        query.where('authorId', 'in', kysely.selectFrom('authors').select('id')),
    }
    const scoped = withMeta(models, 'Book', { access_policy: policy })
    const own = testApi(db, scoped, config, { db: kysely, schema })
    equal(await column(own, '/api/books', 'title'), ['Arrows', 'Boats'])
    equal(await column(own, '/api/books?join=author&author.name__eq=Ann', 'title'), [
      'Arrows',
      'Boats',
    ])
  })
})

/** A name that is unique on the server: schemas of MySQL are separate databases. */
function schemaName({ name, url }: TestDatabase): string {
  if (name !== 'mysql' || url === undefined) return 'library'
  // Ends in digits, as every database of a run does, so that the runner finds and drops it if this process is killed.
  return `${new URL(url).pathname.slice(1)}000`
}

const keyTypes: Readonly<Record<DatabaseName, string>> = {
  sqlite: 'integer primary key',
  postgres: 'integer generated by default as identity primary key',
  mysql: 'integer auto_increment primary key',
}

/** Creates the tables in the schema and in the default one, with different rows. */
async function createTwice(db: TestDatabase, schema: string): Promise<void> {
  await db.execScript(
    db.name === 'sqlite'
      ? `attach ':memory:' as ${schema}`
      : db.name === 'postgres'
        ? `create schema ${schema}`
        : `create database ${schema} character set utf8mb4`,
  )
  const key = keyTypes[db.name]
  for (const prefix of ['', `${schema}.`]) {
    // In SQLite, a foreign key names its table without a schema, because it must be in the same one.
    const other = db.name === 'sqlite' ? '' : prefix
    await db.execScript(`
      create table ${prefix}authors (id ${key}, name varchar(40) not null unique, password varchar(80));
      create table ${prefix}books (id ${key}, title varchar(40) not null, author_id integer, foreign key (author_id) references ${other}authors (id));
      create table ${prefix}tags (id ${key}, name varchar(40) not null unique, deleted integer not null default 0);
      create table ${prefix}book_tags (book_id integer not null, tag_id integer not null, primary key (book_id, tag_id),
        foreign key (book_id) references ${other}books (id), foreign key (tag_id) references ${other}tags (id));`)
  }
  const password = await hashPassword('in the schema', 4)
  await db.execScript(`
    insert into authors (name) values ('Decoy'), ('Decoy 2'), ('Decoy 3');
    insert into books (title, author_id) values ('Decoy', 1), ('Decoy', 2);
    insert into tags (name) values ('decoy');
    insert into book_tags values (1, 1), (2, 1);
    insert into ${schema}.authors (name, password) values ('Ann', '${password}'), ('Bob', null);
    insert into ${schema}.books (title, author_id) values ('Arrows', 1), ('Boats', 1);
    insert into ${schema}.tags (name) values ('old');
    insert into ${schema}.book_tags values (1, 1);`)
}
