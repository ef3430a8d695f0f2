/** Writes that a setting opens, changes or closes: the setting of each door, its writes, and the status of each. */
import type { ApiConfig } from '@model-api/core'
import type { OnDelete } from './world.ts'
import {
  current,
  newBook,
  patch,
  post,
  put,
  remove,
  restore,
  revealing,
  storedBook,
  type Write,
} from './write-doors.ts'

interface SettingDoor {
  readonly config: ApiConfig
  readonly onDelete?: OnDelete
  readonly groups: readonly (readonly [status: number, writes: readonly Write[]])[]
}

/** Keys of an out-of-scope, a deleted and a missing record. */
const unseen = [11, 21, 99]
/** The same, after that of a visible one. */
const keys = [1, ...unseen]

const outOfScope = 'rows out of scope'
const otherValues = 'other values of rows out of scope'
const isDeleted = 'whether rows out of scope are deleted'
const deleted = 'soft-deleted rows'

const stale = { 'if-match': '"stale.stale"' }
const asRead = { 'if-match': current }
const title = { title: 'x' }

const putBook = (key: number, headers = {}): Write => ({
  ...put(`/api/books/${key}`, newBook({ id: key })),
  headers,
})

const upserts = (id: number): readonly Write[] => [
  post('/api/books?on_conflict=id', newBook({ id })),
  post('/api/books?on_conflict=id', [newBook({}), newBook({ id })]),
  post('/api/books?on_conflict=id', [newBook({ id }), newBook({})]),
]

/** Writes of many records. */
const many = (key: number): readonly Write[] => [
  patch(`/api/books?id__eq=${key}`, title),
  patch('/api/books', [{ id: key, ...title }]),
  remove(`/api/reviews?id__eq=${key}`),
]

export const doors: Readonly<Record<string, SettingDoor>> = {
  // No setting: writes of one record with an ETag.
  'If-Match': {
    config: {},
    groups: [
      [
        412,
        [patch('/api/books/1', title, stale), putBook(1, stale), remove('/api/reviews/1', stale)],
      ],
      [
        404,
        unseen.flatMap((key) => [
          patch(`/api/books/${key}`, title, stale),
          patch(`/api/books/${key}`, title, asRead),
          putBook(key, stale),
          remove(`/api/reviews/${key}`, stale),
        ]),
      ],
      [
        200,
        [patch('/api/books/1', title, asRead), putBook(1, asRead), remove('/api/books/4', asRead)],
      ],
      [409, [restore('/api/books/1', asRead)]],
      [200, revealing(deleted, restore('/api/books/21', asRead), restore('/api/books/24', asRead))],
      [422, revealing(deleted, restore('/api/books/23', asRead))],
      [412, revealing(deleted, restore('/api/books/21', stale))],
      [404, [11, 99].map((key) => restore(`/api/books/${key}`, stale))],
    ],
  },
  "API_ALLOW_BULK: ['POST']": {
    config: { API_ALLOW_BULK: ['POST'] },
    groups: [
      [405, keys.flatMap(many)],
      [
        405,
        ['title__like=Book', 'vault_code__eq=v-1', 'nothing__eq=1'].flatMap((filters) => [
          remove(`/api/books?${filters}`),
          patch(`/api/books?${filters}`, title),
        ]),
      ],
      [201, [post('/api/books', [newBook({}), newBook({ id: 51, author_id: 1 })])]],
      [200, [post('/api/books?on_conflict=id', [storedBook(1), newBook({ id: 2 })])]],
      [
        422,
        unseen.map((key) => post('/api/books', [newBook({}), newBook({ id: 51, author_id: key })])),
      ],
      [
        422,
        unseen.map((key) =>
          post('/api/books?on_conflict=id', [storedBook(1), newBook({ id: 2, author_id: key })]),
        ),
      ],
      [409, revealing(outOfScope, ...upserts(11))],
      [409, revealing(deleted, ...upserts(21))],
    ],
  },
  'API_ALLOW_CASCADE_DELETE: true': {
    config: { API_ALLOW_CASCADE_DELETE: true },
    groups: cascades('&cascade_delete=1', ['authors/2'], ['authors/1', 'authors?id__lt=3']),
  },
  "on_delete: 'cascade'": {
    config: {},
    onDelete: 'cascade',
    groups: cascades('', ['authors/2'], ['authors/1', 'authors?id__lt=3']),
  },
  // What is deleted comes first, and without a hidden profile that is a payroll, which the writer may not delete.
  "on_delete: 'null'": { config: {}, onDelete: 'null', groups: cascades('', [], ['authors/2']) },
}

/** Deletions with all that refers to the records. `live`: authors to which live hidden records refer, `hidden`: also other ones. */
function cascades(
  parameter: string,
  live: readonly string[],
  hidden: readonly string[],
): SettingDoor['groups'] {
  const gone = (record: string): Write => {
    const url = `/api/${record}${record.includes('?') ? '' : '?'}${parameter}`
    return remove(url.replace('?&', '?').replace(/\?$/, ''))
  }
  const byKey = unseen.flatMap((key) =>
    ['reviews', 'books', 'authors'].map((resource) => gone(`${resource}/${key}`)),
  )
  return [
    [200, [gone('reviews/1'), gone('profiles/1')]],
    [200, ['stars__gt=3', 'stars__gt=5'].map((filters) => gone(`reviews?${filters}`))],
    [200, [gone('books?title__like=Foreign')]],
    [404, byKey],
    [403, [gone('payrolls/1'), gone('payrolls/99')]],
    [400, [gone('books?id__gt=0&max_affected=1'), gone('books?vault_code__eq=v-1')]],
    // Nothing out of sight refers to these, which it would with other foreign keys.
    [
      200,
      revealing(
        otherValues,
        gone('books/2'),
        gone('books/4'),
        gone('authors/3'),
        gone('tags/2'),
        gone('books?id__in=(2,4,11,21)'),
        gone('books?id__in=(4,11,21)&max_affected=1'),
      ),
    ],
    // A live record that the writer cannot see refers to these.
    [409, revealing([outOfScope, isDeleted], ...live.map(gone), gone('books?id__in=(3,4)'))],
    [
      409,
      revealing(
        [outOfScope, isDeleted, otherValues],
        ...hidden.map(gone),
        gone('books/1'),
        gone('books/3'),
        gone('books/5'),
      ),
    ],
  ]
}
