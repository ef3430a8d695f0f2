// model-api serve: a database, or an API of one's own, until the process is asked to end.

import { usageError } from '../failure.ts'
import { isModule } from './exported-api.ts'
import type { CommandIo } from './io.ts'
import type { Listening } from './listen.ts'
import type { ReadSchemaOptions } from './read-database.ts'
import { serveDatabase } from './serve-database.ts'
import { serveModule } from './serve-module.ts'

export interface ServeOptions extends Listening, ReadSchemaOptions {}

/** Serves until `io.stopped` settles. */
export async function serve(target: string, options: ServeOptions, io: CommandIo): Promise<void> {
  if (!isModule(target)) return serveDatabase(target, options, io)
  const ofDatabases = (['schema', 'only', 'except'] as const).find((name) => name in options)
  if (ofDatabases !== undefined) {
    throw usageError(`--${ofDatabases} is for a database; ${target} says itself what it publishes.`)
  }
  await serveModule(target, options, io)
}
