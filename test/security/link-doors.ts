/** Writes of links of a published junction, and of nested records of a resource that is closed to the caller. */
import { newBook, patch, post, type Write } from './write-doors.ts'

/** Keys of a visible, an out-of-scope, a deleted and a missing record. */
const keys = [1, 11, 21, 99]
const each = (make: (key: number) => Write): Write[] => keys.map(make)

const newAuthor = (more: object) => ({ id: 50, name: 'New', owner_id: 7, ...more })
const newReview = (more: object) => ({ id: 50, stars: 1, note: 'x', owner_id: 7, ...more })
const newProfile = (more: object) => ({ id: 50, author_id: 1, motto: 'x', owner_id: 7, ...more })

/** Writes, and the status of each. */
export const doors: Readonly<
  Record<string, readonly (readonly [status: number, writes: Write[]])[]>
> = {
  'a list of links': [
    // The links that GET shows, none, and one more. Book 3 has an out-of-scope link, book 4 a deleted one.
    [200, [patch('/api/books/1?dump=json', { tags: [{ id: 1 }] })]],
    [200, [patch('/api/books/1?dump=json', { tags: [] })]],
    [200, [patch('/api/books/1?dump=json', { tags: [{ id: 1 }, { id: 2 }] })]],
    [200, [patch('/api/books/3?dump=json', { tags: [] })]],
    [200, [patch('/api/books/3?dump=json', { tags: [{ id: 1 }] })]],
    [200, [patch('/api/books/4?dump=json', { tags: [{ id: 2 }] })]],
    [200, [patch('/api/books?id__lt=5', { tags: [{ id: 2 }] })]],
    [404, [11, 21, 99].map((key) => patch(`/api/books/${key}`, { tags: [] }))],
  ],
  'a list from the other side': [
    [200, [patch('/api/tags/1?dump=json', { books: [{ id: 1 }] })]],
    [200, [patch('/api/tags/1?dump=json', { books: [] })]],
    [200, [patch('/api/tags/2?dump=json', { books: [{ id: 1 }, { id: 4 }] })]],
  ],
  'a link to a record': [
    [200, [patch('/api/books/2', { tags: [{ id: 1 }] })]],
    [422, [11, 21, 99].map((key) => patch('/api/books/2', { tags: [{ id: key }] }))],
    [201, [post('/api/books', newBook({ tags: [{ id: 1 }] }))]],
    [422, [11, 21, 99].map((key) => post('/api/books', newBook({ tags: [{ id: key }] })))],
  ],
  'a nested record of another role': [
    [403, each((key) => post('/api/profiles', newProfile({ payroll: { id: key } })))],
    [403, each((key) => patch('/api/profiles/1', { payroll: { id: key } }))],
    [403, each((key) => post('/api/authors', newAuthor({ payrolls: [{ id: key }] })))],
    // Only a foreign key of the database would check whether such a row exists, and there is none here.
    [201, each((key) => post('/api/profiles', newProfile({ payroll_id: key })))],
    [200, each((key) => patch('/api/profiles/1', { payroll_id: key }))],
  ],
  'a nested record with a new key, with nested records of its own': [
    [201, [post('/api/reviews', newReview({ book: newBook({ id: 60, tags: [{ id: 1 }] }) }))]],
    [
      201,
      [
        post('/api/authors?dump=json', {
          ...newAuthor({}),
          books: [newBook({ id: 60, author_id: 50, tags: [], reviews: [newReview({})] })],
        }),
      ],
    ],
    [
      422,
      [11, 21, 99].flatMap((key) => [
        post('/api/reviews', newReview({ book: newBook({ id: 60, tags: [{ id: key }] }) })),
        post(
          '/api/reviews',
          newReview({
            book: { ...newBook({ id: 60 }), author_id: undefined, author: { id: key } },
          }),
        ),
        post('/api/reviews', newReview({ book: newBook({ id: 60, author_id: key }) })),
      ]),
    ],
    [
      403,
      each((key) =>
        post('/api/profiles', {
          ...newProfile({ author_id: undefined }),
          author: newAuthor({ payrolls: [{ id: key }] }),
        }),
      ),
    ],
    // A record that exists takes no nested records; one out of sight is a new one without its required fields.
    [400, each((key) => post('/api/reviews', newReview({ book: { id: key, tags: [{ id: 1 }] } })))],
    [
      400,
      [
        post('/api/reviews', newReview({ book: newBook({ id: 60, vault_code: 'x', tags: [] }) })),
        post(
          '/api/authors',
          newAuthor({ books: [newBook({ id: 60, audits: [{ id: 1 }], tags: [] })] }),
        ),
      ],
    ],
  ],
}
