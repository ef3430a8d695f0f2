/** ZenStack's REST handler (JSON:API) on Fastify. With users, the policies of the schema apply to every query. */
import type { RequestListener } from 'node:http'
import { ZenStackClient } from '@zenstackhq/orm'
import { PolicyPlugin } from '@zenstackhq/plugin-policy'
import { RestApiHandler } from '@zenstackhq/server/api'
import { ZenStackFastifyPlugin } from '@zenstackhq/server/fastify'
import fastify from 'fastify'
import { kyselyUser } from '../systems/hand-users.ts'
import { authenticate } from './authenticate.ts'
import type { Place } from './place.ts'
import { schema as generated } from './zenstack-schema.ts'

const providers = { postgres: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' } as const

export async function open(place: Place): Promise<RequestListener> {
  const app = fastify({ logger: false })
  app.addContentTypeParser(
    'application/vnd.api+json',
    { parseAs: 'string' },
    app.getDefaultJsonParser('error', 'error'),
  )
  const schema = { ...generated, provider: { type: providers[place.database] } }
  const client = new ZenStackClient(schema as never, { dialect: await dialectOf(place) })
  if (place.users) authenticate(app, kyselyUser(client.$qb as never))
  const ruled = client.$use(new PolicyPlugin())
  await app.register(ZenStackFastifyPlugin, {
    prefix: '/api',
    apiHandler: new RestApiHandler({
      schema: schema as never,
      endpoint: 'http://127.0.0.1/api',
      pageSize: 100,
    }),
    // biome-ignore lint/suspicious/noExplicitAny: not checked here
    getClient: ({ user }: any) =>
      (place.users ? ruled.$setAuth({ hiddenId: -user.number } as never) : client) as never,
  })
  await app.ready()
  return app.routing
}

async function dialectOf({ database, location, connections }: Place) {
  switch (database) {
    case 'postgres': {
      const { PostgresDialect } = await import('@zenstackhq/orm/dialects/postgres')
      const { Pool } = (await import('pg')).default
      return new PostgresDialect({
        pool: new Pool({ connectionString: location, max: connections }),
      })
    }
    case 'mysql': {
      const { MysqlDialect } = await import('@zenstackhq/orm/dialects/mysql')
      const { createPool } = (await import('mysql2')).default
      return new MysqlDialect({ pool: createPool({ uri: location, connectionLimit: connections }) })
    }
    case 'sqlite': {
      const { SqliteDialect } = await import('@zenstackhq/orm/dialects/sqlite')
      const { default: Sqlite } = await import('better-sqlite3')
      const file = new Sqlite(location)
      file.pragma('journal_mode = wal')
      file.pragma('synchronous = normal')
      return new SqliteDialect({ database: file })
    }
  }
}
