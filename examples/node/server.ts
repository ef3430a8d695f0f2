// The API with node:http alone: a server with time limits and a graceful shutdown.

import { createApi } from '@model-api/core'
import { createServer } from '@model-api/http-node'
import { Author, Book, onStop, openBookshop, port } from '../bookshop.ts'

const db = openBookshop()
const api = createApi({ db, models: [Author, Book], config: { API_TITLE: 'Bookshop' } })

const server = createServer(api, {
  // Every path that is not the API's.
  fallback: (_req, res) => void res.end('A bookshop. Its books are at /api/books.\n'),
})
onStop(async () => {
  await server.close()
  await db.destroy()
})

const url = await server.listen(port)
console.log(`Listening at ${url}
  curl -g '${url}/api/books?join=author&author.name__ilike=austen'
  curl -X POST '${url}/api/books' -H 'content-type: application/json' -d '{"title":"Sanditon","price":"7.00","author_id":1}'`)
