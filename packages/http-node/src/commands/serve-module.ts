// model-api serve of a module: serves the API that it exports, unchanged.

import type { Api } from '@model-api/core'
import { withExportedApi } from './exported-api.ts'
import type { CommandIo } from './io.ts'
import { announce, listen, serveUntilStopped } from './listen.ts'
import { listedNames } from './output/describe.ts'
import { databaseFailure } from './output/failure.ts'
import type { ServeOptions } from './serve.ts'

/** Serves the API of a module, with the module's own models, rules and database. */
export async function serveModule(
  path: string,
  options: ServeOptions,
  io: CommandIo,
): Promise<void> {
  io.out(`Loading ${path} …`)
  await withExportedApi(path, (api) => serveApi(api, path, options, io))
}

async function serveApi(
  api: Api,
  path: string,
  options: ServeOptions,
  io: CommandIo,
): Promise<void> {
  await reached(api, path)
  io.out(`It publishes ${listedNames(api.registry.resources.map(({ paths }) => paths[0] ?? ''))}.`)
  const { server, url } = await listen(api, options)
  for (const line of announce(api, url)) io.out(line)
  if (options.workers > 1 && api.rateLimits === 'process') io.err(countsApart(options.workers))
  await serveUntilStopped(server, io)
}

/** Waits until the API has read its database; throws with a message for the user if that fails. */
async function reached(api: Api, path: string): Promise<void> {
  try {
    await api.ready
  } catch (error) {
    const { cause } = error as Error
    if (cause === undefined) throw error
    throw new Error(databaseFailure(`the database of ${path}`, cause))
  }
}

/** Returns the warning that each worker counts rate limits separately, unless they are in a shared store. */
const countsApart = (workers: number): string =>
  `Each worker counts rate limits in its own memory: with ${workers} workers, "10 per minute" lets up to ${10 * workers} ` +
  'through. To share them, set API_RATE_LIMIT_STORE, such as redisRateLimitStore(client).'
