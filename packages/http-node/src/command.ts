// run: parses the command line of `model-api`, checks its options and runs the command (`commands/`); returns the exit code.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { GivenKeys } from '@model-api/core/introspect'
import { check } from './commands/check.ts'
import { isModule } from './commands/exported-api.ts'
import { exposure } from './commands/exposure-command.ts'
import type { CommandIo } from './commands/io.ts'
import { models } from './commands/models.ts'
import { openapi } from './commands/openapi.ts'
import {
  isReportedFailure,
  isUsageError,
  messageOf,
  usageError,
} from './commands/output/failure.ts'
import { suggestion } from './commands/output/suggestion.ts'
import type { ReadSchemaOptions } from './commands/read-database.ts'
import { readRelationsFile } from './commands/relations-file.ts'
import { type ServeOptions, serve } from './commands/serve.ts'
import { suggest } from './commands/suggest-relations.ts'
import { targetForms } from './database/locations.ts'

export const help: string = `model-api: a REST API from a database that is already there

  model-api serve <file or URL>     serve it, read only, at http://127.0.0.1:3000/api,
                                    or the API that a module such as ./api.ts exports, as it is
  model-api models <file or URL>    print its models as TypeScript
  model-api openapi <file or URL>   print the OpenAPI document of what serve publishes,
                                    or of the API that a module such as ./api.ts exports
  model-api exposure <module> [role …]  print what each role reaches in the API that a module exports
  model-api check <module>          compare the models of the API that a module exports with the database;
                                    exits with 1 and a list if they differ
  model-api --help                  this text
  model-api --version

  <file or URL> is ${targetForms}.

Options of serve
  --port <number>     default: the environment's PORT, else 3000; 0 takes any free port
  --host <address>    default: the environment's HOST, else 127.0.0.1
  --workers <number>  processes that serve, each with a pool of its own; default: 1
  --write             publish POST, PATCH and DELETE too, after showing what becomes writable and asking
  --yes               do not ask; needed for --write without a terminal, and with --workers
  --replica <URL>     read from this replica of the database; may be given several times
  --drain-delay <ms>  go on serving for so long after /health/ready says 503, so that a load
                      balancer notices; default: 0

Options of serve, models and openapi
  --schema <names>    read this schema instead of the connection's own; several, separated by commas, with
                      the relations between them (MySQL and MariaDB: databases)
  --only <tables>     these tables and no others, separated by commas
  --except <tables>   all but these tables
  --include <tables>  these tables too, although migration tools use their names, such as migrations
  --relations <file>  relations that the database does not declare by foreign keys, in lines such as
                      orders.customer_id -> customers.id; what names suggest is printed, not taken
  --suggest all       of serve and models: only print all relations that names suggest, as such a file:
                      model-api serve <file or URL> --suggest all > relations.txt
  --key <table>=<columns>  the key of a view or table that declares none: columns, separated by
                      commas, that are never NULL and differ in every row; may be given several times
  --publish <names>   columns such as licences.token, or tables, that look like credentials and are none,
                      separated by commas

Every table and view is published, joins included (API_ALLOW_JOIN); one without a key as a list only. Columns whose name says
that they hold a secret are hidden. To decide yourself, print the models and call createApi with them.`

const commands = {
  serve: runServe,
  models: runModels,
  openapi: runOpenapi,
  exposure: runExposure,
  check: runCheck,
}

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  port: { type: 'string', short: 'p' },
  host: { type: 'string' },
  workers: { type: 'string' },
  'drain-delay': { type: 'string' },
  replica: { type: 'string', multiple: true },
  write: { type: 'boolean' },
  yes: { type: 'boolean' },
  schema: { type: 'string' },
  only: { type: 'string', multiple: true },
  except: { type: 'string', multiple: true },
  include: { type: 'string', multiple: true },
  key: { type: 'string', multiple: true },
  relations: { type: 'string' },
  publish: { type: 'string', multiple: true },
  suggest: { type: 'string' },
} as const

/** Upper limit of --workers; a higher number is a typing error. */
const mostWorkers = 256

type Words = ReturnType<typeof readWords>

/** Runs a command line; returns the exit code: 0, 1 for a failure, 2 for an invalid command line. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    await runWords(readWords(args), io)
    return 0
  } catch (error) {
    if (isUsageError(error)) {
      io.err(`model-api: ${error.usage}`)
      io.err('model-api --help lists commands and options.')
      return 2
    }
    if (isReportedFailure(error)) return error.exitCode
    // All lines of the message; `messageOf` would keep only the first.
    io.err(`model-api: ${error instanceof Error ? error.message : messageOf(error)}`)
    return 1
  }
}

/** Runs the command that the first word names. */
async function runWords(words: Words, io: CommandIo): Promise<void> {
  const [name, target, ...more] = words.positionals
  if (words.values.version) return io.out(version())
  if (words.values.help || name === 'help' || name === undefined) return io.out(help)
  if (!Object.hasOwn(commands, name)) {
    throw usageError(`there is no command "${name}".${suggestion(name, Object.keys(commands))}`)
  }
  if (name === 'exposure') return runExposure(target, words, io)
  if (name === 'check') return runCheck(target, words, io)
  if (target === undefined) throw usageError(`${name} needs a database: ${targetForms}.`)
  if (more.length > 0) throw usageError(`expected one database; "${more[0]}" is a second one.`)
  await commands[name as keyof typeof commands](target, words, io)
}

/** Parses words and options; throws a UsageError for an unknown option. */
function readWords(args: readonly string[]) {
  for (const arg of args) {
    if (arg === '--') break
    const name = /^--(?:no-)?([^=]+)/.exec(arg)?.[1]
    if (name !== undefined && !Object.hasOwn(options, name)) {
      const known = Object.keys(options).map((option) => `--${option}`)
      throw usageError(`there is no option "--${name}".${suggestion(`--${name}`, known)}`)
    }
  }
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    throw usageError(messageOf(error))
  }
}

function runServe(target: string, words: Words, io: CommandIo): Promise<void> {
  const { values } = words
  if (values.suggest !== undefined) return runSuggest(target, words, io)
  const settings: ServeOptions = {
    ...schemaOptions(words),
    port: readPort(values.port ?? io.env.PORT),
    host: values.host ?? (io.env.HOST || '127.0.0.1'),
    workers: readWorkers(values.workers),
    drainDelay: readDrainDelay(values['drain-delay']),
    ...(values.replica === undefined ? {} : { replicas: values.replica }),
    ...readWrite(values),
  }
  return serve(target, settings, io)
}

function readWrite({ write, yes }: Words['values']): Pick<ServeOptions, 'write'> {
  if (yes && !write) throw usageError('--yes answers what --write asks; there is no --write.')
  return write ? { write: yes ? 'confirmed' : 'ask' } : {}
}

function runModels(target: string, words: Words, io: CommandIo): Promise<void> {
  if (words.values.suggest !== undefined) return runSuggest(target, words, io)
  refuseServerOptions('models', words)
  return models(target, schemaOptions(words), io)
}

function runOpenapi(target: string, words: Words, io: CommandIo): Promise<void> {
  refuseServerOptions('openapi', words)
  if (words.values.suggest !== undefined) throw usageError('openapi has no option "--suggest".')
  return openapi(target, schemaOptions(words), io)
}

function runSuggest(target: string, words: Words, io: CommandIo): Promise<void> {
  if (words.values.suggest !== 'all') throw usageError('--suggest takes the word "all".')
  if (isModule(target)) throw usageError(`--suggest is for a database; ${target} is a module.`)
  refuseServerOptions('--suggest', words)
  return suggest(target, schemaOptions(words), io)
}

function refuseServerOptions(command: string, { values }: Words): void {
  for (const name of [
    'port',
    'host',
    'workers',
    'drain-delay',
    'replica',
    'write',
    'yes',
  ] as const) {
    if (values[name] !== undefined) throw usageError(`${command} has no option "--${name}".`)
  }
}

function runExposure(target: string | undefined, words: Words, io: CommandIo): Promise<void> {
  return exposure(moduleOf('exposure', target, words), words.positionals.slice(2), io)
}

function runCheck(target: string | undefined, words: Words, io: CommandIo): Promise<void> {
  const module = moduleOf('check', target, words)
  const [further] = words.positionals.slice(2)
  if (further !== undefined) throw usageError(`expected one module; "${further}" is a second one.`)
  return check(module, io)
}

/** Returns the module argument of a command that has no options. */
function moduleOf(command: string, module: string | undefined, { values }: Words): string {
  const [option] = Object.keys(values)
  if (option !== undefined) throw usageError(`${command} has no option "--${option}".`)
  if (module !== undefined) return module
  throw usageError(`${command} needs a module that exports an API, such as ./api.ts.`)
}

function schemaOptions({ values }: Words): ReadSchemaOptions {
  const namesIn = (texts: readonly string[]): string[] =>
    texts.flatMap((text) => text.split(',')).flatMap((name) => name.trim() || [])
  return {
    ...readSchemas(values.schema),
    ...(values.only === undefined ? {} : { only: namesIn(values.only) }),
    ...(values.except === undefined ? {} : { except: namesIn(values.except) }),
    ...(values.include === undefined ? {} : { include: namesIn(values.include) }),
    ...(values.key === undefined ? {} : { keys: readKeys(values.key) }),
    ...(values.publish === undefined ? {} : { publish: namesIn(values.publish) }),
    ...readRelations(values.relations),
  }
}

/** Parses the keys of tables: `order_totals=order_id` makes `order_id` the key of `order_totals`. */
function readKeys(texts: readonly string[]): GivenKeys {
  const keys = new Map<string, readonly string[]>()
  for (const text of texts) {
    const [table = '', columns, ...more] = text.split('=')
    const names = columns?.split(',').flatMap((name) => name.trim() || []) ?? []
    if (table === '' || names.length === 0 || more.length > 0) {
      throw usageError(
        `"${text}" is no key. Expected <table>=<column>, such as order_totals=order_id.`,
      )
    }
    if (keys.has(table))
      throw usageError(`--key is given twice for ${table}; separate its columns by commas.`)
    keys.set(table, names)
  }
  return Object.fromEntries(keys)
}

const readRelations = (file: string | undefined): Partial<ReadSchemaOptions> =>
  file === undefined ? {} : { relationsFile: file, relations: readRelationsFile(file) }

function readSchemas(text: string | undefined): Pick<ReadSchemaOptions, 'schema'> {
  if (text === undefined) return {}
  const [schema, ...more] = text.split(',').flatMap((name) => name.trim() || [])
  if (schema === undefined) throw usageError('--schema needs the name of a schema.')
  return { schema: more.length === 0 ? schema : [schema, ...more] }
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return 3000
  const port = Number(text)
  if (/^[0-9]+$/.test(text) && port <= 65_535) return port
  throw usageError(`"${text}" is not a port. Expected a number from 0 to 65535.`)
}

function readWorkers(text: string | undefined): number {
  if (text === undefined) return 1
  const count = Number(text)
  if (/^[0-9]+$/.test(text) && count >= 1 && count <= mostWorkers) return count
  throw usageError(`"${text}" is not a number of workers. Expected 1 to ${mostWorkers}.`)
}

/** Upper limit of --drain-delay in milliseconds; process managers kill a process earlier. */
const longestDrainDelay = 600_000

function readDrainDelay(text: string | undefined): number {
  if (text === undefined) return 0
  const milliseconds = Number(text)
  if (/^[0-9]+$/.test(text) && milliseconds <= longestDrainDelay) return milliseconds
  throw usageError(
    `"${text}" is not a delay. Expected milliseconds from 0 to ${longestDrainDelay}.`,
  )
}

function version(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
