// The library as an API: an SQLite database in memory, filled with real books, and the models over it.

import { type Api, type ApiConfig, createApi } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createLibrary } from './data/seed.ts'
import { models } from './models.ts'

/** What the demo allows; every other key keeps its default. */
export const config: ApiConfig = {
  API_TITLE: 'Library',
  API_VERSION: '1.0.0',
  API_DESCRIPTION: 'Classic literature: books, authors, publishers and what readers say.',
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
}

/** Creates the database and its API; `onProgress` is told of every table. */
export async function openLibrary(
  onProgress: (line: string) => void = () => {},
  settings: ApiConfig = config,
): Promise<{ api: Api; close(): Promise<void> }> {
  const database = new Sqlite(':memory:')
  database.pragma('foreign_keys = on')
  // biome-ignore lint/suspicious/noExplicitAny: the tables are the seed's
  const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
  await createLibrary(db, onProgress)
  const api = createApi({ db, models, config: settings })
  await api.ready
  return {
    api,
    close: async () => {
      await api.close()
      await db.destroy()
    },
  }
}
