/** What a request of the load is made of, whoever is asked. */
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

/** Makes one request of a workload; cursors are those the server gave out before. */
export type Form = (next: Next, cursors?: readonly string[]) => Ask

/** Servers of the same kind, each asked in its own language. */
export type Rival = 'platformatic' | 'zenstack' | 'feathers'

/** How a server is asked: as model-api, by the name of the workload, or as that rival. */
export type AskedAs = 'api' | 'own' | Rival

/** What was found, in the members of model-api: nested rows below the names of their relations. */
export interface Found {
  readonly value: unknown
  readonly total: number | undefined
}

export const pageSize = 20

/** Workloads that read far pages read one of this many, beginning after this many. */
export const farPages = { after: 1_950, count: 100 }

export const get = (url: string): Ask => ({ method: 'GET', url })

export const send = (method: 'POST' | 'PATCH', url: string, body: unknown): Ask => ({
  method,
  url,
  body: JSON.stringify(body),
})

/** The review that is inserted. */
export const newReview = (next: Next) => ({
  book_id: 1 + next(sizes.books),
  rating: 1 + next(5),
  reviewer: 'quiet reader',
  body: 'a bridge over the river, and the lantern of an amber garden in winter',
  created_at: '2024-06-01T10:20:30.000Z',
})

/** The book that is changed, and its pages afterwards. */
export const bookChange = (next: Next) => ({ id: 1 + next(sizes.books), pages: 60 + next(900) })

/** One of the cursors that were given out. */
export function drawCursor(next: Next, cursors: readonly string[] | undefined): string {
  const cursor = cursors?.[next(farPages.count)]
  if (cursor === undefined) throw new Error('no cursors were given out')
  return encodeURIComponent(cursor)
}
