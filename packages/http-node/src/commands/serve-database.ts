// model-api serve of a database: publishes all tables, read-only without `--write`, and prints which tables are published and
// which are not.

import { type AnyModel, type ApiConfig, createApi, type Registry } from '@model-api/core'
import { rowCounts, schemasWithTables } from '@model-api/core/introspect'
import { databaseName } from '../database/locations.ts'
import { type OpenDatabase, openDatabase } from '../database/open-database.ts'
import { firstRequests } from './first-requests.ts'
import type { CommandIo } from './io.ts'
import { announce, isPrivate, type Listening, listen, serveUntilStopped } from './listen.ts'
import {
  describeHeldBack,
  describeLeftOut,
  describeListOnly,
  describeNotes,
  describeResources,
  describeSuggestions,
  listedNames,
  plural,
} from './output/describe.ts'
import { messageOf, usageError } from './output/failure.ts'
import { rowCountWords } from './output/row-count-words.ts'
import { nameOf, type ReadDatabase, type ReadSchemaOptions, readDatabase } from './read-database.ts'
import type { ServeOptions } from './serve.ts'

const prefix = '/api'

/** The configuration for a database without models: read-only, with every reading feature enabled. */
const readingConfig: ApiConfig = {
  API_PREFIX: prefix,
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOWED_METHODS: ['GET'],
  API_HEALTH_ROUTE: '/health',
  // The models were just read from the database, so they need no check.
  API_SCHEMA_CHECK: 'off',
}

/** The settings that `--write` adds. */
const writingConfig: ApiConfig = {
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'DELETE'],
}

/**
 * Returns the configuration of the API, for `serve` and `openapi`; the title is the name of the database. `write` is undefined for a
 * read-only API.
 */
export function servedConfig({ name }: OpenDatabase, write: ServeOptions['write']): ApiConfig {
  const title = databaseName(name)
  return {
    ...readingConfig,
    ...(write === undefined ? {} : writingConfig),
    ...(title === undefined ? {} : { API_TITLE: title }),
  }
}

/** Serves a database: read-only, by connections that are read-only themselves, unless `write` is given. */
export async function serveDatabase(
  target: string,
  options: ServedDatabase,
  io: CommandIo,
): Promise<void> {
  const opened: OpenDatabase[] = []
  try {
    const reading = { ...options, writable: options.write !== undefined }
    const database = await readDatabase(target, reading, io.out, io.err)
    opened.push(database)
    const replicas: OpenDatabase[] = []
    for (const replica of options.replicas ?? []) {
      replicas.push(await openDatabase(replica, { readOnly: true, onWarning: io.err }))
      opened.push(...replicas.slice(-1))
    }
    await serveRead(database, replicas, options, io)
  } finally {
    await Promise.all(opened.map((database) => database.close()))
  }
}

/** The options of serve that apply to a database. */
type ServedDatabase = Listening & ReadSchemaOptions & Pick<ServeOptions, 'replicas' | 'write'>

/** The message for a database without tables to publish: the schemas that have some. */
async function nothingToPublish(
  { db, name }: ReadDatabase,
  schema: ReadSchemaOptions['schema'],
): Promise<string> {
  const read = schema === undefined ? [] : typeof schema === 'string' ? [schema] : schema
  const where = read.length === 0 ? '' : ` in ${read.map((name) => `"${name}"`).join(', ')}`
  const found = (await schemasWithTables(db)).filter((other) =>
    read.length === 0 ? !other.isOwn : !read.includes(other.schema),
  )
  const tables = `${name} has no table that can be published${where}.`
  if (found.length === 0) return tables
  const sizes = found.map(({ schema, tables }) => `${schema} (${plural(tables, 'table')})`)
  return `${tables} Schemas with tables: ${listedNames(sizes)}. Name one or several with --schema.`
}

/** Serves a database whose schema was read, until the process is asked to end. */
async function serveRead(
  database: ReadDatabase,
  replicas: readonly OpenDatabase[],
  options: ServedDatabase,
  io: CommandIo,
): Promise<void> {
  const { introspection } = database
  const models = await withSizes(database, options.schema)
  const say = (lines: readonly string[]): void => {
    for (const line of lines) io.out(line)
  }
  const published = models.filter(({ meta }) => meta !== undefined)
  const tables = new Set(published.map(nameOf))
  const unpublished = [
    ...describeListOnly(introspection.listOnly, tables),
    ...describeLeftOut(introspection.leftOut),
    ...describeHeldBack(introspection.heldBack, tables),
  ]
  if (published.length === 0) {
    say(unpublished)
    throw new Error(await nothingToPublish(database, options.schema))
  }
  const api = createApi({
    db: database.db,
    replicas: replicas.map(({ db }) => db),
    models,
    config: servedConfig(database, options.write),
    ...(typeof options.schema === 'string' ? { schema: options.schema } : {}),
    onError: (error, request) => io.err(`${request.method} ${request.url}: ${messageOf(error)}`),
    onWarning: io.err,
  })
  await api.ready
  if (replicas.length > 0) say([`Reading from ${replicas.map(({ name }) => name).join(', ')}`])
  say(['', ...describeResources(api.registry, prefix), ...unpublished])
  say(describeNotes(introspection.notes))
  say(describeSuggestions(introspection.suggestions))
  if (options.write !== undefined) await confirmWriting(api.registry, options.write, io)
  const requests = await firstRequests(api, prefix)
  const { server, url } = await listen(api, options)
  say(announce(api, url))
  if (!isPrivate(options.host)) {
    const doing = options.write === undefined ? 'read' : 'read and change'
    say([`Everyone who can reach this machine can ${doing} what is published.`])
  }
  say(['', 'Worth trying', ...requests.map((request) => `  curl -g "${url}${request}"`)])
  await serveUntilStopped(server, io)
}

/** Adds to the published models how many rows they have now, for the index. */
async function withSizes(
  { db, models }: ReadDatabase,
  schema: ReadSchemaOptions['schema'],
): Promise<readonly AnyModel[]> {
  const published = models.filter(({ meta }) => meta !== undefined)
  const counts = await rowCounts(db, published, typeof schema === 'string' ? schema : undefined)
  return models.map((model) => {
    const count = counts.get(model)
    return count === undefined
      ? model
      : { ...model, meta: { ...model.meta, size: rowCountWords(count) } }
  })
}

/** Shows what becomes writable; throws unless the user agrees. */
async function confirmWriting(
  { resources }: Registry,
  write: 'ask' | 'confirmed',
  io: CommandIo,
): Promise<void> {
  const writable = resources.filter(({ settings }) => settings.methods.has('POST'))
  io.out('')
  io.out('Writable by everyone who reaches the server, without a login')
  for (const { paths } of writable) io.out(`  ${prefix}/${paths[0]}`)
  if (write === 'confirmed') return
  if (io.ask === undefined) {
    throw usageError('--write asks before it serves, and there is no terminal; add --yes.')
  }
  const answer = await io.ask(`Let clients change these tables? (yes/no) `)
  if (answer.trim().toLowerCase() !== 'yes') throw new Error('Nothing is served: not confirmed.')
}
