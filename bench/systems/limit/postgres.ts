/** `limit` on PostgreSQL: named statements, rows as text, and JSON text of related rows, which the database builds. */
import pg from 'pg'
import { locationOf, poolSize } from '../../databases.ts'
import type { Answers } from './limit.ts'
import {
  authorMembers,
  bookLinks,
  bookMembers,
  link,
  list,
  numbered,
  type Row,
  reviewMembers,
} from './text.ts'

const books =
  'b.id, b.title, b.isbn, b.price, b.pages, b.in_print, b.published_on, b.created_at, b.author_id, b.publisher_id'
const authors = 'a.id, a.name, a.email, a.country, a.born_on'
const reviews = 'id, book_id, rating, reviewer, body, created_at'
const moment = (ref: string): string => `to_char(${ref}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const url = (resource: string, alias: string, relation: string): string =>
  `'/api/${resource}/' || ${alias}.id || '/${relation}' as ${relation}`

const reviewJson = `(select coalesce(json_agg(j order by j.id), '[]') from (select r.id, r.book_id, r.rating, r.reviewer, r.body, ${moment('r.created_at')} as created_at, ${url('reviews', 'r', 'book')} from reviews r where r.book_id = b.id) j) as reviews`

/** Returns the SQL of a JSON list of the books of the author `p`. */
const bookJson = (related: string): string =>
  `(select coalesce(json_agg(row_to_json(j) order by j.id), '[]')::text from (select b.id, b.title, b.isbn, b.price::text, b.pages, b.in_print, b.published_on, ${moment('b.created_at')} as created_at, b.author_id, b.publisher_id, ${url('books', 'b', 'author')}, ${url('books', 'b', 'publisher')}, ${related} from books b where b.author_id = p.id) j)`

const authorPage = (related: string): string =>
  `select p.*, ${bookJson(related)}, (select count(*) from authors) from (select ${authors} from authors a order by a.id limit $1 offset $2) p order by p.id`

/** Returns values as the text of the protocol, without parsing them. */
const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig

export async function open(): Promise<Answers> {
  const pool = new pg.Pool({ connectionString: locationOf('postgres'), max: poolSize })
  const ask = async (name: string, text: string, values: readonly unknown[]): Promise<Row[]> => {
    const { rows } = await pool.query({ name, text, values: [...values], rowMode: 'array', types })
    return rows as Row[]
  }
  const listed = (rows: Row[], members: (row: Row) => string, totalAt: number) => ({
    value: list(rows, members),
    total: Number(rows[0]?.[totalAt] ?? 0),
  })
  const page = async (number: number) =>
    listed(
      await ask(
        'page',
        `select ${books}, (select count(*) from books) from books b order by b.id limit 20 offset $1`,
        [(number - 1) * 20],
      ),
      bookMembers,
      10,
    )
  const pageOnly = async (number: number) => ({
    value: list(
      await ask('pageOnly', `select ${books} from books b order by b.id limit 20 offset $1`, [
        (number - 1) * 20,
      ]),
      bookMembers,
    ),
  })
  const withBooks = async (number: number) =>
    listed(
      await ask('withBooks', authorPage(url('books', 'b', 'reviews')), [20, (number - 1) * 20]),
      (row) => `${authorMembers(row)},"books":${row[5]}`,
      6,
    )
  return {
    W1: async ([id]) => {
      const [row] = await ask('one', `select ${books} from books b where b.id = $1`, [id])
      return { value: `{${bookMembers(row as Row)}}`, total: 1 }
    },
    W2: () => page(1),
    W2n: () => pageOnly(1),
    W3: async ([publisher, author]) => {
      const where = 'from books b where b.publisher_id <= $1 and b.author_id <= $2'
      const text = `select ${books}, (select count(*) ${where}) ${where} order by b.published_on desc, b.id limit 20 offset 40`
      return listed(
        await ask('filtered', text, [500 + Number(publisher), Number(author) + 20]),
        bookMembers,
        10,
      )
    },
    W4: async ([publisher]) => {
      const text = `select ${books}, ${authors}, (select count(*) from books where publisher_id = $1) from books b left join authors a on a.id = b.author_id where b.publisher_id = $1 order by b.id limit 20`
      return listed(
        await ask('withAuthor', text, [publisher]),
        (row) =>
          `${bookMembers(row)},"author":{${authorMembers(row, 10)},${link('authors', row[10], 'books')}},${link('books', row[0], 'publisher')},${link('books', row[0], 'reviews')}`,
        15,
      )
    },
    W5: () => withBooks(1),
    W5p: ([number]) => withBooks(number as number),
    W6: async () =>
      listed(
        await ask('twoLevels', authorPage(reviewJson), [10, 0]),
        (row) => `${authorMembers(row)},"books":${row[5]}`,
        6,
      ),
    W7: async ([publisher]) => {
      const text =
        'select p.country, round(avg(b.price), 6), count(b.id) from books b join publishers p on p.id = b.publisher_id where b.publisher_id <= $1 group by p.country order by p.country'
      const rows = await ask('groups', text, [20 + Number(publisher)])
      return {
        value: list(
          rows,
          ([country, average, n]) => `"country":"${country}","average":"${average}","books":${n}`,
        ),
        total: rows.length,
      }
    },
    W10: async ([publisher]) =>
      listed(
        await ask(
          'ofPublisher',
          `select ${books}, (select count(*) from books where publisher_id = $1) from books b where b.publisher_id = $1 order by b.id limit 100`,
          [publisher],
        ),
        bookMembers,
        10,
      ),
    W11: ([number]) => page(1_950 + (number as number)),
    W11n: ([number]) => pageOnly(1_950 + (number as number)),
    W12: async ([number]) => ({
      value: list(
        await ask('after', `select ${books} from books b where b.id > $1 order by b.id limit 20`, [
          (1_949 + (number as number)) * 20,
        ]),
        bookMembers,
      ),
    }),
    W16: async ([id]) => ({
      value: list(
        await ask(
          'numberOfBooks',
          'select a.id, a.name, (select count(*) from books where author_id = a.id) from authors a where a.id > $1 order by a.id limit 20',
          [id],
        ),
        numbered,
      ),
    }),
    W17: async () => ({
      value: list(
        await ask(
          'byNumberOfBooks',
          'select p.id, p.name, coalesce(b.n, 0) from publishers p left join (select publisher_id, count(*) as n from books group by publisher_id) b on b.publisher_id = p.id order by coalesce(b.n, 0) desc, p.id limit 20',
          [],
        ),
        numbered,
      ),
    }),
    W8: async (_, body) => {
      const text = `insert into reviews (book_id, rating, reviewer, body, created_at) values ($1, $2, $3, $4, $5) returning ${reviews}`
      const { book_id, rating, reviewer, body: written, created_at } = body
      const [row] = await ask('insert', text, [book_id, rating, reviewer, written, created_at])
      const members = reviewMembers(row as Row)
      return { value: `{${members},${link('reviews', row?.[0], 'book')}}`, total: 1, status: 201 }
    },
    W9: async ([id], { pages }) => {
      const [row] = await ask(
        'change',
        `update books b set pages = $2 where b.id = $1 returning ${books}`,
        [id, pages],
      )
      return { value: `{${bookMembers(row as Row)},${bookLinks(id)}}`, total: 1 }
    },
  }
}
