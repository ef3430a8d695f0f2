/**
 * Requests to ZenStack's REST handler, in JSON:API: `filter[…]`, `sort`, `page[…]`, and `include` for embedded rows. ZenStack
 * always counts the total, so W2n and W11n are missing; it has no groups (W7) and no cursors (W12).
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

const list = (type: string, rest: string, limit = pageSize): Ask =>
  get(`/api/${type}?sort=id&page[limit]=${limit}${rest}`)
const from = (number: number): string => `&page[offset]=${(number - 1) * pageSize}`

export const zenstack: RivalAsks = {
  reads: {
    W1: (id) => get(`/api/book/${id}`),
    W2: () => list('book', ''),
    W3: (publisher = 0, author = 0) =>
      get(
        `/api/book?filter[publisher_id$lte]=${500 + publisher}&filter[author_id$lte]=${author + 20}&sort=-published_on,id&page[limit]=${pageSize}${from(3)}`,
      ),
    W4: (publisher) => list('book', `&filter[publisher_id]=${publisher}&include=author`),
    W5: () => list('author', '&include=books'),
    W5p: (number = 0) => list('author', `&include=books${from(number)}`),
    W6: () => list('author', '&include=books.reviews', 10),
    W10: (publisher) => list('book', `&filter[publisher_id]=${publisher}`, 100),
    W11: (number = 0) => list('book', from(farPages.after + number)),
  },
  others: {
    W8: (next) =>
      send('POST', '/api/review', { data: { type: 'review', attributes: newReview(next) } }),
    W9: (next) => {
      const { id, pages } = bookChange(next)
      return send('PATCH', `/api/book/${id}`, { data: { type: 'book', attributes: { pages } } })
    },
  },
  found,
}

interface Identifier {
  readonly type: string
  readonly id: number
}

interface Resource extends Identifier {
  readonly relationships?: Readonly<Record<string, { data?: Identifier | readonly Identifier[] }>>
}

function found({ body }: Answer): Found {
  const { data, included = [], meta, errors } = JSON.parse(body.toString())
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  const known = new Map<string, Resource>(
    included.map((resource: Resource) => [`${resource.type} ${resource.id}`, resource]),
  )
  const value = Array.isArray(data)
    ? data.map((resource) => nested(resource, known, []))
    : nested(data, known, [])
  return { value, total: Array.isArray(data) ? meta.total : 1 }
}

/**
 * Converts a JSON:API resource to a row with its included rows. `above` are the types of the rows that contain it; included
 * resources of these types are left out, so that cycles end.
 */
function nested(
  resource: Resource,
  known: ReadonlyMap<string, Resource>,
  above: readonly string[],
): unknown {
  const path = [...above, resource.type]
  const row: Record<string, unknown> = { id: resource.id }
  for (const [name, { data }] of Object.entries(resource.relationships ?? {})) {
    const many = Array.isArray(data)
    const below = [data].flat().flatMap((one) => {
      const full = one && known.get(`${one.type} ${one.id}`)
      return full === undefined || path.includes(full.type) ? [] : nested(full, known, path)
    })
    if (below.length > 0) row[name] = many ? below : below[0]
  }
  return row
}
