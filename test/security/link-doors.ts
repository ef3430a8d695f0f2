/** Writes of links of a published junction, and of nested records of a resource that is closed to the caller. */
import { newBook, patch, post, put, revealing, storedBook, type Write } from './write-doors.ts'

type Groups = readonly (readonly [status: number, writes: Write[]])[]

/** Keys of a visible, an out-of-scope, a deleted and a missing record. */
const keys = [1, 11, 21, 99]
const each = (make: (key: number) => Write): Write[] => keys.map(make)

const newAuthor = (more: object) => ({ id: 50, name: 'New', owner_id: 7, ...more })
const newReview = (more: object) => ({ id: 50, stars: 1, note: 'x', owner_id: 7, ...more })
const newTagging = (more: object) => ({ id: 50, owner_id: 7, ...more })
const newProfile = (more: object) => ({ id: 50, author_id: 1, motto: 'x', owner_id: 7, ...more })

/** Keys of an out-of-scope, a deleted and a missing record. */
const unseen = [11, 21, 99]

const twoReviews = (key: number) => [
  newReview({ book: { id: 1 } }),
  newReview({ id: 51, book: { id: key } }),
]
const twoTaggings = (key: number) => [
  newTagging({ book: { id: 2 }, tag: { id: 1 } }),
  newTagging({ id: 51, book: { id: 1 }, tag: { id: key } }),
]
const twoMoves = (key: number) => [
  { id: 1, book: { id: 2 } },
  { id: 2, book: { id: key } },
]
const twoBooks = (key: number) => [
  newBook({ tags: [{ id: 1 }] }),
  newBook({ id: 51, tags: [{ id: key }] }),
]
const twoLists = (key: number) => [
  { id: 2, tags: [{ id: 1 }] },
  { id: 1, tags: [{ id: key }] },
]

/** A tag with all that a new one needs. */
const tag = (slug: string) => ({ name: slug, slug, owner_id: 7 })
const byName = (key: number, slug: string): Write =>
  patch(`/api/books/${key}?tags.on_conflict=slug`, { tags: [tag(slug)] })
/** What it tells that the name of a row out of scope is taken. */
const outOfScope = ['rows out of scope', 'other values of rows out of scope']

const children = (key: number, reviews: readonly object[]): Write =>
  patch(`/api/books/${key}?dump=json`, { reviews })
/** A list of all children that the writer sees. */
const whole = (method: string, key: number, reviews: readonly object[]): Write =>
  method === 'put'
    ? put(`/api/books/${key}?dump=json`, newBook({ id: key, reviews }))
    : patch(`/api/books/${key}?dump=json&reviews.on_missing=remove`, { reviews })
const unseenRows = 'rows out of scope'

/** Writes of children with generated keys, and the status of each: none is created with a key. */
export const generated: Groups = [
  [
    200,
    [
      children(1, [{ id: 1, stars: 3 }]),
      children(1, []),
      whole('patch', 1, [{ id: 1 }]),
      whole('patch', 1, []),
      whole('patch', 5, []),
      whole('put', 2, []),
      patch('/api/authors/1?dump=json', { books: [{ id: 1, reviews: [{ id: 1, stars: 3 }] }] }),
    ],
  ],
  [422, [2, ...unseen].map((id) => children(1, [{ id, stars: 3 }]))],
  [422, [1, 2, 12, 22, 23, 99].map((id) => children(5, [newReview({ id })]))],
  [422, [2, ...unseen].map((id) => whole('patch', 1, [{ id: 1, stars: 3 }, { id }]))],
  [422, [1, ...unseen].map((id) => whole('put', 2, [{ id, note: 'x' }]))],
  [
    422,
    [2, ...unseen].map((id) =>
      patch('/api/books', [
        { id: 2, reviews: [] },
        { id: 1, reviews: [{ id: 1 }, { id, stars: 3 }] },
      ]),
    ),
  ],
  [
    422,
    [2, ...unseen].map((id) => patch('/api/authors/1', { books: [{ id: 1, reviews: [{ id }] }] })),
  ],
  [404, unseen.map((key) => children(key, [{ id: 1, stars: 3 }]))],
]

/** Writes, and the status of each. */
export const doors: Readonly<Record<string, Groups>> = {
  'a list of links': [
    // The links that GET shows, none, and one more. Book 3 has an out-of-scope link, book 4 a deleted one.
    [200, [patch('/api/books/1?dump=json', { tags: [{ id: 1 }] })]],
    [200, [patch('/api/books/1?dump=json', { tags: [] })]],
    [200, [patch('/api/books/1?dump=json', { tags: [{ id: 1 }, { id: 2 }] })]],
    [200, [patch('/api/books/3?dump=json', { tags: [] })]],
    [200, [patch('/api/books/3?dump=json', { tags: [{ id: 1 }] })]],
    [200, [patch('/api/books/4?dump=json', { tags: [{ id: 2 }] })]],
    // A link that is created again restores the deleted one, which takes other statements.
    [200, revealing('soft-deleted rows', patch('/api/books?id__lt=5', { tags: [{ id: 2 }] }))],
    [404, [11, 21, 99].map((key) => patch(`/api/books/${key}`, { tags: [] }))],
  ],
  'a list from the other side': [
    [200, [patch('/api/tags/1?dump=json', { books: [{ id: 1 }] })]],
    [200, [patch('/api/tags/1?dump=json', { books: [] })]],
    [
      200,
      revealing(
        'soft-deleted rows',
        patch('/api/tags/2?dump=json', { books: [{ id: 1 }, { id: 4 }] }),
      ),
    ],
  ],
  'a link to a record': [
    [200, [patch('/api/books/2', { tags: [{ id: 1 }] })]],
    [422, [11, 21, 99].map((key) => patch('/api/books/2', { tags: [{ id: key }] }))],
    [201, [post('/api/books', newBook({ tags: [{ id: 1 }] }))]],
    [422, [11, 21, 99].map((key) => post('/api/books', newBook({ tags: [{ id: key }] })))],
  ],
  'a list of references': [
    [201, [post('/api/reviews', twoReviews(2))]],
    [422, unseen.map((key) => post('/api/reviews', twoReviews(key)))],
    [201, [post('/api/taggings', twoTaggings(2))]],
    [422, unseen.map((key) => post('/api/taggings', twoTaggings(key)))],
    [200, [patch('/api/reviews', twoMoves(1))]],
    [422, unseen.map((key) => patch('/api/reviews', twoMoves(key)))],
    [
      404,
      unseen.map((key) =>
        patch('/api/reviews', [
          { id: 1, book: { id: 2 } },
          { id: key, book: { id: 1 } },
        ]),
      ),
    ],
    // A nested object that names the stored reference, which the caller sees, or not.
    [
      200,
      [
        patch('/api/books', [
          { id: 1, author: { id: 1 } },
          { id: 2, author: { id: 2 } },
        ]),
      ],
    ],
    [
      422,
      [11, 21].map((key) =>
        patch('/api/books', [
          { id: 2, author: { id: 2 } },
          { id: key === 11 ? 3 : 4, author: { id: key } },
        ]),
      ),
    ],
  ],
  'a list of lists of links': [
    [201, [post('/api/books?dump=json', twoBooks(2))]],
    [422, unseen.map((key) => post('/api/books', twoBooks(key)))],
    [200, [patch('/api/books?dump=json', twoLists(2))]],
    [422, unseen.map((key) => patch('/api/books', twoLists(key)))],
    [
      404,
      unseen.map((key) =>
        patch('/api/books', [
          { id: 2, tags: [{ id: 1 }] },
          { id: key, tags: [] },
        ]),
      ),
    ],
  ],
  'an upsert of references': [
    [200, [post('/api/reviews?on_conflict=id', { ...newReview({ id: 1 }), book: { id: 2 } })]],
    [201, [post('/api/reviews?on_conflict=id', twoReviews(2))]],
    [
      422,
      unseen.map((key) =>
        post('/api/reviews?on_conflict=id', { ...newReview({ id: 1 }), book: { id: key } }),
      ),
    ],
    [422, unseen.map((key) => post('/api/reviews?on_conflict=id', twoReviews(key)))],
    [
      422,
      unseen.map((key) =>
        post('/api/reviews?on_conflict=id', [
          ...twoMoves(key).map((move) => newReview(move)),
          newReview({ book: { id: 1 } }),
        ]),
      ),
    ],
    [
      200,
      [
        post('/api/books?on_conflict=id&dump=json', [
          storedBook(1, { tags: [{ id: 1 }] }),
          storedBook(2, { tags: [{ id: 2 }] }),
        ]),
      ],
    ],
    [
      422,
      unseen.map((key) =>
        post('/api/books?on_conflict=id', [
          storedBook(1, { tags: [{ id: 1 }] }),
          storedBook(2, { tags: [{ id: key }] }),
        ]),
      ),
    ],
  ],
  'a link by name': [
    [201, [post('/api/books?tags.on_conflict=slug', newBook({ tags: [tag('classic')] }))]],
    [201, [post('/api/books?tags.on_conflict=slug', newBook({ tags: [tag('fresh')] }))]],
    [
      200,
      [
        patch('/api/books/2?tags.on_conflict=slug&dump=json', { tags: [tag('classic')] }),
        patch('/api/books/2?tags.on_conflict=slug&dump=json', { tags: [tag('fresh')] }),
        // Book 3 has a link that the writer cannot see, book 4 a deleted one.
        patch('/api/books/3?tags.on_conflict=slug&dump=json', { tags: [tag('classic')] }),
        patch('/api/books/4?tags.on_conflict=slug&dump=json', { tags: [tag('new')] }),
        patch('/api/books?tags.on_conflict=slug', [
          { id: 1, tags: [tag('classic')] },
          { id: 2, tags: [tag('fresh')] },
        ]),
        post('/api/books?on_conflict=id&tags.on_conflict=slug&dump=json', [
          storedBook(1, { tags: [tag('classic')] }),
          storedBook(2, { tags: [tag('new')] }),
        ]),
      ],
    ],
    [
      201,
      [
        post('/api/taggings?tag.on_conflict=slug', {
          ...newTagging({ book: { id: 2 } }),
          tag: tag('classic'),
        }),
      ],
    ],
    [404, unseen.map((key) => byName(key, 'classic'))],
    [
      400,
      [
        patch('/api/books/2?tags.on_conflict=slu', { tags: [tag('classic')] }),
        patch('/api/books/2?author.on_conflict=name', { author: { name: 'Ann' } }),
        patch('/api/books/2?author.on_conflict=vault_code', { author: { vault_code: 'v-ann' } }),
        patch('/api/books/2?audits.on_conflict=note', { audits: [{ note: 'checked' }] }),
      ],
    ],
    // The name of a record that the writer cannot see is taken, as its key would be.
    [
      409,
      [
        ...revealing(outOfScope, byName(2, 'foreign')),
        ...revealing('soft-deleted rows', byName(2, 'deleted')),
        ...revealing(
          outOfScope,
          post('/api/books?tags.on_conflict=slug', newBook({ tags: [tag('foreign')] })),
        ),
      ],
    ],
  ],
  // Children whose keys clients choose: one that is not a child of the record is a new one, whose key is taken.
  'a list of children with chosen keys': [
    [
      200,
      [
        children(1, [{ id: 1, stars: 3 }]),
        children(1, [newReview({})]),
        children(2, [{ id: 2, note: 'y' }, newReview({})]),
        children(3, [newReview({ id: 99 })]),
        // Book 5 has a review out of scope, and a deleted one.
        children(5, []),
        children(5, [newReview({})]),
        patch('/api/books?id__lt=6', { reviews: [] }),
        patch('/api/books', [
          { id: 1, reviews: [{ id: 1, stars: 3 }] },
          { id: 5, reviews: [newReview({})] },
        ]),
        patch('/api/authors/1?dump=json', { books: [{ id: 1, reviews: [{ id: 1, stars: 3 }] }] }),
      ],
    ],
    [409, [children(1, [newReview({ id: 2 })]), children(1, [{ id: 1 }, newReview({ id: 2 })])]],
    [409, revealing(unseenRows, children(1, [newReview({ id: 11 })]))],
    [409, revealing(unseenRows, children(5, [newReview({ id: 12 })]))],
    [409, revealing('soft-deleted rows', children(5, [newReview({ id: 22 })]))],
    [400, [2, ...unseen].map((id) => children(1, [{ id, stars: 3 }]))],
    [404, unseen.map((key) => children(key, [newReview({})]))],
    [404, unseen.map((key) => children(key, [{ id: 1, stars: 3 }]))],
  ],
  'a list of children that removes the others': [
    [
      200,
      ['patch', 'put'].flatMap((method) => [
        whole(method, 1, [{ id: 1 }]),
        whole(method, 1, []),
        whole(method, 2, [newReview({})]),
        // Book 5 has only reviews that the writer cannot see.
        whole(method, 5, []),
        whole(method, 5, [newReview({})]),
      ]),
    ],
    [
      200,
      [
        patch('/api/books?id__lt=6&reviews.on_missing=remove', { reviews: [] }),
        patch('/api/books?reviews.on_missing=remove&dump=json', [
          { id: 1, reviews: [{ id: 1, stars: 3 }] },
          { id: 2, reviews: [newReview({})] },
          { id: 5, reviews: [] },
        ]),
        patch('/api/authors/1?books.on_missing=remove&dump=json', { books: [] }),
        patch('/api/authors/1?books.reviews.on_missing=remove&dump=json', {
          books: [{ id: 1, reviews: [] }],
        }),
        patch('/api/shelves/1?books.on_missing=remove', { books: [{ id: 2 }] }),
      ],
    ],
    [409, revealing(unseenRows, whole('patch', 1, [newReview({ id: 11 })]))],
    [409, revealing('soft-deleted rows', whole('put', 2, [newReview({ id: 21 })]))],
    [404, unseen.flatMap((key) => [whole('patch', key, []), whole('put', key, [])])],
  ],
  'a list of children of another role': [
    [403, each((key) => patch('/api/authors/1', { payrolls: [{ id: key, amount: 1 }] }))],
    [403, each((key) => patch('/api/shelves/1', { ledgers: [{ id: key, amount: 1 }] }))],
    [403, each((key) => patch('/api/shelves/1', { drafts: [{ id: key, line: 'x' }] }))],
    [
      403,
      [
        patch('/api/authors/1?payrolls.on_missing=remove', { payrolls: [] }),
        patch('/api/authors/2?payrolls.on_missing=remove', { payrolls: [] }),
        patch('/api/authors/3?payrolls.on_missing=remove', { payrolls: [] }),
      ],
    ],
  ],
  'a list of children that the writer does not see': [
    [
      400,
      [
        ...each((key) => patch('/api/books/1', { audits: [{ id: key, note: 'x' }] })),
        ...each((key) => patch('/api/books/1', { audit: [{ id: key, note: 'x' }] })),
        ...['audits', 'audit', 'reviews.audits', 'author', 'tags'].map((path) =>
          patch(`/api/books/1?${path}.on_missing=remove`, { title: 'x' }),
        ),
        children(1, [{ id: 1, vault_code: 'v-1' }]),
        children(1, [{ id: 1, vault_code: 'code1x' }]),
        children(1, [{ id: 1, vault_cod: 'x' }]),
        children(1, [newReview({ vault_code: 'x' })]),
        children(1, [{ id: 1, book_id: 2 }]),
        children(1, [{ id: 1, book_id: 11 }]),
      ],
    ],
  ],
  'a list of nested records of another role': [
    [
      403,
      each((key) =>
        post('/api/profiles', [newProfile({}), newProfile({ id: 51, payroll: { id: key } })]),
      ),
    ],
    [403, each((key) => patch('/api/profiles', [{ id: 1, payroll: { id: key } }]))],
    [
      403,
      each((key) =>
        post('/api/profiles?on_conflict=id', [newProfile({ id: 1, payroll: { id: key } })]),
      ),
    ],
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
