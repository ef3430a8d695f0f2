/**
 * Platformatic DB's plugins on Fastify: REST, and GraphQL for requests that its REST does not support. With users, every entity has
 * rules.
 */
import type { RequestListener } from 'node:http'
import authorization from '@platformatic/db-authorization'
import graphql from '@platformatic/sql-graphql'
import mapper, { connect } from '@platformatic/sql-mapper'
import openapi from '@platformatic/sql-openapi'
import fastify from 'fastify'
import { authenticate } from './authenticate.ts'
import type { Place } from './place.ts'

/** The foreign keys that Platformatic derives relations from. The tables do not declare them. */
const references = [
  ['books', 'author_id', 'authors'],
  ['books', 'publisher_id', 'publishers'],
  ['reviews', 'book_id', 'books'],
] as const

export async function open({
  database,
  location,
  connections,
  users,
}: Place): Promise<RequestListener> {
  const app = fastify({ logger: false })
  const options = {
    connectionString: database === 'sqlite' ? `sqlite://${location}` : location,
    poolSize: connections,
    ignore: { filled: true, bench_users: true, categories: true, book_categories: true },
    // Clients set created_at themselves.
    autoTimestamp: false,
    // Opens the file in the same way as all other servers.
    ...(database === 'sqlite' ? { onDatabaseLoad: relax } : {}),
  }
  await app.register(mapper, { ...options, dbschema: await schemaOf(app, options) })
  if (users) await addUsers(app)
  await app.register(openapi)
  await app.register(graphql, { graphiql: false })
  await app.ready()
  return app.routing
}

// biome-ignore lint/suspicious/noExplicitAny: not checked here
async function addUsers(app: any): Promise<void> {
  const { db, sql, entities, addEntityHooks } = app.platformatic
  authenticate(app, async (id) => {
    const [row] = await db.query(sql`select * from bench_users where id = ${id}`)
    return row
  })
  // A check of the form `{ id: { neq: 'number' } }` would replace a client's condition on the same column.
  // biome-ignore lint/suspicious/noExplicitAny: not checked here
  const visible = ({ user, where }: any) => ({
    ...where,
    id: { ...where?.id, neq: -user.number },
  })
  await app.register(authorization, {
    roleKey: 'role',
    rules: [
      {
        role: 'user',
        entities: ['*'],
        find: visible,
        save: visible,
        updateMany: visible,
        delete: visible,
      },
    ],
    // `authenticate` has set the user, but the rules require a strategy before each operation.
    authStrategies: [{ name: 'access token', createSession: async () => {} }],
  })
  for (const entity of Object.keys(entities)) {
    addEntityHooks(entity, {
      // biome-ignore lint/suspicious/noExplicitAny: not checked here
      count: (count: any, { where, ctx, ...rest }: any) =>
        count({ ...rest, ctx, where: visible({ user: ctx.reply.request.user, where }) }),
    })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: not checked here
const relax = (db: any, sql: any) => db.query(sql`PRAGMA synchronous = normal`)

// biome-ignore lint/suspicious/noExplicitAny: not checked here
async function schemaOf(app: any, options: any): Promise<any> {
  const { db, dbschema } = await connect({ ...options, log: app.log })
  await db.dispose()
  for (const [table, column, foreign] of references) {
    const found = dbschema.find((one: { table: string }) => one.table === table)
    found.constraints.push({
      constraint_type: 'FOREIGN KEY',
      table_name: table,
      column_name: column,
      foreign_table_name: foreign,
      foreign_column_name: 'id',
    })
  }
  return dbschema
}
