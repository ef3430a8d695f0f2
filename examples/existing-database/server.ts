// An existing database as an API: its models are read from the database; this file decides what is published, and how.

import { createApi } from '@model-api/core'
import { introspect, printModels } from '@model-api/core/introspect'
import { createServer } from '@model-api/http-node'
import { onStop, openBookshop, port } from '../bookshop.ts'

// Any database that Kysely supports; here one that already has tables.
const db = openBookshop()
const { models, leftOut } = await introspect(db)
for (const { table, reason } of leftOut) console.log(`${table} is left out: ${reason}`)

// No model is published by default. To keep and refine the models, write them to a file:
if (process.argv.includes('--print')) console.log(printModels(models))

const api = createApi({
  db,
  models: models.map((model) => ({
    ...model,
    meta: { allow_join: true, allowed_methods: ['GET'] },
  })),
})
const server = createServer(api)
onStop(async () => {
  await server.close()
  await db.destroy()
})

const url = await server.listen(port)
console.log(`Listening at ${url}
  curl '${url}/api/books?join=author&groupby=author.name&fields=author.name'`)
