// model-api serve of a database: publishes all tables read-only, and prints what is published and what is not.

import { type ApiConfig, createApi } from '@model-api/core'
import { type OpenDatabase, openDatabase } from '../database/open-database.ts'
import { describeHeldBack, describeLeftOut, describeNotes, describeResources } from '../describe.ts'
import { messageOf } from '../failure.ts'
import type { CommandIo } from './io.ts'
import { announce, isPrivate, type Listening, listen, serveUntilStopped } from './listen.ts'
import { type ReadDatabase, type ReadSchemaOptions, readDatabase } from './read-database.ts'
import type { ServeOptions } from './serve.ts'
import { worthTrying } from './worth-trying.ts'

const prefix = '/api'

/** The configuration for a database without models: read-only, with every reading feature enabled. */
export const servedConfig: ApiConfig = {
  API_PREFIX: prefix,
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOWED_METHODS: ['GET'],
  API_HEALTH_ROUTE: '/health',
}

/** Serves a database read-only; the connections themselves are read-only too. */
export async function serveDatabase(
  target: string,
  options: ServedDatabase,
  io: CommandIo,
): Promise<void> {
  const opened: OpenDatabase[] = []
  try {
    const database = await readDatabase(target, options, io.out, io.err)
    opened.push(database)
    const replicas: OpenDatabase[] = []
    for (const replica of options.replicas ?? []) {
      replicas.push(await openDatabase(replica, { readOnly: true, onWarning: io.err }))
      opened.push(...replicas.slice(-1))
    }
    await serveRead(database, replicas, options, io)
  } finally {
    await Promise.all(opened.map((one) => one.close()))
  }
}

/** The options of serve that apply to a database. */
type ServedDatabase = Listening & ReadSchemaOptions & Pick<ServeOptions, 'replicas'>

async function serveRead(
  database: ReadDatabase,
  replicas: readonly OpenDatabase[],
  options: ServedDatabase,
  io: CommandIo,
): Promise<void> {
  const { introspection, models } = database
  const say = (lines: readonly string[]): void => {
    for (const line of lines) io.out(line)
  }
  const published = models.filter(({ meta }) => meta !== undefined)
  const tables = new Set(published.map(({ table }) => table))
  const unpublished = [
    ...describeLeftOut(introspection.leftOut),
    ...describeHeldBack(introspection.heldBack, tables),
  ]
  if (published.length === 0) {
    say(unpublished)
    throw new Error(`${database.name} has no table that can be published.`)
  }
  const api = createApi({
    db: database.db,
    replicas: replicas.map(({ db }) => db),
    models,
    config: servedConfig,
    ...(options.schema === undefined ? {} : { schema: options.schema }),
    onError: (error, request) => io.err(`${request.method} ${request.url}: ${messageOf(error)}`),
    onWarning: io.err,
  })
  await api.ready
  if (replicas.length > 0) say([`Reading from ${replicas.map(({ name }) => name).join(', ')}`])
  say(['', ...describeResources(api.registry, prefix), ...unpublished])
  say(describeNotes(introspection.notes))
  const requests = await worthTrying(api, prefix)
  const { server, url } = await listen(api, options)
  say(announce(api, url))
  if (!isPrivate(options.host)) {
    say(['Everyone who can reach this machine can read what is published.'])
  }
  say(['', 'Worth trying', ...requests.map((request) => `  curl -g "${url}${request}"`)])
  await serveUntilStopped(server, io)
}
