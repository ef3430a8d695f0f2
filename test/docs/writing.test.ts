/** Executes the examples of docs/guide/writing.md in order, with the models that the page shows. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type Api,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  type JsonValue,
  manyToMany,
} from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import {
  type Block,
  type Example,
  examplesOf,
  printJson,
  replaceBlocks,
} from '../support/examples.ts'
import { suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const file = fileURLToPath(new URL('../../docs/guide/writing.md', import.meta.url))
const update = process.env.UPDATE_DOCS === '1'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Author = defineModel('Author', {
  columns: {
    id,
    name: { type: 'string', maxLength: 40 },
    email: {
      type: 'string',
      nullable: true,
      unique: true,
      validator: 'email',
      validator_message: 'Not an e-mail address',
    },
    deleted: { type: 'boolean' },
  },
  relations: { books: hasMany('Book', 'author_id') },
  meta: { soft_delete: true, soft_delete_attribute: 'deleted' },
})

const Book = defineModel('Book', {
  columns: {
    id,
    title: { type: 'string', maxLength: 60 },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    isbn: { type: 'string', nullable: true, unique: true },
    author_id: { type: 'integer', nullable: true },
    updated: { type: 'datetime', managed: 'updated' },
  },
  relations: {
    author: belongsTo('Author', 'author_id'),
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }),
  },
  meta: {},
})

const Tag = defineModel('Tag', {
  columns: { id, name: { type: 'string', unique: true } },
  meta: {},
})

const Reader = defineModel('Reader', {
  columns: { id, name: { type: 'string' }, settings: { type: 'json', nullable: true } },
  meta: {},
})

suite('examples of docs/guide/writing.md', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  const models = [Author, Book, Tag, Reader] as const
  let api: Api
  const text = readFileSync(file, 'utf8')
  const examples = examplesOf(text)

  test.before(async () => {
    await createTables(db, models)
    api = createApi({
      db: db.kysely,
      models,
      clock: frozenClock(),
      config: {
        API_ALLOW_NESTED_WRITES: true,
        API_ALLOW_BULK: true,
        API_ALLOW_CASCADE_DELETE: true,
        API_ALLOW_BATCH: true,
      },
    })
  })
  test.after(() => db.close())

  const answerOf = async ({ method, url, headers, body }: Example): Promise<JsonValue> => {
    const request = { method, url, headers: { 'content-type': 'application/json', ...headers } }
    const answer = await api.handle({ ...request, ...(body === undefined ? {} : { body }) })
    const members = answer.body as unknown as Readonly<Record<string, JsonValue>>
    const { status_code = null, total_count = null, value = null, errors = null } = members
    return errors === null ? { status_code, total_count, value } : { status_code, errors }
  }

  if (update) {
    test('are updated', async () => {
      const texts = new Map<Block, string>()
      for (const example of examples) {
        const answer = printJson(await answerOf(example))
        if (example.answer !== undefined) texts.set(example.answer, answer)
      }
      writeFileSync(file, replaceBlocks(text, texts))
    })
    return
  }

  for (const example of examples) {
    test(`${example.line}: ${example.method} ${example.url}`, async () => {
      ok(example.answer !== undefined, 'it shows no answer')
      equal(await answerOf(example), JSON.parse(example.answer.text))
    })
  }
})
