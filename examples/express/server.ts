// The API in an Express app: mounted under /v1, between the app's own routes.

import type { AddressInfo } from 'node:net'
import { modelApi } from '@model-api/adapter-express'
import { createApi } from '@model-api/core'
import express from 'express'
import { Author, Book, onStop, openBookshop, port } from '../bookshop.ts'

const db = openBookshop()
const api = createApi({ db, models: [Author, Book], config: { API_TITLE: 'Bookshop' } })

const app = express()
// A body parser may run before the API, or after it, or not at all.
app.use(express.json())
app.get('/v1/api/books/random', (_req, res) => void res.redirect('/v1/api/books/2'))
app.use('/v1', modelApi(api))
app.get('/', (_req, res) => void res.send('A bookshop. Its books are at /v1/api/books.'))

const server = app.listen(port, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  console.log(`Listening at ${url}
  curl '${url}/v1/api/books?order_by=-price&limit=2'
  curl -L '${url}/v1/api/books/random'`)
})
onStop(async () => {
  server.close()
  server.closeIdleConnections()
  await api.close()
  await db.destroy()
})
