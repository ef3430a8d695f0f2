/**
 * The leak matrix of writes: every write × every secret. The answer, and what the writer reads afterwards, equal those
 * of a world in which the secret does not exist. The exceptions are those of docs/access.md, and stand here by name.
 */
import { type Api, type JsonValue, stringify } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { apiOf, createWorld, fillWorld, full, type Variant, viewer } from './world.ts'

type Row = Readonly<Record<string, unknown>>

interface Write {
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const patch = (url: string, body: unknown, headers = {}): Write => ({
  method: 'PATCH',
  url,
  body,
  headers,
})
const post = (url: string, body: unknown): Write => ({ method: 'POST', url, body })
const remove = (url: string, headers = {}): Write => ({ method: 'DELETE', url, headers })

const newBook = (more: Row) => ({
  id: 50,
  title: 'New',
  price: '1.00',
  published: '2020-01-01',
  author_id: null,
  owner_id: 7,
  ...more,
})

/** Keys of what is there, out of scope, deleted, and nowhere. */
const keys = ['1', '11', '21', '99']

const writes: Readonly<Record<string, readonly Write[]>> = {
  'change of a record': [
    ...keys.map((key) => patch(`/api/books/${key}`, { title: 'Changed' })),
    ...keys.map((key) => patch(`/api/taggings/${key}`, { tag_id: 2 })),
    ...keys.map((key) => patch(`/api/payrolls/${key}`, { amount: 1 })),
    ...keys.map((key) => patch(`/api/audits/${key}`, { note: 'x' })),
    ...keys.map((key) => patch(`/api/books/${key}`, { title: 7 })),
  ],
  'echo of a change': ['url', 'json', 'hybrid'].flatMap((dump) => [
    patch(`/api/books/1?dump=${dump}`, { title: 'Changed' }),
    patch(`/api/books/3?dump=${dump}`, { title: 'Changed' }),
    patch(`/api/authors/1?dump=${dump}`, { name: 'Changed' }),
    patch(`/api/tags/1?dump=${dump}`, { name: 'Changed' }),
    post(`/api/books?dump=${dump}`, newBook({ author_id: 1 })),
  ]),
  'a record given away': [
    patch('/api/books/1', { owner_id: 8 }),
    post('/api/books', newBook({ owner_id: 8 })),
  ],
  'a hidden column': [
    patch('/api/books/1', { vault_code: 'x' }),
    patch('/api/books/1', { vault_code: 'v-1' }),
    post('/api/books', newBook({ vault_code: 'x' })),
    patch('/api/books/1', { vault_cod: 'x' }),
  ],
  'an unpublished relation': [
    patch('/api/books/1', { audits: [] }),
    patch('/api/books/1', { audits: '/api/books/1/audits' }),
    post('/api/audits', { id: 9, book_id: 1, note: 'x' }),
  ],
  'a foreign key': keys.flatMap((key) => [
    patch('/api/books/1', { author_id: Number(key) }),
    post('/api/books', newBook({ author_id: Number(key) })),
    post('/api/taggings', { id: 50, book_id: 1, tag_id: Number(key), owner_id: 7 }),
    post('/api/reviews', { id: 50, book_id: Number(key), stars: 1, note: 'x', owner_id: 7 }),
  ]),
  'removal of a record': [
    ...keys.map((key) => remove(`/api/reviews/${key}`)),
    ...keys.map((key) => remove(`/api/books/${key}`)),
    ...keys.map((key) => remove(`/api/payrolls/${key}`)),
    ...keys.map((key) => remove(`/api/audits/${key}`)),
  ],
  preconditions: keys.flatMap((key) => [
    patch(`/api/books/${key}`, { title: 'Changed' }, { 'if-match': '"stale"' }),
    remove(`/api/reviews/${key}`, { 'if-match': '"stale.stale"' }),
    patch(`/api/books/${key}`, { title: 'Changed' }, { 'if-match': '*' }),
  ]),
  'parameters of a write': [
    patch('/api/books/1?fields=vault_code', { title: 'x' }),
    patch('/api/books/1?join=audits', { title: 'x' }),
    patch('/api/books/1?join=author', { title: 'x' }),
    remove('/api/books/11?include_deleted=true'),
  ],
}

interface Secret {
  readonly variant: Variant
  readonly change?: (row: Row, model: string) => Row | null
  /** What the contract says cannot be hidden. */
  readonly exceptions?: readonly Write[]
}

const secrets: Readonly<Record<string, Secret>> = {
  'the values of a hidden column': {
    variant: full,
    change: (row) => (row.vault_code === undefined ? row : { ...row, vault_code: `z-${row.id}` }),
  },
  'a hidden column': { variant: { ...full, vault: 'absent' } },
  'rows out of scope': {
    variant: full,
    change: (row) => (row.owner_id === 8 ? null : row),
  },
  'soft-deleted rows': { variant: full, change: (row) => (row.deleted === true ? null : row) },
  'an unpublished model': {
    variant: { ...full, audit: 'absent' },
    change: (row, model) => (model === 'Audit' ? null : row),
  },
  'a resource of another role': {
    variant: full,
    change: (row, model) => (model === 'Payroll' ? null : row),
  },
}

/** The database itself refuses these: a key that is taken, however invisible its row. */
const taken = [post('/api/books', newBook({ id: 11 })), post('/api/books', newBook({ id: 21 }))]

/** The answer to a write and what the writer sees afterwards. */
async function told(api: Api, write: Write): Promise<string> {
  const { method, url, body, headers } = write
  const request = { 'x-request-id': 'r', 'content-type': 'application/json', ...headers }
  const answer = await api.handle({
    method,
    url,
    headers: request,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const after = []
  for (const look of [
    '/api/books?dump=json',
    '/api/authors?dump=json',
    '/api/tags',
    '/api/reviews',
  ]) {
    const { body: seen } = await api.handle({ method: 'GET', url: look, headers: request })
    after.push(stringify(seen as unknown as JsonValue))
  }
  const text = answer.body === undefined ? '' : stringify(answer.body as unknown as JsonValue)
  return [`${answer.status} ${JSON.stringify(answer.headers)} ${text}`, ...after].join('\n')
}

eachDatabase('a write', (test, db) => {
  test.before(() => createWorld(db))

  const inWorld = async ({ variant, change }: Secret, write: Write): Promise<string> => {
    await fillWorld(db, change)
    return told(apiOf(db, variant, viewer), write)
  }

  for (const [name, list] of Object.entries(writes)) {
    test(`tells nothing of any secret: ${name}`, async () => {
      let succeeded = 0
      for (const write of list) {
        const answer = await inWorld({ variant: full }, write)
        ok(!answer.startsWith('5'), `${write.method} ${write.url}\n${answer}`)
        if (answer.startsWith('2')) succeeded++
        for (const [secret, lacking] of Object.entries(secrets)) {
          const about = `${secret}: ${write.method} ${write.url} ${JSON.stringify(write.body)}`
          equal(answer, await inWorld(lacking, write), about)
        }
      }
      const refusedAll = ['a hidden column', 'an unpublished relation', 'parameters of a write']
      ok(succeeded > 0 || refusedAll.includes(name), 'no write of this kind succeeds')
    })
  }

  test('tells by 409 that a key is taken, which no policy can hide', async () => {
    for (const write of taken) {
      ok((await inWorld({ variant: full }, write)).startsWith('409'))
      const nobody = (row: Row) => (row.owner_id === 7 && row.deleted === false ? row : null)
      ok((await inWorld({ variant: full, change: nobody }, write)).startsWith('201'))
    }
  })
})
