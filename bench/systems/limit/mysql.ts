/** `limit` on MariaDB and MySQL: prepared statements, rows as arrays, times as text, and concurrent statements. */
import mysql from 'mysql2/promise'
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
const page = '(select * from authors order by id limit ? offset ?)'

export async function open(): Promise<Answers> {
  const pool = mysql.createPool({
    uri: locationOf('mysql'),
    connectionLimit: poolSize,
    dateStrings: true,
    rowsAsArray: true,
  })
  const ask = async (text: string, values: readonly unknown[]): Promise<Row[]> => {
    const [rows] = await pool.execute(text, values as never[])
    return rows as unknown as Row[]
  }
  const counted = (rows: Row[], members: (row: Row) => string, totalAt: number) => ({
    value: list(rows, members),
    total: Number(rows[0]?.[totalAt] ?? 0),
  })
  // Returns an offset as text: the driver sends numbers as doubles, which LIMIT does not accept.
  const at = (number: number): string => String((number - 1) * 20)
  const booksAt = async (number: number) =>
    counted(
      await ask(
        `select ${books}, (select count(*) from books) from books b order by b.id limit 20 offset ?`,
        [at(number)],
      ),
      bookMembers,
      10,
    )
  const booksOnly = async (number: number) => ({
    value: list(
      await ask(`select ${books} from books b order by b.id limit 20 offset ?`, [at(number)]),
      bookMembers,
    ),
  })
  const byParent = (
    rows: Row[],
    keyAt: number,
    members: (row: Row) => string,
  ): Map<unknown, string> => {
    const lists = new Map<unknown, string>()
    for (const row of rows) {
      const before = lists.get(row[keyAt])
      lists.set(row[keyAt], `${before === undefined ? '' : `${before},`}{${members(row)}}`)
    }
    return lists
  }
  const authorsAt = (limit: string, offset: string): Promise<Row[]> =>
    ask(`select ${authors}, (select count(*) from authors) from ${page} a order by a.id`, [
      limit,
      offset,
    ])
  const booksOf = (limit: string, offset: string): Promise<Row[]> =>
    ask(`select ${books} from ${page} a join books b on b.author_id = a.id order by b.id`, [
      limit,
      offset,
    ])
  const nested = (rows: Row[], lists: Map<unknown, string>) =>
    counted(rows, (row) => `${authorMembers(row)},"books":[${lists.get(row[0]) ?? ''}]`, 5)
  const withBooks = async (number: number) => {
    const [parents, children] = await Promise.all([
      authorsAt('20', at(number)),
      booksOf('20', at(number)),
    ])
    return nested(
      parents,
      byParent(children, 8, (row) => `${bookMembers(row)},${bookLinks(row[0])}`),
    )
  }
  const bookById = async (id: unknown): Promise<Row> => {
    const [row] = await ask(`select ${books} from books b where b.id = ?`, [id])
    return row as Row
  }
  return {
    W1: async ([id]) => ({ value: `{${bookMembers(await bookById(id))}}`, total: 1 }),
    W2: () => booksAt(1),
    W2n: () => booksOnly(1),
    W3: async ([publisher, author]) => {
      const where = 'from books b where b.publisher_id <= ? and b.author_id <= ?'
      const given = [500 + Number(publisher), Number(author) + 20]
      const text = `select ${books}, (select count(*) ${where}) ${where} order by b.published_on desc, b.id limit 20 offset 40`
      return counted(await ask(text, [...given, ...given]), bookMembers, 10)
    },
    W4: async ([publisher]) => {
      const text = `select ${books}, ${authors}, (select count(*) from books where publisher_id = ?) from books b left join authors a on a.id = b.author_id where b.publisher_id = ? order by b.id limit 20`
      return counted(
        await ask(text, [publisher, publisher]),
        (row) =>
          `${bookMembers(row)},"author":{${authorMembers(row, 10)},${link('authors', row[10], 'books')}},${link('books', row[0], 'publisher')},${link('books', row[0], 'reviews')}`,
        15,
      )
    },
    W5: () => withBooks(1),
    W5p: ([number]) => withBooks(number as number),
    W6: async () => {
      const [parents, children, grandchildren] = await Promise.all([
        authorsAt('10', '0'),
        booksOf('10', '0'),
        ask(
          `select r.id, r.book_id, r.rating, r.reviewer, r.body, r.created_at from ${page} a join books b on b.author_id = a.id join reviews r on r.book_id = b.id order by r.id`,
          ['10', '0'],
        ),
      ])
      const reviews = byParent(
        grandchildren,
        1,
        (row) => `${reviewMembers(row)},${link('reviews', row[0], 'book')}`,
      )
      const bookMembersOf = (row: Row): string =>
        `${bookMembers(row)},${link('books', row[0], 'author')},${link('books', row[0], 'publisher')},"reviews":[${reviews.get(row[0]) ?? ''}]`
      return nested(parents, byParent(children, 8, bookMembersOf))
    },
    W7: async ([publisher]) => {
      const text =
        'select p.country, round(avg(b.price), 6), count(b.id) from books b join publishers p on p.id = b.publisher_id where b.publisher_id <= ? group by p.country order by p.country'
      const rows = await ask(text, [20 + Number(publisher)])
      return {
        value: list(
          rows,
          ([country, average, n]) => `"country":"${country}","average":"${average}","books":${n}`,
        ),
        total: rows.length,
      }
    },
    W10: async ([publisher]) =>
      counted(
        await ask(
          `select ${books}, (select count(*) from books where publisher_id = ?) from books b where b.publisher_id = ? order by b.id limit 100`,
          [publisher, publisher],
        ),
        bookMembers,
        10,
      ),
    W11: ([number]) => booksAt(1_950 + (number as number)),
    W11n: ([number]) => booksOnly(1_950 + (number as number)),
    W12: async ([number]) => ({
      value: list(
        await ask(`select ${books} from books b where b.id > ? order by b.id limit 20`, [
          (1_949 + (number as number)) * 20,
        ]),
        bookMembers,
      ),
    }),
    W16: async ([id]) => ({
      value: list(
        await ask(
          'select a.id, a.name, (select count(*) from books where author_id = a.id) from authors a where a.id > ? order by a.id limit 20',
          [id],
        ),
        numbered,
      ),
    }),
    W17: async () => ({
      value: list(
        await ask(
          'select p.id, p.name, (select count(*) from books where publisher_id = p.id) as n from publishers p order by n desc, p.id limit 20',
          [],
        ),
        numbered,
      ),
    }),
    W8: async (_, { book_id, rating, reviewer, body, created_at }) => {
      const moment = String(created_at).replace('T', ' ').replace('Z', '')
      const [inserted] = await pool.execute(
        'insert into reviews (book_id, rating, reviewer, body, created_at) values (?, ?, ?, ?, ?)',
        [book_id, rating, reviewer, body, moment] as never[],
      )
      const { insertId } = inserted as { insertId: number }
      const row: Row = [insertId, book_id, rating, reviewer, body, moment] as Row
      return {
        value: `{${reviewMembers(row)},${link('reviews', insertId, 'book')}}`,
        total: 1,
        status: 201,
      }
    },
    W9: async ([id], { pages }) => {
      await pool.execute('update books set pages = ? where id = ?', [pages, id] as never[])
      return { value: `{${bookMembers(await bookById(id))},${bookLinks(id)}}`, total: 1 }
    },
  }
}
