/** Runs the examples of docs/reference/client.md over HTTP with the server that the page shows. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AnyModel, Api } from '@model-api/core'
import { createServer } from '@model-api/http-node'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const file = fileURLToPath(new URL('../../docs/reference/client.md', import.meta.url))

/** A `console.log` of the page, and the comments below it. */
const shown = /^( *)console\.log\(.*\)\n((?:\1\/\/ .*\n|\}\n(?=\/\/ )|\/\/ .*\n)*)/gm

interface Page {
  start(api: Api, models: readonly AnyModel[]): Promise<string>
  log(value: unknown): void
}

/** The TypeScript of the page as one module. */
function moduleOf(page: string): string {
  const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const [server = '', ...rest] = blocks
  const client = rest
    .join('\n')
    .replace(/^import type .* from '\.\/server\.ts'\n/m, '')
    .replace("'https://api.example.org'", 'await page.start(api, [Author, Book, Review, Tag])')
    .replaceAll('console.log(', 'page.log(')
  const imported = /^import .* from '@model-api\/core\/client'\n/gm
  const imports = (client.match(imported) ?? []).join('')
  const opening = `// What the page shows, as a module.
import type { AnyModel, Api } from '@model-api/core'
import type { Kysely } from 'kysely'
interface Page { start(api: unknown, models: readonly AnyModel[]): Promise<string>; log(value: unknown): void }
// biome-ignore lint/suspicious/noExplicitAny: the database of the test
const { db, page } = (globalThis as unknown as { clientPage: { db: Kysely<any>; page: Page } }).clientPage
export type Unused = Api
`
  return `${opening}${server.replaceAll('export const', 'const')}${imports}${client.replace(imported, '')}\nexport {}\n`
}

suite('examples of docs/reference/client.md', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  const text = readFileSync(file, 'utf8')
  const logged: string[] = []
  let stop: () => unknown = () => undefined

  const page: Page = {
    async start(api, models) {
      const [Author, Book, Review] = models as [AnyModel, AnyModel, AnyModel]
      await createTables(db, models)
      await insertRows(db, Author, [
        { id: 1, name: 'Jane Austen', country: 'GB' },
        { id: 2, name: 'Virginia Woolf', country: 'GB' },
      ])
      await insertRows(db, Book, [
        { id: 1, title: 'Emma', price: '12.50', published: '1815-12-23', author_id: 1 },
        { id: 2, title: 'Persuasion', price: '15.00', published: '1817-12-20', author_id: 1 },
        { id: 3, title: 'Mrs Dalloway', price: '9.90', published: '1925-05-14', author_id: 2 },
        { id: 4, title: 'Notes', price: null, published: null, author_id: 2 },
      ])
      await insertRows(db, Review, [
        { id: 1, book_id: 1, rating: 3, body: 'Long.' },
        { id: 2, book_id: 1, rating: 5, body: 'Clever.' },
      ])
      const server = createServer(api)
      stop = () => server.close()
      return server.listen(0)
    },
    log: (value) => logged.push(JSON.stringify(value)),
  }

  test.before(async () => {
    Object.assign(globalThis, { clientPage: { db: db.kysely, page } })
    try {
      await compiled(moduleOf(text))
    } finally {
      Reflect.deleteProperty(globalThis, 'clientPage')
    }
  })
  test.after(async () => {
    await stop()
    await db.close()
  })

  test('print what the comments below them show', () => {
    const comments = [...text.matchAll(shown)].map(([, , below = '']) =>
      [...below.matchAll(/\/\/ (.*)/g)].map(([, comment = '']) => comment),
    )
    ok(comments.length > 10)
    equal(logged, comments.flat())
  })
})
