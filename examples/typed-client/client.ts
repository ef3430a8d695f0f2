// A client of the library: paths, parameters, bodies and answers are typed by its OpenAPI document.
// `pnpm --filter @model-api/example-typed-client generate` writes the types first.

import { createServer } from '@model-api/http-node'
import createClient from 'openapi-fetch'
import { openLibrary } from '../library/library.ts'
import type { paths } from './library.gen.d.ts'

const library = await openLibrary()
const server = createServer(library.api)
const client = createClient<paths>({
  baseUrl: await server.listen(0),
  // Lists are written with commas; the members of objects, such as `filters`, are separate parameters.
  querySerializer: {
    array: { style: 'form', explode: false },
    object: { style: 'form', explode: true },
  },
})

// Filters have the types of their columns and operators.
const islands = await client.GET('/api/books', {
  params: {
    query: {
      filters: { title__ilike: 'island', in_stock__eq: true },
      order_by: ['-price'],
      limit: 3,
    },
  },
})
for (const book of islands.data?.value ?? []) {
  console.log(`${book.title}: ${book.price}`)
}

// @ts-expect-error: books have no column of this name
await client.GET('/api/books', { params: { query: { filters: { titel__ilike: 'island' } } } })

// Failures are typed too.
const nowhere = await client.GET('/api/books/{id}', { params: { path: { id: 99_999 } } })
console.log(`${nowhere.response.status}: ${nowhere.error?.errors?.error}`)

// Log in, then write.
const login = await client.POST('/auth/login', {
  body: { username: 'emil', password: 'emil-editor' },
})
const token = login.data?.value?.access_token
const created = await client.POST('/api/categories', {
  body: { name: 'Sea stories', description: 'Ships, mostly.' },
  headers: { authorization: `Bearer ${token}` },
})
console.log(`created: ${created.data?.value?.name}`)

await server.close()
await library.close()
