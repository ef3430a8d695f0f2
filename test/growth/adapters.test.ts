/** The bodies of the growth tests, sent to every adapter, with and without body parsers of the host. */
import * as http from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import { modelApi as expressApi } from '@model-api/adapter-express'
import { modelApi as koaApi, apiErrors as koaErrors } from '@model-api/adapter-koa'
import type { Api, ApiRequest } from '@model-api/core'
import { listener } from '@model-api/http-node'
import express from 'express'
import Koa, { type Middleware } from 'koa'
import { listening } from '../http/conformance.ts'
import { equal } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { steepness } from '../support/growth.ts'
import { suite } from '../support/suite.ts'
import { wrongAnswer } from './answers.ts'
import { type Door, families } from './doors.ts'
import { smallestText } from './smallest-text.ts'
import { createWorld, restore } from './world.ts'

const limit = '10mb'

const servers: Readonly<Record<string, (api: Api) => http.RequestListener>> = {
  'node:http': (api) => listener(api),
  'Express 5': (api) => express().use(expressApi(api)),
  'Express 5 behind a parser': (api) => express().use(express.json({ limit })).use(expressApi(api)),
  'Koa 3': (api) => appOf(koaApi(api)),
  'Koa 3 behind a parser': (api) =>
    appOf(koaErrors(api), bodyParser({ jsonLimit: limit }) as Middleware, koaApi(api)),
  'a web Request': (api) => (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk) => chunks.push(chunk))
    req.on('end', async () => {
      const { method = 'GET', url, headers } = req
      const body = Buffer.concat(chunks)
      const request = new Request(`http://127.0.0.1${url}`, {
        method,
        headers: { 'content-type': headers['content-type'] ?? '' },
        body,
      })
      const response = await api.fetch(request)
      res.writeHead(response.status, Object.fromEntries(response.headers))
      res.end(Buffer.from(await response.arrayBuffer()))
    })
  },
}

function appOf(...all: Middleware[]): http.RequestListener {
  const app = new Koa()
  app.silent = true
  for (const one of all) app.use(one)
  return app.callback()
}

suite('growth by adapter', (test) => {
  const db = everyDatabase().find(({ name }) => name === 'sqlite')
  if (db === undefined) throw new Error('SQLite is part of the tests')
  let api: Api
  let doors: readonly Door[]
  test.before(async () => {
    api = await createWorld(db)
    const all = (await families['whole bodies']?.(api)) ?? []
    doors = all.filter(({ request }) => typeof request(8).body === 'string')
  })
  test.after(() => db.close())

  for (const [name, listenerOf] of Object.entries(servers)) {
    test(name, async () => {
      const { port, stop } = await listening(http.createServer(listenerOf(api)))
      const wrong: string[] = []
      const send = async (door: Door, request: ApiRequest): Promise<void> => {
        const { method, url, headers, body } = request
        const response = await fetch(`http://127.0.0.1:${port}${url}`, {
          method,
          headers: headers as Record<string, string>,
          body: body as string,
        })
        const { status } = response
        const answer = { status, headers: [...response.headers], text: await response.text() }
        const what = wrongAnswer(request, answer)
        if (what !== undefined) wrong.push(`${door.name} ${what}`)
      }
      for (const door of doors) {
        await send(door, door.request(1000))
        const steep = await steepness(smallestText, (size) => {
          const request = door.request(size)
          return () => send(door, request)
        })
        if (steep !== undefined) wrong.push(`${door.name} grows: ${steep}`)
      }
      await stop()
      await restore(db)
      equal(wrong, [])
    })
  }
})
