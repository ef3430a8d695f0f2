/** model-api openapi: prints the document of a database, or of an API that a module exports. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { equal, match, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { command, sqliteFile } from './support.ts'

const file = sqliteFile(`
create table authors (id integer primary key, name text not null);
create table books (id integer primary key, "unit price" integer, author_id integer references authors);`)

suite('model-api openapi', (test) => {
  test('prints the document of a database, and nothing else', async () => {
    const { code, out, err } = await command(['openapi', file])
    equal(code, 0, err)
    match(err, 'Reading the schema')
    const document = JSON.parse(out)
    ok((await new Validator().validate(document)).valid)
    equal(Object.keys(document.paths['/api/books']), ['x-aliases', 'get'])
    equal(document.components.schemas.Book.required, ['id', 'unit_price', 'author_id'])
  })

  test('leaves out the tables that the options exclude', async () => {
    const { out } = await command(['openapi', file, '--except', 'books'])
    equal(Object.keys(JSON.parse(out).components.schemas).includes('Book'), false)
  })

  test('prints the document of an API that a module exports', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
    try {
      const module = join(folder, 'api.mjs')
      writeFileSync(module, 'export const api = { openapi: () => ({ openapi: "3.1.0" }) }')
      const { code, out } = await command(['openapi', module])
      equal([code, JSON.parse(out)], [0, { openapi: '3.1.0' }])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('reports what it cannot read', async () => {
    const { code, err } = await command(['openapi', './missing.db'])
    equal(code, 1)
    match(err, 'missing.db')
    equal((await command(['openapi', './nothing.ts'])).code, 1)
    equal((await command(['openapi'])).code, 2)
    equal((await command(['openapi', file, '--port', '1'])).code, 2)
  })
})
