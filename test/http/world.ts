/** The data of the conformance list: two authors and three books in memory, with a fixed clock. */
import { type Api, belongsTo, count, createApi, defineModel, hasMany } from '@model-api/core'
import { fragment } from '@model-api/core/internals'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { frozenClock } from '../support/api.ts'
import { type Replication, withReplication } from '../support/replication.ts'

const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 60, unique: true },
    notes: { type: 'text', nullable: true, hidden: true },
  },
  relations: { books: hasMany('Book', 'author_id') },
  aggregates: { book_count: count('books', { price: { gt: '1' } }, { sent: false }) },
  meta: { allow_nested_writes: true },
})

const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 60 },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    author_id: { type: 'integer' },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: { allow_join: true },
})

const Tag = defineModel('Tag', {
  columns: { name: { type: 'string', maxLength: 20, primaryKey: true } },
  meta: { allowed_methods: ['GET'] },
})

/** A model whose URLs belong to the host. */
const Shelf = defineModel('Shelf', {
  columns: { id: { type: 'integer', primaryKey: true } },
  meta: { register_canonical_routes: false, endpoint: 'stock/shelves' },
})

export const bodyLimit = 2000

/** The most values of a statement; SQLite itself takes more than a URL can contain. */
export const mostValues = 1000

/** A log whose position never changes. */
const replication: Replication = {
  position: fragment`'0/7'`,
  needs: 'nothing',
  isPosition: (text) => text === '0/7',
  reached: () => fragment`1`,
}

/** Opens a separate copy of the data for each run, because runs write. */
export async function openWorld(
  onError: (error: unknown) => void = () => {},
): Promise<{ api: Api; close(): Promise<void> }> {
  const database = new Sqlite(':memory:')
  database.exec(`
    create table authors (id integer primary key, name varchar(60) not null unique, notes text);
    create table books (id integer primary key, title varchar(60) not null, price decimal(8,2),
      author_id integer not null references authors (id));
    create table tags (name varchar(20) primary key);
    create table shelves (id integer primary key);
    insert into authors (id, name, notes) values (1, 'Jane Austen', 'secret'), (2, 'Émile Zola', null);
    insert into books (id, title, price, author_id) values
      (1, 'Emma', 12.5, 1), (2, 'Persuasion, a novel', null, 1), (3, 'Germinal', 9, 2);
    insert into tags values ('à la carte/50% off'), ('plain');
    insert into shelves values (1);`)
  // biome-ignore lint/suspicious/noExplicitAny: the tables are the text above
  const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
  const api = createApi({
    db,
    // The same database: what is compared is what replicas add to requests and answers.
    // biome-ignore lint/suspicious/noExplicitAny: the tables are the text above
    replicas: [new Kysely<any>({ dialect: new SqliteDialect({ database }) })],
    dialect: withReplication(db, replication, { maxValues: mostValues }),
    models: [Author, Book, Tag, Shelf],
    config: {
      API_TITLE: 'Conformance',
      API_HEALTH_ROUTE: '/health',
      API_BODY_LIMIT: bodyLimit,
      API_READ_YOUR_WRITES: 'header',
      API_ALLOW_GROUPBY: true,
      API_ALLOW_BATCH: true,
      API_ALLOW_AGGREGATION: true,
    },
    clock: frozenClock(),
    onError,
  })
  return {
    api,
    close: async () => {
      await api.close()
      await db.destroy()
    },
  }
}

/** Opens an API with both tokens in cookies; its database has no tables. */
export function openSignIn(): { api: Api; close(): Promise<void> } {
  const User = defineModel('User', {
    columns: {
      id: { type: 'integer', primaryKey: true },
      name: { type: 'string', maxLength: 60 },
    },
    methods: { check: () => false },
  })
  const db = new Kysely<never>({ dialect: new SqliteDialect({ database: new Sqlite(':memory:') }) })
  const api = createApi({
    db,
    models: [User],
    config: {
      API_SCHEMA_CHECK: 'off',
      API_AUTHENTICATE_METHOD: ['jwt'],
      API_AUTH_TOKEN_PROVIDERS: ['header', 'cookie'],
      API_AUTH_REFRESH_COOKIE: true,
      API_USER_MODEL: User,
      API_USER_LOOKUP_FIELD: 'name',
      API_CREDENTIAL_CHECK_METHOD: 'check',
      ACCESS_SECRET_KEY: 'access: 0f6c1f3e-8d52-4f7b-a3d9-7c2f',
      REFRESH_SECRET_KEY: 'refresh: 2b9d7a40-11c8-49e6-9f0e-55aa',
    },
  })
  return {
    api,
    close: async () => {
      await api.close()
      await db.destroy()
    },
  }
}
