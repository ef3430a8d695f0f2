// The library as an API: a SQLite database in memory, filled with real books, and its models.

import { type Api, type ApiConfig, createApi } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createLibrary } from './data/seed.ts'
import { createUsers } from './data/users.ts'
import { models, User } from './models.ts'

/** The settings of the demo; all others keep their defaults. */
export const config: ApiConfig = {
  API_TITLE: 'Library',
  API_VERSION: '1.0.0',
  API_DESCRIPTION: 'Classic literature: books, authors, publishers and what readers say.',
  API_CONTACT_NAME: 'model-api',
  API_CONTACT_URL: 'https://github.com/model-api/model-api',
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_AUTHENTICATE_METHOD: ['jwt'],
  API_JWT_REFRESH_GRACE: 10,
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'username',
  API_CREDENTIAL_CHECK_METHOD: 'check_password',
  // Everybody may read; editors write, admins delete.
  API_AUTH_REQUIREMENTS: { GET: false },
  API_ROLE_MAP: { POST: 'editor', PATCH: 'editor', DELETE: 'admin' },
}

/** Signing keys from the environment, else new ones, so that tokens end with the process. */
export const secrets = (): Record<string, string | undefined> => ({
  ACCESS_SECRET_KEY: crypto.randomUUID(),
  REFRESH_SECRET_KEY: crypto.randomUUID(),
  ...process.env,
})

/** Creates the database and its API; `onProgress` is called for every table. */
export async function openLibrary(
  onProgress: (line: string) => void = () => {},
  settings: ApiConfig = config,
): Promise<{ api: Api; close(): Promise<void> }> {
  const database = new Sqlite(':memory:')
  database.pragma('foreign_keys = on')
  // biome-ignore lint/suspicious/noExplicitAny: the tables are the seed's
  const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
  await createLibrary(db, onProgress)
  await createUsers(db)
  const api = createApi({ db, models, config: settings, env: secrets() })
  await api.ready
  return {
    api,
    close: async () => {
      await api.close()
      await db.destroy()
    },
  }
}
