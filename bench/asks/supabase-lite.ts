/**
 * Requests to Supabase Lite, which has PostgREST's query syntax: `select` embeds related rows, `Prefer` asks for the total and for written rows, and
 * `Accept` for one object instead of a list. Groups (W7) are off by default, and there are no cursors (W12).
 */
import {
  type Ask,
  bookChange,
  type Found,
  farPages,
  get,
  newReview,
  pageSize,
  send,
} from '../ask.ts'
import { type Answer, headerOf } from '../client.ts'
import type { RivalAsks } from './rival.ts'

const base = '/rest/v1'
const withTotal = (ask: Ask): Ask => ({ ...ask, headers: { prefer: 'count=exact' } })
const object = { accept: 'application/vnd.pgrst.object+json' }
const written = { prefer: 'return=representation' }

const list = (table: string, rest: string, limit = pageSize): Ask =>
  get(`${base}/${table}?order=id.asc&limit=${limit}${rest}`)
const from = (number: number): string => `&offset=${(number - 1) * pageSize}`

const related = (select: string): string => `&select=${select}&books.order=id.asc&books.limit=100`
const books = related('*,books(*)')
const reviews = `${related('*,books(*,reviews(*))')}&books.reviews.order=id.asc&books.reviews.limit=100`

export const supabaseLite: RivalAsks = {
  reads: {
    W1: (id) => ({ ...get(`${base}/books?id=eq.${id}`), headers: object }),
    W2: () => withTotal(list('books', '')),
    W2n: () => list('books', ''),
    W3: (publisher = 0, author = 0) =>
      withTotal(
        get(
          `${base}/books?publisher_id=lte.${500 + publisher}&author_id=lte.${author + 20}&order=published_on.desc,id.asc&limit=${pageSize}${from(3)}`,
        ),
      ),
    W4: (publisher) =>
      withTotal(list('books', `&publisher_id=eq.${publisher}&select=*,author:authors(*)`)),
    W5: () => withTotal(list('authors', books)),
    W5p: (number = 0) => withTotal(list('authors', `${books}${from(number)}`)),
    W6: () => withTotal(list('authors', reviews, 10)),
    W10: (publisher) => withTotal(list('books', `&publisher_id=eq.${publisher}`, 100)),
    W11: (number = 0) => withTotal(list('books', from(farPages.after + number))),
    W11n: (number = 0) => list('books', from(farPages.after + number)),
  },
  others: {
    W8: (next) => ({ ...send('POST', `${base}/reviews`, newReview(next)), headers: written }),
    W9: (next) => {
      const { id, pages } = bookChange(next)
      return {
        ...send('PATCH', `${base}/books?id=eq.${id}`, { pages }),
        headers: { ...written, ...object },
      }
    },
  },
  found,
}

function found({ head, body }: Answer): Found {
  const value = JSON.parse(body.toString())
  if (!Array.isArray(value)) return { value, total: 1 }
  // "0-19/100000", or "0-19/*" without a total
  const count = Number(headerOf(head, 'content-range')?.split('/')[1])
  return { value, total: Number.isNaN(count) ? undefined : count }
}
