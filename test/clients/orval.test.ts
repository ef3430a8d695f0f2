/** orval: its client of the demo compiles with strict checks, and its requests succeed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { equal } from '../support/assert.ts'
import { notRun, suite } from '../support/suite.ts'
import { compiledAndRun, generate } from './generated.ts'
import { clients } from './packages.ts'
import { type ServedLibrary, serveLibrary } from './served-library.ts'

const missing = clients.notInstalled()
if (missing === undefined) declare()
else notRun('clients/', missing)

const config = `export default {
  library: {
    input: './library.json',
    output: {
      target: './orval.ts',
      client: 'axios-functions',
      override: { mutator: { path: './send.ts', name: 'send' } },
    },
  },
}
`

/** The mutator of docs/reference/openapi.md: lists with commas, and the members of objects as parameters. */
const mutator = `declare const API: string
interface Wanted {
  url: string
  method: string
  params?: object
  headers?: Record<string, string>
  data?: unknown
}

export async function send<T>({ url, method, params = {}, headers, data }: Wanted): Promise<T> {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    value === undefined
      ? []
      : typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value)
        : [[name, value]],
  )
  const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))
  const body = data === undefined ? {} : { body: JSON.stringify(data) }
  const response = await fetch(\`\${API}\${url}?\${query}\`, { method, ...body, ...(headers ? { headers } : {}) })
  return response.json()
}
`

const program = `
import { getBook, listBooks, login, type Book, type BookSelection } from './orval'

const books = await listBooks({
  filters: { price__ge: '3', id__nin: '(1,2)' },
  conditions: { 'author.name__ilike': 'a' },
  join: ['author'],
  order_by: ['-price', 'author.name'],
  fields: ['title', 'author.name'],
  limit: 3,
})
const whole: (Book | BookSelection)[] = books.value
const book = await getBook(1)
const signedIn = await login({ username: 'emil', password: 'emil-editor' })
// @ts-expect-error: prices are numbers
void (() => listBooks({ filters: { price__ilike: '3' } }))
// @ts-expect-error: no such mode
void (() => listBooks({ dump: 'all' }))
// @ts-expect-error: the key is a number
void (() => getBook('one'))
console.log(JSON.stringify({ books: whole.length, book: book.errors, user: signedIn.value?.user_pk !== undefined }))
`

function declare(): void {
  suite('a client by orval', (test) => {
    let library: ServedLibrary
    test.before(async () => {
      library = await serveLibrary()
      writeFileSync(join(library.folder, 'orval.config.mjs'), config)
      writeFileSync(join(library.folder, 'send.ts'), mutator)
      await generate(library.folder, 'orval', ['--config', 'orval.config.mjs'])
    })
    test.after(() => library.stop())

    test('compiles in strict mode, and its requests succeed', async () => {
      equal(await compiledAndRun(library.folder, program, library.url), {
        books: 3,
        book: null,
        user: true,
      })
    })
  })
}
