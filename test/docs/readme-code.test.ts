/** Compiles the TypeScript of the README unchanged, and checks that it serves what the README says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const readme = readFileSync(join(repository, 'README.md'), 'utf8')
const [first = '', second = ''] = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(
  ([, code]) => code,
)

/** The parts that the README omits: a database, and a free port instead of the one shown. */
const prelude = `
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
const database = new Sqlite(':memory:')
database.exec(\`create table authors (id integer primary key, name text not null);
  create table books (id integer primary key, title text not null, author_id integer not null);
  insert into authors values (1, 'Jane Austen'); insert into books values (1, 'Emma', 1)\`)
const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
`

suite('the code of the README', (test) => {
  test('creates a working API on a listening server', async () => {
    ok(first.includes('.listen(3000)'), 'the first example listens')
    const code = first
      .replace('await createServer(api).listen(3000)', 'const server = createServer(api)')
      .replace(/^(import .*\n)+/, (imports) => imports + prelude)
    const tail = `
const url = await server.listen(0)
export const listed = await (await fetch(url + '/api/books?join=author&author.name__ilike=austen')).json()
${second}
export const one = response
await server.close()
`
    const { listed, one } = (await compiled(code + tail)) as {
      listed: { total_count: number }
      one: { status: number; body: { value: { title: string } } }
    }
    equal([listed.total_count, one.status, one.body.value.title], [1, 200, 'Emma'])
  })
})
