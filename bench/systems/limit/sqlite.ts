/** `limit` on SQLite: cached statements, and JSON text of the whole value, which the database builds. */
import { locationOf } from '../../databases.ts'
import { openFile } from '../kysely.ts'
import type { Answers } from './limit.ts'
import type { Found } from './text.ts'

const moment = (ref: string): string => `replace(${ref}, ' ', 'T') || 'Z'`
const url = (resource: string, id: string, relation: string): string =>
  `'${relation}', '/api/${resource}/' || ${id} || '/${relation}'`

const bookMembers = `'id', b.id, 'title', b.title, 'isbn', b.isbn, 'price', printf('%.2f', b.price), 'pages', b.pages, 'in_print', json(iif(b.in_print, 'true', 'false')), 'published_on', b.published_on, 'created_at', ${moment('b.created_at')}, 'author_id', b.author_id, 'publisher_id', b.publisher_id`
const authorMembers =
  "'id', a.id, 'name', a.name, 'email', a.email, 'country', a.country, 'born_on', a.born_on"
const reviewMembers = `'id', r.id, 'book_id', r.book_id, 'rating', r.rating, 'reviewer', r.reviewer, 'body', r.body, 'created_at', ${moment('r.created_at')}`
const owner = `${url('books', 'b.id', 'author')}, ${url('books', 'b.id', 'publisher')}`
const reviewsUrl = url('books', 'b.id', 'reviews')

const reviewList = `'reviews', json((select json_group_array(json_object(${reviewMembers}, ${url('reviews', 'r.id', 'book')})) from (select * from reviews where book_id = b.id order by id) r))`
const bookList = (related: string): string =>
  `'books', json((select json_group_array(json_object(${bookMembers}, ${owner}, ${related})) from (select * from books where author_id = a.id order by id) b))`

const listed = (members: string, from: string): string =>
  `select json_group_array(json_object(${members})) from ${from}`

export async function open(): Promise<Answers> {
  const file = openFile(locationOf('sqlite'))
  const value = (text: string) => {
    const statement = file.prepare(text).pluck()
    return (...args: unknown[]): string => statement.get(...args) as string
  }
  // Uses all() for a write: get() stops before the end of the statement, so it neither reports an error of storing the row nor
  // moves the write-ahead log into the file.
  const written = (text: string) => {
    const statement = file.prepare(text).pluck()
    return (...args: unknown[]): string => statement.all(...args)[0] as string
  }
  const number = (text: string) => {
    const statement = file.prepare(text).pluck()
    return (...args: unknown[]): number => statement.get(...args) as number
  }
  const counted =
    (read: (...args: unknown[]) => string, count: (...args: unknown[]) => number) =>
    (args: readonly unknown[], other: readonly unknown[] = args): Found => ({
      value: read(...args),
      total: count(...other),
    })
  const one = value(`select json_object(${bookMembers}) from books b where b.id = ?`)
  const page = value(listed(bookMembers, '(select * from books order by id limit 20 offset ?) b'))
  const after = value(
    listed(bookMembers, '(select * from books where id > ? order by id limit 20) b'),
  )
  const allBooks = number('select count(*) from books')
  const allAuthors = number('select count(*) from authors')
  const where = 'from books where publisher_id <= ? and author_id <= ?'
  const filtered = counted(
    value(
      listed(
        bookMembers,
        `(select * ${where} order by published_on desc, id limit 20 offset 40) b`,
      ),
    ),
    number(`select count(*) ${where}`),
  )
  // The cast hides the value from the planner, which would otherwise plan the statement again for each value.
  const ofOne = 'publisher_id = cast(? as integer)'
  const ofPublisher = (limit: number): string =>
    `(select * from books where ${ofOne} order by id limit ${limit}) b`
  const inPublisher = number(`select count(*) from books where ${ofOne}`)
  const withAuthor = counted(
    value(
      listed(
        `${bookMembers}, 'author', json_object(${authorMembers}, ${url('authors', 'a.id', 'books')}), ${url('books', 'b.id', 'publisher')}, ${reviewsUrl}`,
        `${ofPublisher(20)} left join authors a on a.id = b.author_id`,
      ),
    ),
    inPublisher,
  )
  const authorPage = '(select * from authors order by id limit ? offset ?) a'
  const withBooks = value(listed(`${authorMembers}, ${bookList(reviewsUrl)}`, authorPage))
  const twoLevels = value(listed(`${authorMembers}, ${bookList(reviewList)}`, authorPage))
  const groups = value(
    `select json_group_array(json_object('country', country, 'average', printf('%.6f', average), 'books', n)) from (select p.country, avg(b.price) as average, count(b.id) as n from books b join publishers p on p.id = b.publisher_id where b.publisher_id <= ? group by p.country order by p.country)`,
  )
  const hundred = counted(value(listed(bookMembers, ofPublisher(100))), inPublisher)
  const numbered = "'id', id, 'name', name, 'n', n"
  const numberOfBooks = value(
    listed(
      numbered,
      '(select id, name, (select count(*) from books where author_id = a.id) as n from authors a where id > ? order by id limit 20)',
    ),
  )
  const byNumberOfBooks = value(
    listed(
      numbered,
      '(select id, name, (select count(*) from books where publisher_id = p.id) as n from publishers p order by n desc, id limit 20)',
    ),
  )
  const insert = written(
    `insert into reviews (book_id, rating, reviewer, body, created_at) values (?, ?, ?, ?, ?) returning json_object('id', id, 'book_id', book_id, 'rating', rating, 'reviewer', reviewer, 'body', body, 'created_at', ${moment('created_at')}, ${url('reviews', 'id', 'book')})`,
  )
  const change = written(
    `update books as b set pages = ? where id = ? returning json_object(${bookMembers.replaceAll('b.', '')}, ${`${owner}, ${reviewsUrl}`.replaceAll('b.', '')})`,
  )
  return {
    W1: ([id]) => ({ value: one(id), total: 1 }),
    W2: () => ({ value: page(0), total: allBooks() }),
    W2n: () => ({ value: page(0) }),
    W3: ([publisher, author]) => filtered([500 + Number(publisher), Number(author) + 20]),
    W4: (args) => withAuthor(args),
    W5: () => ({ value: withBooks(20, 0), total: allAuthors() }),
    W5p: ([at]) => ({ value: withBooks(20, (Number(at) - 1) * 20), total: allAuthors() }),
    W6: () => ({ value: twoLevels(10, 0), total: allAuthors() }),
    W7: ([publisher]) => {
      const text = groups(20 + Number(publisher))
      return { value: text, total: text.split('},{').length }
    },
    W10: (args) => hundred(args),
    W11: ([at]) => ({ value: page((1_949 + Number(at)) * 20), total: allBooks() }),
    W11n: ([at]) => ({ value: page((1_949 + Number(at)) * 20) }),
    W12: ([at]) => ({ value: after((1_949 + Number(at)) * 20) }),
    W16: ([id]) => ({ value: numberOfBooks(id) }),
    W17: () => ({ value: byNumberOfBooks() }),
    W8: (_, { book_id, rating, reviewer, body, created_at }) => ({
      value: insert(
        book_id,
        rating,
        reviewer,
        body,
        String(created_at).replace('T', ' ').replace('Z', ''),
      ),
      total: 1,
      status: 201,
    }),
    W9: ([id], { pages }) => ({ value: change(pages, id), total: 1 }),
  }
}
