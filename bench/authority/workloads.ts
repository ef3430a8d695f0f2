/**
 * The workloads for users: those of `workloads.ts`, a filtered list, and the same list with a combination of filters that no
 * earlier request had.
 */
import { get, type Next } from '../ask.ts'
import { sizes } from '../data.ts'
import { type Workload, workloads } from '../workloads.ts'

export type Question = Pick<Workload, 'name' | 'title' | 'api' | 'writes'>

const list = 'limit=20&count=none&dump_relationships=false'

/** Conditions that every book meets. The choice of conditions changes the form of a query, but not its rows. */
const met = ['id', 'price', 'pages', 'author_id', 'publisher_id'].flatMap((column) =>
  ['ge', 'gt', 'ne'].map((operator) => `${column}__${operator}=-1`),
)

let shape = 0

/** Returns four conditions for a number; consecutive numbers give every combination and order. */
function conditionsOf(number: number): string {
  const left = [...met]
  let rest = number
  const chosen: string[] = []
  for (let i = 0; i < 4; i++) {
    chosen.push(...left.splice(rest % left.length, 1))
    rest = Math.floor(rest / (left.length + 1))
  }
  return chosen.join('&')
}

const filtered = (next: Next, conditions: string) =>
  get(`/api/books?author_id__eq=${1 + next(sizes.authors)}&${conditions}&${list}`)

const own: readonly Question[] = [
  {
    name: 'W13',
    title: 'the books of an author, five filters',
    api: (next) => filtered(next, conditionsOf(0)),
  },
  {
    name: 'W14',
    title: 'the same in a shape never seen before',
    api: (next) => filtered(next, conditionsOf(++shape)),
  },
  {
    name: 'W15',
    title: 'the books with some of three to eight ids, as a client encodes them',
    api: (next) => {
      const ids = Array.from({ length: 3 + next(6) }, () => 1 + next(sizes.books))
      return get(
        `/api/books?id__in=(${ids})&created_at__ge=2015-01-01T00%3A00%3A0${next(9)}Z&${list}`,
      )
    },
  },
]

export const questions: readonly Question[] = [...workloads, ...own]
