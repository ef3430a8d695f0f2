/** The ways in which the typed client reaches an API; its tests use each of them. */
import type { Api } from '@model-api/core'
import { type Client, createClient } from '@model-api/core/client'

export interface ClientTransport {
  readonly name: string
  /** Returns the client of an API for nobody. `tell` receives each request that is sent, as method and URL. */
  clientOf<A>(api: Api, tell?: (request: string) => void): Client<A>
}

export const throughFetch: ClientTransport = {
  name: 'the typed client',
  clientOf: <A>(api: Api, tell?: (request: string) => void) =>
    createClient<A>('http://api.test', {
      fetch(request) {
        const { pathname, search } = new URL(request.url)
        tell?.(`${request.method} ${decodeURIComponent(pathname + search)}`)
        return api.fetch(request)
      },
    }),
}

export const inThisProcess: ClientTransport = {
  name: 'the typed client in this process',
  clientOf: <A>(api: Api) => api.as(null) as Client<A>,
}

export const transports = [throughFetch, inThisProcess]
