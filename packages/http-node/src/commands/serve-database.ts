// model-api serve of a database: everything it has, to be read, with word of what is published and what is not.

import { type ApiConfig, createApi } from '@model-api/core'
import { describeHeldBack, describeLeftOut, describeNotes, describeResources } from '../describe.ts'
import { messageOf } from '../failure.ts'
import type { CommandIo } from './io.ts'
import { announce, isPrivate, type Listening, listen, serveUntilStopped } from './listen.ts'
import { type ReadDatabase, type ReadSchemaOptions, readDatabase } from './read-database.ts'
import { worthTrying } from './worth-trying.ts'

const prefix = '/api'

/** What is published of a database that nobody has described: everything, to be read. */
export const servedConfig: ApiConfig = {
  API_PREFIX: prefix,
  API_ALLOW_JOIN: true,
  API_ALLOWED_METHODS: ['GET'],
  API_HEALTH_ROUTE: '/health',
}

/** Read only: nothing is written, and the database is told so. */
export async function serveDatabase(
  target: string,
  options: Listening & ReadSchemaOptions,
  io: CommandIo,
): Promise<void> {
  const database = await readDatabase(target, options, io.out)
  try {
    await serveRead(database, options, io)
  } finally {
    await database.close()
  }
}

async function serveRead(
  database: ReadDatabase,
  options: Listening & ReadSchemaOptions,
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
    models,
    config: servedConfig,
    ...(options.schema === undefined ? {} : { schema: options.schema }),
    onError: (error, request) => io.err(`${request.method} ${request.url}: ${messageOf(error)}`),
    onWarning: io.err,
  })
  await api.ready
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
