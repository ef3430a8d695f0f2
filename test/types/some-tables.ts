// A callback may be declared with some of the tables of `db`, from Kysely 0.28.18 on; compiled, never run.

import { createApi, defineModel, type WriteCallback } from '@model-api/core'
import type { Kysely } from 'kysely'

interface Tables {
  readonly books: { readonly id: number; readonly title: string }
  readonly events: { readonly id: number; readonly text: string }
}
declare const db: Kysely<Tables>
declare const stamped: WriteCallback<{ readonly id: number } | null, Pick<Tables, 'events'>>

const Book = defineModel('Book', {
  columns: { id: { type: 'integer', primaryKey: true }, title: { type: 'string' } },
  meta: {},
})

createApi({
  db,
  models: [Book],
  config: {
    API_CUSTOM_AUTH: () => ({ id: 1 }),
    API_UPDATE_CALLBACK: stamped,
    API_ADD_CALLBACK: async (object, _model, { db }) => {
      // @ts-expect-error: no such table
      await db.insertInto('evens').execute()
      return object
    },
  },
})
