// The last step of every `serve`: listens (listen), prints the URL (announce), and shuts down gracefully when the process is asked to end
// (serveUntilStopped).

import type { Api } from '@model-api/core'
import { type ApiServer, createServer } from '../server/server.ts'
import type { CommandIo } from './io.ts'
import { listenFailure } from './output/failure.ts'

/** Where a server listens, and how it ends. */
export interface Listening {
  readonly port: number
  readonly host: string
  /** Milliseconds for which requests are still accepted after the health route has begun to respond with 503. */
  readonly drainDelay?: number
}

/** Starts the server; rejects with a message for the user if that fails. */
export async function listen(
  api: Api,
  { port, host, drainDelay }: Listening,
): Promise<{ readonly server: ApiServer; readonly url: string }> {
  const server = createServer(api, drainDelay === undefined ? {} : { drainDelay })
  try {
    return { server, url: await server.listen(port, host) }
  } catch (error) {
    throw new Error(listenFailure(host, port, error))
  }
}

/** Returns the lines with the URLs of the API and its documentation. */
export function announce(api: Api, url: string): string[] {
  const documentation = api.owns('/docs') ? [`Documentation at ${url}/docs`] : []
  return ['', `Listening at ${url}  (Ctrl+C ends it)`, ...documentation]
}

/** Whether an address is reachable from this machine only. */
export const isPrivate = (host: string): boolean => /^(?:127\.|localhost$|::1$)/.test(host)

/** Serves until the process is asked to end; resolves when running requests are finished. */
export async function serveUntilStopped(server: ApiServer, io: CommandIo): Promise<void> {
  io.serving?.()
  await io.stopped
  io.out('')
  io.out('Stopping …')
  await server.close()
}
