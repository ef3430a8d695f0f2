// What every kind of serve ends with: listen at an address, say so, and close in order when the process is asked to end.

import type { Api } from '@model-api/core'
import { listenFailure } from '../failure.ts'
import { type ApiServer, createServer } from '../server.ts'
import type { CommandIo } from './io.ts'

export interface Listening {
  readonly port: number
  readonly host: string
  /** Milliseconds that requests are still served after the health route has begun to say that the service is not ready. */
  readonly drainDelay?: number
}

/** Rejects with a sentence where the address cannot be listened at. */
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

/** Where it listens, and where its documentation is. */
export function announce(api: Api, url: string): string[] {
  const documentation = api.owns('/docs') ? [`Documentation at ${url}/docs`] : []
  return ['', `Listening at ${url}  (Ctrl+C ends it)`, ...documentation]
}

/** Whether an address is reached from this machine alone. */
export const isPrivate = (host: string): boolean => /^(?:127\.|localhost$|::1$)/.test(host)

/** Returns when running answers are finished. */
export async function serveUntilStopped(server: ApiServer, io: CommandIo): Promise<void> {
  io.serving?.()
  await io.stopped
  io.out('')
  io.out('Stopping …')
  await server.close()
}
