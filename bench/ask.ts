/** The parts of requests that the forms of all measured systems share: sizes, records and random choices. */
import { sizes } from './data.ts'

/** One request; `url` is without host. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Numbers from 0 up to, not including, `below`. */
export type Next = (below: number) => number

/** Makes one request of a workload. `cursors` are cursors from earlier responses of the server. */
export type Form = (next: Next, cursors?: readonly string[]) => Ask

/** Other libraries that generate an API from models or tables. Each has its own form of every request. */
export type Rival = 'platformatic' | 'zenstack' | 'feathers' | 'supabase-lite'

/**
 * The form of the requests of a server: `api` for model-api, `own` for servers written for this benchmark (`/<workload>/…`), or
 * that of a rival.
 */
export type AskedAs = 'api' | 'own' | Rival

/** The content of a response, with the members of model-api: embedded rows are below the names of their relations. */
export interface Found {
  readonly value: unknown
  readonly total: number | undefined
}

export const pageSize = 20

/** The far pages, by page number: `count` pages after page `after`. */
export const farPages = { after: 1_950, count: 100 }

export const get = (url: string): Ask => ({ method: 'GET', url })

export const send = (method: 'POST' | 'PATCH', url: string, body: unknown): Ask => ({
  method,
  url,
  body: JSON.stringify(body),
})

/** Returns the review to insert. */
export const newReview = (next: Next) => ({
  book_id: 1 + next(sizes.books),
  rating: 1 + next(5),
  reviewer: 'quiet reader',
  body: 'a bridge over the river, and the lantern of an amber garden in winter',
  created_at: '2024-06-01T10:20:30.000Z',
})

/** Returns the book to change, and its new number of pages. */
export const bookChange = (next: Next) => ({ id: 1 + next(sizes.books), pages: 60 + next(900) })

/** Returns one of the cursors, percent-encoded. */
export function drawCursor(next: Next, cursors: readonly string[] | undefined): string {
  const cursor = cursors?.[next(farPages.count)]
  if (cursor === undefined) throw new Error('no cursors were given out')
  return encodeURIComponent(cursor)
}
