/** A request line with an absolute URL, which a server must accept (RFC 9112 §3.2.2), is served below a mount like any other. */
import * as http from 'node:http'
import { modelApi as expressApi } from '@model-api/adapter-express'
import { modelApi as koaApi } from '@model-api/adapter-koa'
import type { Api } from '@model-api/core'
import { listener } from '@model-api/http-node'
import express from 'express'
import Koa from 'koa'
import mount from 'koa-mount'
import { listening } from '../http/conformance.ts'
import { openWorld } from '../http/world.ts'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const hosts: Readonly<Record<string, (api: Api) => http.RequestListener>> = {
  Express: (api) => express().use('/v1', expressApi(api)),
  Koa: (api) => new Koa().use(mount('/v1', koaApi(api))).callback(),
  'the listener with a prefix': (api) => listener(api, { baseUrl: '/v1' }),
}

const get = (port: number, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (data) => {
        text += data
      })
      response.on('end', () => resolve(text))
    })
    request.on('error', reject)
  })

suite('absolute URLs below a mount', (test) => {
  for (const [name, app] of Object.entries(hosts)) {
    test(`${name}: URLs in the response contain the mount`, async () => {
      const { api, close } = await openWorld()
      const { port, stop } = await listening(http.createServer(app(api)))
      try {
        const { value } = JSON.parse(await get(port, 'http://example.org/v1/api/books/1'))
        equal(value?.author, '/v1/api/books/1/author')
      } finally {
        await stop()
        await close()
      }
    })
  }
})
