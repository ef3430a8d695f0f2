// model-api openapi: prints the OpenAPI document of a database as `serve` would publish it, or of an application's API.

import { createApi } from '@model-api/core'
import { isModule, withExportedApi } from './exported-api.ts'
import type { CommandIo } from './io.ts'
import { type ReadSchemaOptions, readDatabase } from './read-database.ts'
import { servedConfig } from './serve-database.ts'

/** Prints the document to stdout and everything else to stderr: `model-api openapi file > openapi.json`. */
export async function openapi(
  target: string,
  options: ReadSchemaOptions,
  io: Pick<CommandIo, 'out' | 'err'>,
): Promise<void> {
  const document = isModule(target)
    ? await withExportedApi(target, (api) => api.openapi())
    : await ofDatabase(target, options, io)
  io.out(JSON.stringify(document, null, 2))
}

async function ofDatabase(
  target: string,
  options: ReadSchemaOptions,
  io: Pick<CommandIo, 'err'>,
): Promise<unknown> {
  const database = await readDatabase(target, options, io.err, io.err)
  try {
    const { db, models } = database
    const config = servedConfig(database, undefined)
    const api = createApi({ db, models, config, onWarning: io.err })
    return await api.openapi()
  } finally {
    await database.close()
  }
}
