// The server. DATABASE_URL is a URL of PostgreSQL, MariaDB or MySQL, or a SQLite file; PORT the port.

import type { AddressInfo } from 'node:net'
import { openDatabase } from '@model-api/http-node'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createClinic } from './api.ts'
import { createApp } from './app.ts'
import { createTables, type Engine } from './database.ts'
import { openForBusiness } from './first-data.ts'
import type { Database } from './models.ts'

const url = process.env.DATABASE_URL ?? 'clinic.sqlite'
const engine: Engine = /^postgres/.test(url)
  ? 'postgres'
  : /^(mysql|mariadb):/.test(url)
    ? 'mysql'
    : 'sqlite'
// openDatabase opens a file of SQLite only if it exists.
const db =
  engine === 'sqlite'
    ? new Kysely<Database>({ dialect: new SqliteDialect({ database: new Sqlite(url) }) })
    : (await openDatabase(url)).db
await createTables(db, engine)
// In a product, both secrets come from its configuration, so that a restart signs nobody out.
const api = createClinic(db, { access: crypto.randomUUID(), refresh: crypto.randomUUID() })
await api.ready
await openForBusiness(api, 'the password of the desk')

const server = createApp(api).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  console.log(`Listening at ${at}
  curl '${at}/auth/login' -H 'content-type: application/json' -d '{"username":"desk","password":"the password of the desk"}'
  curl '${at}/api/sites' -H 'authorization: Bearer <access_token>'
  curl '${at}/api/my-day' -H 'authorization: Bearer <access_token>'`)
})

const stop = async (): Promise<void> => {
  server.close()
  server.closeIdleConnections()
  await api.close()
  await db.destroy()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
