/** The conformance list of the adapters in Vite's development server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '@model-api/core'
import { type Listener, listener } from '@model-api/http-node'
import { conforms, host, listening, type Server } from '../http/conformance.ts'
import { notRun } from '../support/suite.ts'
import { load, notInstalled } from './packages.ts'

const missing = notInstalled()
if (missing === undefined) await declare()
else notRun('runtimes/vite', missing)

/** The part of Vite's server that is used. */
interface ViteServer {
  readonly middlewares: RequestListener & {
    use(handler: Listener): void
    use(path: string, handler: Listener): void
  }
  close(): Promise<void>
}

async function declare(): Promise<void> {
  const vite = await load('vite')

  const serving = (
    build: (server: ViteServer, api: Api) => void,
    more: Partial<Server> = {},
  ): Server => ({
    ...more,
    start: async (api) => {
      const root = mkdtempSync(join(tmpdir(), 'model-api-vite-'))
      const prefix = more.mount ?? ''
      const plugin = {
        name: 'api',
        configureServer: (server: ViteServer) => void build(server, api),
      }
      const server: ViteServer = await vite.createServer({
        ...{ root, configFile: false, appType: 'custom', logLevel: 'silent', plugins: [plugin] },
        server: { middlewareMode: true, cors: false, hmr: false, ws: false, watch: null },
      })
      server.middlewares.use((req, res) => {
        const text = [host.hello, host.shelves].find(({ path }) => prefix + path === req.url)?.text
        res.statusCode = text === undefined || req.method !== 'GET' ? 404 : 200
        res.end(res.statusCode === 200 ? text : host.nobody)
      })
      const { ask, port, stop } = await listening(createServer(server.middlewares))
      return {
        ask,
        port,
        stop: async () => {
          await stop()
          await server.close()
          rmSync(root, { recursive: true, force: true })
        },
      }
    },
  })

  conforms(
    'Vite',
    serving((server, api) => server.middlewares.use(listener(api))),
  )
  conforms(
    'Vite, mounted',
    serving((server, api) => server.middlewares.use('/v1', listener(api)), { mount: '/v1' }),
  )
}
