/**
 * Requests to Platformatic DB: lists, records and cursors by REST; embedded rows (W4 to W6) and the change of one column (W9) by
 * GraphQL. It has no groups (W7).
 */
import {
  type Ask,
  bookChange,
  drawCursor,
  type Found,
  farPages,
  get,
  newReview,
  pageSize,
  send,
} from '../ask.ts'
import { type Answer, headerOf } from '../client.ts'
import type { RivalAsks } from './rival.ts'

const total = 'totalCount=true'
const books = (rest: string): Ask => get(`/books?limit=${pageSize}&orderby.id=asc${rest}`)
const page = (number: number, rest = ''): Ask => books(`&offset=${(number - 1) * pageSize}${rest}`)

// Only REST has foreign key columns; GraphQL has the related record instead.
const bookFields = 'id title isbn price pages inPrint publishedOn createdAt'
const authorFields = 'id name email country bornOn'
const byId = 'orderBy:{field:id,direction:ASC}'
const all = `${byId},limit:100`
const graphql = (query: string, variables: object): Ask =>
  send('POST', '/graphql', { query, variables })

const ofPublisher = `query($publisher:ID){books(where:{publisherId:{eq:$publisher}},${byId},limit:${pageSize}){${bookFields} author{${authorFields}}} countBooks(where:{publisherId:{eq:$publisher}}){total}}`
const authors = (related: string): string =>
  `query($offset:Int,$limit:LimitInt){authors(${byId},limit:$limit,offset:$offset){${authorFields} books(${all}){${bookFields}${related}}} countAuthors{total}}`
const withBooks = authors('')
const twoLevels = authors(` reviews(${all}){id rating reviewer body createdAt}`)
const change = `mutation($input:BookInput!){saveBook(input:$input){${bookFields}}}`

export const platformatic: RivalAsks = {
  reads: {
    W1: (id) => get(`/books/${id}`),
    W2: () => books(`&${total}`),
    W2n: () => books(''),
    W3: (publisher = 0, author = 0) =>
      get(
        `/books?where.publisherId.lte=${500 + publisher}&where.authorId.lte=${author + 20}&orderby.publishedOn=desc&orderby.id=asc&limit=${pageSize}&offset=${2 * pageSize}&${total}`,
      ),
    W4: (publisher) => graphql(ofPublisher, { publisher: String(publisher) }),
    W5: () => graphql(withBooks, { offset: 0, limit: pageSize }),
    W5p: (number = 0) => graphql(withBooks, { offset: (number - 1) * pageSize, limit: pageSize }),
    W6: () => graphql(twoLevels, { offset: 0, limit: 10 }),
    W10: (publisher) =>
      get(`/books?where.publisherId.eq=${publisher}&orderby.id=asc&limit=100&${total}`),
    W11: (number = 0) => page(farPages.after + number, `&${total}`),
    W11n: (number = 0) => page(farPages.after + number),
  },
  others: {
    W8: (next) => {
      const { book_id, created_at, ...same } = newReview(next)
      // Platformatic passes the time on unchanged, and MariaDB accepts only this form.
      const createdAt = created_at.replace('T', ' ').replace('Z', '')
      return send('POST', '/reviews', { ...same, bookId: book_id, createdAt })
    },
    W9: (next) => {
      const { id, pages } = bookChange(next)
      return graphql(change, { input: { id: String(id), pages } })
    },
    W12: (next, cursors) => books(`&cursor=true&startAfter=${drawCursor(next, cursors)}`),
  },
  found,
}

function found({ head, body }: Answer): Found {
  const json = JSON.parse(body.toString())
  if (Array.isArray(json)) {
    const count = headerOf(head, 'x-total-count')
    return { value: json, total: count === undefined ? undefined : Number(count) }
  }
  if (json.errors !== undefined) throw new Error(JSON.stringify(json.errors))
  if (json.data === undefined) return { value: json, total: 1 }
  const [value, counted] = Object.values(json.data) as [unknown, { total: number } | undefined]
  return { value, total: counted?.total ?? 1 }
}
