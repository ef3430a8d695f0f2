/** Executes every example of the README and the documentation with the library of the demo. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ApiConfig, createApi, type JsonValue } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createLibrary } from '../../examples/library/data/seed.ts'
import { createUsers } from '../../examples/library/data/users.ts'
import { config, secrets } from '../../examples/library/library.ts'
import { models } from '../../examples/library/models.ts'
import { equal, ok } from '../support/assert.ts'
import { clinic, createClinic } from '../support/clinic.ts'
import {
  type Block,
  type Example,
  examplesOf,
  flat,
  isPartOf,
  printJson,
  printSql,
  replaceBlocks,
  shown,
} from '../support/examples.ts'
import { filesBelow } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const update = process.env.UPDATE_DOCS === '1'

/** Pages whose examples need another set-up have separate tests. */
const elsewhere = new Set([
  'docs/guide/writing.md',
  'docs/guide/models.md',
  'docs/reference/model-options.md',
  'docs/guide/authentication.md',
  'docs/guide/passwords.md',
  'docs/guide/sessions.md',
  'docs/guide/tokens.md',
  'docs/guide/access.md',
  'docs/recipes/existing-app.md',
  'docs/recipes/numbers-within-a-parent.md',
  'docs/recipes/mailed-links.md',
  'docs/recipes/register-users.md',
  'docs/recipes/register-tenants.md',
])

const pages = ['README.md', ...filesBelow('docs', /\.md$/)].filter((page) => !elsewhere.has(page))

interface Library {
  // biome-ignore lint/suspicious/noExplicitAny: the tables are the seed's
  readonly db: Kysely<any>
  readonly statements: string[]
}

async function openLibrary(): Promise<Library> {
  const statements: string[] = []
  const database = new Sqlite(':memory:')
  // biome-ignore lint/suspicious/noExplicitAny: the tables are the seed's
  const db = new Kysely<any>({
    dialect: new SqliteDialect({ database }),
    log: (event) => void statements.push(event.query.sql),
  })
  await createLibrary(db)
  await createUsers(db)
  await createClinic(db)
  return { db, statements }
}

async function run(
  library: Library,
  example: Example,
): Promise<{ answer: JsonValue; sql: string }> {
  const more = JSON.parse(example.config) as ApiConfig
  const isClinic = /^\/api\/(sites|technicians|customers)\b/.test(example.url)
  const { db } = library
  const api = isClinic
    ? createApi({ db, models: clinic, config: { API_ALLOW_AGGREGATION: true, ...more } })
    : createApi({
        db,
        models,
        config: { ...config, ...more },
        env: secrets(),
        onError: () => {},
      })
  await api.ready
  library.statements.length = 0
  const { method, url, headers, body } = example
  const response = await api.handle({ method, url, headers, body })
  return {
    answer: response.body as unknown as JsonValue,
    sql: printSql(library.statements),
  }
}

/** What a page shows of a response: some members of an envelope, or the whole of problem details. */
function shownAnswer(answer: JsonValue): JsonValue {
  const members = answer as Record<string, JsonValue>
  return 'status_code' in members ? shown(members) : answer
}

suite('examples of the documentation', (test) => {
  let library: Library
  test.before(async () => {
    library = await openLibrary()
  })
  test.after(() => library.db.destroy())

  for (const page of pages) {
    const text = readFileSync(`${root}${page}`, 'utf8')
    const examples = examplesOf(text)
    if (update) {
      test(`update ${page}`, async () => {
        const texts = new Map<Block, string>()
        for (const example of examples) {
          const { answer, sql } = await run(library, example)
          const body = shownAnswer(answer)
          if (example.answer !== undefined) texts.set(example.answer, printJson(body))
          if (example.sql !== undefined) texts.set(example.sql, sql)
        }
        writeFileSync(`${root}${page}`, replaceBlocks(text, texts))
      })
      continue
    }
    for (const example of examples) {
      test(`${page}:${example.line} ${example.method} ${example.url}`, async () => {
        const { answer, sql } = await run(library, example)
        ok(example.answer !== undefined || example.sql !== undefined, 'it shows no answer')
        if (example.answer !== undefined) {
          const part = JSON.parse(example.answer.text) as JsonValue
          if (!isPartOf(part, answer)) equal(shownAnswer(answer), part)
        }
        if (example.sql !== undefined) equal(flat(sql), flat(example.sql.text))
      })
    }
  }

  test('there are examples to run', () => {
    const count = pages.flatMap((page) => examplesOf(readFileSync(`${root}${page}`, 'utf8'))).length
    ok(update || count >= 20, `${count} examples`)
  })
})
