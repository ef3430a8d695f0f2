/** The conformance list of the adapters in NestJS: before its parsers, mounted, and in a controller behind a guard. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Api } from '@model-api/core'
import { listener } from '@model-api/http-node'
import { conforms, host, listening, type Server } from '../http/conformance.ts'
import { hosts } from '../http/hosting.ts'
import { notRun } from '../support/suite.ts'
import { load, notInstalled } from './packages.ts'

const missing = notInstalled()
if (missing === undefined) await declare()
else notRun('runtimes/nest', missing)

type Decorator = (...target: unknown[]) => void

/** Applies decorators to a class and its method; `parameters` are those of the method's parameters. */
function decorate(
  made: { readonly prototype: object },
  { on, method, name, parameters = [] }: Decorations,
): void {
  for (const one of on) one(made)
  if (name === undefined) return
  const descriptor = Object.getOwnPropertyDescriptor(made.prototype, name)
  for (const one of method ?? []) one(made.prototype, name, descriptor)
  for (const [i, one] of parameters.entries()) one(made.prototype, name, i)
}

interface Decorations {
  readonly on: readonly Decorator[]
  readonly name?: string
  readonly method?: readonly Decorator[]
  readonly parameters?: readonly Decorator[]
}

/** The part of a Nest application that is used. */
interface NestApp {
  use(...handlers: unknown[]): void
  init(): Promise<void>
  close(): Promise<void>
  getHttpAdapter(): { getInstance(): RequestListener }
}

interface UserRequest extends IncomingMessage {
  user?: { readonly name: string }
}

async function declare(): Promise<void> {
  await load('reflect-metadata')
  const { NestFactory } = await load('@nestjs/core')
  const nest = await load('@nestjs/common')
  const { All, Controller, Module, Req, Res, UseGuards } = nest

  class Own {
    answer(req: IncomingMessage, res: ServerResponse): void {
      const url = req.url?.replace(/^\/v1/, '')
      const text = [host.hello, host.shelves].find(({ path }) => path === url)?.text
      res.statusCode = text === undefined || req.method !== 'GET' ? 404 : 200
      res.end(res.statusCode === 200 ? text : host.nobody)
    }
  }
  decorate(Own, {
    on: [Controller()],
    name: 'answer',
    method: [All('*path')],
    parameters: [Req(), Res()],
  })

  async function start(
    controllers: readonly unknown[],
    build: (app: NestApp) => void,
  ): Promise<Awaited<ReturnType<typeof listening>>> {
    class App {}
    decorate(App, { on: [Module({ controllers })] })
    const app: NestApp = await NestFactory.create(App, { logger: false })
    build(app)
    await app.init()
    const { ask, port, stop } = await listening(createServer(app.getHttpAdapter().getInstance()))
    return { ask, port, stop: () => stop().then(() => app.close()) }
  }

  const serving = (
    build: (app: NestApp, api: Api) => void,
    more: Partial<Server> = {},
  ): Server => ({
    ...more,
    // The router of the app refuses it.
    except: ['a malformed path below it'],
    start: (api) => start([Own], (app) => build(app, api)),
  })

  conforms(
    'NestJS',
    serving((app, api) => app.use(listener(api))),
  )
  conforms(
    'NestJS, mounted',
    serving((app, api) => app.use('/v1', listener(api)), { mount: '/v1' }),
  )

  hosts('a controller of NestJS, behind a guard', {
    mount: '/v1',
    start: (api) => {
      class Guard {
        canActivate(context: { switchToHttp(): { getRequest(): UserRequest } }): boolean {
          const request = context.switchToHttp().getRequest()
          const name = request.headers['x-user']
          if (typeof name === 'string') request.user = { name }
          return true
        }
      }
      class Serving {
        serve(req: IncomingMessage, res: ServerResponse): void {
          listener(api, { baseUrl: '/v1' })(req, res)
        }
      }
      decorate(Serving, {
        on: [Controller('v1/api'), UseGuards(Guard)],
        name: 'serve',
        method: [All('*path')],
        parameters: [Req(), Res()],
      })
      return start([Serving], () => {})
    },
    userOf: (request) => (request as UserRequest).user,
  })
}
