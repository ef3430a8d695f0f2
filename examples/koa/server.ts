// The API in a Koa app, beside the app's own middleware.

import type { AddressInfo } from 'node:net'
import { apiErrors, modelApi } from '@model-api/adapter-koa'
import { createApi } from '@model-api/core'
import Koa from 'koa'
import { Author, Book, onStop, openBookshop, port } from '../bookshop.ts'

const db = openBookshop()
const api = createApi({ db, models: [Author, Book], config: { API_TITLE: 'Bookshop' } })

const app = new Koa()
// First, so that errors of other middleware on the API's paths are sent in the API's envelope.
app.use(apiErrors(api))
app.use(async (ctx, next) => {
  if (ctx.get('user-agent').includes('bad-bot')) ctx.throw(403, 'No bots, please.')
  await next()
})
app.use(modelApi(api))
app.use((ctx) => {
  if (ctx.path === '/') ctx.body = 'A bookshop. Its books are at /api/books.'
})

const server = app.listen(port, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  console.log(`Listening at ${url}
  curl '${url}/api/authors/1?dump=json'
  curl '${url}/api/books' -A bad-bot`)
})
onStop(async () => {
  server.close()
  server.closeIdleConnections()
  await api.close()
  await db.destroy()
})
