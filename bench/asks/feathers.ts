/**
 * Requests to Feathers: each workload as a GET, POST or PATCH of a service, with Feathers' query syntax (`$limit`, `$sort`,
 * `$populate`). Feathers always counts the total, so W2n and W11n are missing; it has no groups (W7) and no cursors (W12).
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
import type { Answer } from '../client.ts'
import type { RivalAsks } from './rival.ts'

const list = (service: string, rest: string, limit = pageSize): Ask =>
  get(`/${service}?$sort[id]=1&$limit=${limit}${rest}`)
const from = (number: number): string => `&$skip=${(number - 1) * pageSize}`

export const feathers: RivalAsks = {
  reads: {
    W1: (id) => get(`/books/${id}`),
    W2: () => list('books', ''),
    W3: (publisher = 0, author = 0) =>
      get(
        `/books?publisher_id[$lte]=${500 + publisher}&author_id[$lte]=${author + 20}&$sort[published_on]=-1&$sort[id]=1&$limit=${pageSize}${from(3)}`,
      ),
    W4: (publisher) => list('books', `&publisher_id=${publisher}&$populate=author`),
    W5: () => list('authors', '&$populate=books'),
    W5p: (number = 0) => list('authors', `&$populate=books${from(number)}`),
    W6: () => list('authors', '&$populate=books.reviews', 10),
    W10: (publisher) => list('books', `&publisher_id=${publisher}`, 100),
    W11: (number = 0) => list('books', from(farPages.after + number)),
  },
  others: {
    W8: (next) => {
      const { created_at, ...same } = newReview(next)
      // Feathers passes the time on unchanged, and MariaDB accepts only this form.
      return send('POST', '/reviews', {
        ...same,
        created_at: created_at.replace('T', ' ').replace('Z', ''),
      })
    },
    W9: (next) => {
      const { id, pages } = bookChange(next)
      return send('PATCH', `/books/${id}`, { pages })
    },
  },
  found,
}

function found({ body }: Answer): Found {
  const json = JSON.parse(body.toString())
  return Array.isArray(json.data)
    ? { value: json.data, total: json.total }
    : { value: json, total: 1 }
}
