/** model-api check: compares the models of the API that a module exports with its database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { equal, match } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { command } from './support.ts'

suite('model-api check', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'check-'))
  test.after(() => rmSync(folder, { recursive: true }))

  const core = import.meta.resolve('@model-api/core')
  const sqlite = pathToFileURL(new URL(import.meta.resolve('better-sqlite3')).pathname).href
  const kysely = import.meta.resolve('kysely')

  const id = "id: { type: 'integer', primaryKey: true }"

  const module = (name: string, columns: string, { more = '', config = '' } = {}): string => {
    const path = join(folder, name)
    writeFileSync(
      path,
      `import { createApi, defineModel } from ${JSON.stringify(core)}
import Sqlite from ${JSON.stringify(sqlite)}
import { Kysely, SqliteDialect } from ${JSON.stringify(kysely)}
const database = new Sqlite(':memory:')
database.exec('create table books (id integer not null primary key, title varchar(80) not null); create table pages (id integer not null primary key, book_id integer not null)')
const db = new Kysely({ dialect: new SqliteDialect({ database }) })
const Book = defineModel('Book', { columns: ${columns}${more}, meta: {} })
const Page = defineModel('Page', { columns: { ${id}, book_id: { type: 'integer' } }, meta: {} })
export const api = createApi({ db, models: [Book, Page], config: { API_SCHEMA_CHECK: 'off'${config} } })
export const close = () => db.destroy()
`,
    )
    return path
  }
  test('models that match: exit code 0', async () => {
    const path = module('agree.mjs', `{ ${id}, title: { type: 'string', maxLength: 80 } }`)
    equal(await command(['check', path]), {
      code: 0,
      out: 'The models agree with the database.\n',
      err: '',
    })
  })

  test('models that differ: the differences, and exit code 1', async () => {
    const path = module('differ.mjs', `{ ${id}, titel: { type: 'string' } }`)
    const { code, out, err } = await command(['check', path])
    equal([code, err], [1, ''])
    match(out, '- Book.titel (books): declared with the column titel, but the table has no such')
    match(out, 'Did you mean title?')
    match(out, '2 differences.')
  })

  test('a foreign key without an index: a warning, and exit code 0', async () => {
    const path = module('slow.mjs', `{ ${id}, title: { type: 'string', maxLength: 80 } }`, {
      more: ", relations: { pages: { kind: 'hasMany', target: 'Page', key: 'book_id' } }",
      config: ', API_ALLOW_AGGREGATION: true',
    })
    equal(await command(['check', path]), {
      code: 0,
      out: `Aggregates of related records read whole tables (API_SCHEMA_CHECK):
- Book.pages: no index of pages begins with (book_id). Add one: create index pages_book_id on pages (book_id).
The models agree with the database.
`,
      err: '',
    })
  })

  test('a database that does not respond has an error of its own', async () => {
    const away = join(folder, 'away.mjs')
    writeFileSync(
      away,
      `import { createApi, defineModel } from ${JSON.stringify(core)}
import pg from ${JSON.stringify(import.meta.resolve('pg'))}
import { Kysely, PostgresDialect } from ${JSON.stringify(kysely)}
const pool = new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' })
const Book = defineModel('Book', { columns: { ${id} }, meta: {} })
export const api = createApi({ db: new Kysely({ dialect: new PostgresDialect({ pool }) }), models: [Book] })
export const close = () => pool.end()
`,
    )
    const { code, out, err } = await command(['check', away])
    equal([code, out], [1, ''])
    match(err, 'nothing answers at this address')
  })

  test('takes one module and no options', async () => {
    equal((await command(['check'])).code, 2)
    equal((await command(['check', 'a.mjs', 'b.mjs'])).code, 2)
    equal((await command(['check', 'a.mjs', '--port', '1'])).code, 2)
  })
})
