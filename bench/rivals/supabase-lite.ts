/** Supabase Lite's `App` on PostgreSQL, by `@hono/node-server`. It finds embedded rows by foreign keys, which the tables do not declare, so that they are added here. */
import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { App } from '@supabase/lite'
import { createPostgresConnection } from '@supabase/lite/postgres'
import type { Place } from './place.ts'

const references = [
  ['books', 'author_id', 'authors'],
  ['books', 'publisher_id', 'publishers'],
  ['reviews', 'book_id', 'books'],
] as const

const foreignKeys = references.map(([table, column, foreign]) => ({
  table,
  column,
  ref_table: foreign,
  ref_column: 'id',
  on_update: 'NO ACTION',
  on_delete: 'NO ACTION',
  schema: 'public',
  ref_schema: 'public',
  foreign_key_name: `${table}_${column}_fkey`,
  fk_def: `FOREIGN KEY (${column}) REFERENCES ${foreign}(id)`,
}))

export async function open({ location, connections }: Place): Promise<RequestListener> {
  const connection = createPostgresConnection({
    url: location,
    postgresOptions: { max: connections },
  })
  const introspect = connection.introspect.bind(connection)
  connection.introspect = async (options) => {
    const found = await introspect(options)
    return { ...found, foreign_keys: foreignKeys }
  }
  const app = new App({ connection, options: { server: { apiKeys: false } } })
  await app.init()
  return getRequestListener((request) => app.fetch(request))
}
