/** hooksFor types the callbacks of a model by its columns; compiled, never run. */
import { defineModel, hooksFor } from '@model-api/core'

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  title: { type: 'string' },
  secret: { type: 'string', hidden: true, nullable: true },
} as const
const Draft = defineModel('Book', { columns })

const hooks = hooksFor(Draft, {
  add_callback: (book) => ({ ...book, title: book.title?.trim() ?? '', secret: 'made here' }),
  dump_callback: (data) => ({ ...data, shout: data.title?.toUpperCase() }),
})

/** Its result can be spread into meta. */
export const Book = defineModel('Book', { columns, meta: { ...hooks } })

hooksFor(Draft, {
  // @ts-expect-error there is no such column
  add_callback: (book) => ({ ...book, title: book.titel }),
})

hooksFor(Draft, {
  // @ts-expect-error the callback is misspelt
  ad_callback: (book: unknown) => book,
})
