/** hey-api (`@hey-api/openapi-ts`): its client of the demo compiles with strict checks, and its requests succeed. */
import { equal } from '../support/assert.ts'
import { notRun, suite } from '../support/suite.ts'
import { compiledAndRun, generate } from './generated.ts'
import { clients } from './packages.ts'
import { type ServedLibrary, serveLibrary } from './served-library.ts'

const missing = clients.notInstalled()
if (missing === undefined) declare()
else
  notRun('clients/', `${missing}; npx --yes pnpm@12.21.0 run clients installs them, about 800 MB`)

/** The program of docs/reference/openapi.md. */
const program = `
import { createCategory, getBook, listBooks, login, type Book, type BookSelection } from './hey-api'
import { client } from './hey-api/client.gen'

client.setConfig({ baseUrl: API })
const books = await listBooks({
  querySerializer: { allowReserved: true, array: { explode: false }, object: { style: 'form' } },
  query: {
    filters: { price__ge: '3', id__nin: '(1,2)' },
    conditions: { 'author.name__ilike': 'a' },
    join: ['author'],
    order_by: ['-price', 'author.name'],
    fields: ['title', 'author.name'],
    limit: 3,
  },
})
const whole: (Book | BookSelection)[] | undefined = books.data?.value
const book = await getBook({ path: { id: 99_999 } })
const signedIn = await login({ body: { username: 'emil', password: 'emil-editor' } })
const auth = signedIn.data?.value?.access_token ?? ''
const created = await createCategory({ body: { name: 'Sea stories', description: 'Ships, mostly.' }, headers: { authorization: \`Bearer \${auth}\` } })

// @ts-expect-error: prices are numbers
void (() => listBooks({ query: { filters: { price__ilike: '3' } } }))
// @ts-expect-error: no such mode
void (() => listBooks({ query: { dump: 'all' } }))
// @ts-expect-error: the key is a number
void (() => getBook({ path: { id: 'one' } }))
console.log(JSON.stringify({
  books: [books.response?.status, whole?.length, books.error?.errors ?? null],
  problem: book.error?.errors?.code,
  created: created.data?.value?.name,
}))
`

function declare(): void {
  suite('a client by hey-api', (test) => {
    let library: ServedLibrary
    test.before(async () => {
      library = await serveLibrary()
      const words = ['-i', library.file, '-o', 'hey-api', '-c', '@hey-api/client-fetch']
      await generate(library.folder, 'openapi-ts', words)
    })
    test.after(() => library.stop())

    test('compiles in strict mode, and its requests succeed', async () => {
      equal(await compiledAndRun(library.folder, program, library.url), {
        books: [200, 3, null],
        problem: 'record_not_found',
        created: 'Sea stories',
      })
    })
  })
}
