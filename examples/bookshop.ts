// The models and data of the small examples: authors and books, in a SQLite database in memory.

import { belongsTo, defineModel, hasMany } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

export const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 80 },
  },
  relations: { books: hasMany('Book', 'author_id') },
  meta: {},
})

export const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 80 },
    price: { type: 'decimal', precision: 8, scale: 2 },
    author_id: { type: 'integer' },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: { allow_join: true },
})

/** A database with the tables of the two models and a few rows. */
// biome-ignore lint/suspicious/noExplicitAny: the tables are the text below
export function openBookshop(): Kysely<any> {
  const database = new Sqlite(':memory:')
  database.exec(`
    create table authors (id integer primary key, name varchar(80) not null);
    create table books (id integer primary key, title varchar(80) not null,
      price decimal(8,2) not null, author_id integer not null references authors (id));
    insert into authors values (1, 'Jane Austen'), (2, 'Leo Tolstoy');
    insert into books values (1, 'Emma', 9.5, 1), (2, 'Persuasion', 8, 1), (3, 'Resurrection', 11, 2);`)
  return new Kysely({ dialect: new SqliteDialect({ database }) })
}

/** Calls `close` once, when the process is asked to end. */
export function onStop(close: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
}

/** The port of the examples: PORT, else 3000. */
export const port: number = Number(process.env.PORT ?? 3000)
