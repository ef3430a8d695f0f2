/**
 * A request whose body a parser of the host could not read is never served, whether or not its endpoint reads a body: the error of the
 * parser skips the middleware after it, which may have refused the request.
 */
import * as http from 'node:http'
import { createRequire } from 'node:module'
import { modelApi as expressApi } from '@model-api/adapter-express'
import { apiErrors, modelApi as koaApi } from '@model-api/adapter-koa'
import type { Api, Envelope } from '@model-api/core'
import express, { type Express, type RequestHandler } from 'express'
import Koa, { type Middleware } from 'koa'
import { listening } from '../http/conformance.ts'
import { openWorld } from '../http/world.ts'
import { equal, match } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const require = createRequire(import.meta.url)
const express4 = require('express4') as typeof express
const koaParser = require('koa-bodyparser') as (options: object) => Middleware

/** Refuses what JSON allows, as a check of the host does. */
const reviver = (name: string, value: unknown): unknown => {
  if (name === 'title' && value === 'refused') throw new Error('This title is refused.')
  return value
}

/** An app of the framework: a body parser, a guard that lets nobody pass, and the API. */
type Guarded = (api: Api) => http.RequestListener

const guardedExpress =
  (framework: typeof express): Guarded =>
  (api) => {
    const app: Express = framework()
    const guard: RequestHandler = (_req, res) => void res.status(401).send('log in')
    app
      .use(framework.json({ limit: 100, reviver }))
      .use(guard)
      .use(expressApi(api))
    return app
  }

const guardedKoa: Guarded = (api) => {
  const app = new Koa()
  app.silent = true
  app.use(apiErrors(api)).use(koaParser({ jsonLimit: 100, enableTypes: ['json'] }))
  app.use((ctx) => ctx.throw(401, 'log in')).use(koaApi(api))
  return app.callback()
}

interface Sent {
  readonly method: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a body with any method; `fetch` refuses bodies of GET. */
const statusOf = (port: number, { method, path, headers, body }: Sent): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      {
        port,
        host: '127.0.0.1',
        method,
        path: path ?? '/api/books/1',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => resolve(response.resume().statusCode),
    )
    request.on('error', reject).end(body)
  })

const malformed = '{'
const long = `{"title":"${'x'.repeat(200)}"}`

const requests: readonly (readonly [string, Sent, number])[] = [
  ['GET, malformed', { method: 'GET', body: malformed }, 400],
  ['HEAD, malformed', { method: 'HEAD', body: malformed }, 400],
  ['GET of a list, malformed', { method: 'GET', path: '/api/books', body: malformed }, 400],
  ['the index, malformed', { method: 'GET', path: '/api', body: malformed }, 400],
  ['DELETE, malformed', { method: 'DELETE', body: malformed }, 400],
  ['DELETE, too long', { method: 'DELETE', body: long }, 413],
  [
    'DELETE, in an unknown encoding',
    { method: 'DELETE', headers: { 'content-encoding': 'unknown' }, body: malformed },
    415,
  ],
  [
    'DELETE, not in the encoding that it declares',
    { method: 'DELETE', headers: { 'content-encoding': 'gzip' }, body: malformed },
    415,
  ],
  ['GET, no object', { method: 'GET', body: 'null' }, 400],
  ['an unknown path', { method: 'GET', path: '/api/nothing', body: malformed }, 404],
  ['a method that is not allowed', { method: 'PUT', body: malformed }, 405],
]

for (const [name, guarded] of [
  ['Express 5', guardedExpress(express)],
  ['Express 4', guardedExpress(express4)],
  ['Koa', guardedKoa],
] as const) {
  suite(`a body that a parser of the host refused: ${name}`, (test) => {
    const running = async (run: (port: number) => Promise<void>): Promise<void> => {
      const { api, close } = await openWorld()
      const { port, stop } = await listening(http.createServer(guarded(api)))
      try {
        await run(port)
        const { body } = await api.handle({ method: 'GET', url: '/api/books', headers: {} })
        equal(body?.total_count, 3, 'a record was deleted')
      } finally {
        await stop()
        await close()
      }
    }

    for (const [title, sent, status] of requests) {
      test(`${title} is ${status}`, () =>
        running(async (port) => equal(await statusOf(port, sent), status)))
    }
  })
}

suite('a body that a parser of the host refused although it is JSON', (test) => {
  for (const [name, framework] of [
    ['Express 5', express],
    ['Express 4', express4],
  ] as const) {
    test(`${name}: is refused with the reason of the host`, async () => {
      const { api, close } = await openWorld()
      const app = framework()
      app.use(framework.json({ reviver })).use(expressApi(api))
      const { port, stop } = await listening(http.createServer(app))
      try {
        const response = await fetch(`http://127.0.0.1:${port}/api/books`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"title":"refused","author_id":1}',
        })
        const { errors } = (await response.json()) as Envelope
        equal(response.status, 400)
        match(String(errors?.reason), 'This title is refused.')
      } finally {
        await stop()
        await close()
      }
    })
  }
})
