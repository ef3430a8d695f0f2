// A user's program, compiled against the installed packages with all strict checks, and without types of frameworks or drivers.

import { modelApi as expressApi, requireRoles } from '@model-api/adapter-express'
import { apiErrors, currentUser } from '@model-api/adapter-koa'
import { createApi, defineModel, type RowOf } from '@model-api/core'
import { createClient } from '@model-api/core/client'
import { introspect } from '@model-api/core/introspect'
import { createServer } from '@model-api/http-node'
import type { Kysely } from 'kysely'

declare const db: Kysely<unknown>

const Book = defineModel('Book', {
  columns: { id: { type: 'integer', primaryKey: true }, title: { type: 'string' } },
  meta: {},
})
const api = createApi({ db, models: [Book] })
const row: RowOf<typeof Book> = { id: 1, title: 'Emma' }
// @ts-expect-error: types are there, not any
const wrong: RowOf<typeof Book> = { id: '1', title: 'Emma' }

const client = createClient<typeof api>('/api')
const found = client.books.list({ where: { title: 'Emma' }, fields: ['title'] })
// @ts-expect-error: types are there, not any
client.books.list({ where: { titel: 'Emma' } })

export const used = [
  found,
  expressApi(api),
  requireRoles(api, 'admin'),
  apiErrors(api),
  currentUser,
  createServer(api),
  introspect,
  row,
  wrong,
]
