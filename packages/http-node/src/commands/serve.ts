// model-api serve: a database as an API, with word of what is published and what is not.

import { type Api, type ApiConfig, createApi } from '@model-api/core'
import { describeLeftOut, describeNotes, describeResources } from '../describe.ts'
import { listenFailure, messageOf } from '../failure.ts'
import { createServer } from '../server.ts'
import type { CommandIo } from './io.ts'
import { type ReadDatabase, type ReadSchemaOptions, readDatabase } from './read-database.ts'
import { worthTrying } from './worth-trying.ts'

export interface ServeOptions extends ReadSchemaOptions {
  readonly port: number
  readonly host: string
}

const prefix = '/api'

/** What is published of a database that nobody has described: everything, to be read. */
export const servedConfig: ApiConfig = {
  API_PREFIX: prefix,
  API_ALLOW_JOIN: true,
  API_ALLOWED_METHODS: ['GET'],
}

/** Serves until `io.stopped` settles. Read only: nothing is written, and the database is told so. */
export async function serve(target: string, options: ServeOptions, io: CommandIo): Promise<void> {
  const database = await readDatabase(target, options, io.out)
  try {
    await serveDatabase(database, options, io)
  } finally {
    await database.close()
  }
}

async function serveDatabase(
  database: ReadDatabase,
  options: ServeOptions,
  io: CommandIo,
): Promise<void> {
  const { introspection, models } = database
  const say = (lines: readonly string[]): void => {
    for (const line of lines) io.out(line)
  }
  const leftOut = describeLeftOut(introspection.leftOut)
  if (models.length === 0) {
    say(leftOut)
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
  say(['', ...describeResources(api.registry, prefix), ...leftOut])
  say(describeNotes(introspection.notes))
  await listen(api, options, io, say)
}

async function listen(
  api: Api,
  { port, host }: ServeOptions,
  io: CommandIo,
  say: (lines: readonly string[]) => void,
): Promise<void> {
  const requests = await worthTrying(api, prefix)
  const server = createServer(api)
  let url: string
  try {
    url = await server.listen(port, host)
  } catch (error) {
    throw new Error(listenFailure(host, port, error))
  }
  say(['', `Listening at ${url}  (Ctrl+C ends it)`, `Documentation at ${url}/docs`])
  if (!/^(?:127\.|localhost$|::1$)/.test(host)) {
    say(['Everyone who can reach this machine can read what is published.'])
  }
  say(['', 'Worth trying', ...requests.map((request) => `  curl -g "${url}${request}"`)])
  await io.stopped
  say(['', 'Stopping …'])
  await server.close()
}
