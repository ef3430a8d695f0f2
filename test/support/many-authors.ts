/** Fills the shop with any number of authors. Each relation of each author has records. */
import type { TestDatabase } from './databases.ts'
import { Author, Book, OrderLine, Profile, Tag } from './shop.ts'
import { insertLinks, insertRows } from './tables.ts'

/** Authors with a mentor, a profile and two books each; each book has an editor, a tag and an order line. */
export async function insertAuthors(db: TestDatabase, from: number, count: number): Promise<void> {
  const authors = Array.from({ length: count }, (_, i) => from + i)
  const books = authors.flatMap((author) => [2 * author - 1, 2 * author].map((id) => [id, author]))
  await insertRows(
    db,
    Author,
    authors.map((id) => ({ id, name: `Author ${id}`, mentor_id: id })),
  )
  await insertRows(
    db,
    Profile,
    authors.map((id) => ({ id, author_id: id, motto: 'x' })),
  )
  await insertRows(
    db,
    Tag,
    authors.map((id) => ({ id, name: `tag ${id}` })),
  )
  await insertRows(
    db,
    Book,
    books.map(([id, by]) => ({ id, title: `Book ${id}`, sold: '1', author_id: by, editor_id: by })),
  )
  await insertLinks(
    db,
    'book_tags',
    books.map(([id, by]) => ({ book_id: id, tag_id: by })),
  )
  await insertRows(
    db,
    OrderLine,
    books.map(([id]) => ({ order_no: `order ${id}`, line: 1, book_id: id, quantity: 1 })),
  )
}
