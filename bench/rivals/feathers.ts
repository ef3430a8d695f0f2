/** Feathers on Koa with its Knex services; a hook finds related rows through the service of their table. */
import type { RequestListener } from 'node:http'
import { feathers } from '@feathersjs/feathers'
import { KnexService } from '@feathersjs/knex'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import knex from 'knex'
import { callerOf } from '../systems/hand-users.ts'
import type { Place } from './place.ts'

interface Relation {
  readonly service: string
  readonly here: string
  readonly there: string
  readonly isMany: boolean
}

/** The relations, by service and name. */
const relations: Readonly<Record<string, Readonly<Record<string, Relation>>>> = {
  authors: { books: { service: 'books', here: 'id', there: 'author_id', isMany: true } },
  books: {
    author: { service: 'authors', here: 'author_id', there: 'id', isMany: false },
    reviews: { service: 'reviews', here: 'id', there: 'book_id', isMany: true },
  },
}

export async function open(place: Place): Promise<RequestListener> {
  const db = openKnex(place)
  const app = koa(feathers())
  app.use(errorHandler())
  if (place.users) {
    const read = (id: number) => db('bench_users').where({ id }).first()
    // biome-ignore lint/suspicious/noExplicitAny: not checked here
    app.use(async (context: any, next: () => Promise<void>) => {
      const number = await callerOf(read, context.headers.authorization)
      if (number === undefined) {
        context.status = 401
        context.body = { error: 'Unauthorized' }
        return
      }
      context.feathers = { ...context.feathers, user: { number } }
      await next()
    })
  }
  app.use(bodyParser())
  app.configure(rest())
  for (const name of ['publishers', 'authors', 'books', 'reviews']) {
    const paginate = { default: 20, max: 100 }
    app.use(name, new KnexService({ Model: db, name, paginate }))
  }
  app.hooks({
    before: { all: [takePopulate, ...(place.users ? [hide] : [])] },
    after: { find: [populate] },
  })
  await app.setup()
  return app.callback()
}

/** Moves `$populate` from the query to the parameters, because Knex would treat it as a column. */
// biome-ignore lint/suspicious/noExplicitAny: not checked here
function takePopulate({ params }: any): void {
  const { $populate, ...query } = params.query ?? {}
  params.query = query
  params.populate = $populate
}

/** Adds the user's condition to the query of every service, whether a client or `populate` calls it. */
// biome-ignore lint/suspicious/noExplicitAny: not checked here
function hide({ params }: any): void {
  const { $and = [], ...query } = params.query
  params.query = { ...query, $and: [...$and, { id: { $ne: -params.user.number } }] }
}

/** Adds the rows of a relation such as `books` or `books.reviews`, with one query for each table. */
// biome-ignore lint/suspicious/noExplicitAny: not checked here
async function populate({ app, path, params, result }: any): Promise<void> {
  if (params.populate === undefined) return
  const [name, ...below] = params.populate.split('.')
  const relation = relations[path]?.[name]
  if (relation === undefined) throw new Error(`${path} have no ${name}`)
  const { service, here, there, isMany } = relation
  // biome-ignore lint/suspicious/noExplicitAny: not checked here
  const rows: any[] = result.data ?? result
  const keys = [...new Set(rows.map((row) => row[here]))]
  const found = await app.service(service).find({
    user: params.user,
    paginate: false,
    query: {
      [there]: { $in: keys },
      ...(below.length > 0 ? { $populate: below.join('.') } : {}),
    },
  })
  // biome-ignore lint/suspicious/noExplicitAny: not checked here
  const byKey = Map.groupBy(found, (row: any) => row[there])
  for (const row of rows) {
    const related = byKey.get(row[here]) ?? []
    row[name] = isMany ? related : related[0]
  }
}

function openKnex({ database, location, connections }: Place) {
  if (database !== 'sqlite') {
    const client = database === 'postgres' ? 'pg' : 'mysql2'
    return knex({ client, connection: location, pool: { min: 0, max: connections } })
  }
  return knex({
    client: 'better-sqlite3',
    connection: { filename: location },
    useNullAsDefault: true,
    pool: {
      // Opens the file in the same way as all other servers.
      // biome-ignore lint/suspicious/noExplicitAny: not checked here
      afterCreate: (file: any, done: (error: unknown, file: unknown) => void) => {
        file.pragma('synchronous = normal')
        done(null, file)
      },
    },
  })
}
